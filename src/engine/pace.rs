//! How far a search is advanced between two checks.

use std::ops::RangeInclusive;
use std::time::Duration;

/// The target time between two checks of limits, askers and clock. It bounds how late a
/// cancellation or a newcomer is noticed, and the checks cost one or two hundredths.
pub const LOOK: Duration = Duration::from_micros(50);

/// The fewest and the most node generations between two checks, whatever the search's speed. Speed
/// can change a hundredfold from one check to the next.
pub const CHUNKS: RangeInclusive<u64> = 64..=4096;

/// A chunk is at most this many times as long, or as short, as the one before, which may have taken long
/// because it was kept off the processor.
const MOST_CHANGE: u64 = 8;

/// The pace of one search: how many node generations take about [`LOOK`]. The default is the pace to
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

    /// Adjusts the next chunk by how long this one took. It must have been spent: one that ended sooner
    /// tells nothing.
    pub fn adjust(&mut self, took: Duration) {
        let fitting =
            self.chunk * LOOK.as_nanos() as u64 / took.as_nanos().clamp(1, 1 << 40) as u64;
        let (least, most) = (self.chunk / MOST_CHANGE, self.chunk * MOST_CHANGE);
        self.chunk = fitting
            .clamp(least, most)
            .clamp(*CHUNKS.start(), *CHUNKS.end());
    }
}
