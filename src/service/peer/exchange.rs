//! What a call waits for from its peer: its request while that arrives, and for its answer to be taken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use super::arriving::{Arriving, Lack};
use super::locked;
use super::sending::{Patience, Sending};

/// A call, as far as its peer can keep it waiting. The connection's task has it to itself: nobody waits for the locks.
#[derive(Debug)]
pub struct Exchange {
    /// Whether it has a place of those for calls.
    is_call: bool,
    request: Mutex<Arriving>,
    answer: Mutex<Sending>,
    /// The number of the call, once that has started.
    call: OnceLock<u64>,
    /// The number of the call that runs now.
    running: Arc<AtomicU64>,
}

impl Exchange {
    /// The exchange of what has just arrived. `running` is the number of the call that runs.
    pub(super) fn new(is_call: bool, running: Arc<AtomicU64>) -> Self {
        Self {
            is_call,
            request: Mutex::new(Arriving::new()),
            answer: Mutex::default(),
            call: OnceLock::new(),
            running,
        }
    }

    /// The request.
    pub fn request(&self) -> MutexGuard<'_, Arriving> {
        locked(&self.request)
    }

    /// The answer.
    pub fn answer(&self) -> MutexGuard<'_, Sending> {
        locked(&self.answer)
    }

    /// Records that it is the exchange of the call that runs now.
    pub fn starts(&self) {
        let running = || self.running.load(Ordering::Relaxed);
        self.call.get_or_init(running);
    }

    /// Refuses the request if next to nothing of it has arrived for longer than `patience`, and if it holds what there
    /// is a lack of. A lack of time concerns all.
    pub(super) fn refuse(&self, lack: Lack, patience: Duration) {
        let mut request = self.request();
        let is_meant = match lack {
            Lack::Places => self.is_call,
            Lack::Room => request.holds_room(),
            Lack::Time => true,
        };
        if is_meant {
            request.refuse(lack, patience);
        }
    }

    /// Gives the call up if it has started and the peer has left its answer for too long. Returns the call's number then.
    pub(super) fn give_up(&self, patience: Patience) -> Option<u64> {
        let call = *self.call.get()?;
        let is_meant = self.is_call || !patience.calls_alone;
        (is_meant && self.answer().give_up(patience)).then_some(call)
    }
}
