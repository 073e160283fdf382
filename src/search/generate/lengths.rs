//! The optimal lengths that boards have, as far as is known.

use thiserror::Error;

use crate::puzzle::{Home, Shape};

/// Where the greatest length is unknown, targets up to this length are drawn whatever the minimum: IDA* with
/// linear conflicts measures such boards in milliseconds on every shape.
const MODEST_LENGTH: u32 = 40;

/// Where the greatest length is unknown, targets beyond [`MODEST_LENGTH`] are drawn at most this far above
/// the minimum: the work of a proof grows exponentially with the length.
const SPREAD: u32 = 20;

/// A range of lengths without boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RangeError {
    /// The least length is above the greatest.
    #[error("the minimum length, {min}, is above the maximum, {max}")]
    Empty {
        /// The least length asked for.
        min: u32,
        /// The greatest length asked for.
        max: u32,
    },
    /// No board is that far from the goal.
    #[error("no board of {shape} needs {min} moves to this goal: choose 0 to {greatest}")]
    TooFar {
        /// The size of the board.
        shape: Shape,
        /// The least length asked for.
        min: u32,
        /// No board needs more than this: the greatest length of any board or, where that is unknown, a bound
        /// on it.
        greatest: u32,
    },
}

/// A range of optimal lengths that contains boards, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    min: u32,
    /// The greatest length that is worth aiming at.
    max: u32,
}

impl Range {
    /// The least length.
    #[must_use]
    pub const fn min(&self) -> u32 {
        self.min
    }

    /// The greatest length that is worth aiming at.
    #[must_use]
    pub const fn max(&self) -> u32 {
        self.max
    }

    /// The lengths `min..=max` of boards of a shape, for a goal whose blank is at `home`.
    ///
    /// # Errors
    /// When no board has such a length, as far as [`greatest_length`] knows. Where the greatest length is
    /// unknown, only lengths far beyond any board's are refused: a search for boards slightly too far away
    /// never ends by itself.
    pub fn new(shape: Shape, home: usize, min: u32, max: u32) -> Result<Self, RangeError> {
        if min > max {
            return Err(RangeError::Empty { min, max });
        }
        let known = greatest_length(shape, home);
        let greatest = known.map_or_else(
            || length_bound(shape),
            // There it is not proven that no board needs one more move.
            |known| known + u32::from(is_open(shape, home)),
        );
        if min > greatest {
            return Err(RangeError::TooFar {
                shape,
                min,
                greatest,
            });
        }
        let ceiling = match known {
            Some(known) => known.max(min),
            None => greatest.min((min + SPREAD).max(MODEST_LENGTH)),
        };
        Ok(Self {
            min,
            max: max.min(ceiling),
        })
    }
}

/// A length that no board's optimal one exceeds, whatever the goal.
///
/// Going tile by tile solves every n×n board in at most 5n³ moves (Parberry, *A real-time algorithm for the
/// (n² − 1)-puzzle*, 1995). On an oblong board a tile's way is no longer than on the square of the longer
/// side. The true greatest lengths are a small fraction of this.
fn length_bound(shape: Shape) -> u32 {
    (5 * shape.cells() * shape.rows().max(shape.columns())) as u32
}

/// Whether some board may be one move farther than [`greatest_length`] says from a goal whose blank is at
/// `home`: on 4×4 with the blank in the middle.
///
/// A goal with its blank at an edge has a neighbour with its blank in a corner. A board 81 moves from the
/// former would be 80 moves from the latter. The boards at that distance are known and have their blanks in
/// the opposite corner, from where no board is farther than 80.
fn is_open(shape: Shape, home: usize) -> bool {
    let is_middle = |line: usize| (1..=2).contains(&line);
    (shape.rows(), shape.columns()) == (4, 4)
        && is_middle(shape.row(home))
        && is_middle(shape.column(home))
}

/// The greatest optimal length of any board of a shape, for a goal whose blank is at `home`; `None` where it
/// is unknown.
///
/// Found by exhaustive breadth-first search up to 12 cells; as published for 2×7, 3×5 and 4×4 (4×4 with the
/// blank in a corner by Brüngger, Marzetta, Fukuda & Nievergelt, 1999; with the blank at an edge it is at
/// most as much, in the middle at most one more).
///
/// ```
/// use loyd::puzzle::Shape;
/// use loyd::search::generate::lengths::greatest_length;
///
/// assert_eq!(greatest_length(Shape::new(4, 4)?, 15), Some(80));
/// assert_eq!(greatest_length(Shape::new(5, 5)?, 24), None);
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
///
/// # Panics
/// When `home` is not a cell of the shape.
#[must_use]
pub fn greatest_length(shape: Shape, home: usize) -> Option<u32> {
    assert!(home < shape.cells(), "cell {home} is off the board");
    let home = Home::new(shape, home);
    let shape = home.shape();
    // Targets are drawn up to these lengths: another entry would change the boards of existing seeds.
    Some(match (shape.rows(), shape.columns(), home.cell()) {
        (2, 2, 3) => 6,
        (2, 3, 4 | 5) => 21,
        (2, 4, 6) => 35,
        (2, 4, 7) => 36,
        (2, 5, 7) => 54,
        (2, 5, 8 | 9) => 55,
        (2, 6, 9 | 10) => 79,
        (2, 6, 11) => 80,
        (2, 7, 13) => 108,
        (3, 3, 4) => 30,
        (3, 3, 7 | 8) => 31,
        (3, 4, 6 | 7 | 10 | 11) => 53,
        (3, 5, 14) => 84,
        (4, 4, 10 | 14 | 15) => 80,
        _ => return None,
    })
}
