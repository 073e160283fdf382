//! One search, many askers: what it has found so far, and who still waits for it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, watch};

use crate::search::{Iteration, Progress, Stop};
use crate::telemetry;

use super::askers::Askers;
use super::job::{End, Outlet, Refusal};
use super::pool::Ticket;

/// What a job has published.
#[derive(Debug, Default)]
pub struct Snapshot<T> {
    /// How far the search has come.
    pub progress: Progress,
    /// Its iterations as of the end of the last slice.
    pub iterations: Vec<Iteration>,
    /// What it has found.
    pub found: T,
    /// When it got its first slice.
    pub begun: Option<Instant>,
    /// Why it is over, once it is.
    pub end: Option<End>,
}

/// Accumulates the findings of a search.
pub trait Collect: Default + Send + Sync + 'static {
    /// One finding.
    type Found: Send;

    /// Adds a finding.
    fn collect(&mut self, found: Self::Found);

    /// The number of findings so far.
    fn count(&self) -> usize;

    /// The length of the best solution; 0 when there is none.
    fn best_length(&self) -> usize;
}

/// Drawn boards, which have no length.
impl<D: Send + Sync + 'static> Collect for Vec<D> {
    type Found = D;

    fn collect(&mut self, drawn: D) {
        self.push(drawn);
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn best_length(&self) -> usize {
        0
    }
}

/// The one place where a job publishes and its askers read.
#[derive(Debug)]
struct Latest<T> {
    snapshot: watch::Sender<Snapshot<T>>,
    askers: Mutex<Askers>,
    /// How many askers want to hear of each finding. Waking the others would cost as much as a
    /// small search.
    listeners: AtomicUsize,
    abandoned: AtomicBool,
    /// Whether an asker has been told the end.
    is_answered: AtomicBool,
    /// Whether node limits wait until there is an answer, for objectives that never fail.
    answer_first: bool,
}

impl<T> Latest<T> {
    fn askers(&self) -> MutexGuard<'_, Askers> {
        self.askers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of what a search shares that the job holds.
#[derive(Debug)]
pub struct Publisher<T> {
    latest: Arc<Latest<T>>,
}

impl<T: Collect> Outlet for Publisher<T> {
    type Found = T::Found;

    fn offer(&mut self, found: T::Found) -> Result<(), Refusal<T::Found>> {
        let latest = &self.latest;
        latest.snapshot.send_if_modified(|snapshot| {
            snapshot.found.collect(found);
            // Those who start to listen read the snapshot afterwards, so they miss nothing.
            latest.listeners.load(Ordering::Relaxed) > 0
        });
        Ok(())
    }

    fn report(&mut self, progress: &Progress) {
        // Askers read the progress when they want to. Waking them for it would cost more than the search.
        self.latest.snapshot.send_if_modified(|snapshot| {
            snapshot.progress = *progress;
            snapshot.begun.get_or_insert_with(Instant::now);
            false
        });
    }

    fn list(&mut self, iterations: Vec<Iteration>) {
        self.latest.snapshot.send_if_modified(|snapshot| {
            snapshot.iterations = iterations;
            false
        });
    }

    fn close(&mut self, end: End) {
        self.latest.snapshot.send_if_modified(|snapshot| {
            snapshot.end = Some(end);
            false
        });
    }

    fn wake(&mut self) {
        self.latest.snapshot.send_modify(|_| {});
    }

    fn abandoned(&self) -> bool {
        self.latest.abandoned.load(Ordering::Relaxed)
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        self.latest.askers().due(now)
    }

    fn wake_due(&mut self, now: Instant) {
        // They are woken without the lock, which they need to leave.
        let up = self.latest.askers().take_due(now);
        // Their own timers are a millisecond or two late.
        up.iter().for_each(|up| up.notify_one());
        if !up.is_empty() {
            // The thread that answers them may have been woken on this very core, where it would
            // wait up to 3 ms for the rest of the worker's time slice.
            std::thread::yield_now();
        }
    }

    fn pass_over(&mut self, due: Option<Instant>) -> bool {
        self.latest.askers().pass_over(due)
    }

    fn limited(&self) -> bool {
        !self.latest.answer_first || self.latest.snapshot.borrow().found.count() > 0
    }
}

/// A search, or its answer after it has ended.
#[derive(Debug)]
pub struct Shared<T> {
    latest: Arc<Latest<T>>,
    /// Its place in the pool, if it ever had one.
    ticket: OnceLock<Ticket>,
}

impl<T: Collect> Shared<T> {
    /// Creates the place where a search publishes, with its first asker, who will take the results
    /// when `due`.
    pub fn begin(answer_first: bool, due: Instant) -> (Asker<T>, Publisher<T>) {
        let mut askers = Askers::new(Instant::now());
        let up = askers.add(due);
        let latest = Arc::new(Latest {
            snapshot: watch::Sender::default(),
            askers: Mutex::new(askers),
            listeners: AtomicUsize::new(0),
            abandoned: AtomicBool::new(false),
            is_answered: AtomicBool::new(false),
            answer_first,
        });
        let publisher = Publisher {
            latest: Arc::clone(&latest),
        };
        let ticket = OnceLock::new();
        (Asker::new(Arc::new(Self { latest, ticket }), up), publisher)
    }

