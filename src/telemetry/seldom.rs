//! Log lines for what can happen thousands of times a second.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long nothing more is said after a line.
const PAUSE: Duration = Duration::from_secs(1);

/// Something of which the log tells once a second at most: a line for each would be a load of its own.
#[derive(Debug)]
pub(super) struct Seldom(Mutex<Option<(Instant, u64)>>);

impl Seldom {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// It has happened. When there is to be a line: how often it has since the one before, this time
    /// counted.
    pub(super) fn happened(&self) -> Option<u64> {
        let mut said = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *said {
            Some((when, since)) if when.elapsed() < PAUSE => {
                *since += 1;
                None
            }
            before => {
                let count = before.map_or(1, |(_, since)| since + 1);
                *before = Some((Instant::now(), 0));
                Some(count)
            }
        }
    }
}
