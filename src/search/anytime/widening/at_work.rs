//! The beam at work: how wide it is, and for how long.

use std::time::Duration;

use super::planner::Planner;
use super::share::Ends;
use super::{Scale, Widening};
use crate::puzzle::Solution;
use crate::search::beam::Pass;
use crate::search::{Budget, Progress, Step, Stop};

/// A beam that has begun.
pub(super) struct AtWork {
    pub(super) pass: Box<dyn Pass>,
    /// As planned.
    pub(super) scale: Scale,
    /// How wide it can be made.
    pub(super) most: usize,
    /// The least width that it had.
    pub(super) least: usize,
    pub(super) seed: u64,
    pub(super) ends: Ends,
    /// Whether it is the first one, which has little of the time.
    pub(super) is_first: bool,
}

impl AtWork {
    /// Its progress. It claims all that it can come to hold.
    pub(super) fn progress(&self, planner: &Planner) -> Progress {
        let now = self.pass.progress();
        let most = planner.beams.bytes(Scale {
            width: self.most,
            ..self.scale
        });
        Progress {
            claimed: most.saturating_sub(now.memory),
            ..now
        }
    }

    /// Makes it as wide as its time allows.
    fn keep_pace(&mut self, planner: &Planner, left: Duration) {
        let layers = self.pass.rest(planner.expected(self.scale));
        let width = planner.affordable(self.ends.time(left), self.scale, layers);
        let width = width.max(planner.beams.narrowest());
        self.least = self.least.min(width);
        self.pass.set_width(width);
    }
}

impl Widening {
    /// Advances the beam at work, and ends it once it is over.
    pub(super) fn advance_beam(&mut self, budget: Budget) -> Step<Solution> {
        let nodes = self.own_progress().expanded;
        let planner = &mut self.planner;
        let Some(beam) = &mut self.at_work else {
            return Step::Working;
        };
        if !beam.pass.makes_layers() {
            planner.pace.pause();
        } else if let Some(left) = budget.time {
            let expected = planner.beams.cost(beam.scale);
            planner.pace.note(left, nodes, beam.scale.width, expected);
            if !planner.is_hasty {
                beam.keep_pace(planner, left);
            }
        }
        let step = if beam.pass.is_stuck() {
            Step::Done(Stop::Exhausted)
        } else {
            beam.pass.advance(budget)
        };
        match step {
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
}
