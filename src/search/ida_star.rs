//! IDA*: iterative-deepening A* (Korf, 1985).
//!
//! Depth-first searches, each cut off where moves made plus lower bound exceed a threshold. The next
//! threshold is the least sum beyond the last one. A threshold that was searched through in vain proves that
//! no solution is that short; the first solution found is a shortest one. Memory grows with the length of the
//! solution only.
//!
//! Nodes are counted as Korf did: every successor made, including those cut off at once, but not the roots. A
//! move is never immediately undone. The blank goes down, right, left, up, which is Korf's order turned round
//! like his goal: his had the blank's home at the upper left. All this is about slides; [`push_solver`]
//! counts pushes of lines of tiles.

pub mod batch;
pub mod both_ways;

mod cells;
mod in_place;
mod iterations;
mod packed;
mod pushes;

use crate::heuristic::{Guided, Heuristic, HeuristicKind};
use crate::puzzle::Problem;

use super::{Solver, prepared};

use in_place::InPlace;
use packed::Packed;

pub use pushes::push_solver;
pub(super) use pushes::push_solver_by;

/// IDA* for a problem of any size.
///
/// Ends with `Found` and `Done(Proven)`. `progress().lower_bound` is the current threshold, and
/// `iterations()` lists all thresholds with their nodes.
///
/// ```
/// use loyd::heuristic::HeuristicKind;
/// use loyd::puzzle::{Board, Problem, Shape};
/// use loyd::search::{Budget, Step, Stop, ida_star};
///
/// let shape = Shape::new(3, 3)?;
/// let start = Board::new(shape, &[8, 6, 7, 2, 5, 4, 3, 0, 1])?;
/// let problem = Problem::new(&start, &Board::solved(shape))?;
/// let mut search = ida_star::solver(&problem, HeuristicKind::Manhattan);
/// let Step::Found(solution) = search.advance(Budget::UNLIMITED) else {
///     unreachable!("without a limit it runs to the solution");
/// };
/// assert_eq!(solution.len(), 31);
/// assert_eq!(search.advance(Budget::UNLIMITED), Step::Done(Stop::Proven));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn solver(problem: &Problem, heuristic: HeuristicKind) -> Solver {
    let prepare = move |problem: &Problem, nodes| heuristic.prepare(problem, nodes);
    prepared::solver(problem, prepare, move |problem| {
        match heuristic.guide_small(problem, Small(problem)) {
            Some(solver) => solver,
            None => heuristic.guide(problem, Any(problem)),
        }
    })
}

struct Small<'a>(&'a Problem);

impl Guided for Small<'_> {
    type Output = Solver;

    fn by<H: Heuristic + 'static>(self, heuristic: H) -> Solver {
        Box::new(Packed::new(self.0, heuristic))
    }
}

struct Any<'a>(&'a Problem);

impl Guided for Any<'_> {
    type Output = Solver;

    fn by<H: Heuristic + 'static>(self, heuristic: H) -> Solver {
        Box::new(InPlace::new(self.0, heuristic))
    }
}
