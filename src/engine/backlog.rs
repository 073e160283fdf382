//! What has been promised: the service that searches still take to their answers.
//!
//! A worker's next slice goes to whoever has had least, so that a search waits for all that take
//! about as much as it, or less, whether they have begun or not; and not for larger ones.

use std::array;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::average::Average;
use super::pool::COURTESY;

/// Searches that take no more are one class: they are over before a newcomer has its turn.
const LEAST: Duration = COURTESY;

/// Each class takes up to twice as much as the one before; the last one has all the rest.
const CLASSES: usize = 24;

/// How much more is promised than such searches take on average: whoever takes a little more than
/// others should not be left when it is nearly done.
const GENEROSITY: u32 = 2;

/// For how long there must have been no newcomer without a wait for the line to stand.
const STANDS: Duration = Duration::from_millis(100);

/// The service that is owed, in nanoseconds, by how much the searches take in all.
#[derive(Debug)]
pub struct Backlog([AtomicU64; CLASSES]);

impl Default for Backlog {
    fn default() -> Self {
        Self(array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl Backlog {
    fn class(work: Duration) -> usize {
        let times = work.as_nanos() / LEAST.as_nanos();
        times
            .checked_ilog2()
            .map_or(0, |log| log as usize + 1)
            .min(CLASSES - 1)
    }

    /// The service that others get before a search that takes so much.
    #[must_use]
    pub fn before(&self, work: Duration) -> Duration {
        // Those of the next class may take just as much.
        let classes = self.0.iter().take(Self::class(work) + 2);
        Duration::from_nanos(classes.map(|owed| owed.load(Ordering::Relaxed)).sum())
    }

    /// Promises a search the service that such ones have taken of late, and as much again.
    #[must_use]
    pub fn promise(self: &Arc<Self>, until: Until, average: &Arc<Average>) -> Promise {
        let work = average.get().saturating_mul(GENEROSITY);
        let owed = u64::try_from(work.as_nanos()).unwrap_or(u64::MAX >> 1);
        let class = Self::class(work);
        self.0[class].fetch_add(owed, Ordering::Relaxed);
        Promise {
            backlog: Arc::clone(self),
            average: Arc::clone(average),
            until,
            class,
            work: owed,
            owed,
            had: Duration::ZERO,
        }
    }
}

/// Until when service is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// The first finding.
    Found,
    /// The end by a proof, of which nobody knows how long it takes: no more than this is promised.
    Proven(Duration),
}

/// The service that one search is owed. Dropping it ends the debt.
#[derive(Debug)]
pub struct Promise {
    backlog: Arc<Backlog>,
    /// Learns what service it takes to keep such promises.
    average: Arc<Average>,
    until: Until,
    class: usize,
    work: u64,
    owed: u64,
    had: Duration,
}

impl Promise {
    /// Whether a finding keeps it.
    #[must_use]
    pub fn ends_with_a_finding(&self) -> bool {
        self.until == Until::Found
    }

    /// What the search is to have at once, however many come meanwhile: all that it takes to the
    /// first finding, or what is left of what was promised to a proof.
    #[must_use]
    pub fn owed(&self) -> Duration {
        match self.until {
            Until::Found => Duration::MAX,
            Until::Proven(_) => Duration::from_nanos(self.owed),
        }
    }

    /// The search has had so much service in all.
    pub fn served(&mut self, service: Duration) {
        self.had = service;
        let service = u64::try_from(service.as_nanos()).unwrap_or(u64::MAX);
        self.lower(self.work.saturating_sub(service));
    }

    /// The promised result has come; the search took so much service in all.
    pub fn keep(mut self, service: Duration) {
        self.had = Duration::ZERO;
        self.learn(service);
    }

    fn learn(&self, service: Duration) {
        self.average.learn(match self.until {
            Until::Found => service,
            Until::Proven(most) => service.min(most),
        });
    }

    fn lower(&mut self, owed: u64) {
        let paid = self.owed.saturating_sub(owed);
        self.owed -= paid;
        self.backlog.0[self.class].fetch_sub(paid, Ordering::Relaxed);
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        self.lower(0);
        // If only those taught who are there in time, they would teach that all are as fast.
        if self.had > self.average.get() {
            self.learn(self.had);
        }
    }
}

/// Whether newcomers have had to wait for long.
#[derive(Debug)]
pub struct Line {
    beginning: Instant,
    /// When the line began, in microseconds from the beginning; 0 while there is none.
    since: AtomicU64,
    /// When the last one came who had to wait.
    last: AtomicU64,
}

impl Default for Line {
    fn default() -> Self {
        Self {
            beginning: Instant::now(),
            since: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }
    }
}

impl Line {
    /// Takes note of a newcomer, who has to wait or not. Whether there has been a line for long: a
    /// burst goes by, and a line that stands is no use to anybody. Where nobody has come for as
    /// long, it is another line.
    pub fn stands(&self, waits: bool) -> bool {
        if !waits {
            self.since.store(0, Ordering::Relaxed);
            return false;
        }
        const LONG: u64 = STANDS.as_micros() as u64;
        let now = (self.beginning.elapsed().as_micros() as u64).max(1);
        let last = self.last.swap(now, Ordering::Relaxed);
        let since = self.since.load(Ordering::Relaxed);
        if since == 0 || now.saturating_sub(last) > LONG {
            self.since.store(now, Ordering::Relaxed);
            return false;
        }
        now.saturating_sub(since) > LONG
    }
}
