//! The block that is left at the end, as a small problem of its own.

use std::sync::Arc;

use crate::puzzle::{Board, Direction, Problem, Shape, goal_cell, plain_goal, plain_tile};
use crate::search::distance_table::table_walk::TableWalk;
use crate::search::distance_table::{Class, DistanceTable};
use crate::search::rectangle::Rectangle;
use crate::search::tables::Tables;
use crate::search::{Budget, Search, Step};

/// The position of the block on the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inside {
    /// The shape of the board.
    shape: Shape,
    block: Rectangle,
    /// The shape of the block.
    pub(super) inner: Shape,
    /// The cell on the board where the blank belongs.
    home: usize,
}

impl Inside {
    /// The block of a problem.
    ///
    /// # Panics
    /// When the block has a side of one.
    pub(super) fn new(problem: &Problem, block: Rectangle) -> Self {
        Self {
            shape: problem.shape(),
            block,
            inner: Shape::new(block.rows, block.columns).expect("no side is cut below two"),
            home: problem.home(),
        }
    }

    /// The cell of the board for a cell of the block.
    pub(super) const fn on_board(&self, cell: usize) -> usize {
        let (row, column) = (self.inner.row(cell), self.inner.column(cell));
        self.shape
            .cell(row + self.block.top, column + self.block.left)
    }

    const fn in_block(&self, cell: usize) -> usize {
        let (row, column) = (self.shape.row(cell), self.shape.column(cell));
        self.inner
            .cell(row - self.block.top, column - self.block.left)
    }

    /// The cell in the block where the blank belongs.
    pub(super) const fn home(&self) -> usize {
        self.in_block(self.home)
    }

    /// The name in the block of a tile that belongs there.
    pub(super) const fn name(&self, tile: u16) -> u16 {
        plain_tile(self.home(), self.in_block(goal_cell(self.home, tile)))
    }

    /// The block of a board whose other tiles are home.
    fn problem(&self, tiles: impl Fn(usize) -> u16) -> Option<Problem> {
        let tile = |cell| self.name(tiles(self.on_board(cell)));
        let start = Board::from_legal(self.inner, tile);
        Problem::new(&start, &plain_goal(self.inner, self.home())).ok()
    }
}

/// A block that is small enough for a table of its shortest solutions.
#[derive(Debug)]
pub(super) struct Tabled {
    inside: Inside,
    table: Option<Arc<DistanceTable>>,
}

impl Tabled {
    pub(super) const fn new(inside: Inside) -> Self {
        Self {
            inside,
            table: None,
        }
    }

    /// Fetches the table, which is built within a few milliseconds if it is not ready.
    pub(super) fn prepare(&mut self, tables: &Tables) {
        if self.table.is_none() {
            let class = Class::new(self.inside.inner, self.inside.home());
            self.table = class.map(|class| tables.build(class));
        }
    }

    /// The fewest moves from a board whose other tiles are home.
    pub(super) fn distance(&self, tiles: impl Fn(usize) -> u16) -> Option<u32> {
        self.table.as_ref()?.distance(&self.inside.problem(tiles)?)
    }

    /// The moves of a shortest solution from such a board.
    pub(super) fn moves(&self, tiles: impl Fn(usize) -> u16) -> Option<Vec<Direction>> {
        let table = Arc::clone(self.table.as_ref()?);
        let mut walk = TableWalk::new(table, &self.inside.problem(tiles)?)?;
        match walk.advance(Budget::UNLIMITED) {
            Step::Found(solution) => Some(solution.into_moves()),
            _ => None,
        }
    }
}
