//! Where a pool's tasks are, and what its workers do: all that is under its lock.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{Errand, Task};
use crate::telemetry;

#[derive(Default)]
pub(super) struct State {
    /// How many of the tasks in the queue have had no service.
    pub(super) fresh: Arc<AtomicUsize>,
    /// Tasks that wait for a worker, by the service they have had, then by age.
    pub(super) queue: BTreeMap<(Duration, u64), Box<dyn Task>>,
    pub(super) places: HashMap<u64, Place>,
    pub(super) parked: usize,
    /// Errands that wait for a worker without a task, each with its task; no more than workers.
    pub(super) errands: VecDeque<(u64, Arc<dyn Errand>)>,
    /// Workers that wait for something to do.
    pub(super) idle: usize,
    pub(super) helping: usize,
    pub(super) next_id: u64,
    pub(super) closed: bool,
}

pub(super) enum Place {
    Queued {
        service: Duration,
        /// A newcomer's place in the line.
        line: Option<InLine>,
    },
    Running {
        cancelled: bool,
        woken: bool,
        /// What its helpers have spent meanwhile.
        helped: Duration,
    },
    Parked {
        service: Duration,
        task: Box<dyn Task>,
    },
}

/// Since when a newcomer has waited, and how many were before it.
pub(super) struct InLine {
    since: Instant,
    ahead: usize,
}

impl InLine {
    /// The newcomer's turn has come: the time that it has waited, and by how much each place took.
    pub(super) fn served(&self) -> (Duration, Duration) {
        let waited = self.since.elapsed();
        let places = u32::try_from(self.ahead + 1).unwrap_or(u32::MAX);
        (waited, waited / places)
    }
}

impl State {
    pub(super) fn next(&mut self) -> Option<(Duration, u64, Box<dyn Task>)> {
        let &(service, id) = self.queue.keys().next()?;
        self.dequeue(service, id).map(|task| (service, id, task))
    }

    pub(super) fn dequeue(&mut self, service: Duration, id: u64) -> Option<Box<dyn Task>> {
        let task = self.queue.remove(&(service, id))?;
        if service.is_zero() {
            self.fresh.fetch_sub(1, Ordering::Relaxed);
        }
        Some(task)
    }

    pub(super) fn enqueue(&mut self, id: u64, service: Duration, task: Box<dyn Task>) {
        let line = service.is_zero().then(|| InLine {
            since: Instant::now(),
            ahead: self.fresh.fetch_add(1, Ordering::Relaxed),
        });
        self.places.insert(id, Place::Queued { service, line });
        self.queue.insert((service, id), task);
        self.report();
    }

    /// Puts a task back if it is parked, or as soon as it is. Whether there is one more in the
    /// queue.
    pub(super) fn wake(&mut self, id: u64) -> bool {
        if let Some(Place::Running { woken, .. }) = self.places.get_mut(&id) {
            *woken = true;
        }
        let Some((service, task)) = self.unpark(id) else {
            return false;
        };
        self.enqueue(id, service, task);
        true
    }

    pub(super) fn park(&mut self, id: u64, service: Duration, task: Box<dyn Task>) {
        self.places.insert(id, Place::Parked { service, task });
        self.parked += 1;
        self.report();
    }

    pub(super) fn unpark(&mut self, id: u64) -> Option<(Duration, Box<dyn Task>)> {
        match self.places.remove(&id) {
            Some(Place::Parked { service, task }) => {
                self.parked -= 1;
                Some((service, task))
            }
            Some(other) => {
                self.places.insert(id, other);
                None
            }
            None => None,
        }
    }

    pub(super) fn report(&self) {
        let running = self.places.len() - self.queue.len() - self.parked;
        telemetry::pool(self.queue.len(), running, self.parked, self.helping);
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("queued", &self.queue.len())
            .field("tasks", &self.places.len())
            .finish_non_exhaustive()
    }
}
