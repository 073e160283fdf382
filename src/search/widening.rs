//! Wider and wider beams, for as long as there is time (after the complete anytime beam search of
//! Zhang, 1998).
//!
//! A narrow beam finds a solution at once and tells what a layer costs; the next two are as wide
//! as the time allows that is left, layer by layer, so that the last one ends just before it is
//! over. Without a time each is four times as wide as the one before.

use std::num::NonZeroU32;
use std::time::Duration;

use super::beam::Pass;
use super::{Budget, Progress, Search, Step, Stop};
use crate::puzzle::Solution;

/// What makes the beams.
pub trait Beams: Send {
    /// Works on the tables that the best beams need, about as long as so many nodes take; true
    /// once they are there. Until then there are others.
    fn prepare(&self, nodes: u64) -> bool;

    /// A beam of at most this width; none if there is none for the problem.
    fn beam(&self, width: usize, seed: u64) -> Option<Box<dyn Pass>>;

    /// No beam is narrower: it would find nothing, or nothing good.
    fn narrowest(&self) -> usize;

    /// The bytes that a beam of this width can come to hold.
    fn bytes(&self, width: usize) -> u64;

    /// About how many layers a beam has to make, rather too many.
    fn layers(&self) -> u32;

    /// About the nanoseconds that a node takes.
    fn cost(&self) -> f64;
}

/// The first beam without a time to keep.
const FIRST: usize = 128;

/// By how much beams grow without a time to keep.
const GROWTH: usize = 4;

/// The share of the time that is planned for: the end of a beam comes in leaps.
const PLANNED: f64 = 0.97;

/// The share of the time for the first beam.
const FIRST_SHARE: f64 = 0.05;

/// The share of what is left then for the second one. The third begins at the other end: the shorter
/// of two solutions is as short as that of one beam with the time of both, and one of two beams is
/// seldom stuck.
const SECOND_SHARE: f64 = 0.48;

/// After so many layers that came no nearer to the goal a beam is taken to be stuck.
const PATIENCE: u32 = 50;

/// A beam may become so much wider than was planned.
const SLACK: f64 = 1.5;

/// Searches by wider and wider beams. Each finding is shorter than those before.
///
/// Ends with [`Stop::Memory`] when there is not enough for a wider one and no time to keep, and with
/// [`Stop::Exhausted`] when there is no time left for the narrowest.
pub struct Widening {
    beams: Box<dyn Beams>,
    pass: Option<Box<dyn Pass>>,
    pace: Pace,
    is_prepared: bool,
    /// The last turn was spent on the tables.
    has_prepared: bool,
    /// The width of the beam at work, and of the widest one before.
    width: usize,
    widest: usize,
    /// The time that is to be left when the beam at work is over.
    reserve: Duration,
    /// The least estimate of what the beam at work has to make, since it tells one, and the depth
    /// that it was made at.
    nearest: (Option<NonZeroU32>, u32),
    /// Beams begun.
    begun: u64,
    best: Option<usize>,
    /// Of the beams that are over.
    past: Progress,
    /// Bytes that are to be had for the next beam before it is made.
    claimed: u64,
    stop: Option<Stop>,
}

impl Widening {
    /// A search that has not begun.
    #[must_use]
    pub fn new(beams: Box<dyn Beams>) -> Self {
        let pace = Pace::new(beams.cost());
        Self {
            beams,
            pass: None,
            pace,
            is_prepared: false,
            has_prepared: false,
            width: 0,
            widest: 0,
            reserve: Duration::ZERO,
            nearest: (None, 0),
            begun: 0,
            best: None,
            past: Progress::NONE,
            claimed: 0,
            stop: None,
        }
    }

    /// The width at which a beam of so many layers ends in time.
    fn affordable(&self, time: Duration, layers: u32) -> usize {
        let nodes = time.as_nanos() as f64 * PLANNED / self.pace.cost();
        (nodes / f64::from(layers.max(1))) as usize
    }

    /// The width of the next beam, which may take so much time.
    fn next_width(&self, time: Option<Duration>) -> usize {
        match (time, self.widest) {
            (Some(time), _) => self
                .affordable(time, self.rest())
                .max(self.beams.narrowest()),
            (None, 0) => FIRST,
            (None, widest) => widest.saturating_mul(GROWTH),
        }
    }

    /// The share of the time for the next beam.
    const fn next_share(&self) -> f64 {
        match self.begun {
            0 => FIRST_SHARE,
            1 => SECOND_SHARE,
            _ => 1.0,
        }
    }

