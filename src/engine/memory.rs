//! The memory that searches and answers share, and who holds how much of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::puzzle::Shape;
use crate::telemetry;

/// Requests for at most this many bytes count as small.
const SMALL_REQUEST: u64 = 64 << 10;

/// The last 1/`RESERVE_DIVISOR` of the memory is for small requests, which should not be refused because
/// others wait while holding much.
const RESERVE_DIVISOR: u64 = 16;

/// How long to wait for what searches hold only because they may grow by it. They give it back after a
/// chunk of 50 µs.
const PATIENCE: Duration = Duration::from_millis(1);

/// A bound on the bytes of all searches and answers together.
#[derive(Debug)]
pub struct Memory {
    total: u64,
    held: AtomicU64,
    /// What of it is held only because its holder may grow by it.
    spare: AtomicU64,
    /// Bytes that somebody waits for; growth leaves them alone.
    awaited: AtomicU64,
    workers: u64,
}

impl Memory {
    /// Creates a bound of `total` bytes, shared by `workers` searches that grow at once.
    #[must_use]
    pub fn new(total: u64, workers: usize) -> Self {
        Self {
            total,
            held: AtomicU64::new(0),
            spare: AtomicU64::new(0),
            awaited: AtomicU64::new(0),
            workers: workers.max(1) as u64,
        }
    }

    /// The bytes available to requests that are not small.
    const fn for_large(&self) -> u64 {
        self.total - self.total / RESERVE_DIVISOR
    }

    /// The total that all may hold for a request of `bytes` to succeed.
    const fn most(&self, bytes: u64) -> u64 {
        if bytes > SMALL_REQUEST {
            self.for_large()
        } else {
            self.total
        }
    }

    /// Whether `bytes` more would fit if nobody but the caller, who holds `own` bytes, held any.
    #[must_use]
    pub const fn has_room(&self, bytes: u64, own: u64) -> bool {
        bytes.saturating_add(own) <= self.most(bytes)
    }

    /// Reserves bytes. Returns `None` when not enough are left; all but small requests must leave
    /// the last sixteenth free. If searches hold them only because they may grow, waits for a moment
    /// until these give them back.
    #[must_use]
    pub fn reserve(self: &Arc<Self>, bytes: u64) -> Option<Reservation> {
        let is_taken = self.take(bytes) || self.take_spare(bytes);
        is_taken.then(|| self.taken(bytes))
    }

    /// The same, but waits for nobody.
    #[must_use]
    pub fn reserve_free(self: &Arc<Self>, bytes: u64) -> Option<Reservation> {
        self.take(bytes).then(|| self.taken(bytes))
    }

    fn taken(self: &Arc<Self>, bytes: u64) -> Reservation {
        let mut reservation = Reservation {
            memory: Arc::clone(self),
            bytes,
            spare: 0,
            reported: 0,
        };
        reservation.report();
        reservation
    }

    /// Takes bytes that are free. Returns whether there were enough.
    fn take(&self, bytes: u64) -> bool {
        let most = self.most(bytes);
        let taken = self
            .held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
                held.checked_add(bytes).filter(|&held| held <= most)
            });
        taken.is_ok()
    }

    /// Takes bytes once others no longer hold them because they may grow. Until then nobody grows by them.
    fn take_spare(&self, bytes: u64) -> bool {
        let spare = self.spare.load(Ordering::Relaxed);
        let kept = self.held().saturating_sub(spare);
        if kept.saturating_add(bytes) > self.most(bytes) {
            return false;
        }
        self.awaited.fetch_add(bytes, Ordering::Relaxed);
        let begun = Instant::now();
        let taken = loop {
            // The holders may need this very core.
            thread::yield_now();
            if self.take(bytes) {
                break true;
            }
            if begun.elapsed() > PATIENCE {
                break false;
            }
        };
        self.awaited.fetch_sub(bytes, Ordering::Relaxed);
        taken
    }

    /// The bytes held by all.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }
}

/// One holder's part of the memory, given back when dropped.
#[derive(Debug)]
pub struct Reservation {
    memory: Arc<Memory>,
    bytes: u64,
    /// How many of them are held only because the holder may grow by them.
    spare: u64,
    /// How many the metrics have been told of.
    reported: u64,
}

impl Reservation {
    /// The bytes held.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes what this holder may grow by next, up to `most` bytes in all. It gets one worker's
    /// share of what is left, so that searches running at the same time get some too. Until
    /// [`Reservation::set`] returns the unused part, nobody else can have it.
    ///
    /// Returns whether the holdings of others cost it more than a quarter of what it would get if
    /// it were alone.
    pub fn grow(&mut self, most: u64) -> bool {
        let memory = &self.memory;
        let wanted = most.saturating_sub(self.bytes);
        let awaited = memory.awaited.load(Ordering::Relaxed);
        let share = |held: u64| {
            let free = memory.for_large().saturating_sub(held);
            (free / memory.workers).min(wanted)
        };
        let before = memory
            .held
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
                Some(held + share(held + awaited))
            });
        // The update always has something to store.
        let (Ok(held) | Err(held)) = before;
        let (got, alone) = (share(held + awaited), share(self.bytes));
        memory.spare.fetch_add(got, Ordering::Relaxed);
        self.spare += got;
        self.bytes += got;
        got < alone - alone / 4
    }

    /// Changes the bytes held to `bytes`.
    pub fn set(&mut self, bytes: u64) {
        let held = &self.memory.held;
        if bytes > self.bytes {
            held.fetch_add(bytes - self.bytes, Ordering::Relaxed);
        } else {
            held.fetch_sub(self.bytes - bytes, Ordering::Relaxed);
        }
        self.bytes = bytes;
        self.memory.spare.fetch_sub(self.spare, Ordering::Relaxed);
        self.spare = 0;
    }

    /// Reports to the metrics how much is held, without what the holder may grow by.
    pub fn report(&mut self) {
        let kept = self.bytes - self.spare;
        telemetry::memory(kept as f64 - self.reported as f64);
        self.reported = kept;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.set(0);
        self.report();
    }
}

/// A generous estimate of the moves in the first solution of a board. On squares that takes about
/// 1.7 n³, measured from 16×16 up; narrow boards take more for their longer side.
#[must_use]
pub fn expected_moves(shape: Shape) -> u64 {
    let side = shape.rows().max(shape.columns());
    2 * (shape.cells() * side) as u64
}
