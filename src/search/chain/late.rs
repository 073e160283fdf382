//! Beams that were left for want of time, and are worth it again when there is more.

use super::Chain;
use crate::search::plan::Stage;
use crate::search::{Budget, Stop};

impl Chain {
    /// Takes note of beams that have ended because the first asker will soon be gone: there may be others,
    /// who have longer.
    pub(super) fn note_late(&mut self, stage: Stage, stop: Stop, budget: Budget) {
        let are_beams = matches!(stage, Stage::Beam | Stage::StagedBeam);
        if are_beams && stop == Stop::Exhausted && budget.time.is_some() {
            self.late = Some(stage);
            // It must not be what they wait for then.
            self.begin_beside(u64::MAX);
        }
    }

    /// Has them begin again before all stages that wait, once there is more time than there was.
    pub(super) fn call_back(&mut self, budget: Budget) {
        if budget.is_longer_than(self.left)
            && let Some(stage) = self.late.take()
        {
            self.waiting.push_front(stage);
            // The proof had all the nodes meanwhile, and owes none of them.
            self.turns = [0; 2];
        }
    }
}
