//! Wider and wider beams, for as long as there is time (after the complete anytime beam search of
//! Zhang, 1998).
//!
//! A narrow beam finds a solution at once and tells what a layer costs; the next two are as wide
//! as the time allows that is left, layer by layer, so that the last one ends just before it is
//! over. Without a time each is four times as wide as the one before.

use std::time::Duration;

use super::beam::Pass;
use super::{Budget, Progress, Search, Step, Stop};
use crate::puzzle::Solution;

/// What makes the beams.
pub trait Beams: Send {
    /// Works on the tables that the best beams need, about as long as so many nodes take; true
    /// once they are there. Until then there are others.
    fn prepare(&self, nodes: u64) -> bool;

    /// A beam of this width, which can be made as wide as `most` on the way; none if there is none
    /// for the problem.
    fn beam(&self, width: usize, most: usize, seed: u64) -> Option<Box<dyn Pass>>;

    /// The least width of two beams, the one with the odd seed from the other end, that are together
    /// as good as one of twice the width; none where all beams begin at the same end.
    fn pair_width(&self) -> Option<usize>;

    /// No beam is narrower: it would find nothing, or nothing good.
    fn narrowest(&self) -> usize;

    /// The bytes that a beam of this width can come to hold.
    fn bytes(&self, width: usize) -> u64;

    /// About how many layers a beam of this width has to make, rather too many.
    fn layers(&self, width: usize) -> u32;

    /// About the nanoseconds that a node takes.
    fn cost(&self) -> f64;
}

/// The first beam without a time to keep.
const FIRST: usize = 128;

/// By how much beams grow without a time to keep.
const GROWTH: usize = 4;

/// The share of the time that is planned for: the end of a beam comes in leaps.
const PLANNED: f64 = 0.95;

/// The time that a move of a solution takes to be replayed, rather too much.
const A_MOVE: Duration = Duration::from_nanos(120);

/// The share of the time for the first beam.
const FIRST_SHARE: f64 = 0.05;

/// The share of what is left then for the second one, where there is [time for two](Beams::pair_width).
/// The third begins at the other end: the shorter of two solutions is as short as that of one beam with
/// the time of both, and one of two beams is seldom stuck.
const SECOND_SHARE: f64 = 0.6;

/// What a beam gets of the time that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    First,
    Second,
    All,
}

