//! The answer to a call, as long as it is sent.

use std::time::{Duration, Instant};

use super::progress::Progress;

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

/// An answer that is sent, in pieces.
#[derive(Debug, Default)]
pub struct Sending {
    /// What it has had to send; `None` before it begins.
    progress: Option<Progress>,
    /// When a piece was handed to the transport that it has not taken yet.
    handed_out: Option<Instant>,
    /// How long all pieces before that one had to wait.
    waited: Duration,
    /// Whether any piece has been taken.
    is_taken: bool,
    /// Whether the call was given up, because the peer left the answer.
    is_given_up: bool,
}

impl Sending {
    /// Records that its head is about to be handed to the transport.
    pub fn begins(&mut self) {
        self.progress = Some(Progress::begun(Instant::now()));
    }

    /// Records that a piece of `bytes` bytes has been handed to the transport.
    pub fn handed_out(&mut self, bytes: usize) {
        let now = Instant::now();
        if let Some(progress) = &mut self.progress {
            progress.add(bytes, now);
        }
        self.handed_out = Some(now);
    }

    /// Records that the transport asks for the next piece.
    pub fn taken(&mut self) {
        if let Some(since) = self.handed_out.take() {
            self.is_taken = true;
            self.waited += since.elapsed();
        }
    }

    /// Whether the call was given up.
    pub const fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// Gives the call up if the peer has left its answer for too long, and returns whether it has.
    pub(super) fn give_up(&mut self, patience: Patience) -> bool {
        let longest = if self.is_taken {
            patience.next
        } else {
            patience.first
        };
        let waits = self.piece_waits();
        let is_over = waits > longest || self.waited + waits > patience.all;
        self.is_given_up |= is_over;
        is_over
    }

    /// How long the first piece has waited, if it still does.
    pub(super) fn first_piece_waits(&self) -> Duration {
        if self.is_taken {
            Duration::ZERO
        } else {
            self.piece_waits()
        }
    }

    /// Whether it has begun, and has had next to nothing to send for longer than `time`.
    pub(super) fn has_little_to_send(&self, time: Duration) -> bool {
        let has_little = |progress: Progress| progress.none_for(Instant::now()) > time;
        self.progress.is_some_and(has_little)
    }

    /// How long the newest piece has waited, if it still does.
    fn piece_waits(&self) -> Duration {
        let since = self.handed_out;
        since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}
