//! The bound for boards of any size: the distances of tiles from their home lines.

use crate::heuristic::{Slide, Tiles};
use crate::puzzle::{Problem, Shape};

use super::PushBound;

/// Counts the rows that all tiles together are away from home, and the columns. A push reduces one
/// of the two counts by at most the number of tiles that it moves: at most the side of the board
/// less one.
#[derive(Clone, Debug)]
pub struct Lines {
    shape: Shape,
    homes: Box<[u16]>,
}

/// The columns and the rows that all tiles together are away from home.
#[derive(Clone, Copy, Debug)]
pub struct Away([u32; 2]);

impl Lines {
    /// Creates the bound for the goal of a problem.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        let tiles = 0..problem.shape().cells() as u16;
        Self {
            shape: problem.shape(),
            homes: tiles.map(|tile| problem.goal_cell(tile) as u16).collect(),
        }
    }

    /// Returns the number of columns, or rows, from a cell to a tile's home.
    fn away(&self, tile: usize, cell: usize, vertical: bool) -> u32 {
        let home = usize::from(self.homes[tile]);
        let line = |cell| {
            if vertical {
                self.shape.row(cell)
            } else {
                self.shape.column(cell)
            }
        };
        line(cell).abs_diff(line(home)) as u32
    }
}

impl PushBound for Lines {
    type State = Away;

    fn root<T: Tiles>(&self, board: &T) -> Away {
        Away([false, true].map(|vertical| {
            (0..self.shape.cells())
                .map(|cell| match board.tile(cell) {
                    0 => 0,
                    tile => self.away(tile, cell, vertical),
                })
                .sum()
        }))
    }

    fn after_slide(&self, mut state: Away, slide: Slide) -> Away {
        let vertical = slide.direction.is_vertical();
        let away = &mut state.0[usize::from(vertical)];
        *away += self.away(slide.tile, slide.to, vertical);
        *away -= self.away(slide.tile, slide.from, vertical);
        state
    }

    fn least(&self, state: Away, vertical: bool, _: u32) -> u32 {
        let longest = [self.shape.columns() - 1, self.shape.rows() - 1];
        let along = |axis: usize| state.0[axis].div_ceil(longest[axis] as u32);
        let (first, second) = (usize::from(vertical), usize::from(!vertical));
        (2 * along(first)).saturating_sub(1).max(2 * along(second))
    }
}
