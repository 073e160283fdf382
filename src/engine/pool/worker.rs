//! What a worker does: runs a slice of the task that has had least service; if no task waits, does
//! work that a task shares; if there is none, waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use super::places::Begun;
use super::{HelperWork, Next, Shared, State, Task, Turn, drop_quietly};
use crate::telemetry;

/// The nice increment of workers, which lets the threads that serve clients go first. A higher one
/// would let refused calls crowd out the accepted ones: with 5, a flood of calls left a tenth to a
/// third of the answers.
const NICENESS: i32 = 1;

/// Gives a task a turn, and returns what becomes of it and how long the turn took. A panic ends the task.
pub(super) fn run(task: &mut dyn Task, turn: &Turn<'_>) -> (Next, Duration) {
    let next = catch_unwind(AssertUnwindSafe(|| task.run(turn)));
    let spent = turn.spent();
    let next = next.unwrap_or_else(|_| {
        telemetry::panic("search");
        drop(catch_unwind(AssertUnwindSafe(|| task.panicked())));
        Next::Finished
    });
    (next, spent)
}

impl Shared {
    /// Keeps work for the next idle worker, if there is one for it.
    pub(super) fn offer(&self, id: u64, work: Arc<dyn HelperWork>) -> bool {
        // What is given back is dropped without the lock.
        let offered = self.lock().workers.offer(id, work);
        if offered.is_ok() {
            self.work.notify_one();
        }
        offered.is_ok()
    }

    pub(super) fn work(&self) {
        // An arriving call or a due answer should not wait for a search's turn on the processor. If
        // the system refuses, the priority stays as it was.
        let _ = rustix::process::nice(NICENESS);
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return;
            }
            let has_line = self.fresh.load(Ordering::Relaxed) > 0;
            state = if state.finished.is_due(has_line) {
                self.notify_finished(state)
            } else if let Some(begun) = state.places.begin_turn() {
                self.run(state, begun)
            } else if let Some((id, work)) = state.workers.begin_help() {
                self.help(state, id, work)
            } else {
                self.wait(state)
            };
        }
    }

    fn wait<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.workers.begin_wait();
        state = self
            .work
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
        state.workers.end_wait();
        state
    }

    /// Gives a task its slice.
    fn run<'a>(&'a self, state: MutexGuard<'a, State>, begun: Begun) -> MutexGuard<'a, State> {
        drop(state);
        let Begun {
            id,
            mut task,
            service,
            waited,
        } = begun;
        if let Some(waited) = waited {
            telemetry::queued(waited);
        }
        let (next, spent) = run(&mut *task, &Turn::of(self, id, service));
        let mut state = self.lock();
        if let Some(task) = state.places.end_turn(id, task, spent, next) {
            state.finished.push(task);
        }
        state
    }

    fn notify_finished<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let finished = state.finished.take();
        drop(state);
        self.notify(finished);
        self.lock()
    }

    /// Helps a task until its work is done or another task waits for a worker; in that case the
    /// remaining work waits too.
    fn help<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        id: u64,
        work: Arc<dyn HelperWork>,
    ) -> MutexGuard<'a, State> {
        let is_left = loop {
            drop(state);
            let turn = Turn::of_helper(self);
            let goes_on = catch_unwind(AssertUnwindSafe(|| work.run(&turn)));
            let spent = turn.spent();
            let goes_on = goes_on.unwrap_or_else(|_| {
                telemetry::panic("search");
                false
            });
            state = self.lock();
            state.places.helped(id, spent);
            // A finished task may take long to be dropped; its helpers need not continue until then.
            let is_left = goes_on && state.places.contains(id);
            if !is_left || state.is_closed || state.places.queued() > 0 {
                break is_left;
            }
        };
        if is_left {
            state.workers.end_help(Some((id, work)));
        } else {
            state.workers.end_help(None);
            drop(state);
            drop_quietly(work);
            state = self.lock();
        }
        // This worker looks for a task next, so no other needs to be told.
        state.places.wake(id);
        state
    }
}
