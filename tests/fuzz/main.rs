//! Fuzzes every decoder and the whole path of a request with input that no honest peer sends.
//!
//! Each target is a plain function of bytes that must return: a panic on any thread, or a call that
//! does not end, is a failure. The inputs are the seeds, the kept corpus, and mutations of both for
//! `LOYD_FUZZ_SECONDS` per target.
#![cfg(feature = "service")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod mutate;
mod protobuf;
mod run;
mod targets;

use run::run;

#[test]
fn boards_and_moves_as_people_write_them() {
    run(&targets::NOTATION);
}

#[test]
fn metrics_as_they_are_served() {
    run(&targets::METRICS);
}

#[test]
fn lists_of_boards_and_of_tokens() {
    run(&targets::LISTS);
}

#[test]
fn files_of_weights() {
    run(&targets::WEIGHTS);
}

#[test]
fn files_of_tables() {
    run(&targets::TABLE);
}

#[test]
fn calls() {
    run(&targets::CALLS);
}

#[test]
fn connections() {
    run(&targets::CONNECTION);
}
