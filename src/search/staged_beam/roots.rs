//! The boards from which one beam goes on where another ended.

use super::estimate::Value;
use crate::search::beam::{Head, Nodes, Tile};

/// The nodes in whose time a root is evaluated, as its first evaluation looks at all tiles.
const NODES_A_ROOT: u64 = 16;

/// Boards that have completed their stages and enter another beam one after the other.
pub(super) struct Roots<T> {
    nodes: Nodes<T, Value>,
    /// Roots before this one are in the beam.
    entered: usize,
}

impl<T: Tile> Roots<T> {
    /// Roots of which none has entered.
    pub(super) const fn new(nodes: Nodes<T, Value>) -> Self {
        Self { nodes, entered: 0 }
    }

    /// Lets the next ones enter, as many as the remaining nodes pay for.
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

    /// Whether all have entered.
    pub(super) const fn have_entered(&self) -> bool {
        self.entered == self.nodes.len()
    }

    /// Frees roots, as many as there are `left` bytes to be freed. None may enter afterwards.
    pub(super) fn shed(&mut self, left: &mut u64) {
        self.nodes.shed(left);
        self.entered = 0;
    }

    /// The bytes of the roots.
    pub(super) const fn bytes(&self) -> u64 {
        self.nodes.bytes()
    }

    /// All roots, including those that have entered.
    pub(super) fn all(self) -> Nodes<T, Value> {
        self.nodes
    }
}
