//! The current board, for boards of any size.

use crate::heuristic::Tiles;
use crate::puzzle::Problem;

/// The tiles, cell by cell.
pub(super) struct Cells(pub(super) Vec<u16>);

impl Cells {
    /// Whether all of a problem's tiles are at home.
    pub(super) fn are_goal_of(&self, problem: &Problem) -> bool {
        let mut tiles = (0..).zip(&self.0);
        tiles.all(|(cell, &tile)| problem.goal_cell(tile) == cell)
    }
}

impl Tiles for Cells {
    fn tile(&self, cell: usize) -> usize {
        usize::from(self.0[cell])
    }
}
