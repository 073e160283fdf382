//! How far a search is advanced between two looks at the clock.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// How long a search should go on between two looks at the limits, the askers and the clock: it
/// bounds how late a cancel or a newcomer is seen, and costs less than a hundredth.
const LOOK: Duration = Duration::from_micros(50);

/// The fewest and the most node generations between two looks, whatever the search's speed: a
/// search can change its speed a hundredfold from one look to the next.
pub const CHUNKS: RangeInclusive<u64> = 64..=4096;

/// The pace of one search: how many node generations take about 50 µs. The default is the pace to
/// begin with.
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
    /// Node generations until the next look.
    pub const fn chunk(&self) -> u64 {
        self.chunk
    }

    /// Goes on until the next look, and chooses the chunk after it by how long this one took.
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
