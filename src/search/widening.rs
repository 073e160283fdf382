//! Wider and wider beams, for as long as there is time (after the complete anytime beam search of
//! Zhang, 1998).
//!
//! A narrow beam finds a solution at once and tells what a layer costs; the next two are as wide
//! as the time allows that is left, layer by layer, so that the last one ends just before it is
//! over. Without a time each is four times as wide as the one before.
//!
//! Where there is help, a beam from the other end has all of the time that is left, and so has each
//! of the search's own beams meanwhile.

mod aside;
mod pace;

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use super::beam::Pass;
use super::{Budget, Part, Progress, Search, Step, Stop};
use crate::puzzle::Solution;

use aside::Aside;
use pace::Pace;

/// What makes the beams.
pub trait Beams: Send + Sync {
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

/// With less time left a beam is not worth another thread, which has to be woken and to make its
/// memory.
const LEAST_TO_SHARE: Duration = Duration::from_millis(5);

/// A beam narrower than this part of the widest one before hardly ever finds anything shorter.
const LEAST_WIDTH_TO_SHARE: f64 = 0.25;

/// A beam may become so much wider than was planned.
const SLACK: f64 = 1.5;

/// Searches by wider and wider beams. Each finding is shorter than those before.
///
/// Ends with [`Stop::Memory`] when there is not enough for a wider one and no time to keep, and with
/// [`Stop::Exhausted`] when there is no time left for the narrowest.
pub struct Widening {
    beams: Arc<dyn Beams>,
    pass: Option<Box<dyn Pass>>,
    pace: Pace,
    /// At the last look.
    left: Option<Duration>,
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
    /// The seed of the beam at work, or the last one.
    seed: u64,
    /// The beam at work is the first one, with little of the time.
    is_first: bool,
    /// One of two beams was begun that share the time.
    is_paired: bool,
    best: Option<usize>,
    /// Of the beams that are over.
    past: Progress,
    /// Bytes that are to be had for the next beam before it is made.
    claimed: u64,
    /// The beam that is done beside this search.
    lent: Option<Lent>,
    /// What such beams have done, and one of them has found.
    helped: Progress,
    brought: Option<Solution>,
    stop: Option<Stop>,
}

/// What is known of a beam that is handed out.
#[derive(Clone, Copy, Debug)]
struct Lent {
    seed: u64,
    /// The bytes that it may hold.
    memory: u64,
}

impl Widening {
    /// A search that has not begun.
    #[must_use]
    pub fn new(beams: Box<dyn Beams>) -> Self {
        let cost = beams.cost();
        Self::at_cost(Arc::from(beams), cost)
    }

    /// The same, where a node takes about so many nanoseconds.
    fn at_cost(beams: Arc<dyn Beams>, cost: f64) -> Self {
        Self {
            beams,
            pass: None,
            pace: Pace::new(cost),
            left: None,
            is_prepared: false,
            has_prepared: false,
            width: 0,
            widest: 0,
            planned_end: Duration::ZERO,
            latest_end: Duration::ZERO,
            begun: 0,
            seed: 0,
            is_first: false,
            is_paired: false,
            best: None,
            past: Progress::NONE,
            claimed: 0,
            lent: None,
            helped: Progress::NONE,
            brought: None,
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
        } else if self.lent.is_none() && !self.is_paired && self.is_time_for_two(left) {
            Share::Second
        } else {
            Share::All
        }
    }

    /// Begins the next beam, or asks for the memory that it takes.
    fn begin(&mut self, budget: Budget) {
        let left = budget.time.map(|left| left.saturating_sub(self.replay()));
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
        let lent = self.lent.map_or(0, |lent| lent.memory);
        let memory = budget.memory.saturating_sub(lent);
        if wanted > memory {
            if memory > self.claimed {
                // More may be granted to a search that has a use for it.
                self.claimed = memory;
                self.past.peak_memory = self.past.peak_memory.max(self.claimed);
                return;
            }
            let room = memory as f64 / wanted as f64;
            width = (width as f64 * room) as usize;
            let is_no_wider = width <= self.widest && budget.time.is_none();
            if width < self.beams.narrowest() || is_no_wider {
                self.stop = Some(Stop::Memory);
                return;
            }
        }
        self.width = planned.min(width);
        self.seed = self.next_seed(self.lent.map(|lent| lent.seed));
        self.pass = self.beams.beam(self.width, width, self.seed);
        if self.pass.is_none() {
            self.stop = Some(Stop::Exhausted);
        }
        if let (Some(left), Some(given)) = (left, given) {
            self.plan(left, given);
        }
        self.is_first = share == Some(Share::First);
        self.is_paired |= share == Some(Share::Second);
    }

