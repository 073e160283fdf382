//! The service, asked over a real socket by clients that behave and by some that do not.
#![cfg(feature = "service")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/log.rs"]
mod log;
#[path = "../support/mod.rs"]
mod support;

mod access;
mod apart;
mod check_solvable;
mod connection;
mod drain;
mod fair_share;
mod gated;
mod generate;
mod harness;
mod health;
mod invalid;
mod line;
mod multi_tile;
mod observe;
mod peer;
mod raw;
mod server;
mod solve;
mod solve_stream;
mod status;
mod timeout;
