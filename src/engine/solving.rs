//! A request's view of its search: findings as they come, and the end that its limits allow.

use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::search::plan::Objective;
use crate::search::{Iteration, Progress, Stop};
use crate::telemetry;

use super::best::Best;
use super::cache::Leave;
use super::ending::{Failure, StopReason};
use super::job::End;
use super::limits::{Limits, TimeUp, until};
use super::share::{Asker, Collect, Snapshot};

/// Work that is done for a request.
pub trait Work {
    /// What has been done so far.
    fn progress(&self) -> Progress;

    /// The time from the request's arrival to its first slice, or until now if it still waits for one.
    fn queued(&self) -> Duration;
}

/// A search that has ended for one asker.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// What was found.
    pub found: T,
    /// What it took.
    pub progress: Progress,
    /// The iterations of the last search that had any.
    pub iterations: Vec<Iteration>,
    /// Why it ended when it did.
    pub reason: StopReason,
    /// The time from arrival to the first slice.
    pub queued: Duration,
}

/// What there is to tell an asker.
#[derive(Debug)]
pub enum News<T> {
    /// Something was found since the last news: [`Waiting::found`] returns it.
    Found,
    /// The request has ended.
    Over(Result<Outcome<T>, Failure>),
}

/// One asker's wait for a search, ended by the search, the asker's limits or a drain. Dropping it leaves the
/// search.
#[derive(Debug)]
pub struct Waiting<T: Collect> {
    asker: Asker<T>,
    limits: Limits,
    /// What is asked of a solution; `None` for a search that draws boards instead, of which all are needed.
    objective: Option<Objective>,
    draining: CancellationToken,
    /// How many findings have been reported as news.
    told: usize,
    /// Dropped after the asker, as it looks whether anybody still waits.
    _leave: Option<Leave>,
}

/// A request's part in the search for its question.
pub type Solving = Waiting<Best>;

/// What ended a wait.
enum Woken {
    /// The engine is shutting down.
    Draining,
    /// There is a finding or the end.
    Changed,
    /// The time is up.
    TimeUp,
}

impl<T: Collect + Clone> Waiting<T> {
    pub(super) const fn new(
        asker: Asker<T>,
        limits: Limits,
        objective: Option<Objective>,
        draining: CancellationToken,
        leave: Option<Leave>,
    ) -> Self {
        Self {
            asker,
            limits,
            objective,
            draining,
            told: 0,
            _leave: leave,
        }
    }

    /// What the search has found so far.
    #[must_use]
    pub fn found(&self) -> T {
        self.asker.snapshot().found.clone()
    }

    /// A view of the progress for somebody who only looks on.
    #[must_use]
    pub fn glance(&self) -> Glance<T> {
        Glance::new(self.asker.watch(), self.limits.arrived)
    }

    /// The iterations of the search so far, if it has any.
    #[must_use]
    pub fn iterations(&self) -> Vec<Iteration> {
        self.asker.snapshot().iterations.clone()
    }

    /// Waits for a finding or the end. Cancel-safe: it may be dropped and called again.
    pub async fn news(&mut self) -> News<T> {
        let news = self.next().await;
        if matches!(news, News::Over(_)) {
            self.asker.answered();
        }
        news
    }

