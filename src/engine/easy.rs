//! Which questions are answered on the caller's thread: those that take less time than waking a
//! worker and being woken by it.

use std::time::Duration;

use crate::heuristic::{HeuristicKind, SMALL_CELLS, manhattan};
use crate::search::plan::{Objective, Stage};

use super::Question;

/// Roughly how long a caller's thread works on a question itself. Meanwhile other calls on that
/// thread wait. What is not finished by then goes to the workers.
///
/// It is several times what easy questions take one after the other, since with cold caches, beside
/// an overload or once in a while, they take that long, too, and to wake a worker would take longer.
pub(super) const CHUNK: Duration = Duration::from_micros(200);

/// The largest Manhattan distance of a near board. With pattern databases, such boards are mostly
/// proven in 20 to 40 µs, in 100 to 200 with cold caches; uniformly random boards, at a distance of
/// 37 on average, take ten times as long.
const NEAR: u32 = 20;

/// Whether a plan will probably finish within a [`CHUNK`] and has the tables it needs.
pub(super) fn looks_easy(question: &Question, stages: &[Stage], has_guide: bool) -> bool {
    let problem = &question.problem;
    match stages.last() {
        _ if problem.is_solved() => true,
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
