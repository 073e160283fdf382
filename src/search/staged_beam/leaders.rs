//! Which boards of a beam's layers led to one that completed the stages.

use std::sync::Arc;

use super::finale::Prospect;
use super::run::deepest;
use super::stages::{Setup, Stages};
use crate::heuristic::learned::near::NearRows;
use crate::puzzle::Problem;
use crate::search::beam::{Group, Settings, State, Watch};

pub(crate) use super::near::times;

/// Groups of boards from a beam's layers, from the start of a problem until the first board completes the
/// stages; `None` if no board does. For boards of at most 256 cells with the blank's home in the corner.
pub(crate) fn leaders(
    near: Arc<NearRows>,
    problem: &Problem,
    width: usize,
    seed: u64,
) -> Option<Vec<Group>> {
    let ending = Prospect::ending(super::finales(problem, width).last());
    let setup = Setup {
        settings: Settings::new(width, deepest(problem.shape(), u32::MAX)),
        seed,
        machines: 1,
        near: Some(near),
    };
    let mut stages = Stages::<u8>::from_start(problem, &setup, ending);
    let mut watch = Watch::new(problem.shape());
    while stages.layers().completed().is_empty() {
        if stages.advance(width as u64 / 8 + 1) == State::Over {
            return None;
        }
        watch.look(stages.layers());
    }
    let completed = stages.layers().completed().head(0);
    let moves = stages.layers().trace().moves(completed.mark);
    Some(watch.groups(problem.start(), &moves, seed))
}
