//! The solvers: correct answers, exact counts and observed limits, however they are advanced.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/korf.rs"]
mod korf;
#[path = "../support/mod.rs"]
mod support;

#[path = "../support/adversary.rs"]
mod adversary;

mod a_star;
mod anytime;
mod beam;
mod chain;
mod constructive;
mod cycle_automaton;
mod distance_table;
mod driving;
mod forecast;
mod generate;
mod ida_star;
mod joined;
mod known_lengths;
mod multi_tile;
mod parts;
mod plan;
mod prepared;
mod staged_beam;
