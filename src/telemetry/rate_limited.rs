//! Log lines for events that can happen thousands of times a second.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The least time between two lines.
const PAUSE: Duration = Duration::from_secs(1);

/// An event that is logged at most once per second, because a line for each would be a load of its
/// own.
#[derive(Debug)]
pub(super) struct RateLimited(Mutex<Option<(Instant, u64)>>);

impl RateLimited {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Records an event. If a line is due, returns the number of events since the previous line,
    /// including this one, and how many seconds ago that line was, if there was one. The last events of a
    /// burst are told with the next one, which can come hours later.
    pub(super) fn record(&self) -> Option<(u64, Option<f64>)> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *said {
            Some((when, since)) if when.elapsed() < PAUSE => {
                *since += 1;
                None
            }
            before => {
                let count = before.map_or(1, |(_, since)| since + 1);
                let ago = before.map(|(when, _)| when.elapsed().as_secs_f64());
                *before = Some((Instant::now(), 0));
                Some((count, ago))
            }
        }
    }
}
