//! The parts that a chain's searches hand out, and which search gets the help.

use std::any::Any;
use std::time::Duration;

use super::Chain;
use crate::search::plan::Objective;
use crate::search::tables::guides::Strength;
use crate::search::{Budget, Part, Progress, Search};

/// With more time than this left, some 24-puzzles are proven with a worker's help, while a wider beam would
/// hardly find anything shorter.
const PROVABLE: Duration = Duration::from_secs(3);

/// The most cells for which that holds.
const PROVABLE_CELLS: usize = 25;

/// The one of a chain's searches that handed out a part.
#[derive(Clone, Copy, Debug)]
enum By {
    Current,
    Prover,
}

/// A part of one of a chain's searches.
pub(super) struct HandedOut {
    part: Box<dyn Part>,
    by: By,
}

impl Part for HandedOut {
    fn advance(&mut self, budget: Budget) -> bool {
        self.part.advance(budget)
    }

    fn progress(&self) -> Progress {
        self.part.progress()
    }

    fn is_of_an_iteration(&self) -> bool {
        self.part.is_of_an_iteration()
    }
}

impl Chain {
    /// Hands out a part of the search that gains most by help.
    pub(super) fn hand_out(&mut self, memory: u64) -> Option<HandedOut> {
        if !self.has_open_end() {
            return None;
        }
        // It takes a few milliseconds until the proof has something to share, and a beam would keep the
        // helper until the time is over.
        let of_beams = (!self.proof_gains_most()).then(|| self.split_current(memory));
        let part = of_beams.flatten().or_else(|| self.split_prover(memory))?;
        self.out += 1;
        Some(part)
    }

    /// Gives a part back to the search that handed it out. That search is not left before this.
    pub(super) fn take_back(&mut self, part: Box<dyn Part>) {
        let part: Box<dyn Any> = part;
        let Ok(part) = part.downcast::<HandedOut>() else {
            return;
        };
        let HandedOut { part, by } = *part;
        match (by, &mut self.current, &mut self.prover) {
            (By::Current, Some(current), _) => current.solver.join(part),
            (By::Prover, _, Some(prover)) => prover.chain.join(part),
            _ => {}
        }
        self.out -= 1;
    }

    /// Whether the search that proves beside beams gains more by help than the beams do.
    pub(super) fn proof_gains_most(&self) -> bool {
        let prover = self.prover.as_ref();
        let guided_by = prover.and_then(|prover| prover.chain.guided_by());
        let is_provable = match self.objective {
            // The bound grows by more moves than the solution gets shorter.
            Objective::Bounded(_) => true,
            _ => {
                let is_small = self.problem.shape().cells() <= PROVABLE_CELLS;
                is_small && self.budget.time.is_some_and(|left| left > PROVABLE)
            }
        };
        is_provable && guided_by.is_some_and(|strength| strength > Strength::NONE)
    }

    fn split_current(&mut self, memory: u64) -> Option<HandedOut> {
        let others = self.prover_memory();
        let current = self.current.as_mut()?;
        let part = current.solver.split(memory.saturating_sub(others))?;
        Some(HandedOut {
            part,
            by: By::Current,
        })
    }

    fn split_prover(&mut self, memory: u64) -> Option<HandedOut> {
        let others = self.own_progress().reserved();
        let prover = self.prover.as_mut()?;
        let part = prover.chain.split(memory.saturating_sub(others))?;
        Some(HandedOut {
            part,
            by: By::Prover,
        })
    }
}
