//! The end of a search whose last block is solved by a beam of its own.

use std::sync::Arc;

use super::block::Inside;
use super::estimate::Value;
use super::number;
use crate::heuristic::learned::Rows;
use crate::puzzle::{Direction, plain_goal};
use crate::search::beam::{Hashes, Layers, Learned, Nodes, Settings, State, Tile, Trace};

/// How many roots are evaluated in the time of so many nodes: the first looks at all pairs of
/// tiles.
const NODES_A_ROOT: u64 = 16;

/// A beam over the block that is left, by the learned estimate. Its roots are all boards that
/// have completed the stages, each in the layer of its depth.
pub(super) struct Finale<T> {
    inside: Inside,
    layers: Layers<Learned>,
    roots: Nodes<T, Value>,
    /// Those before it are in the beam.
    entered: usize,
    /// Boards that turned out not to be the goal, for all their hashes.
    strangers: usize,
}

impl<T: Tile> Finale<T> {
    /// A beam that goes on from `roots`, the ways to which are in `trace`.
    pub(super) fn new(
        inside: Inside,
        rows: Arc<Rows>,
        settings: Settings,
        roots: Nodes<T, Value>,
        trace: Trace,
        seed: u64,
    ) -> Self {
        let hashes = Hashes::new(inside.inner, seed);
        let goal = hashes.of_board(&plain_goal(inside.inner, inside.home()));
        let estimate = Learned::new(rows, goal);
        Self {
            inside,
            layers: Layers::new(inside.inner, estimate, hashes, settings, trace),
            roots,
            entered: 0,
            strangers: 0,
        }
    }

    /// Spends about so many nodes.
    pub(super) fn advance(&mut self, nodes: u64) -> State {
        let mut left = nodes;
        while self.entered < self.roots.len() {
            if left == 0 {
                return State::Working;
            }
            let board = self.roots.tiles(self.entered);
            let name = |cell| self.inside.name(number(board[self.inside.on_board(cell)])) as u8;
            let tiles: Vec<u8> = (0..self.inside.inner.cells()).map(name).collect();
            let head = self.roots.head(self.entered);
            self.layers.add_root(&tiles, head.depth, head.mark);
            self.entered += 1;
            left = left.saturating_sub(NODES_A_ROOT);
        }
        self.layers.advance(left)
    }

    /// The moves to the next board that seems to be the goal.
    pub(super) fn next_moves(&mut self) -> Option<Vec<Direction>> {
        let completed = self.layers.completed();
        if self.strangers >= completed.len() {
            return None;
        }
        let mark = completed.head(self.strangers).mark;
        self.strangers += 1;
        Some(self.layers.trace().moves(mark))
    }

    pub(super) fn set_width(&mut self, width: usize) {
        self.layers.set_width(width);
    }

    pub(super) const fn layers(&self) -> &Layers<Learned> {
        &self.layers
    }
}
