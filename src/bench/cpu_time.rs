//! The CPU time of a thread or of the process, independent of what else the machine does.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A point in the CPU time of the calling thread, or of all threads of the process together.
#[derive(Clone, Copy, Debug)]
pub struct CpuTime {
    time: Duration,
    is_of_process: bool,
}

impl CpuTime {
    /// Returns the current CPU time of the calling thread.
    #[must_use]
    pub fn now() -> Self {
        Self::read(false)
    }

    /// Returns the current CPU time of the process.
    #[must_use]
    pub fn of_process() -> Self {
        Self::read(true)
    }

    fn read(is_of_process: bool) -> Self {
        let time = clock_gettime(if is_of_process {
            ClockId::ProcessCPUTime
        } else {
            ClockId::ThreadCPUTime
        });
        // The kernel counts from 0 upwards, so nothing is negative.
        let time = Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32);
        Self {
            time,
            is_of_process,
        }
    }

    /// Returns the CPU time since this point. For a thread's time, call it on the same thread.
    #[must_use]
    pub fn elapsed(self) -> Duration {
        let now = Self::read(self.is_of_process);
        now.time.saturating_sub(self.time)
    }
}
