//! Those who wait for one search: whose time it goes by, and whose time is up. Reads no clock and wakes nobody.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::Notify;

/// Those who wait for one search.
#[derive(Debug)]
pub struct Askers {
    /// When each will take the results, in the order in which they came, and what tells it alone that its time
    /// is up. There can be thousands with a time of their own, and waking all for each of them would leave the
    /// search no time.
    waiters: Vec<(Instant, Arc<Notify>)>,
    /// Whose time was up by then has been [taken](Self::take_due) already.
    taken: Instant,
    /// For those who will take the results by then, there is nothing more to find.
    passed_over: Option<Instant>,
    is_closing: bool,
}

impl Askers {
    /// Nobody yet. Those whose time is up `now` need not be told.
    pub const fn new(now: Instant) -> Self {
        Self {
            waiters: Vec::new(),
            taken: now,
            passed_over: None,
            is_closing: false,
        }
    }

    /// Adds one who will take the results when `due`. Returns what will tell it that its time is up.
    pub fn add(&mut self, due: Instant) -> Arc<Notify> {
        let up = Arc::<Notify>::default();
        self.waiters.push((due, Arc::clone(&up)));
        up
    }

    /// Removes the one who is told by this.
    pub fn remove(&mut self, up: &Arc<Notify>) {
        self.waiters.retain(|(_, other)| !Arc::ptr_eq(other, up));
    }

    /// Whether nobody waits.
    pub const fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// When the one whose time counts will take the results: the first to come of those whose time is not up
    /// `now` and who have not been passed over.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        // Not the nearest: whoever asks again and again with little time would undo all that is planned
        // for one who has much.
        let after = self.passed_over.map_or(now, |passed| passed.max(now));
        let mut dues = self.waiters.iter().map(|&(due, _)| due);
        dues.find(|&due| due > after)
    }

    /// Takes what tells those whose time is up `now`, each once.
    pub fn take_due(&mut self, now: Instant) -> Vec<Arc<Notify>> {
        let taken = std::mem::replace(&mut self.taken, now);
        let is_up = |(due, _): &&(Instant, _)| *due > taken && *due <= now;
        let up = self.waiters.iter().filter(is_up);
        up.map(|(_, up)| Arc::clone(up)).collect()
    }

    /// Passes over those who will take the results by `due`, as there is nothing more to find for them. Returns
    /// false when nobody has a later time; then the search [is closing](Self::is_closing).
    pub fn pass_over(&mut self, due: Option<Instant>) -> bool {
        let is_later = |than| self.waiters.iter().any(|&(due, _)| due > than);
        let is_anyone_later = due.is_some_and(is_later);
        if is_anyone_later {
            self.passed_over = due;
        } else {
            self.is_closing = true;
        }
        is_anyone_later
    }

    /// Whether the search is about to end with what is of no use to a new asker.
    pub const fn is_closing(&self) -> bool {
        self.is_closing
    }
}
