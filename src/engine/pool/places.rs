//! Where a pool's tasks are: in the queue, on a worker or parked.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use super::clients::{Clients, Number, Order, Taken};
use super::waits::Waits;
use super::{Client, Full, Next, SLICE, Task};
use crate::engine::rank::Rank;
use crate::telemetry;

/// The places of a pool's tasks.
///
/// A task [enters](Self::enter) queued, and runs when its turn [begins](Self::begin_turn). When the turn
/// [ends](Self::end_turn) it is queued again, parked or over. A parked one is queued again when it is
/// [woken](Self::wake), and any one may be [cancelled](Self::cancel).
///
/// - Each task has one seat, from when it enters until it is over. The `queue` holds those whose place is
///   `Queued`, `parked` counts those whose place is `Parked`, and each of the others is with a worker.
/// - A queued task that has had no service is a newcomer, counted by [`Self::fresh`], and its seat tells
///   since when it waits.
#[derive(Default)]
pub(super) struct Places {
    seats: HashMap<u64, Seat>,
    queue: Clients,
    parked: usize,
    waits: Waits,
    next_id: u64,
}

/// A task's place, and the account of its client.
struct Seat {
    client: Number,
    place: Place,
}

enum Place {
    Queued {
        order: Order,
        /// Since when the task has waited, if it is a newcomer.
        since: Option<Instant>,
    },
    Running {
        /// The service it had before this turn, and what its helpers have given since.
        service: Duration,
        is_cancelled: bool,
        is_woken: bool,
    },
    Parked {
        service: Duration,
        task: Box<dyn Task>,
    },
}

/// A task whose turn begins.
pub(super) struct Begun {
    pub(super) id: u64,
    pub(super) task: Box<dyn Task>,
    /// The service that it has had before.
    pub(super) service: Duration,
    /// How long it has waited, if it is a newcomer.
    pub(super) waited: Option<Duration>,
}

impl Places {
    /// The number of tasks.
    pub(super) fn len(&self) -> usize {
        self.seats.len()
    }

    /// The number of newcomers, so that running tasks can read it without the lock.
    pub(super) fn fresh(&self) -> Arc<AtomicUsize> {
        self.queue.fresh()
    }

    /// The number of queued tasks.
    pub(super) const fn queued(&self) -> usize {
        self.queue.waiting()
    }

    /// The number of named clients that are remembered.
    pub(super) fn clients(&self) -> usize {
        self.queue.named()
    }

    /// Whether the task with this number is not over.
    pub(super) fn contains(&self, id: u64) -> bool {
        self.seats.contains_key(&id)
    }

    /// Whether a client may have one more task in a pool for so many.
    ///
    /// # Errors
    /// [`Full`] when the pool or the client holds as many tasks as it may.
    pub(super) fn admit(&self, client: Option<&Client>, capacity: usize) -> Result<(), Full> {
        match capacity.saturating_sub(self.len()) {
            0 => Err(Full::Pool),
            free if self.queue.has_share(client, free) => Ok(()),
            _ => Err(Full::Share),
        }
    }

    /// Queues a new task of a client.
    pub(super) fn enter(&mut self, client: Option<&Client>, task: Box<dyn Task>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let number = self.queue.enter(client);
        let now = Instant::now();
        self.waits.come(now);
        self.enqueue(number, id, Duration::ZERO, Some(now), task);
        self.report();
        id
    }

    /// Takes the task whose turn it is from the queue. It runs from now on.
    pub(super) fn begin_turn(&mut self) -> Option<Begun> {
        let Taken {
            client,
            order: Order { service, id, .. },
            task,
        } = self.queue.pop()?;
        let place = Place::Running {
            service,
            is_cancelled: false,
            is_woken: false,
        };
        let before = self.seats.insert(id, Seat { client, place });
        let since = match before.map(|seat| seat.place) {
            Some(Place::Queued { since, .. }) => since,
            _ => None,
        };
        let waited = since.map(|since| self.waits.begin(since));
        self.report();
        Some(Begun {
            id,
            task,
            service,
            waited,
        })
    }

