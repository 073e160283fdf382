//! Which tile belongs where when the blank's home is the last cell, and what becomes of tiles and cells in the
//! diagonal.

use crate::puzzle::{Board, Direction, Shape, goal_cell, plain_names, plain_tile};

/// Returns the home of a tile when the blank's home is the last cell.
pub(crate) const fn home_of(cells: usize, tile: usize) -> usize {
    goal_cell(cells - 1, tile as u16)
}

/// Returns the tile that belongs on a cell when the blank's home is the last cell.
pub(crate) const fn tile_of(cells: usize, home: usize) -> usize {
    plain_tile(cells - 1, home) as usize
}

/// Returns the names of all tiles after another goal: the one that results from the true goal when
/// the blank goes right and down to the last corner. By the weights for that corner the estimate is then
/// off by about the same number of moves everywhere, but it looks for the tiles on the blank's way on
/// a wrong cell.
pub(crate) fn names_by_last_corner(goal: &Board) -> Vec<u16> {
    let mut corner = goal.clone();
    while corner.slide(Direction::Left) || corner.slide(Direction::Up) {}
    plain_names(&corner)
}

/// Returns a board with other names for its tiles.
pub(crate) fn renamed(board: &Board, names: &[u16]) -> Board {
    Board::from_legal(board.shape(), |cell| names[usize::from(board.tile(cell))])
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
