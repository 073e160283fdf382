//! Wider and wider beams, for as long as there is time (after the complete anytime beam search of Zhang,
//! 1998).
//!
//! A narrow beam finds a solution at once and shows what a layer costs. The next two are as wide as the time
//! that is left allows, layer by layer, so that the last one ends just before the deadline. Without a
//! deadline each is four times as wide as the one before.
//!
//! If there is help, a beam from the other end has all of the time that is left, and so do the search's own
//! beams meanwhile.

mod at_work;
mod beams;
mod begin;
mod pace;
mod planner;
mod preparation;
mod scale;
mod share;
mod side_beam;

use std::sync::Arc;
use std::time::Duration;

use crate::puzzle::Solution;
use crate::search::beam::Pass;
use crate::search::{Budget, Part, Progress, Search, Step, Stop};

use at_work::AtWork;
use begin::SLACK;
use pace::Pace;
use planner::Planner;
use preparation::Preparation;
use side_beam::SideBeams;

pub use beams::Beams;
pub use scale::{Kind, Scale};
pub(super) use share::FIRST_SHARE;

/// A search by wider and wider beams. A finding need not be shorter than those before: one with more slides
/// may have fewer pushes.
///
/// Ends with [`Stop::Memory`] when there is not enough memory for the narrowest beam, or for a wider one and
/// there is no deadline; with [`Stop::Time`] when there is no time left for the narrowest, until another
/// asker's time counts; and with [`Stop::Exhausted`] when no wider beam could find anything else.
pub struct Widening {
    planner: Planner,
    at_work: Option<AtWork>,
    /// Beams that are over and whose memory is to be freed before anything else is done.
    over: Vec<Box<dyn Pass>>,
    /// The time left at the last call of `advance`, and whose it was.
    left: Option<Duration>,
    asker: u32,
    preparation: Preparation,
    /// The kinds of which a beam kept all boards that it came across: a wider one would find nothing else.
    kept_all: Vec<Kind>,
    /// The number of beams begun.
    begun: u64,
    /// Whether one of two beams that share the time has begun.
    is_paired: bool,
    /// Whether the last beam found no solution.
    last_failed: bool,
    /// The progress of the beams that are over.
    past: Progress,
    /// The bytes to be granted for the next beam before it is made.
    claimed: u64,
    side_beams: SideBeams,
    stop: Option<Stop>,
}

impl Widening {
    /// A search that has not begun.
    #[must_use]
    pub fn new(beams: Box<dyn Beams>) -> Self {
        Self::at_pace(Arc::from(beams), 1.0)
    }

    /// The same, for an asker who wants the first solution rather than the best for the time: the first beam
    /// is the narrowest, and later ones grow as if there were no deadline.
    #[must_use]
    pub fn from_narrowest(beams: Box<dyn Beams>) -> Self {
        let mut search = Self::new(beams);
        search.planner.is_hasty = true;
        search
    }

    /// Expects nodes to take `slowness` times as long as where beams were measured, within a factor of 1.5
    /// either way, until this machine's are measured. Where there is time for a single beam, its width is
    /// planned by that.
    #[must_use]
    pub fn at_slowness(mut self, slowness: f64) -> Self {
        self.planner.pace = Pace::new(slowness.clamp(1.0 / SLACK, SLACK));
        self
    }

    /// Looks for solutions that are better than a known one of so many slides.
    #[must_use]
    pub const fn to_improve_on(mut self, slides: usize) -> Self {
        self.planner.best = Some(slides);
        self
    }

    /// A search that has not begun, where nodes take about `slowness` times as long as they should.
    fn at_pace(beams: Arc<dyn Beams>, slowness: f64) -> Self {
        Self {
            planner: Planner::new(beams, Pace::new(slowness)),
            at_work: None,
            over: Vec::new(),
            left: None,
            asker: 0,
            preparation: Preparation::default(),
            kept_all: Vec::new(),
            begun: 0,
            is_paired: false,
            last_failed: false,
            past: Progress::default(),
            claimed: 0,
            side_beams: SideBeams::default(),
            stop: None,
        }
    }

