//! The backlog: the service that searches still need to produce the answers promised.
//!
//! A worker's next slice goes to the search that has had least service. So a search waits for all
//! searches that need about as much service as it or less, whether they have started or not, but
//! not for larger ones.

use std::array;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::average::Average;
use super::pool::{LEAST_SLICE, SLICE};

/// Searches that take at most this form the first class: they finish before a newcomer gets its turn.
const LEAST: Duration = LEAST_SLICE;

/// Some proofs take very long, so each counts in the average as at most this much.
const MOST_OF_A_PROOF: Duration = SLICE;

/// The number of classes. Each takes up to twice as much as the one before; the last one is unbounded.
const CLASSES: usize = 24;

/// How many times the average service is promised: a search that takes a little more than average
/// should not be abandoned when it is nearly done.
const GENEROSITY: u32 = 2;

/// The service owed, in nanoseconds, by class of the total service that searches take.
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

    /// The service that others get before a search that takes `work` in all.
    #[must_use]
    pub fn before(&self, work: Duration) -> Duration {
        // Searches of the next class may take just as much.
        let classes = self.0.iter().take(Self::class(work) + 2);
        Duration::from_nanos(classes.map(|owed| owed.load(Ordering::Relaxed)).sum())
    }

    /// Promises a search twice the average service of its kind.
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
    /// Until the first finding.
    Found,
    /// Until the proof.
    Proven,
}

/// The service owed to one search. Dropping it cancels the debt.
#[derive(Debug)]
pub struct Promise {
    backlog: Arc<Backlog>,
    /// Learns how much service it takes to keep promises of this kind.
    average: Arc<Average>,
    until: Until,
    class: usize,
    work: u64,
    owed: u64,
    had: Duration,
}

impl Promise {
    /// Whether a finding keeps the promise.
    #[must_use]
    pub fn ends_with_a_finding(&self) -> bool {
        self.until == Until::Found
    }

    /// The service for which newcomers do not cut a turn of the search short: all it needs for a first
    /// finding, or what remains of the amount promised for a proof. A turn is a slice at most.
    #[must_use]
    pub fn owed(&self) -> Duration {
        match self.until {
            Until::Found => Duration::MAX,
            Until::Proven => Duration::from_nanos(self.owed),
        }
    }

    /// Records the service that the search has had in total.
    pub fn served(&mut self, service: Duration) {
        self.had = service;
        let service = u64::try_from(service.as_nanos()).unwrap_or(u64::MAX);
        self.lower(self.work.saturating_sub(service));
    }

    /// Records that the promised result has come after this much service in total.
    pub fn keep(mut self, service: Duration) {
        self.had = Duration::ZERO;
        self.learn(service);
    }

    fn learn(&self, service: Duration) {
        self.average.learn(match self.until {
            Until::Found => service,
            Until::Proven => service.min(MOST_OF_A_PROOF),
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
        // Searches that never get there count too. If only those that finish in time did, the
        // average would be too low.
        if self.had > self.average.get() {
            self.learn(self.had);
        }
    }
}
