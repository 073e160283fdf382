//! Finished tasks, until those who wait for them are woken.
//!
//! Waking the thread that answers, and having it write one answer, costs as much as a small search,
//! and leaves the worker with colder caches. So while newcomers wait, those who wait for several
//! tasks are woken together; otherwise they are woken at once.

use std::time::{Duration, Instant};

use super::{SLICE, Task};

/// The longest time to hold back the end of a task, not counting the turns that workers are in by then.
const MAX_DELAY: Duration = SLICE;

/// This many finished tasks are announced in any case.
const MAX_BATCH: usize = 64;

/// Finished tasks that have not been announced.
#[derive(Default)]
pub(super) struct Finished {
    tasks: Vec<Box<dyn Task>>,
    /// When the first of them finished.
    since: Option<Instant>,
}

impl Finished {
    /// Adds a finished task.
    pub(super) fn push(&mut self, task: Box<dyn Task>) {
        self.since.get_or_insert_with(Instant::now);
        self.tasks.push(task);
    }

    /// Whether it is time to announce them, given whether a newcomer waits for a worker.
    pub(super) fn is_due(&self, has_line: bool) -> bool {
        let waited = |since: Instant| since.elapsed() >= MAX_DELAY;
        self.since
            .is_some_and(|since| !has_line || self.tasks.len() >= MAX_BATCH || waited(since))
    }

    /// Takes all of them.
    pub(super) fn take(&mut self) -> Vec<Box<dyn Task>> {
        self.since = None;
        std::mem::take(&mut self.tasks)
    }
}
