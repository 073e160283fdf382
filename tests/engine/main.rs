//! The engine: fair to all clients, accurate about limits, and isolating failures.
#![cfg(feature = "service")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/log.rs"]
mod log;
#[path = "../support/mod.rs"]
mod support;

mod admission;
mod askers;
mod average;
mod backlog;
mod drawing;
mod easy;
mod fake;
mod helped_beams;
mod helping;
mod job;
mod limits;
mod memory;
mod pace;
mod pipe;
mod pool;
mod rank;
mod share;
mod sharing;
mod solving;
mod standing_line;
mod table_store;
