//! Which tile belongs where when the blank's home is the last cell, and what becomes of tiles and cells in the
//! diagonal.

use crate::puzzle::{Shape, goal_cell, plain_tile};

/// Returns the home of a tile when the blank's home is the last cell.
pub(crate) const fn home_of(cells: usize, tile: usize) -> usize {
    goal_cell(cells - 1, tile as u16)
}

/// Returns the tile that belongs on a cell when the blank's home is the last cell.
pub(crate) const fn tile_of(cells: usize, home: usize) -> usize {
    plain_tile(cells - 1, home) as usize
}

/// Maps the cells and tiles of a shape to those of the transposed board.
#[derive(Debug)]
pub(crate) struct Transposition {
    pub(crate) cells: Box<[usize]>,
    pub(crate) tiles: Box<[usize]>,
}

impl Transposition {
    pub(crate) fn new(shape: Shape) -> Self {
        let cells = shape.cells();
        let image = |cell| shape.transposed().cell(shape.column(cell), shape.row(cell));
        Self {
            cells: (0..cells).map(image).collect(),
            tiles: (0..cells)
                .map(|tile| tile_of(cells, image(home_of(cells, tile))))
                .collect(),
        }
    }
}
