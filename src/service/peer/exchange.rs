//! What a call waits for from its peer: its request while that arrives, and for its answer to be taken.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Waker;
use std::time::{Duration, Instant};

use futures_util::task::AtomicWaker;

use super::LEAST_PROGRESS;

/// The request of a call that arrives, and its answer that is sent. Times are in microseconds since the peer
/// connected, and never 0.
#[derive(Debug)]
pub struct Exchange {
    since: Instant,
    /// Whether it has a place of those for calls.
    is_call: bool,
    /// When the request began to arrive, or [`LEAST_PROGRESS`] more of it last had; 0 once it is there.
    arriving: AtomicU64,
    /// Who waits for the rest of it.
    waits: AtomicWaker,
    /// Whether some of it is held that is large enough to be counted.
    is_large: AtomicBool,
    /// Of what there was a lack when it was not to be waited for any longer.
    refused: OnceLock<Lack>,
    /// When a piece of the answer was handed to the transport that it has not taken yet; 0 when there is none.
    waiting: AtomicU64,
    /// How long all of its pieces before that one had to wait.
    waited: AtomicU64,
    /// When the answer began, or last had [`LEAST_PROGRESS`] more to send; 0 before that.
    begun: AtomicU64,
    /// The bytes that have arrived, or that it has had to send, since then.
    bytes: AtomicU64,
    /// Whether any of its pieces has been taken.
    is_taken: AtomicBool,
    /// The number of the call, once that has started; 0 before.
    call: AtomicU64,
    /// The number of the call that runs now.
    running: Arc<AtomicU64>,
    /// Whether the call was given up, because its peer left the answer.
    is_given_up: AtomicBool,
}

/// What there is a lack of, so that requests are not waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// Of places for calls.
    Places,
    /// Of memory for large requests.
    Room,
    /// Of time: the server ends.
    Time,
}

/// How long a peer may keep an answer waiting.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// To take the first piece.
    pub first: Duration,
    /// To take another.
    pub next: Duration,
    /// To take all pieces: what each of them waits, together.
    pub all: Duration,
    /// Whether only answers to calls are meant, and not those to health checks, watches and reflection.
    pub calls_alone: bool,
}

impl Exchange {
    /// The exchange of what has just arrived from a peer that connected at `since`. `running` is the number of the call
    /// that runs.
    pub(super) fn new(since: Instant, is_call: bool, running: Arc<AtomicU64>) -> Self {
        let exchange = Self {
            since,
            is_call,
            arriving: AtomicU64::new(0),
            waits: AtomicWaker::new(),
            is_large: AtomicBool::new(false),
            refused: OnceLock::new(),
            waiting: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            is_taken: AtomicBool::new(false),
            call: AtomicU64::new(0),
            running,
            is_given_up: AtomicBool::new(false),
        };
        exchange.arriving.store(exchange.now(), Ordering::Relaxed);
        exchange
    }

    /// Records that it is the exchange of the call that runs now.
    pub fn starts(&self) {
        let call = self.running.load(Ordering::Relaxed);
        self.call.store(call, Ordering::Relaxed);
    }

    /// Records that somebody waits for more of the request. When it is not to be waited for any longer, returns why.
    pub fn awaits(&self, waker: &Waker) -> Option<Lack> {
        self.waits.register(waker);
        self.refused.get().copied()
    }

    /// Records that memory for large requests is held for this one.
    pub fn takes_room(&self) {
        self.is_large.store(true, Ordering::Relaxed);
    }

    /// Refuses the request if next to nothing of it has arrived for longer than `patience`, and if it is that of a call
    /// that holds what there is a lack of. Nobody has time left.
    pub(super) fn refuse(&self, lack: Lack, patience: Duration) {
        let is_meant = match lack {
            Lack::Places => self.is_call,
            Lack::Room => self.is_call && self.is_large.load(Ordering::Relaxed),
            Lack::Time => true,
        };
        if is_meant && self.since(&self.arriving) > patience {
            self.refused.get_or_init(|| lack);
            self.waits.wake();
        }
    }

    /// Records that `bytes` more bytes of the request have arrived.
    pub fn arrives(&self, bytes: usize) {
        if self.makes_progress(bytes) {
            self.arriving.store(self.now(), Ordering::Relaxed);
        }
    }

    /// Records that the request is there.
    pub fn has_arrived(&self) {
        self.arriving.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Adds to the bytes, and returns whether they are enough to count, after which they begin anew.
    fn makes_progress(&self, bytes: usize) -> bool {
        let bytes = self.bytes.load(Ordering::Relaxed) + bytes as u64;
        let is_enough = bytes >= LEAST_PROGRESS;
        let bytes = if is_enough { 0 } else { bytes };
        self.bytes.store(bytes, Ordering::Relaxed);
        is_enough
    }

    /// Records that the head of the answer is about to be handed to the transport.
    pub fn begins(&self) {
        self.begun.store(self.now(), Ordering::Relaxed);
    }

    /// Records that a piece of `bytes` bytes has been handed to the transport.
    pub fn handed_out(&self, bytes: usize) {
        if self.makes_progress(bytes) {
            self.begun.store(self.now(), Ordering::Relaxed);
        }
        self.waiting.store(self.now(), Ordering::Relaxed);
    }

    /// Records that the transport asks for the next piece.
    pub fn taken(&self) {
        if self.waiting.load(Ordering::Relaxed) != 0 {
            self.is_taken.store(true, Ordering::Relaxed);
        }
        let waited = self.pieces_wait().as_micros() as u64;
        self.waited.store(waited, Ordering::Relaxed);
        self.waiting.store(0, Ordering::Relaxed);
    }

    /// Gives the call up if it has started and the peer has left its answer for too long. Returns the call's number then.
    pub(super) fn give_up(&self, patience: Patience) -> Option<u64> {
        let call = self.call.load(Ordering::Relaxed);
        let taken = self.is_taken.load(Ordering::Relaxed);
        let piece = if taken { patience.next } else { patience.first };
        let is_meant = call > 0 && (self.is_call || !patience.calls_alone);
        let is_over = self.piece_waits() > piece || self.pieces_wait() > patience.all;
        (is_meant && is_over).then(|| {
            self.is_given_up.store(true, Ordering::Relaxed);
            call
        })
    }

    /// Whether the call was given up.
    pub fn is_given_up(&self) -> bool {
        self.is_given_up.load(Ordering::Relaxed)
    }

    /// How long the first piece of the answer has waited, if it still does.
    pub(super) fn first_piece_waits(&self) -> Duration {
        if self.is_taken.load(Ordering::Relaxed) {
            Duration::ZERO
        } else {
            self.piece_waits()
        }
    }

    /// Whether the answer has begun, and has had next to nothing to send for longer than `time`.
    pub(super) fn has_little_to_send(&self, time: Duration) -> bool {
        self.since(&self.begun) > time
    }

    /// How long its newest piece has waited, if it still does.
    fn piece_waits(&self) -> Duration {
        self.since(&self.waiting)
    }

    /// How long all of its pieces have waited.
    fn pieces_wait(&self) -> Duration {
        Duration::from_micros(self.waited.load(Ordering::Relaxed)) + self.piece_waits()
    }

    /// How long ago that was, and zero if it is not.
    fn since(&self, time: &AtomicU64) -> Duration {
        match time.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            since => Duration::from_micros(self.now().saturating_sub(since)),
        }
    }

    /// The time, never 0.
    fn now(&self) -> u64 {
        (self.since.elapsed().as_micros() as u64).max(1)
    }
}
