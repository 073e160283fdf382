//! The end of a search whose last block is solved by a table.

use std::sync::Arc;

use super::estimate::Staged;
use super::number;
use crate::puzzle::Direction;
use crate::search::beam::{Layers, Mark, Tile};
use crate::search::block::Block;
use crate::search::distance_table::table_walk::TableWalk;
use crate::search::distance_table::{Class, DistanceTable};
use crate::search::tables::Tables;
use crate::search::{Budget, Search, Step};

/// The boards that have only the block left, and how good they are.
pub(super) struct Closing {
    block: Block,
    /// The table of the block's shortest solutions, once a board needs it.
    table: Option<Arc<DistanceTable>>,
    /// The number of completed boards that were looked at.
    seen: usize,
    /// The fewest moves of a solution, and its completed board.
    best: Option<(u32, usize)>,
}

impl Closing {
    pub(super) const fn new(block: Block) -> Self {
        Self {
            block,
            table: None,
            seen: 0,
            best: None,
        }
    }

    /// Looks at the boards that have completed all stages since the last call. Returns the length of the best
    /// solution so far: boards that complete the stages only after so many moves cannot be better.
    pub(super) fn judge<T: Tile>(
        &mut self,
        layers: &Layers<Staged<T>>,
        tables: &Tables,
    ) -> Option<u32> {
        let completed = layers.completed();
        for node in self.seen..completed.len() {
            let depth = completed.head(node).depth;
            if let Some(rest) = self.distance(completed.tiles(node), tables)
                && self.best.is_none_or(|(least, _)| depth + rest < least)
            {
                self.best = Some((depth + rest, node));
            }
        }
        self.seen = completed.len();
        self.best.map(|(length, _)| length)
    }

    /// The fewest moves from a board that has only the block left. If the table is not ready, it is built within
    /// a few milliseconds.
    fn distance<T: Tile>(&mut self, tiles: &[T], tables: &Tables) -> Option<u32> {
        let class = Class::new(self.block.shape, self.block.home())?;
        let table = self.table.get_or_insert_with(|| tables.build(class));
        let problem = self.block.problem(|cell| number(tiles[cell]))?;
        table.distance(&problem)
    }

    /// The board on the way of a shortest solution, and the moves from there.
    pub(super) fn end<T: Tile>(
        &self,
        layers: &Layers<Staged<T>>,
    ) -> Option<(Mark, Vec<Direction>)> {
        let (_, node) = self.best?;
        let completed = layers.completed();
        let tiles = completed.tiles(node);
        let problem = self.block.problem(|cell| number(tiles[cell]))?;
        let mut walk = TableWalk::new(Arc::clone(self.table.as_ref()?), &problem)?;
        match walk.advance(Budget::UNLIMITED) {
            Step::Found(solution) => Some((completed.head(node).mark, solution.into_moves())),
            _ => None,
        }
    }
}
