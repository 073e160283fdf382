//! A time as it has been of late.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a new sample weighs: one part in so many.
const MEMORY: u64 = 8;

/// The moving average of a duration; zero before the first sample.
///
/// Samples that come at the same moment may be lost: it is an estimate.
#[derive(Debug, Default)]
pub struct Average(AtomicU64);

impl Average {
    /// Takes a sample in.
    pub fn learn(&self, sample: Duration) {
        let sample = u64::try_from(sample.as_nanos()).unwrap_or(u64::MAX);
        let average = match self.0.load(Ordering::Relaxed) {
            0 => sample,
            before => before - before / MEMORY + sample / MEMORY,
        };
        self.0.store(average, Ordering::Relaxed);
    }

    /// The average.
    #[must_use]
    pub fn get(&self) -> Duration {
        Duration::from_nanos(self.0.load(Ordering::Relaxed))
    }
}
