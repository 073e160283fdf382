//! The worker threads, and which task gets the next slice: the one that has had least service.
//!
//! A one-millisecond question never waits behind one that has run for a minute, and nobody has
//! to guess beforehand which is which. (Least attained service; Kleinrock, 1967.)
//!
//! A worker for whom no task is left helps with one that runs, if that has work to share.

mod clients;
mod finished;
mod state;
mod turn;
mod worker;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::average::Average;
use super::rank::Rank;
use crate::telemetry;

use state::{Place, State};

pub use clients::Client;
pub use turn::{COURTESY, SLICE, Turn, UNAIDED};

/// Work that is done in slices.
pub trait Task: Send {
    /// Works until the turn is over, or there is nothing to do.
    fn run(&mut self, turn: &Turn<'_>) -> Next;

    /// The task panicked in [`Task::run`] and will be dropped: whoever waits for it must hear, by
    /// [`Task::notify`] at the latest.
    fn panicked(&mut self);

    /// Wakes those who wait for its end, once it is over; those of several tasks are woken together.
    fn notify(&mut self) {}

    /// Where it stands among those that have had no service yet, either.
    fn rank(&self) -> Rank {
        Rank::FIRST
    }

    /// Whether it takes long to drop, which a worker should not wait for.
    fn is_large(&self) -> bool {
        true
    }
}

/// Work of a task that another worker may do, while the task itself goes on.
pub trait HelperWork: Send + Sync {
    /// Works until the turn is over. Whether there is more to do; after that, or a panic, the
    /// task's turn comes, even if it is parked.
    fn run(&self, turn: &Turn<'_>) -> bool;
}

/// What becomes of a task after a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It has more to do.
    Again,
    /// It waits for its reader or its helpers; [`Ticket::wake`] or a helper who leaves puts it
    /// back.
    Park,
    /// It is over.
    Finished,
}

/// There is no place; nothing was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// In the whole pool.
    Pool,
    /// For this client, which has its share of the places.
    Share,
}

/// A fixed number of worker threads and a bounded number of tasks for them.
///
/// Dropping it stops the workers after their slices and drops all tasks.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// A task's place in the pool. Dropping it leaves the task alone.
#[derive(Clone, Debug)]
pub struct Ticket {
    shared: Arc<Shared>,
    id: u64,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
    /// The state's count, which running tasks look at without the lock.
    fresh: Arc<AtomicUsize>,
    /// How many workers have nothing to do and no work is on offer to them, for the same purpose.
    free: AtomicUsize,
    /// The time that a place in the line of newcomers takes, as they have seen it.
    place: Average,
    capacity: usize,
    /// Large tasks that are over go to a thread of their own to be dropped: freeing a gigabyte
    /// takes up to 200 ms, which neither a canceller nor a worker has to give.
    over: mpsc::Sender<Box<dyn Task>>,
}

