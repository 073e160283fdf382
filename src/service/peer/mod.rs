//! What a connection's calls share: their peer, its permits, and the task that runs them.
//!
//! This file is about the peer itself: whether it sends what it has begun, and reads what it has asked for. How long it
//! may take is up to its connection: see `connection/leaving.rs`.

mod ahead;
mod arriving;
mod exchange;
mod in_time;
mod inline;
mod permits;
mod progress;
mod rest;
mod sending;
mod shortage;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

pub use ahead::ahead;
pub use arriving::Lack;
pub use exchange::Exchange;
pub use in_time::{InTime, Room};
pub use inline::{Inline, UnderWay};
pub use permits::{Permit, Permits};
pub use progress::Progress;
pub use rest::Rest;
pub use sending::Patience;
pub use shortage::Shortage;

/// A peer, and what it exchanges with us.
#[derive(Debug)]
pub struct Peer {
    /// When it was last seen to have a call.
    active: Mutex<Instant>,
    exchanges: Mutex<Vec<Weak<Exchange>>>,
    /// The number of the call that runs now.
    running: Arc<AtomicU64>,
}

impl Peer {
    /// A peer that has just connected.
    #[must_use]
    pub fn new() -> Self {
        Self {
            active: Mutex::new(Instant::now()),
            exchanges: Mutex::default(),
            running: Arc::default(),
        }
    }

    /// Takes in what has just arrived: a call, or something beside them, such as a health check.
    pub fn exchange(&self, is_call: bool) -> Arc<Exchange> {
        let running = Arc::clone(&self.running);
        let exchange = Arc::new(Exchange::new(is_call, running));
        self.note_active();
        let mut exchanges = locked(&self.exchanges);
        // The list is pruned here only when it is full, so each is looked at twice at most before it goes.
        if exchanges.len() == exchanges.capacity() {
            exchanges.retain(|exchange| exchange.strong_count() > 0);
        }
        exchanges.push(Arc::downgrade(&exchange));
        exchange
    }

    /// What goes on now. This is for looks at the peer, not for its calls: it takes a list of its own.
    fn live(&self) -> Vec<Arc<Exchange>> {
        let mut exchanges = locked(&self.exchanges);
        exchanges.retain(|exchange| exchange.strong_count() > 0);
        exchanges.iter().filter_map(Weak::upgrade).collect()
    }

    /// Records that the peer has a call now.
    fn note_active(&self) {
        *locked(&self.active) = Instant::now();
    }

    /// How long the peer has had no call, as far as has been observed. A call that ended since the
    /// last check counts as having ended then.
    pub fn idle_for(&self) -> Duration {
        if !self.live().is_empty() {
            self.note_active();
        }
        locked(&self.active).elapsed()
    }

    /// Records that the call of this number runs now.
    pub fn runs(&self, call: u64) {
        self.running.store(call, Ordering::Relaxed);
    }

    /// The longest time that the peer has not taken the first piece of an answer.
    pub fn deaf_for(&self) -> Duration {
        let live = self.live();
        let waits = live.iter().map(|it| it.answer().first_piece_waits());
        waits.max().unwrap_or_default()
    }

    /// Refuses the requests of calls that hold what there is a lack of, or all for a lack of time, if next to nothing of
    /// them has arrived for longer than `patience`.
    pub fn refuse_requests(&self, lack: Lack, patience: Duration) {
        for exchange in self.live() {
            exchange.refuse(lack, patience);
        }
    }

    /// Gives up the calls whose answers the peer has left for too long, and returns their numbers.
    pub fn give_up(&self, patience: Patience) -> Vec<u64> {
        let live = self.live();
        let given_up = live.iter().filter_map(|it| it.give_up(patience));
        given_up.collect()
    }

    /// The number of answers in the making that have had next to nothing to send for longer than `time`: with
    /// these nothing is sent for no fault of the peer, or [`Self::give_up`] sees to them.
    pub fn in_the_making(&self, time: Duration) -> usize {
        let live = self.live();
        let answers = live.iter().map(|it| it.answer());
        let in_the_making = answers.filter(|answer| answer.has_little_to_send(time));
        in_the_making.count()
    }
}

impl Default for Peer {
    fn default() -> Self {
        Self::new()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
