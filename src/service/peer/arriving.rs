//! The request of a call, as long as it arrives.

use std::task::Waker;
use std::time::{Duration, Instant};

use super::progress::Progress;

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

/// A request that arrives.
#[derive(Debug)]
pub struct Arriving {
    /// `None` once it is there.
    progress: Option<Progress>,
    /// Whether it is so large that memory was taken for it.
    holds_room: bool,
    /// Who waits for the rest of it.
    waits: Waker,
    /// Of what there was a lack when it was not to be waited for any longer.
    refused: Option<Lack>,
}

impl Arriving {
    /// A request that has just begun to arrive.
    pub(super) fn new() -> Self {
        Self {
            progress: Some(Progress::begun(Instant::now())),
            holds_room: false,
            waits: Waker::noop().clone(),
            refused: None,
        }
    }

    /// Records that somebody waits for more of it. When it is not to be waited for any longer, returns why.
    pub fn awaits(&mut self, waker: &Waker) -> Option<Lack> {
        self.waits.clone_from(waker);
        self.refused
    }

    /// Records that it has become so large that memory is taken for it.
    pub const fn takes_room(&mut self) {
        self.holds_room = true;
    }

    /// Records that `bytes` more bytes of it have arrived.
    pub fn arrives(&mut self, bytes: usize) {
        if let Some(progress) = &mut self.progress {
            progress.add(bytes, Instant::now());
        }
    }

    /// Records that it is there.
    pub const fn has_arrived(&mut self) {
        self.progress = None;
    }

    /// Whether it is so large that memory was taken for it.
    pub(super) const fn holds_room(&self) -> bool {
        self.holds_room
    }

    /// Refuses it if it has made no progress for longer than `patience`.
    pub(super) fn refuse(&mut self, lack: Lack, patience: Duration) {
        let now = Instant::now();
        let is_late = |progress: Progress| progress.none_for(now) > patience;
        if self.progress.is_some_and(is_late) {
            self.refused.get_or_insert(lack);
            self.waits.wake_by_ref();
        }
    }
}