impl Pool {
    /// Starts the workers; at most `capacity` tasks may be in the pool at once, running, waiting
    /// and parked ones together.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn start(workers: usize, capacity: usize) -> std::io::Result<Self> {
        let (over, tasks) = mpsc::channel();
        // Ends after the last one who could send it a task.
        thread::Builder::new()
            .name("loyd-drop".into())
            .spawn(move || tasks.into_iter().for_each(drop_quietly))?;
        let state = State::default();
        let mut pool = Self {
            shared: Arc::new(Shared {
                fresh: Arc::clone(&state.fresh),
                free: AtomicUsize::new(0),
                place: Average::default(),
                state: Mutex::new(state),
                work: Condvar::new(),
                capacity,
                over,
            }),
            workers: Vec::with_capacity(workers),
        };
        for i in 0..workers {
            let shared = Arc::clone(&pool.shared);
            pool.workers.push(
                thread::Builder::new()
                    .name(format!("loyd-worker-{i}"))
                    .spawn(move || shared.work())?,
            );
        }
        telemetry::pool_size(workers, capacity);
        Ok(pool)
    }

    /// How many clients with a name are remembered: those with tasks, and those that have had more
    /// than their share of late.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.shared.lock().clients.named()
    }

    /// How many tasks there are, running, waiting and parked.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.shared.lock().places.len()
    }

    /// Whether newcomers wait for their first slice.
    #[must_use]
    pub fn has_line(&self) -> bool {
        self.shared.fresh.load(Ordering::Relaxed) > 0
    }

    /// How long a newcomer of a client would wait for its first slice: newcomers go first, by their
    /// ranks and in the order they come. None when nobody is before it.
    #[must_use]
    pub fn wait(&self, client: Option<&Client>, rank: Rank) -> Option<Duration> {
        if !self.has_line() {
            return None;
        }
        let ahead = self.shared.lock().clients.ahead(client, rank);
        let ahead = u32::try_from(ahead).unwrap_or(u32::MAX);
        (ahead > 0).then(|| self.shared.place.get().saturating_mul(ahead))
    }

    /// Gives a task that has no place yet a first turn here, on the thread of whoever brings it. A client
    /// with a name is charged for it while others wait; else it is at nobody's expense.
    pub fn begin_here(
        &self,
        client: Option<&Client>,
        task: &mut dyn Task,
        slice: Duration,
    ) -> Next {
        let (next, spent) = worker::run(task, &Turn::new(slice, &self.shared.fresh));
        if client.is_some() {
            let mut state = self.shared.lock();
            if state.clients.waiting() > 0 {
                state.clients.charge_once(client, spent);
                state.report();
            }
        }
        next
    }

    /// Hands a task of nobody in particular to the pool.
    ///
    /// # Errors
    /// [`Full`] when the pool holds as many tasks as it may.
    pub fn submit(&self, task: Box<dyn Task>) -> Result<Ticket, Full> {
        self.submit_for(None, task)
    }

    /// Hands a task of a client, if it is known whose it is, to the pool.
    ///
    /// # Errors
    /// [`Full`] when the pool, or the client, holds as many tasks as it may.
    pub fn submit_for(&self, client: Option<&Client>, task: Box<dyn Task>) -> Result<Ticket, Full> {
        let mut state = self.shared.lock();
        let free = self.shared.capacity.saturating_sub(state.places.len());
        if free == 0 {
            return Err(Full::Pool);
        }
        if !state.clients.has_share(client, free) {
            return Err(Full::Share);
        }
        let id = state.enter(client, task);
        let is_awaited = state.call_worker();
        drop(state);
        if is_awaited {
            self.shared.work.notify_one();
        }
        Ok(Ticket {
            shared: Arc::clone(&self.shared),
            id,
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.work.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches its tasks' panics; there is nothing to report here.
            drop(worker.join());
        }
        // Tickets may live on: the tasks must not live with them.
        let mut state = self.shared.lock();
        state.parked = 0;
        let queue = state.clients.drain();
        let places = std::mem::take(&mut state.places);
        let offers = std::mem::take(&mut state.offers);
        let finished = state.finished.take();
        drop(state);
        drop(offers);
        self.shared.notify(finished);
        queue.into_iter().for_each(|task| self.shared.end(task));
        for seat in places.into_values() {
            if let Place::Parked { task, .. } = seat.place {
                self.shared.end(task);
            }
        }
    }
}

impl Ticket {
    /// Takes the task out of the pool: at once when it waits, after the slice when it runs.
    pub fn cancel(&self) {
        let mut state = self.shared.lock();
        let Some(seat) = state.places.get_mut(&self.id) else {
            return;
        };
        let client = seat.client;
        let task = match &mut seat.place {
            Place::Running { cancelled, .. } => {
                *cancelled = true;
                return;
            }
            Place::Queued { order, since } => {
                let (order, since) = (*order, *since);
                state.places.remove(&self.id);
                // Who waited in vain waited, too.
                if let Some(since) = since {
                    telemetry::queued(since.elapsed());
                }
                state.dequeue(client, order)
            }
            Place::Parked { .. } => state.unpark(self.id).map(|(_, _, task)| task),
        };
        state.leave(client);
        drop(state);
        if let Some(task) = task {
            self.shared.end(task);
        }
    }

    /// Puts a parked task back, because its reader has made room.
    pub fn wake(&self) {
        let mut state = self.shared.lock();
        let is_awaited = state.wake(self.id) && state.call_worker();
        drop(state);
        if is_awaited {
            self.shared.work.notify_one();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock can leave the state half-changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes those who wait for these tasks, and drops the tasks. Not under the lock.
    fn notify(&self, mut finished: Vec<Box<dyn Task>>) {
        finished.iter_mut().for_each(|task| task.notify());
        finished.into_iter().for_each(|task| self.end(task));
    }

    /// Drops a task. Not under the lock.
    fn end(&self, task: Box<dyn Task>) {
        if task.is_large() {
            // It could only fail without the thread, and then the task is dropped here.
            drop(self.over.send(task));
        } else {
            drop_quietly(task);
        }
    }
}

/// Drops a task, which may panic in doing so: the thread must outlive it.
fn drop_quietly(task: Box<dyn Task>) {
    if catch_unwind(AssertUnwindSafe(|| drop(task))).is_err() {
        telemetry::panic("drop");
    }
}
