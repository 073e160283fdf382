//! The worker threads, and which task gets the next slice: the one that has had least service.
//!
//! A one-millisecond question never waits behind one that has run for a minute, and nobody has
//! to guess beforehand which is which. (Least attained service; Kleinrock, 1967.)
//!
//! A worker for whom no task is left helps with one that runs, if that has work to share.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::telemetry;

/// How long a task keeps a worker before others get their turn.
///
/// Long enough that switching costs nothing, and short enough that a cancelled or overdue task
/// is gone well within 10 ms.
pub const SLICE: Duration = Duration::from_millis(2);

/// What a slice is at least, even while tasks that have had no service yet wait: time enough to
/// answer an easy question.
const COURTESY: Duration = Duration::from_micros(200);

/// What service a task must have had before idle workers help it: most questions are answered
/// sooner by one worker, and need not be given to two.
pub const UNAIDED: Duration = Duration::from_millis(50);

/// A task's turn on a worker.
#[derive(Debug)]
pub struct Turn<'a> {
    begun: Instant,
    slice: Duration,
    fresh: &'a AtomicUsize,
    /// Where the task can call for help, and its number there.
    callers: Option<(&'a Shared, u64)>,
}

impl<'a> Turn<'a> {
    /// A turn that begins now and lasts a `slice`, less while there are `fresh` tasks.
    #[must_use]
    pub fn new(slice: Duration, fresh: &'a AtomicUsize) -> Self {
        Self {
            begun: Instant::now(),
            slice,
            fresh,
            callers: None,
        }
    }

    /// Whether a worker is there who would help.
    #[must_use]
    pub fn has_helper(&self) -> bool {
        self.callers
            .is_some_and(|(shared, _)| shared.free.load(Ordering::Relaxed) > 0)
    }

    /// Calls an idle worker to an errand. Whether there is one: if not, nobody will come.
    pub fn call(&self, errand: Arc<dyn Errand>) -> bool {
        self.callers
            .is_some_and(|(shared, id)| shared.call(id, errand))
    }

    /// Whether the worker is wanted by others: after a slice, or sooner when a task has come that
    /// has had no service yet. A task asks this every 50 µs or so.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let spent = self.begun.elapsed();
        spent >= self.slice || (spent >= COURTESY && self.fresh.load(Ordering::Relaxed) > 0)
    }

    /// The time since its beginning, of which the metrics are told: more than none.
    fn spent(&self) -> Duration {
        let spent = self.begun.elapsed().max(Duration::from_nanos(1));
        telemetry::slice(spent);
        spent
    }
}

/// Work that is done in slices.
pub trait Task: Send {
    /// Works until the turn is over, or there is nothing to do.
    fn run(&mut self, turn: &Turn<'_>) -> Next;

    /// The task panicked in [`Task::run`] and will be dropped: whoever waits for it must hear.
    fn panicked(&mut self);
}

/// Work of a task that another worker may do, while the task itself goes on.
pub trait Errand: Send + Sync {
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

/// The pool is full; nothing was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

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
    /// How many workers have nothing to do and no errand waits for them, for the same purpose.
    free: AtomicUsize,
    capacity: usize,
    /// Tasks that are over go to a thread of their own to be dropped: freeing a large search
    /// takes up to 200 ms, which neither a canceller nor a worker has to give.
    over: mpsc::Sender<Box<dyn Task>>,
}

#[derive(Default)]
struct State {
    /// How many of the tasks in the queue have had no service.
    fresh: Arc<AtomicUsize>,
    /// Tasks that wait for a worker, by the service they have had, then by age.
    queue: BTreeMap<(Duration, u64), Box<dyn Task>>,
    places: HashMap<u64, Place>,
    parked: usize,
    /// Errands that wait for a worker without a task, each with its task; no more than workers.
    errands: VecDeque<(u64, Arc<dyn Errand>)>,
    /// Workers that wait for something to do.
    idle: usize,
    helping: usize,
    next_id: u64,
    closed: bool,
}

enum Place {
    Queued {
        service: Duration,
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

    /// Hands a task to the pool.
    ///
    /// # Errors
    /// [`Full`] when the pool holds as many tasks as it may.
    pub fn submit(&self, task: Box<dyn Task>) -> Result<Ticket, Full> {
        let mut state = self.shared.lock();
        if state.places.len() >= self.shared.capacity {
            return Err(Full);
        }
        let id = state.next_id;
        state.next_id += 1;
        state.enqueue(id, Duration::ZERO, task);
        drop(state);
        self.shared.work.notify_one();
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
        let queue = std::mem::take(&mut state.queue);
        let places = std::mem::take(&mut state.places);
        let errands = std::mem::take(&mut state.errands);
        drop(state);
        drop(errands);
        queue.into_values().for_each(|task| self.shared.end(task));
        for place in places.into_values() {
            if let Place::Parked { task, .. } = place {
                self.shared.end(task);
            }
        }
    }
}

impl Ticket {
    /// Takes the task out of the pool: at once when it waits, after the slice when it runs.
    pub fn cancel(&self) {
        let mut state = self.shared.lock();
        let task = match state.places.get_mut(&self.id) {
            None => return,
            Some(Place::Running { cancelled, .. }) => {
                *cancelled = true;
                return;
            }
            Some(Place::Queued { service }) => {
                let service = *service;
                state.places.remove(&self.id);
                state.dequeue(service, self.id)
            }
            Some(Place::Parked { .. }) => state.unpark(self.id).map(|(_, task)| task),
        };
        state.report();
        drop(state);
        if let Some(task) = task {
            self.shared.end(task);
        }
    }

