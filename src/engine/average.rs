//! A moving average of a duration.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A new sample has a weight of 1/`SAMPLE_DIVISOR`.
const SAMPLE_DIVISOR: u64 = 8;

/// The moving average of a duration; zero before the first sample.
///
/// Samples that arrive at the same moment may be lost, which is acceptable for an estimate.
#[derive(Debug, Default)]
pub struct Average(AtomicU64);

impl Average {
    /// Takes in a sample.
    pub fn learn(&self, sample: Duration) {
        let sample = u64::try_from(sample.as_nanos()).unwrap_or(u64::MAX);
        let average = match self.0.load(Ordering::Relaxed) {
            0 => sample,
            before => before - before / SAMPLE_DIVISOR + sample / SAMPLE_DIVISOR,
        };
        self.0.store(average, Ordering::Relaxed);
    }

    /// The current average.
    #[must_use]
    pub fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}
