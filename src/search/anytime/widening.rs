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
mod memory;
mod pace;
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
use pace::Pace;
use preparation::{Preparation, Which};
use share::{Ends, Share};
use side_beam::SideBeams;

pub use scale::{Kind, Scale};
pub(super) use share::FIRST_SHARE;

/// Makes the beams of a problem.
pub trait Beams: Send + Sync {
    /// Works on the tables that the best beams need, about as long as so many nodes take. Returns true once
    /// they are ready. Until then other beams are made.
    fn prepare(&self, nodes: u64) -> bool;

    /// Works on tables without which beams like this one are a little worse, in the same way.
    fn refine(&self, _scale: Scale, _nodes: u64) -> bool {
        true
    }

    /// A beam, which may later be made as wide as `most`; `None` if the problem has none.
    fn beam(&self, scale: Scale, most: usize, seed: u64) -> Option<Box<dyn Pass>>;

    /// The least width from which two beams, the one with the odd seed from the other end, are together as
    /// good as one of twice the width; `None` where all beams begin at the same end.
    fn pair_width(&self) -> Option<usize>;

    /// Whether two beams side by side are better than one alone that has as much time as either.
    fn suit_two(&self) -> bool;

    /// The narrowest beam: a narrower one would find nothing, or nothing good.
    fn narrowest(&self) -> usize;

    /// The widest beam: a wider one would hold all boards there are.
    fn widest(&self) -> usize {
        usize::MAX
    }

    /// The best kind for beams of this width. `is_paired` says that another beam runs from the other end,
    /// which may find what this one misses.
    fn kind(&self, width: usize, is_paired: bool) -> Kind;

    /// The bytes that a beam can come to hold.
    fn bytes(&self, scale: Scale) -> u64;

    /// About how many layers a beam has to make; rather too many than too few.
    fn layers(&self, scale: Scale) -> u32;

    /// About the nanoseconds that a node of a beam takes. The factor by which it is slower is measured.
    fn cost(&self, scale: Scale) -> f64;
}

/// The factor by which a beam may become wider than planned. No guess at the machine's slowness counts for
/// more, so that a beam can still become about as wide as it would have been planned without.
const SLACK: f64 = 1.5;