    /// Puts a parked task back, because its reader has made room.
    pub fn wake(&self) {
        if self.shared.lock().wake(self.id) {
            self.shared.work.notify_one();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock can leave the state half-changed.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, task: Box<dyn Task>) {
        // It could only fail without the thread, and then the task is dropped here.
        drop(self.over.send(task));
    }

    /// Keeps an errand for the next worker that is idle, if there is one for it.
    fn call(&self, id: u64, errand: Arc<dyn Errand>) -> bool {
        let mut state = self.lock();
        if state.idle <= state.errands.len() {
            return false;
        }
        state.errands.push_back((id, errand));
        self.count_free(&state);
        drop(state);
        self.work.notify_one();
        true
    }

    fn count_free(&self, state: &State) {
        let free = state.idle.saturating_sub(state.errands.len());
        self.free.store(free, Ordering::Relaxed);
    }

    fn work(&self) {
        let mut state = self.lock();
        loop {
            if state.closed {
                return;
            }
            state = if let Some(next) = state.next() {
                self.run(state, next)
            } else if let Some((id, errand)) = state.errands.pop_front() {
                self.help(state, id, errand)
            } else {
                self.wait(state)
            };
        }
    }

    fn wait<'a>(&'a self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        state.idle += 1;
        self.count_free(&state);
        state = self
            .work
            .wait(state)
            .unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        self.count_free(&state);
        state
    }

    /// Gives a task its slice.
    fn run<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        (service, id, mut task): (Duration, u64, Box<dyn Task>),
    ) -> MutexGuard<'a, State> {
        let running = Place::Running {
            cancelled: false,
            woken: false,
            helped: Duration::ZERO,
        };
        state.places.insert(id, running);
        state.report();
        drop(state);

        let turn = Turn {
            callers: (service >= UNAIDED).then_some((self, id)),
            ..Turn::new(SLICE, &self.fresh)
        };
        let next = catch_unwind(AssertUnwindSafe(|| task.run(&turn)));
        let spent = turn.spent();
        let next = next.unwrap_or_else(|_| {
            telemetry::panic("search");
            drop(catch_unwind(AssertUnwindSafe(|| task.panicked())));
            Next::Finished
        });

        let mut state = self.lock();
        let (cancelled, woken, helped) = match state.places.remove(&id) {
            Some(Place::Running {
                cancelled,
                woken,
                helped,
            }) => (cancelled, woken, helped),
            _ => (true, false, Duration::ZERO),
        };
        let service = service + spent + helped;
        match next {
            Next::Again if !cancelled => state.enqueue(id, service, task),
            Next::Park if !cancelled && woken => state.enqueue(id, service, task),
            Next::Park if !cancelled => state.park(id, service, task),
            _ => {
                state.report();
                self.end(task);
            }
        }
        state
    }

    /// Works on an errand until it is done, or a task waits for a worker: then it waits, too.
    fn help<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        id: u64,
        errand: Arc<dyn Errand>,
    ) -> MutexGuard<'a, State> {
        state.helping += 1;
        self.count_free(&state);
        let mut errand = Some(errand);
        while let Some(helped) = errand.take() {
            state.report();
            drop(state);
            let turn = Turn::new(SLICE, &self.fresh);
            let goes_on = catch_unwind(AssertUnwindSafe(|| helped.run(&turn)));
            let spent = turn.spent();
            let goes_on = goes_on.unwrap_or_else(|_| {
                telemetry::panic("search");
                false
            });
            // If it is done it is dropped here: not under the lock.
            errand = goes_on.then_some(helped);
            state = self.lock();
            if let Some(
                Place::Running { helped, .. }
                | Place::Parked {
                    service: helped, ..
                },
            ) = state.places.get_mut(&id)
            {
                *helped += spent;
            }
            if state.closed || !state.queue.is_empty() {
                break;
            }
        }
        state.helping -= 1;
        if let Some(errand) = errand {
            state.errands.push_front((id, errand));
            self.count_free(&state);
        }
        // This worker looks for a task next: nobody else need be told.
        state.wake(id);
        state.report();
        state
    }
}

/// Drops a task, which may panic in doing so: the thread must outlive it.
fn drop_quietly(task: Box<dyn Task>) {
    if catch_unwind(AssertUnwindSafe(|| drop(task))).is_err() {
        telemetry::panic("drop");
    }
}

impl State {
    fn next(&mut self) -> Option<(Duration, u64, Box<dyn Task>)> {
        let &(service, id) = self.queue.keys().next()?;
        self.dequeue(service, id).map(|task| (service, id, task))
    }

    fn dequeue(&mut self, service: Duration, id: u64) -> Option<Box<dyn Task>> {
        let task = self.queue.remove(&(service, id))?;
        if service.is_zero() {
            self.fresh.fetch_sub(1, Ordering::Relaxed);
        }
        Some(task)
    }

    fn enqueue(&mut self, id: u64, service: Duration, task: Box<dyn Task>) {
        if service.is_zero() {
            self.fresh.fetch_add(1, Ordering::Relaxed);
        }
        self.places.insert(id, Place::Queued { service });
        self.queue.insert((service, id), task);
        self.report();
    }

    /// Puts a task back if it is parked, or as soon as it is. Whether there is one more in the
    /// queue.
    fn wake(&mut self, id: u64) -> bool {
        if let Some(Place::Running { woken, .. }) = self.places.get_mut(&id) {
            *woken = true;
        }
        let Some((service, task)) = self.unpark(id) else {
            return false;
        };
        self.enqueue(id, service, task);
        true
    }

    fn park(&mut self, id: u64, service: Duration, task: Box<dyn Task>) {
        self.places.insert(id, Place::Parked { service, task });
        self.parked += 1;
        self.report();
    }

    fn unpark(&mut self, id: u64) -> Option<(Duration, Box<dyn Task>)> {
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

    fn report(&self) {
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
