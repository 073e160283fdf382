//! The service, asked over a real socket by clients that behave and by some that do not.
#![cfg(feature = "service")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/log.rs"]
mod log;
#[path = "../support/mod.rs"]
mod support;

mod answers;
mod check_solvable;
mod connection;
mod drain;
mod end;
mod fair_share;
mod frames;
mod gather;
mod generate;
mod harness;
mod identity;
mod inline;
mod invalid;
mod multi_tile;
mod observe;
mod raw;
mod server;
mod solve;
mod solve_stream;
mod status;
mod timeout;
mod tls;
mod tokens;
mod transport;
