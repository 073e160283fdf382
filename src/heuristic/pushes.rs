//! Lower bounds on the number of *pushes*. A push moves a line of tiles and counts as one.
//!
//! Two consecutive pushes along the same axis are equivalent to one or to none, so the axes of a
//! shortest solution alternate. The number of pushes left depends on the axis of the next push, so
//! bounds are requested for one axis or the other.
//!
//! Alternation makes a bound on one axis twice as strong. Of n pushes, the first of which is along
//! a given axis, ⌈n/2⌉ are along that axis and ⌊n/2⌋ across it. If at least a pushes along and b
//! across are needed, n ≥ 2a − 1 and n ≥ 2b.

mod lines;
mod patterns;
mod ranks;
mod table;

use crate::puzzle::{Problem, Shape};

use super::{Slide, Tiles};

pub use lines::Lines;
pub use patterns::{Patterns, prepare, supports};

/// A lower bound on pushes that is updated from slide to slide.
pub trait PushBound: Send {
    /// The state to carry along.
    type State: Copy + Send;

    /// Evaluates a whole board.
    fn root<T: Tiles>(&self, board: &T) -> Self::State;

    /// Returns the state after one slide of a push.
    fn after_slide(&self, state: Self::State, slide: Slide) -> Self::State;

    /// Returns the bound: no solution whose first push is vertical (or horizontal, if `vertical` is
    /// false) has fewer pushes. On the goal it is 0. Beyond `enough` the bound need not be exact:
    /// any admissible number greater than `enough` will do.
    fn least(&self, state: Self::State, vertical: bool, enough: u32) -> u32;
}

/// The bounds to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PushKind {
    /// [`Lines`].
    Lines,
    /// [`Patterns`].
    Patterns,
}

impl PushKind {
    /// Returns the best bound for boards of a shape.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        if supports(shape) {
            Self::Patterns
        } else {
            Self::Lines
        }
    }

    /// Works on the tables that the bound needs for a problem, for about as long as the given
    /// number of search nodes takes. Returns true once nothing is left to do.
    pub fn prepare(self, problem: &Problem, nodes: u64) -> bool {
        self == Self::Lines || patterns::prepare(problem, nodes)
    }

    /// Returns the bound that guides the search for a problem that is [prepared](Self::prepare):
    /// lines, if the tables have no room.
    #[must_use]
    pub fn or_fallback(self, problem: &Problem) -> Self {
        match self {
            Self::Patterns if !patterns::is_ready(problem) => Self::Lines,
            kind => kind,
        }
    }
}

/// Returns a lower bound on the pushes that solve a problem, computed without tables, for any size.
///
/// ```
/// use loyd::heuristic::pushes;
/// use loyd::puzzle::{Board, Problem, Shape};
///
/// let shape = Shape::new(4, 4)?;
/// let board = Board::new(shape, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0, 13, 14, 15])?;
/// let problem = Problem::new(&board, &Board::solved(shape))?;
/// assert_eq!(pushes::lower_bound(&problem), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn lower_bound(problem: &Problem) -> u32 {
    let lines = Lines::new(problem);
    let state = lines.root(problem.start());
    let [across, vertical] = [false, true].map(|axis| lines.least(state, axis, u32::MAX));
    across.min(vertical)
}
