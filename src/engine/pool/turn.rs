//! A task's turn on a worker.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{HelperWork, Shared};
use crate::telemetry;

/// How long a task keeps a worker before others get their turn.
///
/// Long enough that switching costs next to nothing, and short enough that a cancelled or overdue
/// task is gone well within 10 ms.
pub const SLICE: Duration = Duration::from_millis(2);

/// The least length of a slice, even while tasks wait that have had no service yet (fresh tasks).
/// Enough to answer an easy question.
pub const LEAST_SLICE: Duration = Duration::from_micros(200);

/// The service a task must have had before idle workers help it, unless it is known to take long.
/// Most questions are answered sooner by one worker, and need not occupy two.
pub const SERVICE_BEFORE_HELP: Duration = Duration::from_millis(50);

/// A task's turn on a worker.
#[derive(Debug)]
pub struct Turn<'a> {
    begun: Instant,
    slice: Duration,
    /// The least length of the turn while there are fresh tasks.
    least: Duration,
    /// The service that the task had before this turn.
    before: Duration,
    /// How long the task was off the processor because it gave way.
    away: Cell<Duration>,
    /// The task does not give way again before this instant.
    stays: Cell<Instant>,
    fresh: &'a AtomicUsize,
    /// Where the task can call for help, and its number there.
    callers: Option<(&'a Shared, u64)>,
}

impl<'a> Turn<'a> {
    /// A turn of length `slice` that begins now. It is cut short while there are `fresh` tasks.
    #[must_use]
    pub fn new(slice: Duration, fresh: &'a AtomicUsize) -> Self {
        let begun = Instant::now();
        Self {
            begun,
            slice,
            least: LEAST_SLICE,
            before: Duration::ZERO,
            away: Cell::new(Duration::ZERO),
            stays: Cell::new(begun),
            fresh,
            callers: None,
        }
    }

    /// Whether there is an idle worker that could help.
    #[must_use]
    pub fn has_helper(&self) -> bool {
        self.callers
            .is_some_and(|(shared, _)| shared.free.load(Ordering::Relaxed) > 0)
    }

    /// Whether the task had had so much service before this turn that any help is worth it.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.before >= SERVICE_BEFORE_HELP
    }

    /// Offers work to an idle worker. Returns whether there is one; if not, nobody takes the work.
    pub fn offer(&self, work: Arc<dyn HelperWork>) -> bool {
        self.callers
            .is_some_and(|(shared, id)| shared.offer(id, work))
    }

    /// The turn of the task with this number, in which it can call the pool's idle workers.
    ///
    /// A task that has had service before and is chosen although newcomers wait has been passed
    /// over long enough, so they do not cut its turn short. Otherwise a search of several slices
    /// could only end after hundreds of others.
    pub(super) fn of(shared: &'a Shared, id: u64, service: Duration) -> Self {
        let is_due = !service.is_zero() && shared.fresh.load(Ordering::Relaxed) > 0;
        Self {
            least: if is_due { SLICE } else { LEAST_SLICE },
            before: service,
            callers: Some((shared, id)),
            ..Self::new(SLICE, &shared.fresh)
        }
    }

    /// A helper's turn. It yields at once to a newcomer, and to a thread that has to answer.
    pub(super) fn of_helper(shared: &'a Shared) -> Self {
        Self {
            before: SLICE,
            least: Duration::ZERO,
            ..Self::new(SLICE, &shared.fresh)
        }
    }

    /// The service that the task has had until now. This includes time when it gave way, since
    /// whoever waits for the task waits for that too.
    #[must_use]
    pub fn service(&self) -> Duration {
        self.before + self.begun.elapsed()
    }

    /// Whether others need the worker `now`: after a slice, or sooner when a fresh task has come. A task checks this
    /// about every 50 µs.
    ///
    /// One that was owed this much service when its turn began gets that much, up to a slice, before newcomers. If
    /// newcomers always came first and there were more than can be served, all of them would be left half done and
    /// be late together.
    #[must_use]
    pub fn is_over_but_for(&self, owed: Duration, now: Instant) -> bool {
        let spent = (now - self.begun).saturating_sub(self.away.get());
        let is_wanted = || self.fresh.load(Ordering::Relaxed) > 0;
        spent >= self.slice || (spent >= owed.max(self.least) && is_wanted())
    }

    /// Lets threads run that have to read a call or write an answer, if the task is a long one.
    /// With no more cores than workers, they would otherwise wait for a few milliseconds, until the
    /// system ends the worker's time slice.
    ///
    /// Other processes may take the processor too. So the time away is not part of the task's
    /// slice, and afterwards the task stays for as long as it was away, up to a slice. Otherwise it
    /// would do 50 µs of work for each turn of a busy neighbor. Returns when it went on.
    pub fn give_way(&self) -> Instant {
        let now = Instant::now();
        if self.before + (now - self.begun) < SLICE || now < self.stays.get() {
            return now;
        }
        std::thread::yield_now();
        let back = Instant::now();
        let away = back - now;
        self.away.set(self.away.get() + away);
        self.stays.set(back + away.min(SLICE));
        back
    }

    /// The time since the turn began, never zero. Reports it to the metrics.
    pub(super) fn spent(&self) -> Duration {
        let spent = self.begun.elapsed().max(Duration::from_nanos(1));
        telemetry::slice(spent);
        spent
    }
}
