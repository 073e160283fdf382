//! Where a pool's tasks are, and what its workers do: all that is under its lock.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::clients::{Clients, Number, Order, Taken};
use super::finished::Finished;
use super::{Client, HelperWork, Task};
use crate::telemetry;

#[derive(Default)]
pub(super) struct State {
    /// How many of the tasks in the queue have had no service.
    pub(super) fresh: Arc<AtomicUsize>,
    /// Tasks that wait for a worker.
    pub(super) clients: Clients,
    pub(super) line: Line,
    pub(super) places: HashMap<u64, Seat>,
    pub(super) parked: usize,
    /// Work that waits for an idle worker, each with its task; no more than workers.
    pub(super) offers: VecDeque<(u64, Arc<dyn HelperWork>)>,
    /// Workers that wait for something to do.
    pub(super) idle: usize,
    /// Those of them who have been called and are not awake yet.
    pub(super) called: usize,
    pub(super) helping: usize,
    pub(super) finished: Finished,
    pub(super) next_id: u64,
    pub(super) closed: bool,
}

/// A task's place, and the account of the client whose it is.
pub(super) struct Seat {
    pub(super) client: Number,
    pub(super) place: Place,
}

pub(super) enum Place {
    Queued {
        order: Order,
        /// Since when a newcomer has waited.
        since: Option<Instant>,
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

impl Line {
    /// The turn of a newcomer has come: the time that it has waited, and how much of it since the
    /// one before it had its own.
    pub(super) fn served(&mut self, since: Instant) -> (Duration, Duration) {
        let now = Instant::now();
        let before = self.moved.replace(now).unwrap_or(since);
        (now - since, now - before.max(since))
    }
}

/// The line of newcomers.
#[derive(Default)]
pub(super) struct Line {
    /// When the last of them had its turn.
    moved: Option<Instant>,
}

impl State {
    /// The task whose turn it is.
    pub(super) fn next(&mut self) -> Option<Taken> {
        let taken = self.clients.pop()?;
        self.left_queue(taken.order);
        Some(taken)
    }

    /// Takes a task that waits out of the queue.
    pub(super) fn dequeue(&mut self, client: Number, order: Order) -> Option<Box<dyn Task>> {
        let taken = self.clients.remove(client, order)?;
        self.left_queue(order);
        Some(taken.task)
    }

    fn left_queue(&self, order: Order) {
        if order.is_fresh() {
            self.fresh.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Takes in a new task of a client.
    pub(super) fn enter(&mut self, client: Option<&Client>, task: Box<dyn Task>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let number = self.clients.enter(client);
        self.fresh.fetch_add(1, Ordering::Relaxed);
        self.queue(number, id, Duration::ZERO, Some(Instant::now()), task);
        id
    }

    /// Puts a task that has had service back into the queue.
    pub(super) fn requeue(
        &mut self,
        client: Number,
        id: u64,
        service: Duration,
        task: Box<dyn Task>,
    ) {
        self.queue(client, id, service, None, task);
    }

    fn queue(
        &mut self,
        client: Number,
        id: u64,
        service: Duration,
        since: Option<Instant>,
        task: Box<dyn Task>,
    ) {
        let rank = task.rank();
        let order = Order { service, rank, id };
        let place = Place::Queued { order, since };
        self.places.insert(id, Seat { client, place });
        self.clients.push(client, order, task);
        self.report();
    }

    /// A task is over.
    pub(super) fn leave(&mut self, client: Number) {
        self.clients.leave(client);
        self.report();
    }

    /// Puts a task back if it is parked, or as soon as it is. Whether there is one more in the
    /// queue.
    pub(super) fn wake(&mut self, id: u64) -> bool {
        if let Some(Place::Running { woken, .. }) = self.place(id) {
            *woken = true;
        }
        let Some((client, service, task)) = self.unpark(id) else {
            return false;
        };
        self.requeue(client, id, service, task);
        true
    }

    /// Counts a worker as called for one more task; whether one is to be. To call nobody, or one who
    /// is on his way, would be a system call, too.
    pub(super) fn call_worker(&mut self) -> bool {
        let is_awaited = self.idle > self.called;
        self.called += usize::from(is_awaited);
        is_awaited
    }

    pub(super) fn place(&mut self, id: u64) -> Option<&mut Place> {
        self.places.get_mut(&id).map(|seat| &mut seat.place)
    }

    pub(super) fn park(&mut self, client: Number, id: u64, service: Duration, task: Box<dyn Task>) {
        let place = Place::Parked { service, task };
        self.places.insert(id, Seat { client, place });
        self.parked += 1;
        self.report();
    }

    pub(super) fn unpark(&mut self, id: u64) -> Option<(Number, Duration, Box<dyn Task>)> {
        match self.places.remove(&id)? {
            Seat {
                client,
                place: Place::Parked { service, task },
            } => {
                self.parked -= 1;
                Some((client, service, task))
            }
            other => {
                self.places.insert(id, other);
                None
            }
        }
    }

    pub(super) fn report(&self) {
        let queued = self.clients.waiting();
        let running = self.places.len() - queued - self.parked;
        telemetry::pool(queued, running, self.parked, self.helping);
        telemetry::clients(self.clients.named());
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("queued", &self.clients.waiting())
            .field("tasks", &self.places.len())
            .finish_non_exhaustive()
    }
}
