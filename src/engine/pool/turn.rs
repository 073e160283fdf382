//! A task's turn on a worker.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{HelperWork, Shared};
use crate::telemetry;

/// How long a task keeps a worker before others get their turn.
///
/// Long enough that switching costs nothing, and short enough that a cancelled or overdue task
/// is gone well within 10 ms.
pub const SLICE: Duration = Duration::from_millis(2);

/// What a slice is at least, even while tasks that have had no service yet wait: time enough to
/// answer an easy question.
pub const COURTESY: Duration = Duration::from_micros(200);

/// What service a task must have had before idle workers help it, unless it is known to go on for
/// long: most questions are answered sooner by one worker, and need not be given to two.
pub const UNAIDED: Duration = Duration::from_millis(50);

/// A task's turn on a worker.
#[derive(Debug)]
pub struct Turn<'a> {
    begun: Instant,
    slice: Duration,
    /// What it lasts at least while there are fresh tasks.
    courtesy: Duration,
    /// What service the task had before.
    before: Duration,
    /// How long it was away from the processor because it gave way.
    away: Cell<Duration>,
    /// Until when it does not give way again.
    stays: Cell<Instant>,
    fresh: &'a AtomicUsize,
    /// Where the task can call for help, and its number there.
    callers: Option<(&'a Shared, u64)>,
}

impl<'a> Turn<'a> {
    /// A turn that begins now and lasts a `slice`, less while there are `fresh` tasks.
    #[must_use]
    pub fn new(slice: Duration, fresh: &'a AtomicUsize) -> Self {
        let begun = Instant::now();
        Self {
            begun,
            slice,
            courtesy: COURTESY,
            before: Duration::ZERO,
            away: Cell::new(Duration::ZERO),
            stays: Cell::new(begun),
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

    /// Whether the task had had so much service before that any help is worth it.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.before >= UNAIDED
    }

    /// Offers work to an idle worker. Whether there is one; if not, nobody takes it.
    pub fn offer(&self, work: Arc<dyn HelperWork>) -> bool {
        self.callers
            .is_some_and(|(shared, id)| shared.offer(id, work))
    }

    /// The turn of a task of this number, in which it can call the pool's idle workers.
    ///
    /// If it has begun before and is chosen although newcomers wait, it was passed over long enough:
    /// they do not cut it short. Otherwise a search of some slices would not end before hundreds of others.
    pub(super) fn of(shared: &'a Shared, id: u64, service: Duration) -> Self {
        let is_due = !service.is_zero() && shared.fresh.load(Ordering::Relaxed) > 0;
        Self {
            courtesy: if is_due { SLICE } else { COURTESY },
            before: service,
            callers: Some((shared, id)),
            ..Self::new(SLICE, &shared.fresh)
        }
    }

    /// A helper's turn. Who comes first is served first: a newcomer need not wait, nor a thread that has
    /// to answer.
    pub(super) fn of_helper(shared: &'a Shared) -> Self {
        Self {
            before: SLICE,
            courtesy: Duration::ZERO,
            ..Self::new(SLICE, &shared.fresh)
        }
    }

    /// What service the task has had until now, with the time that it was away: who waits for it waits for
    /// that, too.
    #[must_use]
    pub fn service(&self) -> Duration {
        self.before + self.begun.elapsed()
    }

    /// Whether the worker is wanted by others: after a slice, or sooner when a task has come that
    /// has had no service yet. A task asks this, or [`Self::is_over_but_for`], every 50 µs or so.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.is_over_but_for(Duration::ZERO)
    }

    /// The same for a task that was owed so much when its turn began: it gets that, within a slice.
    /// If newcomers always came first, more of them than can be served would leave all of them
    /// half done, and late together.
    #[must_use]
    pub fn is_over_but_for(&self, owed: Duration) -> bool {
        let spent = self.begun.elapsed().saturating_sub(self.away.get());
        let is_wanted = || self.fresh.load(Ordering::Relaxed) > 0;
        spent >= self.slice || (spent >= owed.max(self.courtesy) && is_wanted())
    }

    /// Lets threads run that have to read a call or write an answer, if the task is a long one:
    /// where there are no more cores than workers they would wait for a few milliseconds
    /// otherwise, until the system ends the worker's slice.
    ///
    /// Others may have been waiting for the processor, too, some of another process. So the time away is no
    /// part of the task's slice, and it stays for as long then, within a slice: otherwise it would do
    /// 50 µs of work for each turn of a busy neighbour's.
    pub fn give_way(&self) {
        let now = Instant::now();
        if self.before + (now - self.begun) < SLICE || now < self.stays.get() {
            return;
        }
        std::thread::yield_now();
        let away = now.elapsed();
        self.away.set(self.away.get() + away);
        self.stays.set(now + away + away.min(SLICE));
    }

    /// The time since its beginning, of which the metrics are told: more than none.
    pub(super) fn spent(&self) -> Duration {
        let spent = self.begun.elapsed().max(Duration::from_nanos(1));
        telemetry::slice(spent);
        spent
    }
}