    /// Ends the beam at work, if there is one, and frees memory of beams that are over.
    fn leave(&mut self, nodes: u64) {
        let past = self.own_progress().at_rest();
        if let Some(beam) = self.at_work.take() {
            // So few boards were none too many for any layer.
            if past.expanded - self.past.expanded <= beam.least as u64 {
                self.kept_all.push(beam.scale.kind);
            }
            self.past = past;
            self.planner.pace.settle();
            self.planner.widest = self.planner.widest.max(beam.scale.width);
            self.over.push(beam.pass);
        }
        self.shed_over(nodes);
    }

    /// Frees the memory of beams that are over, about as much as can be freed in the time of so many nodes.
    fn shed_over(&mut self, nodes: u64) {
        while self.over.last_mut().is_some_and(|pass| pass.shed(nodes)) {
            self.over.pop();
        }
    }

    /// The progress without the beams that were handed out.
    fn own_progress(&self) -> Progress {
        let now = match &self.at_work {
            Some(beam) => self.past.then(beam.progress(&self.planner)),
            None => Progress {
                claimed: self.claimed,
                ..self.past
            },
        };
        let over = self.over.iter().map(|pass| pass.progress().memory);
        Progress {
            memory: now.memory + over.sum::<u64>(),
            ..now
        }
    }

    /// Passes a solution on.
    fn found(&mut self, solution: Solution) -> Step<Solution> {
        let length = solution.len();
        let best = &mut self.planner.best;
        *best = Some(best.map_or(length, |best| best.min(length)));
        Step::Found(solution)
    }

    /// Goes by the time of another asker from now on. The beam at work is for that one, too, and has all of
    /// its time.
    fn go_by_another(&mut self, budget: Budget) {
        self.asker = budget.asker;
        self.planner.pace.pause();
        self.preparation.go_by_another();
        if self.stop == Some(Stop::Time) {
            // It may not be too late after all.
            self.stop = None;
        }
        if let Some(left) = budget.time {
            self.give_all(left);
        }
    }
}

impl Search for Widening {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if budget.asker != self.asker {
            self.go_by_another(budget);
        }
        self.left = budget.time;
        if let Some(solution) = self.side_beams.found() {
            return self.found(solution);
        }
        match self.stop {
            Some(stop) if self.side_beams.is_empty() => return Step::Done(stop),
            // The beam that is handed out may still find something.
            Some(_) => return Step::Working,
            None => {}
        }
        if !self.over.is_empty() {
            // What this takes tells nothing about how long nodes take.
            self.planner.pace.pause();
            self.shed_over(budget.nodes);
        } else if let Some(tables) = self.take_turn() {
            self.prepare(tables, budget);
        } else if self.at_work.is_some() {
            return self.advance_beam(budget);
        } else {
            self.stop = self.begin(budget).err();
        }
        Step::Working
    }

    fn progress(&self) -> Progress {
        self.own_progress().alongside(self.side_beams.progress())
    }

    fn name(&self) -> &'static str {
        "beam"
    }

    fn gains_by_help(&self) -> bool {
        self.gains_by_a_side_beam()
    }

    fn part_memory(&self) -> u64 {
        let side_beam = self.next_side_beam();
        side_beam.map_or(0, |most| {
            self.planner.beams.bytes(most) * self.beams_to_begin()
        })
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        let side_beam = self.hand_out(memory)?;
        Some(Box::new(side_beam))
    }

    fn waits(&self) -> bool {
        self.stop.is_some() && !self.side_beams.is_empty()
    }

    fn join(&mut self, part: Box<dyn Part>) {
        self.take_back(part);
    }

    fn shed(&mut self, nodes: u64) -> bool {
        self.leave(nodes);
        self.over.is_empty()
    }
}
