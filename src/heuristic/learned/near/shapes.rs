//! For which shapes there are weights.

use crate::heuristic::learned::shipped::{self, landscape};
use crate::puzzle::Shape;

/// The shortest side of a board with rows for stages.
const LEAST_SIDE: usize = 8;

/// The longest side of a board with rows for stages: they take 29 MB on 10×10, and 87 MB on 12×12.
const MOST_SIDE: usize = 12;

/// Returns whether there are weights for stages for boards of this shape: at least as wide as high,
/// with sides from 8 to 12, except 8×8.
#[must_use]
pub const fn supports(shape: Shape) -> bool {
    let (rows, columns) = (shape.rows(), shape.columns());
    rows >= LEAST_SIDE && columns <= MOST_SIDE && columns > LEAST_SIDE && rows <= columns
}

/// The most cells and the longest side of boards that are ranked whole. On larger boards, for which
/// more lines would be inserted into the weights of 10×10, beams get stuck.
pub(in crate::heuristic::learned) const MOST_WHOLE: usize = 132;
const WHOLE_SIDE: usize = 16;

/// The most cells of a longer board that is ranked whole, and its longest side, which is the longest
/// for which there are weights.
const LONG_CELLS: usize = 40;
const LONG_SIDE: usize = 20;

/// Returns whether there are weights for whole boards of this shape, in either orientation: all with
/// a side of more than 6, if they have at most 132 cells and sides of at most 16, or at most 40 cells
/// and sides of at most 20.
#[must_use]
pub const fn supports_whole(shape: Shape) -> bool {
    let shape = landscape(shape);
    let (cells, side) = (shape.cells(), shape.columns());
    let is_within = cells <= MOST_WHOLE && side <= WHOLE_SIDE;
    !shipped::supports(shape) && (is_within || cells <= LONG_CELLS && side <= LONG_SIDE)
}
