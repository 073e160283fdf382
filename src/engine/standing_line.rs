//! The line of newcomers, and whether it has stood for so long that it will not pass by itself.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The line counts as standing once all newcomers have had to wait for longer than this.
const STANDS: Duration = Duration::from_millis(100);

/// Whether newcomers have had to wait for long.
#[derive(Debug)]
pub struct StandingLine {
    beginning: Instant,
    /// When the line began, in microseconds since `beginning`; 0 while there is none.
    since: AtomicU64,
    /// When the last newcomer that had to wait arrived, in microseconds since `beginning`.
    last: AtomicU64,
}

impl Default for StandingLine {
    fn default() -> Self {
        Self {
            beginning: Instant::now(),
            since: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }
    }
}

impl StandingLine {
    /// Records a newcomer that has to wait or not, and returns whether there has been a line for long.
    ///
    /// A burst passes by itself, but a line that stands helps nobody. If nobody has arrived for as
    /// long, a new line begins.
    pub fn stands(&self, waits: bool) -> bool {
        if !waits {
            self.since.store(0, Ordering::Relaxed);
            return false;
        }
        const LONG: u64 = STANDS.as_micros() as u64;
        let now = (self.beginning.elapsed().as_micros() as u64).max(1);
        let last = self.last.swap(now, Ordering::Relaxed);
        let since = self.since.load(Ordering::Relaxed);
        if since == 0 || now.saturating_sub(last) > LONG {
            self.since.store(now, Ordering::Relaxed);
            return false;
        }
        now.saturating_sub(since) > LONG
    }
}