    async fn next(&mut self) -> News<T> {
        self.asker.listen();
        loop {
            let (count, end) = {
                let snapshot = self.asker.snapshot();
                (snapshot.found.count(), snapshot.end)
            };
            // The last finding is news too, even if the end came with it.
            if count > self.told {
                self.told = count;
                return News::Found;
            }
            if let Some(end) = end {
                return News::Over(self.over(end));
            }
            // The first solution is on its way, and any is better than none. Only the call's own
            // deadline ends the wait for it, and that uses some of the margin.
            let (instant, which) = if self.never_fails() && count == 0 {
                (self.limits.last_moment, TimeUp::Deadline)
            } else {
                let (instant, which) = self.limits.time_up();
                (Some(instant), which)
            };
            match self.woken(instant).await {
                Woken::Draining => return News::Over(Err(Failure::Draining)),
                Woken::Changed => {}
                Woken::TimeUp => return News::Over(self.end_with(which.into())),
            }
        }
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// When a limit or a defect came before what was asked for.
    pub async fn end(&mut self) -> Result<Outcome<T>, Failure> {
        if let Some(over) = self.end_in_time().await {
            self.asker.answered();
            return over;
        }
        loop {
            if let News::Over(over) = self.news().await {
                return over;
            }
        }
    }

    /// Waits for the end until time is up, without waking for findings.
    async fn end_in_time(&mut self) -> Option<Result<Outcome<T>, Failure>> {
        let (instant, _) = self.limits.time_up();
        loop {
            let end = self.asker.snapshot().end;
            if let Some(end) = end {
                return Some(self.over(end));
            }
            match self.woken(Some(instant)).await {
                Woken::Draining => return Some(Err(Failure::Draining)),
                Woken::Changed => {}
                Woken::TimeUp => return None,
            }
        }
    }

    /// Waits for whichever comes first.
    async fn woken(&mut self, instant: Option<Instant>) -> Woken {
        tokio::select! {
            biased;
            () = self.draining.cancelled() => Woken::Draining,
            () = self.asker.changed() => Woken::Changed,
            () = until(instant) => Woken::TimeUp,
        }
    }

    /// Whether any finding is a good answer when a limit comes.
    fn takes_any(&self) -> bool {
        self.objective.is_some_and(Objective::takes_any)
    }

    /// Whether there will be such a finding soon, so that the limits wait for it.
    fn never_fails(&self) -> bool {
        self.asker.shared().answers_first()
    }

    /// What the end of the search means for this asker.
    fn over(&self, end: End) -> Result<Outcome<T>, Failure> {
        let (instant, which) = self.limits.time_up();
        match end {
            End::Defect => Err(Failure::Defect),
            // A moment before it is up.
            End::Stopped(Stop::Time) => self.end_with(which.into()),
            // Once it is up for all, a search goes by no time, and may end as if there had been none.
            End::Stopped(Stop::Memory) | End::Shortage if instant <= Instant::now() => {
                self.end_with(which.into())
            }
            End::Stopped(stop) => self.end_with(stop.into()),
            End::NodeLimit => self.end_with(StopReason::NodeLimit),
            End::Shortage if self.takes_any() && self.found().count() > 0 => {
                self.end_with(StopReason::MemoryLimit)
            }
            End::Shortage => {
                telemetry::overloaded("memory", None);
                Err(Failure::Shortage)
            }
        }
    }

    fn end_with(&self, reason: StopReason) -> Result<Outcome<T>, Failure> {
        let snapshot = self.asker.snapshot();
        let has_found = snapshot.found.count() > 0;
        // A limit may come after the solution that meets the objective but before the search's own end.
        let objective = self.objective.filter(|_| has_found);
        let bound = snapshot.progress.lower_bound;
        let end = objective.and_then(|it| it.end(snapshot.found.best_length(), bound));
        let reason = end.map_or(reason, StopReason::from);
        if let Some(limit) = reason.limit() {
            telemetry::limit_stop(limit);
        }
        let met = matches!(reason, StopReason::Proven | StopReason::FirstFound);
        if met || (self.takes_any() && has_found) {
            return Ok(Outcome {
                found: snapshot.found.clone(),
                progress: snapshot.progress,
                iterations: snapshot.iterations.clone(),
                reason,
                queued: waited(&snapshot, self.limits.arrived),
            });
        }
        Err(Failure::Limit {
            reason,
            progress: snapshot.progress,
            best_length: snapshot.found.best_length(),
            takes_any: self.takes_any(),
            is_soonest: self.never_fails(),
        })
    }
}

impl<T: Collect> Work for Waiting<T> {
    fn progress(&self) -> Progress {
        self.asker.snapshot().progress
    }

    fn queued(&self) -> Duration {
        waited(&self.asker.snapshot(), self.limits.arrived)
    }
}

/// A look at work that somebody else waits for. It does not keep a search in the pool.
#[derive(Clone, Debug)]
pub struct Glance<T> {
    snapshot: watch::Receiver<Snapshot<T>>,
    /// When the request arrived.
    arrived: Instant,
}

impl<T> Glance<T> {
    pub(super) const fn new(snapshot: watch::Receiver<Snapshot<T>>, arrived: Instant) -> Self {
        Self { snapshot, arrived }
    }

    pub(super) fn end(&self) -> Option<End> {
        self.snapshot.borrow().end
    }
}

impl<T> Work for Glance<T> {
    fn progress(&self) -> Progress {
        self.snapshot.borrow().progress
    }

    fn queued(&self) -> Duration {
        waited(&self.snapshot.borrow(), self.arrived)
    }
}

/// The time from arrival to the first slice.
fn waited<T>(snapshot: &Snapshot<T>, arrived: Instant) -> Duration {
    match (snapshot.begun, snapshot.end) {
        (Some(begun), _) => begun.saturating_duration_since(arrived),
        (None, None) => arrived.elapsed(),
        (None, Some(_)) => Duration::ZERO,
    }
}