/// A search by wider and wider beams. A finding need not be shorter than those before: one with more slides
/// may have fewer pushes.
///
/// Ends with [`Stop::Memory`] when there is not enough memory for the narrowest beam, or for a wider one and
/// there is no deadline; with [`Stop::Time`] when there is no time left for the narrowest, until another
/// asker's time counts; and with [`Stop::Exhausted`] when no wider beam could find anything else.
pub struct Widening {
    beams: Arc<dyn Beams>,
    /// Whether the first beam is the narrowest and later ones grow by a fixed factor, however much time there
    /// is.
    is_hasty: bool,
    at_work: Option<AtWork>,
    /// Beams that are over and whose memory is to be freed before anything else is done.
    over: Vec<Box<dyn Pass>>,
    pace: Pace,
    /// The time left at the last call of `advance`, and whose it was.
    left: Option<Duration>,
    asker: u32,
    preparation: Preparation,
    /// The width of the widest beam that is over.
    widest: usize,
    /// The kinds of which a beam kept all boards that it came across: a wider one would find nothing else.
    kept_all: Vec<Kind>,
    /// The number of beams begun.
    begun: u64,
    /// Whether one of two beams that share the time has begun.
    is_paired: bool,
    /// Whether the last beam found no solution.
    last_failed: bool,
    /// The fewest slides of a known solution.
    best: Option<usize>,
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
        Self {
            is_hasty: true,
            ..Self::new(beams)
        }
    }

    /// Expects nodes to take `slowness` times as long as where beams were measured, within a factor of 1.5
    /// either way, until this machine's are measured. Where there is time for a single beam, its width is
    /// planned by that.
    #[must_use]
    pub fn at_slowness(self, slowness: f64) -> Self {
        Self {
            pace: Pace::new(slowness.clamp(1.0 / SLACK, SLACK)),
            ..self
        }
    }

    /// Looks for solutions that are better than a known one of so many slides.
    #[must_use]
    pub fn to_improve_on(self, slides: usize) -> Self {
        Self {
            best: Some(slides),
            ..self
        }
    }

    /// A search that has not begun, where nodes take about `slowness` times as long as they should.
    fn at_pace(beams: Arc<dyn Beams>, slowness: f64) -> Self {
        Self {
            beams,
            is_hasty: false,
            at_work: None,
            over: Vec::new(),
            pace: Pace::new(slowness),
            left: None,
            asker: 0,
            preparation: Preparation::default(),
            widest: 0,
            kept_all: Vec::new(),
            begun: 0,
            is_paired: false,
            last_failed: false,
            best: None,
            past: Progress::default(),
            claimed: 0,
            side_beams: SideBeams::default(),
            stop: None,
        }
    }

    /// Begins the next beam, or claims the memory that it takes. If there is no next one, fails with the
    /// reason.
    fn begin(&mut self, budget: Budget) -> Result<(), Stop> {
        if self.widest >= self.beams.widest() {
            return Err(Stop::Exhausted);
        }
        let left = budget.time;
        let left = left.map(|left| left.saturating_sub(self.replay()));
        let share = left.map(|left| self.share(left));
        let given = left.zip(share).map(|(left, share)| share.of(left));
        let is_paired = share == Some(Share::Second)
            || !self.side_beams.is_empty()
            || self.is_paired && !self.last_failed;
        let is_timed = budget.time.is_some() && !self.is_hasty;
        let planned = given.map(Ends::plan).filter(|_| is_timed);
        let planned = self.next(planned, is_paired);
        if self.kept_all.contains(&planned.kind) {
            return Err(Stop::Exhausted);
        }
        if budget
            .time
            .is_some_and(|left| self.is_too_late(left, is_paired))
        {
            return Err(Stop::Time);
        }
        let width = planned.width.max(self.beams.narrowest());
        let scale = Scale { width, ..planned }.at_most(self.beams.widest());
        let slack = if is_timed { SLACK } else { 1.0 };
        let most = scale.times(slack).at_most(self.beams.widest());
        let memory = budget.memory.saturating_sub(self.side_beams.memory());
        let Some(most) = self.within_memory(memory, most, is_paired, is_timed)? else {
            return Ok(());
        };
        let scale = most.at_most(scale.width);
        let seed = self.next_seed(self.side_beams.seed());
        let pass = self.beams.beam(scale, most.width, seed);
        let ends = budget.time.zip(given);
        self.at_work = Some(AtWork {
            pass: pass.ok_or(Stop::Exhausted)?,
            scale,
            most: most.width,
            least: scale.width,
            seed,
            ends: ends.map_or_else(Ends::default, |(left, given)| Ends::new(left, given)),
            is_first: matches!(share, Some(Share::First(_))),
        });
        self.claimed = 0;
        self.is_paired |= share == Some(Share::Second);
        Ok(())
    }

    /// Whether so little time is left that not even a beam of half the least width would end in time.
    fn is_too_late(&self, left: Duration, is_paired: bool) -> bool {
        let widest = self.next(Some(left), is_paired).width;
        widest.saturating_mul(2) < self.beams.narrowest()
    }

    /// The seed of a new beam, from the end where the beam with the seed `other` does not begin.
    fn next_seed(&mut self, other: Option<u64>) -> u64 {
        let is_same_end = other.is_some_and(|other| (self.begun + other).is_multiple_of(2));
        let seed = self.begun + u64::from(is_same_end);
        self.begun = seed + 1;
        seed
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
            self.pace.settle();
            self.widest = self.widest.max(beam.scale.width);
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
            Some(beam) => self.past.then(beam.progress(&*self.beams)),
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
        self.best = Some(self.best.map_or(length, |best| best.min(length)));
        Step::Found(solution)
    }

    /// Goes by the time of another asker from now on. The beam at work is for that one, too, and has all of
    /// its time.
    fn go_by_another(&mut self, budget: Budget) {
        self.asker = budget.asker;
        self.pace.pause();
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
        if let Some(stop) = self.stop {
            return if self.side_beams.is_empty() {
                Step::Done(stop)
            } else {
                Step::Working
            };
        }
        if !self.over.is_empty() {
            // What this takes tells nothing about how long nodes take.
            self.pace.pause();
            self.shed_over(budget.nodes);
            return Step::Working;
        }
        let is_idle = self.at_work.is_none();
        let is_between_beams = is_idle && self.begun > 0;
        if let Some(tables) = self.preparation.turn(budget.time, is_between_beams) {
            if is_idle {
                // Work on the tables must not count as a beam's time.
                self.pace.pause();
            }
            let nodes = budget.nodes.max(1);
            let is_over = match tables {
                Which::Needed => self.beams.prepare(nodes),
                Which::Extra => {
                    let half = budget.time.map(|left| left / 2);
                    self.beams.refine(self.next(half, true), nodes)
                }
            };
            if is_over {
                self.preparation.end(tables);
            }
            return Step::Working;
        }
        let Some(beam) = &self.at_work else {
            self.stop = self.begin(budget).err();
            return Step::Working;
        };
        if !beam.pass.makes_layers() {
            self.pace.pause();
        } else if let Some(time) = budget.time {
            let nodes = self.own_progress().expanded;
            let expected = self.beams.cost(beam.scale);
            self.pace.note(time, nodes, beam.scale.width, expected);
            if !self.is_hasty {
                self.keep_pace(time);
            }
        }
        let Some(beam) = &mut self.at_work else {
            return Step::Working;
        };
        if beam.pass.is_stuck() {
            self.last_failed = true;
            self.leave(budget.nodes);
            return Step::Working;
        }
        match beam.pass.advance(budget) {
            Step::Working => Step::Working,
            Step::Done(stop) => {
                self.last_failed = stop != Stop::FirstFound;
                self.leave(budget.nodes);
                Step::Working
            }
            // It may find shorter ones before it is done.
            Step::Found(solution) => self.found(solution),
        }
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
        side_beam.map_or(0, |most| self.beams.bytes(most) * self.beams_to_begin())
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