impl Share {
    fn of(self, left: Duration) -> Duration {
        match self {
            Self::First => left.mul_f64(FIRST_SHARE),
            Self::Second => left.mul_f64(SECOND_SHARE),
            Self::All => left,
        }
    }
}

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
    /// The time that is to be left when the beam at work is over, and the time that has to be left.
    planned_end: Duration,
    latest_end: Duration,
    /// Beams begun.
    begun: u64,
    /// One of two beams was begun that share the time.
    is_paired: bool,
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
            planned_end: Duration::ZERO,
            latest_end: Duration::ZERO,
            begun: 0,
            is_paired: false,
            best: None,
            past: Progress::NONE,
            claimed: 0,
            stop: None,
        }
    }

    /// The width at which a beam of so many layers ends in time.
    fn affordable(&self, time: Duration, layers: u32) -> usize {
        let nodes = time.as_nanos() as f64 / self.pace.cost();
        (nodes / f64::from(layers.max(1))) as usize
    }

    /// The width of the next beam, which may take so much time.
    fn next_width(&self, time: Option<Duration>) -> usize {
        match (time, self.widest) {
            (Some(time), _) => {
                let mut width = self.beams.narrowest();
                // The wider, the fewer layers: some rounds bring both together.
                for _ in 0..3 {
                    width = self.affordable(time, self.expected(width));
                }
                width
            }
            (None, 0) => FIRST,
            (None, widest) => widest.saturating_mul(GROWTH),
        }
    }

    /// Whether two beams, one from either end, make more of so much time than one.
    fn is_time_for_two(&self, left: Duration) -> bool {
        let pair_width = self.beams.pair_width();
        pair_width.is_some_and(|width| self.next_width(Some(left)) >= 2 * width)
    }

    /// The share of the next beam in so much time.
    fn share(&self, left: Duration) -> Share {
        let first = left.mul_f64(FIRST_SHARE);
        if self.begun == 0 && self.next_width(Some(first)) > 2 * self.beams.narrowest() {
            Share::First
        } else if !self.is_paired && self.is_time_for_two(left) {
            Share::Second
        } else {
            Share::All
        }
    }

    /// Begins the next beam, or asks for the memory that it takes.
    fn begin(&mut self, budget: Budget) {
        let replay = A_MOVE * self.expected(self.beams.narrowest());
        let left = budget.time.map(|left| left.saturating_sub(replay));
        let share = left.map(|left| self.share(left));
        let given = left.zip(share).map(|(left, share)| share.of(left));
        let planned = self.next_width(given.map(|given| given.mul_f64(PLANNED)));
        let is_too_late = budget
            .time
            .is_some_and(|left| 2 * self.next_width(Some(left)) < self.beams.narrowest());
        if is_too_late {
            self.stop = Some(Stop::Exhausted);
            return;
        }
        let planned = planned.max(self.beams.narrowest());
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
        self.width = planned.min(width);
        self.pass = self.beams.beam(self.width, width, self.begun);
        if self.pass.is_none() {
            self.stop = Some(Stop::Exhausted);
        }
        if let (Some(left), Some(given)) = (budget.time, given) {
            self.latest_end = left.saturating_sub(given).max(replay);
            self.planned_end = left.saturating_sub(given.mul_f64(PLANNED));
        }
        self.is_paired |= share == Some(Share::Second);
        self.begun += 1;
    }

    /// Ends the beam at work.
    fn leave(&mut self) {
        self.past = self.progress().at_rest();
        self.pace.settle();
        self.widest = self.widest.max(self.width);
        self.pass = None;
        self.claimed = 0;
    }

    /// The layers that a beam of this width has to make, about.
    fn expected(&self, width: usize) -> u32 {
        let layers = self.beams.layers(width);
        self.best.map_or(layers, |best| layers.min(best as u32))
    }

    /// Makes the beam at work as wide as its time allows.
    fn keep_pace(&mut self, left: Duration) {
        let Some(pass) = &self.pass else {
            return;
        };
        let rest = pass.rest(self.expected(self.width));
        // What comes after the planned end is not spent all at once.
        let late = left.saturating_sub(self.latest_end) / 2;
        let time = left.saturating_sub(self.planned_end).max(late);
        let width = self.affordable(time, rest);
        if let Some(pass) = &mut self.pass {
            pass.set_width(width.max(self.beams.narrowest()));
        }
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
        if pass.is_stuck() {
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
    /// The same of the beam at work.
    beam: (f64, f64),
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
            beam: (0.0, 0.0),
        }
    }

    fn note(&mut self, left: Duration, nodes: u64) {
        if let Some((before, nodes_before)) = self.last {
            // The time may have become longer: somebody else waits now.
            if let Some(took) = before.checked_sub(left) {
                let time = took.as_nanos() as f64;
                let nodes = nodes.saturating_sub(nodes_before) as f64;
                self.time += time;
                self.nodes += nodes;
                self.beam = (self.beam.0 + time, self.beam.1 + nodes);
                if self.nodes > Self::MEMORY {
                    self.time /= 2.0;
                    self.nodes /= 2.0;
                }
            }
        }
        self.last = Some((left, nodes));
    }

    /// The beam at work is over: the next one will cost what this one did in all. The last part of
    /// a beam costs more than the others.
    fn settle(&mut self) {
        let (time, nodes) = std::mem::take(&mut self.beam);
        if nodes >= Self::GUESS {
            (self.time, self.nodes) = (Self::GUESS * time / nodes, Self::GUESS);
        }
    }

    fn cost(&self) -> f64 {
        (self.time / self.nodes).max(1.0)
    }
}
