//! Which workers are idle, which of those have been called, and the work that running tasks share
//! with them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::HelperWork;
use crate::telemetry;

/// What the workers do that do not give a task a turn: they are idle or help.
///
/// - `called ≤ idle`. A worker is called once: it takes all there is when it is awake.
/// - `offers.len() + helping` is at most the number of workers, since work is offered only while there
///   are more idle workers than offers.
/// - `free` is `idle - offers.len()`. There can be more offers than idle workers, since a called
///   worker takes a task first, and since a helper puts its work back for a task; then it is 0.
#[derive(Default)]
pub(super) struct Workers {
    /// Those that wait for something to do.
    idle: usize,
    /// Those of them that have been called for a task and are not awake yet.
    called: usize,
    helping: usize,
    /// Work that waits for a worker without a task, with the number of the task that shares it.
    offers: VecDeque<(u64, Arc<dyn HelperWork>)>,
    free: Arc<AtomicUsize>,
}

impl Workers {
    /// The number of idle workers with no work on offer to them, so that running tasks can read it
    /// without the lock.
    pub(super) fn free(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.free)
    }

    /// A worker has nothing to do.
    pub(super) fn begin_wait(&mut self) {
        self.idle += 1;
        self.count_free();
    }

    /// An idle worker is awake.
    pub(super) fn end_wait(&mut self) {
        self.idle -= 1;
        // One that woke by itself, or for an offer, takes the place of one that was called for a
        // task: it finds the task just as well.
        self.called = self.called.saturating_sub(1);
        self.count_free();
    }

    /// Returns whether to wake a worker for one more task, and if so counts it as called. Waking
    /// nobody, or a worker that is already waking, would still cost a system call.
    pub(super) fn call(&mut self) -> bool {
        let is_awaited = self.idle > self.called;
        self.called += usize::from(is_awaited);
        is_awaited
    }

    /// Keeps work of a task for the next worker without a task, or gives it back if none is free.
    pub(super) fn offer(
        &mut self,
        id: u64,
        work: Arc<dyn HelperWork>,
    ) -> Result<(), Arc<dyn HelperWork>> {
        if self.idle <= self.offers.len() {
            return Err(work);
        }
        self.offers.push_back((id, work));
        self.count_free();
        Ok(())
    }

    /// Takes work for a worker, which helps from now on.
    pub(super) fn begin_help(&mut self) -> Option<(u64, Arc<dyn HelperWork>)> {
        let offer = self.offers.pop_front()?;
        self.count_free();
        self.set_helping(self.helping + 1);
        Some(offer)
    }

    /// A worker helps no longer. What it leaves undone goes before other offers.
    pub(super) fn end_help(&mut self, rest: Option<(u64, Arc<dyn HelperWork>)>) {
        self.set_helping(self.helping - 1);
        if let Some(rest) = rest {
            self.offers.push_front(rest);
            self.count_free();
        }
    }

    /// Takes all work that nobody has begun.
    pub(super) fn drain(&mut self) -> VecDeque<(u64, Arc<dyn HelperWork>)> {
        let offers = std::mem::take(&mut self.offers);
        self.count_free();
        offers
    }

    fn count_free(&self) {
        debug_assert!(self.called <= self.idle, "who is called is idle");
        let free = self.idle.saturating_sub(self.offers.len());
        self.free.store(free, Ordering::Relaxed);
    }

    fn set_helping(&mut self, helping: usize) {
        self.helping = helping;
        telemetry::helping(helping);
    }
}
