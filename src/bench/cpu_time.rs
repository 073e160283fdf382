//! The CPU time of a thread or of the process, independent of what else the machine does.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A point in the CPU time of the calling thread, or of all threads of the process together.
#[derive(Clone, Copy, Debug)]
pub struct CpuTime {
    time: Duration,
    clock: ClockId,
}

impl CpuTime {
    /// Returns the current CPU time of the calling thread.
    #[must_use]
    pub fn now() -> Self {
        Self::read(ClockId::ThreadCPUTime)
    }

    /// Returns the current CPU time of the process.
    #[must_use]
    pub fn of_process() -> Self {
        Self::read(ClockId::ProcessCPUTime)
    }

    fn read(clock: ClockId) -> Self {
        let time = clock_gettime(clock);
        // The kernel counts from 0 upwards, so nothing is negative.
        let time = Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32);
        Self { time, clock }
    }

    /// Returns the CPU time since this point. For a thread's time, call it on the same thread.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        let now = Self::read(self.clock);
        now.time.saturating_sub(self.time)
    }
}