    /// A task's turn is over, in which it has `spent` so much. Queues or parks it, or gives it back if it is over.
    pub(super) fn end_turn(
        &mut self,
        id: u64,
        task: Box<dyn Task>,
        spent: Duration,
        next: Next,
    ) -> Option<Box<dyn Task>> {
        let Some(Seat {
            client,
            place:
                Place::Running {
                    service,
                    is_cancelled,
                    is_woken,
                },
        }) = self.seats.remove(&id)
        else {
            return Some(task);
        };
        // What its helpers did has been charged as they did it.
        self.queue.charge(client, spent);
        let service = service + spent;
        if is_cancelled || next == Next::Finished {
            self.leave(client);
            return Some(task);
        }
        if next == Next::Park && !is_woken {
            let place = Place::Parked { service, task };
            self.seats.insert(id, Seat { client, place });
            self.parked += 1;
            self.report();
        } else {
            // The metrics are not told: the worker takes the next task at once, and a scrape in
            // between would find it idle.
            self.enqueue(client, id, service, None, task);
        }
        None
    }

    /// Queues a task if it is parked, or as soon as it parks. Returns whether the queue has grown by one.
    pub(super) fn wake(&mut self, id: u64) -> bool {
        let Some(Seat { client, mut place }) = self.seats.remove(&id) else {
            return false;
        };
        if let Place::Parked { service, task } = place {
            self.parked -= 1;
            self.enqueue(client, id, service, None, task);
            self.report();
            return true;
        }
        if let Place::Running { is_woken, .. } = &mut place {
            *is_woken = true;
        }
        self.seats.insert(id, Seat { client, place });
        false
    }

    /// Takes a task out, or has it taken out after its turn if it runs.
    pub(super) fn cancel(&mut self, id: u64) -> Option<Box<dyn Task>> {
        let Seat { client, place } = self.seats.remove(&id)?;
        let task = match place {
            Place::Queued { order, since } => {
                // A wait counts even if it was in vain.
                if let Some(since) = since {
                    telemetry::queued(since.elapsed());
                }
                self.queue.remove(client, order).map(|taken| taken.task)
            }
            Place::Parked { task, .. } => {
                self.parked -= 1;
                Some(task)
            }
            Place::Running {
                service, is_woken, ..
            } => {
                let place = Place::Running {
                    service,
                    is_cancelled: true,
                    is_woken,
                };
                self.seats.insert(id, Seat { client, place });
                return None;
            }
        };
        self.leave(client);
        task
    }

    /// A helper has worked for a task.
    pub(super) fn helped(&mut self, id: u64, spent: Duration) {
        let Some(seat) = self.seats.get_mut(&id) else {
            return;
        };
        match &mut seat.place {
            Place::Running { service, .. } | Place::Parked { service, .. } => *service += spent,
            // It keeps its place among the tasks of its client.
            Place::Queued { .. } => {}
        }
        self.queue.charge(seat.client, spent);
    }

    /// Charges a client for service without a place, if others wait.
    pub(super) fn charge(&mut self, client: Option<&Client>, spent: Duration) {
        if self.queued() > 0 {
            self.queue.charge_once(client, spent);
            self.report();
        }
    }

    /// About how long it takes until a task leaves, and until each has had another slice from so many workers.
    pub(super) fn time_until_room(&self, workers: usize) -> Duration {
        let round = SLICE.mul_f64(self.len() as f64 / workers.max(1) as f64);
        round.max(self.waits.for_a_place())
    }

    /// How long a newcomer of a client would wait, or `None` when nobody is before it.
    pub(super) fn expected_wait(&self, client: Option<&Client>, rank: Rank) -> Option<Duration> {
        let ahead = self.queue.ahead(client, rank);
        (ahead > 0).then(|| self.waits.in_line(ahead))
    }

    /// Takes all tasks that do not run.
    pub(super) fn drain(&mut self) -> Vec<Box<dyn Task>> {
        let mut tasks = self.queue.drain();
        self.parked = 0;
        let seats = self.seats.drain();
        tasks.extend(seats.filter_map(|(_, seat)| match seat.place {
            Place::Parked { task, .. } => Some(task),
            Place::Queued { .. } | Place::Running { .. } => None,
        }));
        tasks
    }

    fn enqueue(
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
        self.seats.insert(id, Seat { client, place });
        self.queue.push(client, order, task);
    }

    /// A task has given up its seat.
    fn leave(&mut self, client: Number) {
        self.queue.leave(client);
        self.waits.leave(self.seats.is_empty());
        self.report();
    }

    fn report(&self) {
        let running = self.len() - self.queued() - self.parked;
        telemetry::pool(self.queued(), running, self.parked);
        telemetry::clients(self.clients());
    }
}
