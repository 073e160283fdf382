//! The block that is left at the end, as a small problem of its own.

use std::sync::Arc;

use super::peel::Block;
use crate::puzzle::{Board, Direction, Problem, Shape, plain_goal, plain_tile};
use crate::search::distance_table::{Class, DistanceTable};
use crate::search::table_walk::TableWalk;
use crate::search::tables::Tables;
use crate::search::{Budget, Search, Step};

/// A block of a board whose other cells are done, and the table of its shortest solutions.
#[derive(Debug)]
pub(super) struct Ending {
    shape: Shape,
    block: Block,
    block_shape: Shape,
    /// Where the blank belongs, on the board.
    home: usize,
    class: Class,
    table: Option<Arc<DistanceTable>>,
}

impl Ending {
    /// The block of a problem.
    ///
    /// # Panics
    /// When the block is no block that [`super::peel::peel`] leaves.
    pub(super) fn new(problem: &Problem, block: Block) -> Self {
        let block_shape = Shape::new(block.rows, block.columns).expect("no side is cut below two");
        let shape = problem.shape();
        let class = Class::new(
            block_shape,
            inside(shape, block, block_shape, problem.home()),
        )
        .expect("the block is small enough for a table");
        Self {
            shape,
            block,
            block_shape,
            home: problem.home(),
            class,
            table: None,
        }
    }

    /// Takes the table, which is built within a few milliseconds if it is not there.
    pub(super) fn prepare(&mut self, tables: &Tables) {
        self.table.get_or_insert_with(|| tables.build(self.class));
    }

    /// The block of a board whose other tiles are home.
    fn problem(&self, tiles: impl Fn(usize) -> u16) -> Option<Problem> {
        let within = |cell| inside(self.shape, self.block, self.block_shape, cell);
        let home = within(self.home);
        let start = Board::from_legal(self.block_shape, |cell| {
            let (row, column) = (self.block_shape.row(cell), self.block_shape.column(cell));
            let cell = self
                .shape
                .cell(row + self.block.top, column + self.block.left);
            let goal = crate::puzzle::goal_cell(self.home, tiles(cell));
            plain_tile(home, within(goal))
        });
        Problem::new(&start, &plain_goal(self.block_shape, home)).ok()
    }

    /// The moves that it takes, at least and at most.
    pub(super) fn distance(&self, tiles: impl Fn(usize) -> u16) -> Option<u32> {
        self.table.as_ref()?.distance(&self.problem(tiles)?)
    }

    /// The moves.
    pub(super) fn moves(&self, tiles: impl Fn(usize) -> u16) -> Option<Vec<Direction>> {
        let table = Arc::clone(self.table.as_ref()?);
        let mut walk = TableWalk::new(table, &self.problem(tiles)?)?;
        match walk.advance(Budget::UNLIMITED) {
            Step::Found(solution) => Some(solution.into_moves()),
            _ => None,
        }
    }
}

/// A cell of the board as a cell of the block.
fn inside(shape: Shape, block: Block, block_shape: Shape, cell: usize) -> usize {
    let (row, column) = (shape.row(cell), shape.column(cell));
    block_shape.cell(row - block.top, column - block.left)
}