    /// Begins the next beam, or asks for the memory that it takes.
    fn begin(&mut self, budget: Budget) {
        let given = budget.time.map(|time| time.mul_f64(self.next_share()));
        let planned = self.next_width(given);
        let is_too_late = budget
            .time
            .is_some_and(|time| 2 * self.affordable(time, self.rest()) < self.beams.narrowest());
        if is_too_late {
            self.stop = Some(Stop::Exhausted);
            return;
        }
        let slack = budget.time.map_or(1.0, |_| SLACK);
        let mut width = (planned as f64 * slack) as usize;
        let wanted = self.beams.bytes(width);
        if wanted > budget.memory {
            if budget.memory > self.claimed {
                // More may be granted to a search that has a use for it.
                self.claimed = budget.memory;
                self.past.peak_memory = self.past.peak_memory.max(self.claimed);
                return;
            }
            let room = budget.memory as f64 / wanted as f64;
            width = (width as f64 * room) as usize;
            let is_no_wider = width <= self.widest && budget.time.is_none();
            if width < self.beams.narrowest() || is_no_wider {
                self.stop = Some(Stop::Memory);
                return;
            }
        }
        let Some(mut pass) = self.beams.beam(width, self.begun) else {
            self.stop = Some(Stop::Exhausted);
            return;
        };
        self.width = planned.min(width);
        self.reserve = match (budget.time, given) {
            (Some(time), Some(given)) => time.saturating_sub(given),
            _ => Duration::ZERO,
        };
        pass.set_width(self.width);
        self.pass = Some(pass);
        self.nearest = (None, 0);
        self.begun += 1;
    }

    /// Ends the beam at work.
    fn leave(&mut self) {
        self.past = self.progress().at_rest();
        self.widest = self.widest.max(self.width);
        self.pass = None;
        self.claimed = 0;
    }

    /// Makes the beam at work as wide as its time allows.
    fn keep_pace(&mut self, time: Duration) {
        let width = self.affordable(time.saturating_sub(self.reserve), self.rest());
        if let Some(pass) = &mut self.pass {
            pass.set_width(width.max(self.beams.narrowest()));
        }
    }

    /// The layers that the beam at work, or the next one, has still to make, about.
    fn rest(&self) -> u32 {
        let expected = self.best.map_or(self.beams.layers(), |best| best as u32);
        let Some(pass) = &self.pass else {
            return expected;
        };
        // The best board of a layer looks better than it is.
        let by_estimate = pass.rest().map_or(0, |rest| rest.get() + rest.get() / 16);
        // Some are longer than those before.
        let least = pass.depth() / 40 + 1;
        let by_best = expected.saturating_sub(pass.depth());
        by_estimate.max(by_best).max(least)
    }
}

impl Search for Widening {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(stop) = self.stop {
            return Step::Done(stop);
        }
        // Half of the time, until the tables are there.
        if !self.is_prepared && !std::mem::replace(&mut self.has_prepared, true) {
            self.is_prepared = self.beams.prepare(budget.nodes.max(1));
            return Step::Working;
        }
        self.has_prepared = false;
        if self.pass.is_none() {
            self.begin(budget);
            return Step::Working;
        }
        if let Some(time) = budget.time {
            self.pace.note(time, self.progress().expanded);
            self.keep_pace(time);
        }
        let Some(pass) = &mut self.pass else {
            return Step::Working;
        };
        let (rest, depth) = (pass.rest(), pass.depth());
        if rest.is_none() || self.nearest.0.is_none_or(|least| rest < Some(least)) {
            self.nearest = (rest, depth);
        }
        if depth > self.nearest.1 + PATIENCE {
            self.leave();
            return Step::Working;
        }
        match pass.advance(budget) {
            Step::Working => Step::Working,
            Step::Done(_) => {
                self.leave();
                Step::Working
            }
            Step::Found(solution) => {
                self.leave();
                if self.best.is_some_and(|best| best <= solution.len()) {
                    return Step::Working;
                }
                self.best = Some(solution.len());
                Step::Found(solution)
            }
        }
    }

    fn progress(&self) -> Progress {
        match &self.pass {
            Some(pass) => self.past.then(pass.progress()),
            None => Progress {
                memory: self.claimed,
                ..self.past
            },
        }
    }

    fn name(&self) -> &'static str {
        "beam"
    }
}

/// What a node costs, told by the time that goes by.
#[derive(Debug)]
struct Pace {
    /// At the last look: the time that was left, and the nodes until then.
    last: Option<(Duration, u64)>,
    /// Of the recent past, in nanoseconds and nodes.
    time: f64,
    nodes: f64,
}

impl Pace {
    /// How many nodes the recent past goes back, about.
    const MEMORY: f64 = 20_000.0;

    /// As many nodes as a guess is worth.
    const GUESS: f64 = 500.0;

    fn new(cost: f64) -> Self {
        Self {
            last: None,
            time: cost * Self::GUESS,
            nodes: Self::GUESS,
        }
    }

    fn note(&mut self, left: Duration, nodes: u64) {
        if let Some((before, nodes_before)) = self.last {
            // The time may have become longer: somebody else waits now.
            if let Some(took) = before.checked_sub(left) {
                self.time += took.as_nanos() as f64;
                self.nodes += nodes.saturating_sub(nodes_before) as f64;
                if self.nodes > Self::MEMORY {
                    self.time /= 2.0;
                    self.nodes /= 2.0;
                }
            }
        }
        self.last = Some((left, nodes));
    }

    fn cost(&self) -> f64 {
        (self.time / self.nodes).max(1.0)
    }
}
