//! Tasks that are over, until those who wait for them are woken.
//!
//! To wake the thread that answers, and to have it write one answer, costs as much as a small search, and the
//! worker finds colder caches after it. So while newcomers wait, those who wait for the ends of several
//! tasks are woken together; while none does, at once.

use std::time::{Duration, Instant};

use super::{SLICE, Task};

/// How long the end of a task is kept back at most, but for the turns that workers are in by then.
const PATIENCE: Duration = SLICE;

/// So many are told of in any case.
const MOST: usize = 64;

/// Tasks that are over and have not been told of.
#[derive(Default)]
pub(super) struct Finished {
    tasks: Vec<Box<dyn Task>>,
    /// When the first of them was over.
    since: Option<Instant>,
}

impl Finished {
    /// Keeps a task that is over.
    pub(super) fn push(&mut self, task: Box<dyn Task>) {
        self.since.get_or_insert_with(Instant::now);
        self.tasks.push(task);
    }

    /// Whether it is time to tell, by whether a newcomer waits for a worker.
    pub(super) fn is_due(&self, has_line: bool) -> bool {
        let waited = |since: Instant| since.elapsed() >= PATIENCE;
        self.since
            .is_some_and(|since| !has_line || self.tasks.len() >= MOST || waited(since))
    }

    /// All of them.
    pub(super) fn take(&mut self) -> Vec<Box<dyn Task>> {
        self.since = None;
        std::mem::take(&mut self.tasks)
    }
}
