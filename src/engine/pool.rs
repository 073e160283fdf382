//! The worker threads, and which task gets the next slice: the one that has had least service.
//!
//! A one-millisecond question never waits behind one that has run for a minute, and nobody has to
//! guess beforehand which is which. (Least attained service; Kleinrock, 1967.)
//!
//! A worker that finds no waiting task helps a running one, if that has work to share.

mod clients;
mod finished;
mod places;
mod turn;
mod waits;
mod worker;
mod workers;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::rank::Rank;
use crate::telemetry;

use finished::Finished;
use places::Places;
use workers::Workers;

pub use clients::Client;
pub use turn::{LEAST_SLICE, SERVICE_BEFORE_HELP, SLICE, Turn};

/// Work that is done in slices.
pub trait Task: Send {
    /// Works until the turn is over or there is nothing to do.
    fn run(&mut self, turn: &Turn<'_>) -> Next;

    /// Called after a panic in [`Task::run`], before the task is dropped. Those who wait for the
    /// task must be told, by [`Task::notify`] at the latest.
    fn panicked(&mut self);

    /// Wakes those who wait for the end of the task. The pool may call it for several finished
    /// tasks together.
    fn notify(&mut self) {}

    /// Its place among the tasks that have had no service yet.
    fn rank(&self) -> Rank {
        Rank::FIRST
    }

    /// Whether dropping it takes long, so that a worker should not do it.
    fn is_large(&self) -> bool {
        true
    }
}

/// Part of a task's work that another worker can do while the task itself continues.
pub trait HelperWork: Send + Sync {
    /// Works until the turn is over, and returns whether there is more to do. When it returns false
    /// or panics, the task gets a turn even if it is parked.
    fn run(&self, turn: &Turn<'_>) -> bool;
}

/// What becomes of a task after a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// It has more to do.
    Again,
    /// It waits for its reader or its helpers. [`Ticket::wake`], or a helper that leaves, puts it
    /// back in the queue.
    Park,
    /// It is over.
    Finished,
}

/// There was no place, so nothing was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// In the whole pool.
    Pool,
    /// For this client, which has its share of the places.
    Share,
}

/// A fixed number of worker threads and a bounded number of tasks for them.
///
/// Dropping it stops the workers after their current slices and drops all tasks.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

/// A task's place in the pool. Dropping it does not affect the task.
#[derive(Debug)]
pub struct Ticket {
    shared: Arc<Shared>,
    id: u64,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    work: Condvar,
    /// The number of [newcomers](Places::fresh), to be read without the lock.
    fresh: Arc<AtomicUsize>,
    /// The number of [free workers](Workers::free), for the same purpose.
    free: Arc<AtomicUsize>,
    capacity: usize,
    /// Where large finished tasks are dropped, on a thread of their own: freeing a gigabyte takes
    /// up to 200 ms, which neither a canceller nor a worker can spare.
    over: mpsc::Sender<Box<dyn Task>>,
}

/// Everything under the lock.
#[derive(Default)]
struct State {
    places: Places,
    workers: Workers,
    finished: Finished,
    is_closed: bool,
}

