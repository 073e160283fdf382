//! Corner tiles (Korf & Taylor, 1996). A tile enters its corner through one neighbour, and what
//! stood in the corner, or the blank that followed it, left through the other. So if the tile in a
//! corner is wrong, the tiles at home beside it have to step aside and come back: two moves each,
//! which the Manhattan distance does not count.
//!
//! This also holds for a corner that contains the blank, unless the corner's own tile stands beside
//! it and slides straight in: then the other neighbour may stay. It holds for every corner except
//! the blank's home, including corners beside the blank's home.

use crate::puzzle::{Problem, Shape};

use super::Tiles;

/// The tiles beside the corners. They are numbered, so that a set of tiles that pay is a bit set.
#[derive(Clone, Debug)]
pub(super) struct CornerTiles {
    corners: Box<[Corner]>,
}

#[derive(Clone, Copy, Debug)]
struct Corner {
    cell: usize,
    tile: usize,
    beside: [Neighbour; 2],
}

/// A cell beside a corner, and the tile that belongs there: 0 for the blank's home.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    cell: usize,
    tile: usize,
    bit: u8,
}

/// Returns the cells beside corners without duplicates: at most eight, fewer on a narrow board.
fn cells_beside_corners(shape: Shape) -> Vec<usize> {
    let mut cells: Vec<_> = corners(shape)
        .flat_map(|corner| shape.neighbours(corner))
        .collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}

fn corners(shape: Shape) -> impl Iterator<Item = usize> {
    let (bottom, right) = (shape.rows() - 1, shape.columns() - 1);
    [(0, 0), (0, right), (bottom, 0), (bottom, right)]
        .into_iter()
        .map(move |(row, column)| shape.cell(row, column))
}

impl CornerTiles {
    pub(super) fn new(problem: &Problem) -> Self {
        let shape = problem.shape();
        let goal = problem.goal();
        let numbered = cells_beside_corners(shape);
        let neighbour = |cell| Neighbour {
            cell,
            tile: usize::from(goal.tile(cell)),
            bit: 1 << numbered.partition_point(|&other| other < cell),
        };
        let corner = |cell| {
            let mut beside = shape.neighbours(cell);
            Some(Corner {
                cell,
                tile: usize::from(goal.tile(cell)),
                beside: [neighbour(beside.next()?), neighbour(beside.next()?)],
            })
        };
        Self {
            corners: corners(shape)
                .filter(|&cell| cell != problem.home())
                .filter_map(corner)
                .collect(),
        }
    }

    /// Returns the bit of the tile that belongs on a cell, or 0 if the cell is not beside a corner.
    pub(super) fn bit(&self, cell: usize) -> u8 {
        self.corners
            .iter()
            .flat_map(|corner| corner.beside)
            .find(|neighbour| neighbour.cell == cell)
            .map_or(0, |neighbour| neighbour.bit)
    }

    /// Returns the tiles that have to step aside, except those that `pay_otherwise`.
    #[inline]
    pub(super) fn paying<T: Tiles>(&self, board: &T, pay_otherwise: impl Fn(usize) -> bool) -> u8 {
        let mut paying = 0;
        for corner in &self.corners {
            if !corner.is_wrong(board) {
                continue;
            }
            for neighbour in corner.beside {
                let Neighbour { cell, tile, bit } = neighbour;
                if tile != 0 && board.tile(cell) == tile && !pay_otherwise(tile) {
                    paying |= bit;
                }
            }
        }
        paying
    }
}

impl Corner {
    /// Returns whether the corner's tile still has to come in after another tile has left.
    #[inline]
    fn is_wrong<T: Tiles>(&self, board: &T) -> bool {
        match board.tile(self.cell) {
            0 => self
                .beside
                .iter()
                .all(|neighbour| board.tile(neighbour.cell) != self.tile),
            tile => tile != self.tile,
        }
    }
}