    /// Records the search's place in the pool.
    pub fn placed(&self, ticket: Ticket) {
        // This is called once at most.
        let _ = self.ticket.set(ticket);
    }

    /// Adds an asker, who will take the results when `due`. Returns `None` when the search was
    /// given up, or ends without an answer that is good for another asker.
    #[must_use]
    pub fn ask(self: &Arc<Self>, due: Instant) -> Option<Asker<T>> {
        let mut askers = self.latest.askers();
        let is_gone = match self.end() {
            // Even if it was given up at that moment.
            Some(end) => !lasts(end),
            None => self.latest.abandoned.load(Ordering::Relaxed) || askers.is_closing(),
        };
        if is_gone {
            return None;
        }
        let up = askers.add(due);
        drop(askers);
        Some(Asker::new(Arc::clone(self), up))
    }

    /// Whether the search has ended with an answer that stays true.
    #[must_use]
    pub fn lasts(&self) -> bool {
        self.end().is_some_and(lasts)
    }

    /// Reads what has been found.
    pub fn read<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.latest.snapshot.borrow().found)
    }

    /// Whether its limits wait until there is an answer.
    #[must_use]
    pub fn answers_first(&self) -> bool {
        self.latest.answer_first
    }

    /// Whether nobody waits for the search.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.latest.askers().is_empty()
    }

    fn end(&self) -> Option<End> {
        self.latest.snapshot.borrow().end
    }
}

/// Only a proof stays true; every other end depends on limits.
const fn lasts(end: End) -> bool {
    matches!(end, End::Stopped(Stop::Proven))
}

/// One who waits for a search. Dropping the last one takes the search out of the pool.
#[derive(Debug)]
pub struct Asker<T: Collect> {
    shared: Arc<Shared<T>>,
    snapshot: watch::Receiver<Snapshot<T>>,
    /// Tells it that its time is up.
    up: Arc<Notify>,
    listens: bool,
}

impl<T: Collect> Asker<T> {
    fn new(shared: Arc<Shared<T>>, up: Arc<Notify>) -> Self {
        let mut snapshot = shared.latest.snapshot.subscribe();
        // What was found before is news to this asker.
        snapshot.mark_changed();
        Self {
            shared,
            snapshot,
            up,
            listens: false,
        }
    }

    /// Records that the asker has been told the end. A search whose askers are all dropped without that
    /// was given up without an answer.
    pub fn answered(&self) {
        self.shared
            .latest
            .is_answered
            .store(true, Ordering::Relaxed);
    }

    /// Subscribes to each finding from now on, not only to the end.
    pub fn listen(&mut self) {
        if !self.listens {
            self.listens = true;
            self.shared.latest.listeners.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits for an end, for a finding if it listens, or for its time to be up, whichever it has not been woken
    /// for before.
    pub async fn changed(&mut self) {
        tokio::select! {
            // The sender lives in `shared`, so it cannot be gone.
            _ = self.snapshot.changed() => {}
            () = self.up.notified() => {}
        }
    }

    /// What the search has published so far. Keep the borrow short: the search waits for it.
    #[must_use]
    pub fn snapshot(&self) -> watch::Ref<'_, Snapshot<T>> {
        self.snapshot.borrow()
    }

    /// Like [`Self::snapshot`], for somebody who only looks on.
    pub(super) fn watch(&self) -> watch::Receiver<Snapshot<T>> {
        self.snapshot.clone()
    }

    /// The search that the asker waits for.
    #[must_use]
    pub const fn shared(&self) -> &Arc<Shared<T>> {
        &self.shared
    }
}

impl<T: Collect> Drop for Asker<T> {
    fn drop(&mut self) {
        if self.listens {
            self.shared.latest.listeners.fetch_sub(1, Ordering::Relaxed);
        }
        let mut askers = self.shared.latest.askers();
        askers.remove(&self.up);
        if askers.is_empty()
            && self.shared.end().is_none()
            && let Some(ticket) = self.shared.ticket.get()
        {
            self.shared.latest.abandoned.store(true, Ordering::Relaxed);
            ticket.cancel();
            if !self.shared.latest.is_answered.load(Ordering::Relaxed) {
                telemetry::search_abandoned();
            }
        }
    }
}
