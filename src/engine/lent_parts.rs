//! The parts of a job's search that idle workers have taken on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crate::search::{Budget, Part, Progress};

use super::due::Due;
use super::pace::Pace;
use super::pool::{HelperWork, Turn};

/// A part, and what its job and its worker tell each other. Whoever has the lock has the part: the
/// worker for a slice at a time, and the job when it takes the part back.
struct LentPart {
    part: Mutex<Option<(Box<dyn Part>, Pace)>>,
    /// Whether its nodes count toward an iteration.
    is_of_an_iteration: bool,
    /// The node generations that it may spend.
    most: u64,
    /// When the job's findings will be taken.
    due: Mutex<Due>,
    expanded: AtomicU64,
    generated: AtomicU64,
    /// Whether the job wants it back.
    is_recalled: AtomicBool,
    /// Whether there is no point in continuing with it.
    is_over: AtomicBool,
}

impl HelperWork for LentPart {
    fn run(&self, turn: &Turn<'_>) -> bool {
        let Ok(mut slot) = self.part.lock() else {
            return false;
        };
        let Some((part, pace)) = &mut *slot else {
            return false;
        };
        loop {
            if self.is_recalled.load(Ordering::Relaxed) {
                self.is_over.store(true, Ordering::Relaxed);
                return false;
            }
            let begun = turn.give_way();
            let left = self.most.saturating_sub(part.progress().generated);
            let due = *self.due.lock().unwrap_or_else(PoisonError::into_inner);
            let budget = Budget::nodes(pace.chunk().min(left));
            let budget = due.tell(budget, begun);
            let goes_on = budget.nodes > 0 && part.advance(budget);
            let ended = Instant::now();
            if goes_on && budget.nodes == pace.chunk() {
                pace.adjust(ended - begun);
            }
            let progress = part.progress();
            self.expanded.store(progress.expanded, Ordering::Relaxed);
            self.generated.store(progress.generated, Ordering::Relaxed);
            if !goes_on {
                self.is_over.store(true, Ordering::Relaxed);
                return false;
            }
            if turn.is_over_but_for(Duration::ZERO, ended) {
                return true;
            }
        }
    }
}

/// The part is gone because its worker panicked.
#[derive(Debug)]
pub(super) struct Lost;

impl LentPart {
    /// Takes the part, unless a worker is on it.
    fn take(&self) -> Result<Option<Box<dyn Part>>, Lost> {
        match self.part.try_lock() {
            Ok(mut slot) => Ok(slot.take().map(|(part, _)| part)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Poisoned(_)) => Err(Lost),
        }
    }
}

/// The parts of one job that are lent. Dropping this ends the work on them within a chunk, waits for that, and frees
/// them, so that a job gives no memory back before it is free.
#[derive(Default)]
pub(super) struct LentParts {
    lent: Vec<Arc<LentPart>>,
}

impl LentParts {
    /// Lends a part to a worker called by the turn, or gives it back when there is none. The part
    /// may spend `most` node generations and goes by `due` until it is told [another](Self::set_due).
    pub(super) fn lend(
        &mut self,
        part: Box<dyn Part>,
        most: u64,
        due: Due,
        turn: &Turn<'_>,
    ) -> Result<(), Box<dyn Part>> {
        let lent = Arc::new(LentPart {
            is_of_an_iteration: part.is_of_an_iteration(),
            part: Mutex::new(Some((part, Pace::default()))),
            most,
            due: Mutex::new(due),
            expanded: AtomicU64::new(0),
            generated: AtomicU64::new(0),
            is_recalled: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        });
        if turn.offer(Arc::clone(&lent) as Arc<dyn HelperWork>) {
            self.lent.push(lent);
            return Ok(());
        }
        // Nobody else has it.
        match lent.take() {
            Ok(Some(part)) => Err(part),
            Ok(None) | Err(Lost) => Ok(()),
        }
    }

    /// Tells every part when the job's findings will be taken.
    pub(super) fn set_due(&self, due: Due) {
        for lent in &self.lent {
            *lent.due.lock().unwrap_or_else(PoisonError::into_inner) = due;
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lent.is_empty()
    }

    /// The node generations that all lent parts together may spend.
    pub(super) fn most(&self) -> u64 {
        self.lent
            .iter()
            .fold(0, |sum, lent| sum.saturating_add(lent.most))
    }

    /// What the lent parts have done so far, which is not yet in the search's own progress.
    pub(super) fn progress(&self) -> Progress {
        let sum = |count: fn(&LentPart) -> &AtomicU64| {
            let counts = self
                .lent
                .iter()
                .map(|lent| count(lent).load(Ordering::Relaxed));
            counts.sum()
        };
        Progress {
            expanded: sum(|lent| &lent.expanded),
            generated: sum(|lent| &lent.generated),
            ..Progress::default()
        }
    }

    /// The nodes that lent parts have generated for the current iteration, not yet in the search's
    /// own count.
    pub(super) fn of_the_iteration(&self) -> u64 {
        let lent = self.lent.iter().filter(|lent| lent.is_of_an_iteration);
        lent.map(|lent| lent.generated.load(Ordering::Relaxed))
            .sum()
    }

    /// Takes back a part that is not worth continuing, if there is one.
    pub(super) fn over(&mut self) -> Result<Option<Box<dyn Part>>, Lost> {
        let is_over =
            |lent: &Arc<LentPart>| lent.is_over.load(Ordering::Relaxed) || lent.part.is_poisoned();
        match self.lent.iter().position(is_over) {
            Some(number) => self.take(number),
            None => Ok(None),
        }
    }

    /// Recalls the oldest part. Returns `None` if a worker is on it; then the job gets its turn
    /// when that worker leaves.
    pub(super) fn recall(&mut self) -> Result<Option<Box<dyn Part>>, Lost> {
        let Some(lent) = self.lent.first() else {
            return Ok(None);
        };
        lent.is_recalled.store(true, Ordering::Relaxed);
        self.take(0)
    }

    fn take(&mut self, number: usize) -> Result<Option<Box<dyn Part>>, Lost> {
        let part = self.lent[number].take()?;
        if part.is_some() {
            self.lent.remove(number);
        }
        Ok(part)
    }
}

impl Drop for LentParts {
    fn drop(&mut self) {
        for lent in &self.lent {
            lent.is_recalled.store(true, Ordering::Relaxed);
        }
        for lent in &self.lent {
            let slot = lent.part.lock();
            drop(slot.map(|mut slot| slot.take()));
        }
    }
}