impl Pool {
    /// Starts the workers. At most `capacity` tasks may be in the pool at once, counting running,
    /// waiting and parked ones.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn start(workers: usize, capacity: usize) -> std::io::Result<Self> {
        let (over, tasks) = mpsc::channel();
        // The thread ends once nobody can send it a task any more.
        thread::Builder::new()
            .name("loyd-drop".into())
            .spawn(move || tasks.into_iter().for_each(drop_quietly))?;
        let state = State::default();
        let mut pool = Self {
            shared: Arc::new(Shared {
                fresh: state.places.fresh(),
                free: state.workers.free(),
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

    /// The number of named clients that are remembered: those with tasks, and those that have
    /// recently had more than their share.
    #[must_use]
    pub fn clients(&self) -> usize {
        self.shared.lock().places.clients()
    }

    /// The number of tasks: running, waiting and parked.
    #[must_use]
    pub fn tasks(&self) -> usize {
        self.shared.lock().places.len()
    }

    /// About how long it takes until a task leaves, and until each has had another slice. The longer nobody has
    /// left a full pool, the longer that is.
    #[must_use]
    pub fn time_until_room(&self) -> Duration {
        self.shared
            .lock()
            .places
            .time_until_room(self.workers.len())
    }

    /// Whether newcomers are waiting for their first slice.
    #[must_use]
    pub fn has_line(&self) -> bool {
        self.shared.fresh.load(Ordering::Relaxed) > 0
    }

    /// How long a newcomer of a client would wait for its first slice, or `None` when nobody is
    /// before it. Newcomers go first, by rank and then by arrival.
    #[must_use]
    pub fn expected_wait(&self, client: Option<&Client>, rank: Rank) -> Option<Duration> {
        if !self.has_line() {
            return None;
        }
        self.shared.lock().places.expected_wait(client, rank)
    }

    /// Gives a task without a place in the pool a first turn on the caller's thread. A named client
    /// is charged for it if others are waiting; otherwise it is free.
    pub fn begin_here(
        &self,
        client: Option<&Client>,
        task: &mut dyn Task,
        slice: Duration,
    ) -> Next {
        let (next, spent) = worker::run(task, &Turn::new(slice, &self.shared.fresh));
        if client.is_some() {
            self.shared.lock().places.charge(client, spent);
        }
        next
    }

    /// Submits a task that belongs to no client in particular.
    ///
    /// # Errors
    /// [`Full`] when the pool holds as many tasks as it may.
    pub fn submit(&self, task: Box<dyn Task>) -> Result<Ticket, Full> {
        self.submit_for(None, task)
    }

    /// Submits a task of a client, if known.
    ///
    /// # Errors
    /// [`Full`] when the pool or the client holds as many tasks as it may.
    pub fn submit_for(&self, client: Option<&Client>, task: Box<dyn Task>) -> Result<Ticket, Full> {
        let mut state = self.shared.lock();
        state.places.admit(client, self.shared.capacity)?;
        let id = state.places.enter(client, task);
        self.shared.call_worker(state);
        Ok(Ticket {
            shared: Arc::clone(&self.shared),
            id,
        })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.work.notify_all();
        for worker in self.workers.drain(..) {
            // A worker catches the panics of its tasks, so there is nothing to report here.
            drop(worker.join());
        }
        // Tickets may outlive the pool, but the tasks must not.
        let mut state = self.shared.lock();
        let tasks = state.places.drain();
        let offers = state.workers.drain();
        let finished = state.finished.take();
        drop(state);
        offers.into_iter().for_each(drop_quietly);
        self.shared.notify(finished);
        tasks.into_iter().for_each(|task| self.shared.end(task));
    }
}

impl Ticket {
    /// Takes the task out of the pool: at once if it waits, after the slice if it runs.
    pub fn cancel(&self) {
        let task = self.shared.lock().places.cancel(self.id);
        if let Some(task) = task {
            self.shared.end(task);
        }
    }

    /// Puts a parked task back in the queue because its reader has made room.
    pub fn wake(&self) {
        let mut state = self.shared.lock();
        if state.places.wake(self.id) {
            self.shared.call_worker(state);
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock can leave the state half-changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes a worker for a task that was queued, if there is one to wake.
    fn call_worker(&self, mut state: MutexGuard<'_, State>) {
        let is_awaited = state.workers.call();
        drop(state);
        if is_awaited {
            self.work.notify_one();
        }
    }

    /// Wakes those who wait for these tasks, then drops the tasks. Must not be called under the lock.
    fn notify(&self, mut finished: Vec<Box<dyn Task>>) {
        for task in &mut finished {
            if catch_unwind(AssertUnwindSafe(|| task.notify())).is_err() {
                telemetry::panic("search");
            }
        }
        finished.into_iter().for_each(|task| self.end(task));
    }

    /// Drops a task. Must not be called under the lock.
    fn end(&self, task: Box<dyn Task>) {
        if task.is_large() {
            // Sending fails only if the thread is gone; then the task is dropped here.
            drop(self.over.send(task));
        } else {
            drop_quietly(task);
        }
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State")
            .field("queued", &self.places.queued())
            .field("tasks", &self.places.len())
            .finish_non_exhaustive()
    }
}

/// Drops a task or work whose destructor may panic; the thread must survive that.
fn drop_quietly<T>(work: T) {
    if catch_unwind(AssertUnwindSafe(|| drop(work))).is_err() {
        telemetry::panic("drop");
    }
}
