//! What is fuzzed: plain functions of bytes that must return, for whatever harness.

use std::fmt::Debug;

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

/// Of a few words, in which numbers make no difference.
pub(crate) fn trait_of(words: &dyn Debug) -> Trait {
    let words = format!("{words:?}");
    let letters: String = words
        .chars()
        .filter(|letter| !letter.is_numeric())
        .collect();
    XxHash3_64::oneshot(letters.as_bytes())
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
