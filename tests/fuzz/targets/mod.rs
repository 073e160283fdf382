//! The fuzz targets: plain functions of bytes that must return, usable with any harness.

use twox_hash::XxHash3_64;

mod calls;
mod connection;
mod lists;
mod metrics;
mod notation;
mod server;
mod table;
mod weights;

pub(crate) use calls::CALLS;
pub(crate) use connection::CONNECTION;
pub(crate) use lists::LISTS;
pub(crate) use metrics::METRICS;
pub(crate) use notation::NOTATION;
pub(crate) use table::TABLE;
pub(crate) use weights::WEIGHTS;

/// What is new about an input. Inputs that lead to the same behavior have the same trait.
pub(crate) type Trait = u64;

/// The trait of a report: its text up to the first quotation, ignoring numbers.
pub(crate) fn trait_of(report: &str) -> Trait {
    const LETTERS: usize = 64;
    let words = report.split(['"', '\'', '`']).next().unwrap_or_default();
    let letters = words.chars().filter(char::is_ascii_alphabetic);
    XxHash3_64::oneshot(letters.take(LETTERS).collect::<String>().as_bytes())
}

/// The rough size of a number, as text.
pub(crate) fn about(number: usize) -> String {
    "x".repeat(number.checked_ilog2().map_or(0, |log| 1 + log as usize))
}

/// A function of bytes, and inputs to start with.
pub(crate) struct Target {
    /// The name of its corpus.
    pub(crate) name: &'static str,
    /// Must return, whatever the bytes. Returns their trait.
    pub(crate) run: fn(&[u8]) -> Trait,
    /// Inputs that get far.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
    /// Where a protobuf message starts in an input. It extends to the end of the input.
    pub(crate) message_at: fn(&[u8]) -> Option<usize>,
}
