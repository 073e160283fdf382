//! Beams that other threads run beside the search that wants them, one at a time.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::begin::SLACK;
use super::{Preparation, Scale, Widening};
use crate::puzzle::Solution;
use crate::search::{Budget, Part, Progress, Search, Step};

/// With less time left, a beam is not worth another thread, which has to wake up and set up its memory.
const LEAST_TO_SHARE: Duration = Duration::from_millis(5);

/// A beam narrower than this fraction of the widest one before hardly ever finds anything shorter.
const LEAST_WIDTH_TO_SHARE: f64 = 0.25;

/// How much sooner than the deadline such a beam must be over: what it has found counts only at the next look
/// at its search.
const EARLIER: Duration = Duration::from_micros(300);

/// With less time left, a beam that has found a solution does not go on to shorten it, lest that come too late,
/// too.
const IN_GOOD_TIME: Duration = Duration::from_millis(2);

/// What a search knows of the beams beside it.
#[derive(Default)]
pub(super) struct SideBeams {
    lent: Option<Lent>,
    /// The progress of those that are back.
    done: Progress,
    /// The solutions that came back and were not yet taken.
    found: VecDeque<Solution>,
}

/// A beam that is handed out.
#[derive(Clone, Copy, Debug)]
struct Lent {
    seed: u64,
    /// The bytes that it may hold.
    memory: u64,
}

impl SideBeams {
    /// Whether none is handed out.
    pub(super) const fn is_empty(&self) -> bool {
        self.lent.is_none()
    }

    pub(super) fn seed(&self) -> Option<u64> {
        self.lent.map(|lent| lent.seed)
    }

    pub(super) fn memory(&self) -> u64 {
        self.lent.map_or(0, |lent| lent.memory)
    }

    pub(super) fn progress(&self) -> Progress {
        Progress {
            claimed: self.memory(),
            ..self.done
        }
    }

    pub(super) fn found(&mut self) -> Option<Solution> {
        self.found.pop_front()
    }
}

impl Widening {
    /// Whether there is time for a beam beside this search. Either the speed of beams must be known, or the
    /// first beam must have all of the time.
    pub(super) fn gains_by_a_side_beam(&self) -> bool {
        let has_begun = self.begun > 0 && self.stop.is_none();
        // What is over may still hold the memory for it.
        let is_ready = has_begun && self.over.is_empty();
        let is_at_first = self.at_work.as_ref().is_some_and(|beam| beam.is_first);
        let is_prepared = |&left: &Duration| self.preparation.is_over(left, self.at_work.is_none());
        let left = self.left.filter(|&left| left >= LEAST_TO_SHARE);
        let left = left.filter(is_prepared);
        is_ready
            && self.planner.beams.suit_two()
            && !is_at_first
            && self.side_beams.is_empty()
            && left.is_some_and(|left| {
                self.planner.next(Some(left), true).width >= self.least_side_beam()
            })
    }

    /// The least width of a beam beside this search.
    fn least_side_beam(&self) -> usize {
        let least = (self.planner.widest as f64 * LEAST_WIDTH_TO_SHARE) as usize;
        least.max(self.planner.beams.narrowest())
    }

    /// The greatest scale of a beam that is handed out now, if there is memory for it.
    pub(super) fn next_side_beam(&self) -> Option<Scale> {
        let left = self.left.filter(|_| self.gains_by_a_side_beam())?;
        let most = self.planner.next(Some(left), true).times(SLACK);
        Some(most.at_most(self.planner.beams.widest()))
    }

    /// How many beams are to begin once one is handed out: that one and, if none is at work, the next of this
    /// search, which will need about as much memory.
    pub(super) const fn beams_to_begin(&self) -> u64 {
        if self.at_work.is_some() { 1 } else { 2 }
    }

    /// A beam that has all of the time that is left, from the end where the one at work did not begin.
    pub(super) fn hand_out(&mut self, memory: u64) -> Option<SideBeam> {
        let left = self.left?;
        let most = self.next_side_beam()?;
        let room = memory.saturating_sub(self.progress().reserved());
        let planner = &self.planner;
        let memory = planner.beams.bytes(most).min(room / self.beams_to_begin());
        let least = planner.suitable(self.least_side_beam(), true);
        if memory < planner.beams.bytes(least) {
            return None;
        }
        let seed = self.next_seed(self.at_work.as_ref().map(|beam| beam.seed));
        self.side_beams.lent = Some(Lent { seed, memory });
        // The beam at work need not leave time for a second one.
        self.give_all(left);
        let (beams, slowness) = (&self.planner.beams, self.planner.pace.slowness());
        let mut search = Self {
            preparation: Preparation::OVER,
            // Any further beam would be another part.
            is_paired: true,
            begun: seed,
            ..Self::at_pace(Arc::clone(beams), slowness)
        };
        search.planner.best = self.planner.best;
        Some(SideBeam {
            search,
            memory,
            has_begun: false,
            found: Vec::new(),
        })
    }

    /// Takes a beam back, done or not.
    pub(super) fn take_back(&mut self, part: Box<dyn Part>) {
        let part: Box<dyn Any> = part;
        let Ok(mut side_beam) = part.downcast::<SideBeam>() else {
            return;
        };
        let own = self.own_progress();
        let both = own.memory + side_beam.progress().peak_memory;
        self.past.peak_memory = own.peak_memory.max(both);
        let side_beams = &mut self.side_beams;
        side_beams.lent = None;
        side_beams.done = side_beams.done.then(side_beam.progress()).at_rest();
        side_beams.found.extend(side_beam.found);
        self.over.append(&mut side_beam.search.over);
        self.over
            .extend(side_beam.search.at_work.map(|beam| beam.pass));
    }
}

/// A search of one beam.
pub(super) struct SideBeam {
    search: Widening,
    memory: u64,
    has_begun: bool,
    found: Vec<Solution>,
}

impl Part for SideBeam {
    fn advance(&mut self, budget: Budget) -> bool {
        let is_over = self.has_begun && self.search.at_work.is_none();
        let is_late = budget.time.is_some_and(|left| left < IN_GOOD_TIME);
        if is_over || is_late && !self.found.is_empty() {
            return false;
        }
        let step = self.search.advance(Budget {
            memory: self.memory,
            time: budget.time.map(|left| left.saturating_sub(EARLIER)),
            ..budget
        });
        self.has_begun |= self.search.at_work.is_some();
        match step {
            Step::Working => self.search.at_work.is_some() || !self.has_begun,
            Step::Found(solution) => {
                // It may find shorter ones before it is done.
                self.found.push(solution);
                true
            }
            Step::Done(_) => false,
        }
    }

    fn progress(&self) -> Progress {
        self.search.progress()
    }
}
