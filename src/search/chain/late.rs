//! Beams that were left for want of time or memory, and are worth it again when there is more.

use std::time::Duration;

use super::Chain;
use crate::search::plan::Stage;
use crate::search::{Budget, Stop};

/// Beams without memory look for it again when one part in so many of the time has gone: to look takes a
/// few turns, in which they hold what memory they can get, though it be too little.
const LOOKS: u32 = 32;

/// What beams need to go on.
#[derive(Clone, Copy, Debug)]
enum Need {
    /// More time than there was.
    Time,
    /// Memory, which was looked for when so much time was left.
    Memory(Duration),
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
        let Some(left) = budget.time else {
            return;
        };
        if !matches!(stage, Stage::Beam | Stage::StagedBeam) {
            return;
        }
        let need = match stop {
            Stop::Memory => Need::Memory(left),
            _ => Need::Time,
        };
        self.late = Some(Late { stage, need });
        // It must not be what they wait for then.
        self.begin_beside(u64::MAX);
    }

    /// Has them begin again before all stages that wait, once there may be what they need.
    pub(super) fn call_back(&mut self, budget: Budget) {
        let is_there = |late: &mut Late| match late.need {
            Need::Time => budget.is_longer_than(self.left),
            Need::Memory(left) => {
                let since = budget.time.map(|now| now.abs_diff(left));
                since.is_some_and(|since| since >= left / LOOKS)
            }
        };
        if let Some(late) = self.late.take_if(is_there) {
            self.waiting.push_front(late.stage);
            // The proof had all the nodes meanwhile, and owes none of them.
            self.turns = [0; 2];
        }
    }
}
