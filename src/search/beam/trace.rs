//! The ways by which boards were reached, four bytes a node.

use crate::puzzle::Direction;
use crate::search::arena::Arena;
use crate::search::blank_moves::SLIDES;

/// Stands for the parent of a root.
const ROOT: u32 = u32::MAX >> 2;

/// A node in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u32);

impl Mark {
    /// Where all ways begin: no move made.
    pub const ROOT: Self = Self(ROOT);
}

/// For every node that was ever kept its parent, in the upper 30 bits, and the move from it.
#[derive(Debug)]
pub struct Trace {
    links: Arena<u32>,
}

impl Trace {
    /// An empty trace.
    #[must_use]
    pub fn new() -> Self {
        Self {
            links: Arena::new(1),
        }
    }

    /// Whether so many more nodes would be more than can be told apart.
    pub(super) const fn is_full(&self, more: usize) -> bool {
        self.links.rows() + more >= ROOT as usize
    }

    /// Adds a node, one move of the blank after its parent.
    #[inline]
    pub(super) fn push(&mut self, parent: Mark, blank_move: usize) -> Mark {
        let mark = self.links.rows() as u32;
        self.links.push(&[parent.0 << 2 | blank_move as u32]);
        Mark(mark)
    }

    /// The moves that lead to a node.
    #[must_use]
    pub fn moves(&self, mark: Mark) -> Vec<Direction> {
        let mut moves = Vec::new();
        let mut at = mark.0;
        while at != ROOT {
            let link = self.links.row(at as usize)[0];
            moves.push(SLIDES[(link & 3) as usize]);
            at = link >> 2;
        }
        moves.reverse();
        moves
    }

    /// The most bytes that the trace of so many nodes holds.
    #[must_use]
    pub fn bytes_with(nodes: u64) -> u64 {
        Arena::<u32>::bytes_with(1, nodes)
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.links.bytes()
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self::new()
    }
}
