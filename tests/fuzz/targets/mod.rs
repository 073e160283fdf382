//! What is fuzzed: plain functions of bytes that must return, for whatever harness.

mod calls;
mod connection;
mod metrics;
mod notation;
mod server;
mod table;
mod weights;

pub(crate) use calls::CALLS;
pub(crate) use connection::CONNECTION;
pub(crate) use metrics::METRICS;
pub(crate) use notation::NOTATION;
pub(crate) use table::TABLE;
pub(crate) use weights::WEIGHTS;

/// A function of bytes, and what to begin with.
pub(crate) struct Target {
    /// The name of its corpus.
    pub(crate) name: &'static str,
    /// Must return, whatever the bytes.
    pub(crate) run: fn(&[u8]),
    /// Inputs that get far.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Where in an input a message of protobuf begins that goes on to its end.
    pub(crate) message_at: fn(&[u8]) -> Option<usize>,
}
