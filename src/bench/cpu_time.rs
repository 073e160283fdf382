//! The time that a thread has had a processor, whatever else the machine does.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A point in the CPU time of the calling thread.
#[derive(Clone, Copy, Debug)]
pub struct CpuTime(Duration);

impl CpuTime {
    /// The present point.
    #[must_use]
    pub fn now() -> Self {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        // The kernel counts from 0 upwards: nothing is negative.
        Self(Duration::new(
            time.tv_sec.cast_unsigned(),
            time.tv_nsec as u32,
        ))
    }

    /// The CPU time since then, on the same thread.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
