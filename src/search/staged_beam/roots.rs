//! The boards that a beam begins with which goes on where another one ended.

use super::estimate::Value;
use crate::search::beam::{Head, Nodes, Tile};

/// How many roots are evaluated in the time of so many nodes: the first looks at all pairs of
/// tiles.
const NODES_A_ROOT: u64 = 16;

/// Boards that have completed their stages, and enter another beam one after the other.
pub(super) struct Roots<T> {
    nodes: Nodes<T, Value>,
    /// Those before it are in the beam.
    entered: usize,
}

impl<T: Tile> Roots<T> {
    /// No boards of so many cells.
    pub(super) const fn none(cells: usize) -> Self {
        Self::new(Nodes::new(cells))
    }

    /// None of the boards has entered.
    pub(super) const fn new(nodes: Nodes<T, Value>) -> Self {
        Self { nodes, entered: 0 }
    }

    /// Lets the next ones enter, as many as that many nodes pay for.
    pub(super) fn enter(&mut self, left: &mut u64, mut add: impl FnMut(&Head<Value>, &[T])) {
        while self.entered < self.nodes.len() && *left > 0 {
            add(
                self.nodes.head(self.entered),
                self.nodes.tiles(self.entered),
            );
            self.entered += 1;
            *left = left.saturating_sub(NODES_A_ROOT);
        }
    }

    /// All of them, those that have entered too.
    pub(super) fn all(self) -> Nodes<T, Value> {
        self.nodes
    }
}
