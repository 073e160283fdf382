//! What operators see: logs, traces and metrics.
#![cfg(feature = "service")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../support/log.rs"]
mod log;

#[cfg(feature = "otlp")]
mod collector;
mod endpoint;
mod engine;
mod here;
mod lines;
mod logs;
mod rate_limited;
mod server;
mod signals;
#[cfg(feature = "otlp")]
mod spans;
mod trace_context;
