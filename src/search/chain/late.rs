//! Beams that were left for want of time or memory, and are worth it again when there is more.

use super::{Chain, Stage, beams};
use crate::search::{Budget, Stop};

/// What beams need to go on.
#[derive(Clone, Copy, Debug)]
enum Need {
    /// More time than there was.
    Time,
    /// So many bytes, which the narrowest beam can come to hold.
    Memory(u64),
}

/// Beams that have ended before the time was over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Late {
    stage: Stage,
    need: Need,
}

impl Chain {
    /// Takes note of beams that have ended early. The first asker may soon be gone, and there may be others, who
    /// have longer; and other searches give back memory while there is time.
    pub(super) fn note_late(&mut self, stage: Stage, stop: Stop, budget: Budget) {
        if budget.time.is_none() {
            return;
        }
        let beams = match stage {
            Stage::Beam => beams::beams(&self.problem, &self.tables),
            Stage::StagedBeam => beams::staged(&self.problem, &self.tables),
            _ => return,
        };
        let need = match stop {
            Stop::Memory => Need::Memory(beams.bytes(beams.narrowest())),
            _ => Need::Time,
        };
        self.late = Some(Late { stage, need });
        // It must not be what they wait for then.
        self.begin_beside(u64::MAX);
    }

    /// Has them begin again before all stages that wait, once there is what they need.
    pub(super) fn call_back(&mut self, budget: Budget) {
        let room = budget.memory.saturating_sub(self.memory_beside());
        let is_there = |late: &mut Late| match late.need {
            Need::Time => budget.is_longer_than(self.left),
            Need::Memory(bytes) => budget.time.is_some() && room >= bytes,
        };
        if let Some(late) = self.late.take_if(is_there) {
            self.waiting.push_front(late.stage);
            // The proof had all the nodes meanwhile, and owes none of them.
            self.turns = [0; 2];
        }
    }
}
