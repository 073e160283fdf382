//! The Manhattan distance of one tile, in the unit of the weights.

use super::names::home_of;
use crate::puzzle::Shape;

/// The parts of a move in which weights count.
pub(super) const UNIT: i32 = 32;

/// Returns the distance of a tile from its home; 0 for the blank.
pub(super) fn distance(shape: Shape, tile: usize, cell: usize) -> i32 {
    if tile == 0 {
        return 0;
    }
    let home = home_of(shape.cells(), tile);
    UNIT * shape.distance(home, cell) as i32
}
