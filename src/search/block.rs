//! A block of a board whose other tiles are home, as a small problem of its own.

use crate::puzzle::{Board, Problem, Shape, goal_cell, plain_goal, plain_tile};

use super::rectangle::Rectangle;

/// The position of a block on a board. The blank's home is in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// The shape of the board.
    board: Shape,
    cells: Rectangle,
    /// The shape of the block.
    pub(super) shape: Shape,
    /// The cell on the board where the blank belongs.
    home: usize,
}

impl Block {
    /// These cells of a board whose blank belongs on the cell `home`.
    ///
    /// # Panics
    /// When the block has a side of one.
    pub(super) fn new(board: Shape, cells: Rectangle, home: usize) -> Self {
        Self {
            board,
            cells,
            shape: Shape::new(cells.rows, cells.columns).expect("no side is cut below two"),
            home,
        }
    }

    /// The cell of the board for a cell of the block.
    pub(super) const fn on_board(&self, cell: usize) -> usize {
        let (row, column) = (self.shape.row(cell), self.shape.column(cell));
        self.board
            .cell(row + self.cells.top, column + self.cells.left)
    }

    const fn in_block(&self, cell: usize) -> usize {
        let (row, column) = (self.board.row(cell), self.board.column(cell));
        self.shape
            .cell(row - self.cells.top, column - self.cells.left)
    }

    /// The cell in the block where the blank belongs.
    pub(super) const fn home(&self) -> usize {
        self.in_block(self.home)
    }

    /// The name in the block of a tile that belongs there.
    pub(super) const fn name(&self, tile: u16) -> u16 {
        plain_tile(self.home(), self.in_block(goal_cell(self.home, tile)))
    }

    /// What is left to be solved of a board, given its tile on each of its cells; `None` if that is impossible.
    pub(super) fn problem(&self, tiles: impl Fn(usize) -> u16) -> Option<Problem> {
        let tile = |cell| self.name(tiles(self.on_board(cell)));
        let start = Board::from_legal(self.shape, tile);
        Problem::new(&start, &plain_goal(self.shape, self.home())).ok()
    }
}
