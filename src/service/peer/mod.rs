//! What a connection's calls share: their peer, its permits, and the task that runs them.
//!
//! This file is about the peer itself: whether it reads what it has asked for.

mod ahead;
mod in_time;
mod inline;
mod permits;
mod rest;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

pub use ahead::ahead;
pub use in_time::{InTime, Room};
pub use inline::{Inline, UnderWay};
pub use permits::{Permit, Permits};
pub use rest::Rest;

/// Fewer bytes of an answer than this, in a while, count as nothing.
pub const LEAST_PROGRESS: u64 = 4 << 10;

/// A peer, and the answers that are being sent to it.
#[derive(Debug)]
pub struct Peer {
    since: Instant,
    /// When it was last seen to have a call, in microseconds since `since`.
    active: AtomicU64,
    sending: Mutex<Vec<Weak<Sending>>>,
    /// The number of the call that runs now.
    running: Arc<AtomicU64>,
}

/// An answer that is being sent.
#[derive(Debug)]
pub struct Sending {
    since: Instant,
    /// When a piece was handed to the transport that it has not taken yet, in microseconds; 0 when
    /// there is none.
    waiting: AtomicU64,
    /// How long all of its pieces before that one had to wait, in microseconds.
    waited: AtomicU64,
    /// When it began, or last had [`LEAST_PROGRESS`] more to send, in microseconds; 0 before that.
    begun: AtomicU64,
    /// The bytes that it has had to send since then.
    bytes: AtomicU64,
    /// The number of its call, once that has handed out a piece.
    call: AtomicU64,
    running: Arc<AtomicU64>,
    /// Whether any of its pieces has been taken.
    is_taken: AtomicBool,
    /// Whether its call was given up, because its pieces were not taken.
    is_given_up: AtomicBool,
}

impl Peer {
    /// A peer that has just connected.
    #[must_use]
    pub fn new() -> Self {
        Self {
            since: Instant::now(),
            active: AtomicU64::new(0),
            sending: Mutex::default(),
            running: Arc::default(),
        }
    }

    /// Starts to send an answer.
    pub fn sending(&self) -> Arc<Sending> {
        let answer = Arc::new(Sending {
            since: self.since,
            waiting: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            call: AtomicU64::new(0),
            running: Arc::clone(&self.running),
            is_taken: AtomicBool::new(false),
            is_given_up: AtomicBool::new(false),
        });
        self.note_active();
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        // The list is pruned here only when it is full, so each answer is looked at twice at most before it
        // goes.
        if sending.len() == sending.capacity() {
            sending.retain(|answer| answer.strong_count() > 0);
        }
        sending.push(Arc::downgrade(&answer));
        answer
    }

    /// Records that the peer has a call now.
    fn note_active(&self) {
        let now = self.since.elapsed().as_micros() as u64;
        self.active.store(now, Ordering::Relaxed);
    }

    /// How long the peer has had no call, as far as has been observed. A call that ended since the
    /// last check counts as having ended then.
    pub fn idle_for(&self) -> Duration {
        let sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        if sending.iter().any(|answer| answer.strong_count() > 0) {
            self.note_active();
        }
        let active = Duration::from_micros(self.active.load(Ordering::Relaxed));
        self.since.elapsed().saturating_sub(active)
    }

    /// Records that the call of this number runs now: the pieces that are handed out are of its answer.
    pub fn runs(&self, call: u64) {
        self.running.store(call, Ordering::Relaxed);
    }

    /// The longest time that the peer has not taken the first piece of an answer.
    pub fn deaf_for(&self) -> Duration {
        let sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = sending.iter().filter_map(Weak::upgrade);
        let untaken = answers.filter(|answer| !answer.is_taken.load(Ordering::Relaxed));
        let longest = untaken.map(|answer| answer.waiting_for()).max();
        Duration::from_micros(longest.unwrap_or(0))
    }

    /// Gives up the answers of which the peer has taken a piece and not taken the next for longer than `piece`,
    /// or whose pieces have waited for longer than `all`, all of them together. Returns the numbers of their
    /// calls.
    pub fn give_up(&self, piece: Duration, all: Duration) -> Vec<u64> {
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        sending.retain(|answer| answer.strong_count() > 0);
        let answers = sending.iter().filter_map(Weak::upgrade);
        let given_up = answers.filter(|answer| answer.is_left(piece, all));
        given_up
            .map(|answer| {
                answer.is_given_up.store(true, Ordering::Relaxed);
                answer.call.load(Ordering::Relaxed)
            })
            .collect()
    }

    /// The number of answers in the making that have had next to nothing to send for longer than `time`: with
    /// these nothing is sent for no fault of the peer, or [`Self::give_up`] sees to them.
    pub fn in_the_making(&self, time: Duration) -> usize {
        let now = self.since.elapsed();
        let is_long_ago = |begun| now.saturating_sub(Duration::from_micros(begun)) > time;
        let sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = sending.iter().filter_map(Weak::upgrade);
        answers
            .map(|answer| answer.begun.load(Ordering::Relaxed))
            .filter(|&begun| begun > 0 && is_long_ago(begun))
            .count()
    }
}

impl Default for Peer {
    fn default() -> Self {
        Self::new()
    }
}

impl Sending {
    /// Records that the head is about to be handed to the transport.
    pub fn begins(&self) {
        self.begun.store(self.now(), Ordering::Relaxed);
    }

    /// Records that a piece of `bytes` bytes has been handed to the transport.
    pub fn handed_out(&self, bytes: usize) {
        let bytes = self.bytes.load(Ordering::Relaxed) + bytes as u64;
        if bytes < LEAST_PROGRESS {
            self.bytes.store(bytes, Ordering::Relaxed);
        } else {
            self.bytes.store(0, Ordering::Relaxed);
            self.begun.store(self.now(), Ordering::Relaxed);
        }
        let call = self.running.load(Ordering::Relaxed);
        self.call.store(call, Ordering::Relaxed);
        self.waiting.store(self.now(), Ordering::Relaxed);
    }

    /// Records that the transport asks for the next piece.
    pub fn taken(&self) {
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.is_taken.store(true, Ordering::Relaxed);
        }
        self.waited.store(self.waited_for(), Ordering::Relaxed);
        self.waiting.store(0, Ordering::Relaxed);
    }

    /// Whether the call was given up, because its answer was not taken.
    pub fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// Whether the peer, which has taken a piece, leaves the rest: see [`Peer::give_up`].
    fn is_left(&self, piece: Duration, all: Duration) -> bool {
        let longer = |micros, than| Duration::from_micros(micros) > than;
        let is_next_left =
            self.is_taken.load(Ordering::Relaxed) && longer(self.waiting_for(), piece);
        is_next_left || longer(self.waited_for(), all)
    }

    /// How long its newest piece has waited, in microseconds, if it still does.
    fn waiting_for(&self) -> u64 {
        match self.waiting.load(Ordering::Relaxed) {
            0 => 0,
            since => self.now().saturating_sub(since),
        }
    }

    /// How long all of its pieces have waited, in microseconds.
    fn waited_for(&self) -> u64 {
        self.waited.load(Ordering::Relaxed) + self.waiting_for()
    }

    /// The time in microseconds, never 0.
    fn now(&self) -> u64 {
        (self.since.elapsed().as_micros() as u64).max(1)
    }
}
