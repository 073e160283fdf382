//! Where a pool's tasks are, and what its workers do: everything under the pool's lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::clients::{Clients, Number, Order, Taken};
use super::finished::Finished;
use super::workers::Workers;
use super::{Client, Task};
use crate::engine::average::Average;
use crate::telemetry;

#[derive(Default)]
pub(super) struct State {
    /// The number of queued tasks that have had no service.
    pub(super) fresh: Arc<AtomicUsize>,
    /// The tasks that wait for a worker.
    pub(super) clients: Clients,
    /// When the last newcomer had its turn.
    moved: Option<Instant>,
    pub(super) places: HashMap<u64, Seat>,
    /// When a task last left, or came when there was none.
    left: Option<Instant>,
    /// When a task last came or left, while there are any.
    pub(super) changed: Option<Instant>,
    /// The average time between two tasks that leave, while there are others.
    pub(super) vacancy: Average,
    pub(super) parked: usize,
    pub(super) workers: Workers,
    pub(super) finished: Finished,
    pub(super) next_id: u64,
    pub(super) closed: bool,
}

/// A task's place, and the account of its client.
pub(super) struct Seat {
    pub(super) client: Number,
    pub(super) place: Place,
}

pub(super) enum Place {
    Queued {
        order: Order,
        /// Since when the task has waited, if it is a newcomer.
        since: Option<Instant>,
    },
    Running {
        cancelled: bool,
        woken: bool,
        /// The service its helpers have given in the meantime.
        helped: Duration,
    },
    Parked {
        service: Duration,
        task: Box<dyn Task>,
    },
}

impl State {
    /// Takes the task whose turn it is.
    pub(super) fn next(&mut self) -> Option<Taken> {
        let taken = self.clients.pop()?;
        self.left_queue(taken.order);
        Some(taken)
    }

    /// Takes a waiting task out of the queue.
    pub(super) fn dequeue(&mut self, client: Number, order: Order) -> Option<Box<dyn Task>> {
        let taken = self.clients.remove(client, order)?;
        self.left_queue(order);
        Some(taken.task)
    }

    /// Records that the turn of a newcomer has come that has waited `since`. Returns how long that was, and how much
    /// of it came after the turn of the newcomer before it.
    pub(super) fn newcomer_served(&mut self, since: Instant) -> (Duration, Duration) {
        let now = Instant::now();
        let before = self.moved.replace(now).unwrap_or(since);
        (now - since, now - before.max(since))
    }

    fn left_queue(&self, order: Order) {
        if order.is_fresh() {
            self.fresh.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Adds a new task of a client.
    pub(super) fn enter(&mut self, client: Option<&Client>, task: Box<dyn Task>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let number = self.clients.enter(client);
        let now = Instant::now();
        self.left.get_or_insert(now);
        self.changed = Some(now);
        self.fresh.fetch_add(1, Ordering::Relaxed);
        self.queue(number, id, Duration::ZERO, Some(now), task);
        self.report();
        id
    }

    /// Puts a task that has had service back in the queue, without telling the metrics: a worker that
    /// does so takes the next task at once, and a scrape in between would find it idle.
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
    }

    /// A task is over.
    pub(super) fn leave(&mut self, client: Number) {
        self.clients.leave(client);
        let now = Instant::now();
        if let Some(before) = self.left.replace(now) {
            self.vacancy.learn(now - before);
        }
        self.changed = Some(now);
        if self.places.is_empty() {
            self.left = None;
            self.changed = None;
        }
        self.report();
    }

    /// Puts a task back in the queue if it is parked, or as soon as it parks. Returns whether the
    /// queue has grown by one.
    pub(super) fn wake(&mut self, id: u64) -> bool {
        if let Some(Place::Running { woken, .. }) = self.place(id) {
            *woken = true;
        }
        let Some((client, service, task)) = self.unpark(id) else {
            return false;
        };
        self.requeue(client, id, service, task);
        self.report();
        true
    }

    /// Records that a helper has worked for a task.
    pub(super) fn helped(&mut self, id: u64, spent: Duration) {
        let Some(seat) = self.places.get_mut(&id) else {
            return;
        };
        match &mut seat.place {
            Place::Running { helped, .. } => *helped += spent,
            Place::Parked { service, .. } => *service += spent,
            // It keeps its place among the tasks of its client.
            Place::Queued { .. } => {}
        }
        self.clients.charge(seat.client, spent);
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
        telemetry::pool(queued, running, self.parked);
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
