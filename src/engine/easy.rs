//! Which questions are answered where they are asked: those that take less than to wake a worker
//! and to be woken by him.

use std::time::Duration;

use crate::heuristic::{HeuristicKind, SMALL_CELLS, manhattan};
use crate::search::plan::{Objective, Stage};

use super::Question;

/// How long whoever asks works on a question himself, about. It keeps others waiting: what is not
/// over by then is left to the workers.
pub(super) const CHUNK: Duration = Duration::from_micros(50);

/// Boards on which the tiles have no more to go in all are proven in 20 to 40 µs by pattern
/// databases, those of uniformly random boards (37 on average) in ten times as much.
const NEAR: u32 = 20;

/// Whether a plan for a question will probably be over within a [`CHUNK`], and has its tables.
pub(super) fn looks_easy(question: &Question, stages: &[Stage], has_guide: bool) -> bool {
    let problem = &question.problem;
    match stages.last() {
        Some(Stage::TableWalk) => true,
        Some(Stage::Constructive(_)) => {
            question.objective == Objective::Fast && problem.shape().cells() <= SMALL_CELLS
        }
        Some(Stage::IdaStar(HeuristicKind::PatternDatabase)) => {
            has_guide
                && problem.shape().cells() <= SMALL_CELLS
                && manhattan::lower_bound(problem) <= NEAR
        }
        _ => false,
    }
}
