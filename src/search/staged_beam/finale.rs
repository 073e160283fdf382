//! The end of a search whose last block is solved by a beam of its own.

use std::sync::Arc;

use super::block::Inside;
use super::estimate::Staged;
use super::number;
use super::roots::Roots;
use super::stages::Completed;
use crate::heuristic::learned::Rows;
use crate::puzzle::plain_goal;
use crate::search::beam::{Hashes, Layers, Learned, Mark, Settings, State, Tile};

/// A beam over the block that is left, by the learned estimate. Its roots are all boards that
/// have completed the stages, each in the layer of its depth.
pub(super) struct Finale<T> {
    inside: Inside,
    layers: Layers<Learned>,
    roots: Roots<T>,
    /// The stages that they have completed.
    stages: Staged<T>,
    /// Boards that have been told of; those of before turned out not to be the goal, for all their hashes.
    told: usize,
}

impl<T: Tile> Finale<T> {
    /// A beam that goes on from boards that have only the block left.
    pub(super) fn new(
        inside: Inside,
        rows: Arc<Rows>,
        settings: Settings,
        completed: Completed<T>,
        seed: u64,
    ) -> Self {
        let hashes = Hashes::new(inside.inner, seed);
        let goal = hashes.of_board(&plain_goal(inside.inner, inside.home()));
        let estimate = Learned::new(rows, goal);
        let layers = Layers::new(inside.inner, estimate, hashes, settings, completed.trace);
        Self {
            inside,
            layers: layers.giving_up(),
            stages: completed.stages,
            roots: Roots::new(completed.nodes),
            told: 0,
        }
    }

    /// Spends about so many nodes.
    pub(super) fn advance(&mut self, nodes: u64) -> State {
        let mut left = nodes;
        let inside = self.inside;
        self.roots.enter(&mut left, |head, board| {
            let name = |cell| inside.name(number(board[inside.on_board(cell)])) as u8;
            let tiles: Vec<u8> = (0..inside.inner.cells()).map(name).collect();
            self.layers.add_root(&tiles, head.depth, head.mark);
        });
        self.layers.advance(left)
    }

    /// The next board that seems to be the goal.
    pub(super) fn next_goal(&mut self) -> Option<Mark> {
        let completed = self.layers.completed();
        if self.told >= completed.len() {
            return None;
        }
        let mark = completed.head(self.told).mark;
        self.told += 1;
        Some(mark)
    }

    /// What it began with.
    pub(super) fn give_up(self) -> Completed<T> {
        Completed {
            nodes: self.roots.all(),
            trace: self.layers.finish().1,
            stages: self.stages,
        }
    }

    pub(super) fn set_width(&mut self, width: usize) {
        self.layers.set_width(width);
    }

    pub(super) const fn layers(&self) -> &Layers<Learned> {
        &self.layers
    }
}
