//! Lower bounds on the number of *pushes*, each of which moves a line of tiles and counts one.
//!
//! Two pushes along the same axis, one after the other, are as good as one or none, so that the
//! axes of a shortest solution alternate. How many pushes are left depends on the axis of the
//! next one, and the bounds are asked for either.
//!
//! Alternation makes a bound on one axis twice as strong. Of n pushes, the first of which is along
//! an axis, ⌈n/2⌉ are along it and ⌊n/2⌋ across it: if at least a of the ones and b of the
//! others are needed, n ≥ 2a − 1 and n ≥ 2b.

mod lines;
mod patterns;
mod ranks;
mod table;

use crate::puzzle::{Problem, Shape};

use super::{Slide, Tiles};

pub use lines::Lines;
pub use patterns::{Patterns, prepare, supports};

/// A lower bound on pushes that is carried along from slide to slide.
pub trait PushBound: Send {
    /// What is carried along.
    type State: Copy + Send;

    /// Looks at a whole board.
    fn root<T: Tiles>(&self, board: &T) -> Self::State;

    /// The state after one slide of a push.
    fn after_slide(&self, state: Self::State, slide: Slide) -> Self::State;

    /// The bound: no solution whose first push is vertical (or is not, as asked) has fewer
    /// pushes, and the empty one has none. What is beyond `enough` need not be worked out: then
    /// the bound may be any admissible number greater than that.
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
    /// The best for boards of a shape.
    #[must_use]
    pub fn of(shape: Shape) -> Self {
        if supports(shape) {
            Self::Patterns
        } else {
            Self::Lines
        }
    }

    /// What guides the search for a problem that is prepared: lines, where tables have no room.
    #[must_use]
    pub fn at_hand(self, problem: &Problem) -> Self {
        match self {
            Self::Patterns if !patterns::is_ready(problem) => Self::Lines,
            kind => kind,
        }
    }
}

/// A bound on the pushes that solve a problem, worked out at once: without tables, for any size.
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
