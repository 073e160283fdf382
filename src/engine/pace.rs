//! How far a search is advanced between two checks.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// The target time between two checks of limits, askers and clock. It bounds how late a
/// cancellation or a newcomer is noticed, and the checks cost less than a hundredth.
const LOOK: Duration = Duration::from_micros(50);

/// The fewest and the most node generations between two checks, whatever the search's speed. Speed
/// can change a hundredfold from one check to the next.
pub const CHUNKS: RangeInclusive<u64> = 64..=4096;

/// The pace of one search: how many node generations take about 50 µs. The default is the pace to
/// start with.
#[derive(Debug)]
pub struct Pace {
    chunk: u64,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            chunk: *CHUNKS.start(),
        }
    }
}

impl Pace {
    /// The node generations until the next check.
    pub const fn chunk(&self) -> u64 {
        self.chunk
    }

    /// Runs `advance`, and adjusts the next chunk by how long this one took.
    pub fn time<R>(&mut self, advance: impl FnOnce() -> R) -> R {
        let begun = Instant::now();
        let result = advance();
        let took = begun.elapsed();
        let chunk = if took > 2 * LOOK {
            self.chunk / 2
        } else if took < LOOK / 2 {
            self.chunk * 2
        } else {
            self.chunk
        };
        self.chunk = chunk.clamp(*CHUNKS.start(), *CHUNKS.end());
        result
    }
}
