//! Beams that were given up for lack of time or memory and are worth restarting when there is more.

use std::time::Duration;

use super::Chain;
use crate::search::Stop;
use crate::search::plan::Stage;

/// Beams that lack memory look for it again each time 1/`LOOKS` of the time has passed. A look takes a few
/// turns, in which they hold whatever memory they can get, even if it is too little.
const LOOKS: u32 = 32;

/// What beams need to go on.
#[derive(Clone, Copy, Debug)]
enum Need {
    /// Another asker, who may have more time.
    Time,
    /// Memory, which was last looked for when this much time was left.
    Memory(Duration),
}

/// Beams that ended before the time was over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deferred {
    stage: Stage,
    need: Need,
}

impl Chain {
    /// Records beams that ended early. Other askers may have more time than this one, and other searches
    /// free memory in the meantime.
    pub(super) fn defer(&mut self, stage: Stage, stop: Stop) {
        let Some(left) = self.budget.time else {
            return;
        };
        if !matches!(stage, Stage::Beam | Stage::StagedBeam) {
            return;
        }
        let need = match stop {
            Stop::Memory => Need::Memory(left),
            Stop::Time => Need::Time,
            _ => return,
        };
        self.deferred = Some(Deferred { stage, need });
        // The beams must not wait for the proof then.
        self.begin_prover(u64::MAX);
    }

    /// Puts these beams before all waiting stages, once what they need may be available. `is_another` says
    /// whether another asker's time counts from now on.
    pub(super) fn resume_deferred(&mut self, is_another: bool) {
        let is_there = |deferred: &mut Deferred| match deferred.need {
            Need::Time => is_another,
            Need::Memory(left) => {
                let since = self.budget.time.map(|now| now.abs_diff(left));
                since.is_some_and(|since| since >= left / LOOKS)
            }
        };
        if let Some(deferred) = self.deferred.take_if(is_there) {
            self.waiting.push_front(deferred.stage);
            // Meanwhile the proof had all the nodes; it owes none of them.
            if let Some(prover) = &mut self.prover {
                prover.settle();
            }
        }
    }
}
