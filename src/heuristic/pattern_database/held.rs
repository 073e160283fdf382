//! How much memory all tables of the process take.

use std::sync::atomic::{AtomicUsize, Ordering};

static HELD: AtomicUsize = AtomicUsize::new(0);

/// Returns the bytes of all tables of the process and their row numbers.
#[must_use]
pub fn held_bytes() -> usize {
    HELD.load(Ordering::Relaxed)
}

/// Bytes that count until this is dropped.
#[derive(Debug)]
pub(super) struct Held(usize);

impl Held {
    pub(super) fn new(bytes: usize) -> Self {
        HELD.fetch_add(bytes, Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        HELD.fetch_sub(self.0, Ordering::Relaxed);
    }
}
