//! The end of a search whose last block is solved by a table.

use super::block::{Inside, Tabled};
use super::estimate::Staged;
use super::number;
use crate::puzzle::Direction;
use crate::search::beam::{Layers, Mark, Tile};
use crate::search::tables::Tables;

/// The boards that have only the block left, and how good they are.
pub(super) struct Closing {
    tabled: Tabled,
    /// The number of completed boards that were looked at.
    seen: usize,
    /// The fewest moves of a solution, and its completed board.
    best: Option<(u32, usize)>,
}

impl Closing {
    pub(super) const fn new(inside: Inside) -> Self {
        Self {
            tabled: Tabled::new(inside),
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
            self.tabled.prepare(tables);
            let tiles = completed.tiles(node);
            let depth = completed.head(node).depth;
            let rest = self.tabled.distance(|cell| number(tiles[cell]));
            let length = rest.map(|rest| depth + rest);
            if let Some(length) = length
                && self.best.is_none_or(|(least, _)| length < least)
            {
                self.best = Some((length, node));
            }
        }
        self.seen = completed.len();
        self.best.map(|(length, _)| length)
    }

    /// The board on the way of a shortest solution, and the moves from there.
    pub(super) fn end<T: Tile>(
        &self,
        layers: &Layers<Staged<T>>,
    ) -> Option<(Mark, Vec<Direction>)> {
        let (_, node) = self.best?;
        let completed = layers.completed();
        let tiles = completed.tiles(node);
        let moves = self.tabled.moves(|cell| number(tiles[cell]))?;
        Some((completed.head(node).mark, moves))
    }
}
