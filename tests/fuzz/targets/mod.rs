//! What is fuzzed: plain functions of bytes that must return, for whatever harness.

use twox_hash::XxHash3_64;

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

/// What is new about an input: inputs that come to the same thing have the same.
pub(crate) type Trait = u64;

/// Of a report up to the first thing that it quotes; numbers make no difference.
pub(crate) fn trait_of(report: &str) -> Trait {
    const LETTERS: usize = 64;
    let words = report.split(['"', '\'', '`']).next().unwrap_or_default();
    let letters = words.chars().filter(char::is_ascii_alphabetic);
    XxHash3_64::oneshot(letters.take(LETTERS).collect::<String>().as_bytes())
}

/// About how large a number is, in words.
pub(crate) fn about(number: usize) -> String {
    "x".repeat(number.checked_ilog2().map_or(0, |log| 1 + log as usize))
}

/// A function of bytes, and what to begin with.
pub(crate) struct Target {
    /// The name of its corpus.
    pub(crate) name: &'static str,
    /// Must return, whatever the bytes; what it makes of them.
    pub(crate) run: fn(&[u8]) -> Trait,
    /// Inputs that get far.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Where in an input a message of protobuf begins that goes on to its end.
    pub(crate) message_at: fn(&[u8]) -> Option<usize>,
}