    /// The time that has to be left to replay a solution.
    fn replay(&self) -> Duration {
        A_MOVE * self.expected(self.beams.narrowest())
    }

    /// Gives the beam at work so much of the time that is left without that of replaying.
    fn plan(&mut self, left: Duration, given: Duration) {
        self.latest_end = left.saturating_sub(given).max(self.replay());
        self.planned_end = left.saturating_sub(given.mul_f64(PLANNED));
    }

    /// The seed of a new beam, from the end where the beam of the other seed does not begin.
    fn next_seed(&mut self, other: Option<u64>) -> u64 {
        let is_same_end = other.is_some_and(|other| (self.begun + other).is_multiple_of(2));
        let seed = self.begun + u64::from(is_same_end);
        self.begun = seed + 1;
        seed
    }

    /// Ends the beam at work.
    fn leave(&mut self) {
        self.past = self.own_progress().at_rest();
        self.pace.settle();
        self.widest = self.widest.max(self.width);
        self.pass = None;
        self.claimed = 0;
    }

    /// Without the beams that were handed out.
    fn own_progress(&self) -> Progress {
        match &self.pass {
            Some(pass) => self.past.then(pass.progress()),
            None => Progress {
                memory: self.claimed,
                ..self.past
            },
        }
    }

    /// The solution, if it is shorter than all before.
    fn improved(&mut self, solution: Solution) -> Step<Solution> {
        if self.best.is_some_and(|best| best <= solution.len()) {
            return Step::Working;
        }
        self.best = Some(solution.len());
        Step::Found(solution)
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
        self.left = budget.time;
        if let Some(solution) = self.brought.take() {
            return self.improved(solution);
        }
        if let Some(stop) = self.stop {
            return match self.lent {
                Some(_) => Step::Working,
                None => Step::Done(stop),
            };
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
            self.pace.note(time, self.own_progress().expanded);
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
                self.improved(solution)
            }
        }
    }

    fn progress(&self) -> Progress {
        self.own_progress().beside(Progress {
            memory: self.lent.map_or(0, |lent| lent.memory),
            ..self.helped
        })
    }

    fn name(&self) -> &'static str {
        "beam"
    }

    /// Once it is known how fast beams are, or while the first one has all the time that there is.
    fn gains_by_help(&self) -> bool {
        let is_ready = self.is_prepared && self.begun > 0 && self.stop.is_none();
        let is_at_first = self.is_first && self.pass.is_some();
        if self.lent.is_some() || !is_ready || is_at_first {
            return false;
        }
        let left = self.left.filter(|&left| left >= LEAST_TO_SHARE);
        left.is_some_and(|left| {
            let least = (self.widest as f64 * LEAST_WIDTH_TO_SHARE) as usize;
            self.next_width(Some(left)) >= least.max(self.beams.narrowest())
        })
    }

    /// A beam that has all of the time that is left, from the end where the one at work did not begin.
    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        let left = self.left.filter(|_| self.gains_by_help())?;
        let room = memory.saturating_sub(self.progress().memory);
        let width = (self.next_width(Some(left)) as f64 * SLACK) as usize;
        let memory = self.beams.bytes(width).min(room);
        if memory < self.beams.bytes(self.beams.narrowest()) {
            return None;
        }
        let seed = self.next_seed(self.pass.is_some().then_some(self.seed));
        self.lent = Some(Lent { seed, memory });
        if self.pass.is_some() {
            // It need not leave time for a second one.
            let left = left.saturating_sub(self.replay());
            self.plan(left, left);
        }
        let beams = Arc::clone(&self.beams);
        let search = Self {
            is_prepared: true,
            // Any further beam would be another part.
            is_paired: true,
            begun: seed,
            best: self.best,
            ..Self::at_cost(beams, self.pace.cost())
        };
        Some(Box::new(Aside::new(search, memory)))
    }

    fn waits(&self) -> bool {
        self.stop.is_some() && self.lent.is_some() && self.brought.is_none()
    }

    fn join(&mut self, part: Box<dyn Part>) {
        let part: Box<dyn Any> = part;
        let Ok(part) = part.downcast::<Aside>() else {
            return;
        };
        self.past.peak_memory = self.progress().peak_memory;
        self.lent = None;
        self.helped = self.helped.then(part.progress()).at_rest();
        let found = self.brought.take().into_iter().chain(part.found);
        self.brought = found.min_by_key(Solution::len);
    }
}
