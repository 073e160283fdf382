//! Whether a request or an answer makes progress.

use std::time::{Duration, Instant};

/// Fewer bytes of a request or an answer than this, in a while, count as nothing.
const LEAST_PROGRESS: usize = 4 << 10;

/// The progress of a request or an answer.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// When it began, or last made progress.
    since: Instant,
    /// The bytes that have moved since then, fewer than [`LEAST_PROGRESS`].
    bytes: usize,
}

impl Progress {
    /// That of something that begins.
    pub const fn begun(now: Instant) -> Self {
        Self {
            since: now,
            bytes: 0,
        }
    }

    /// Records that more bytes have moved.
    pub const fn add(&mut self, bytes: usize, now: Instant) {
        self.bytes += bytes;
        if self.bytes >= LEAST_PROGRESS {
            *self = Self::begun(now);
        }
    }

    /// How long it has made none.
    pub fn none_for(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.since)
    }
}
