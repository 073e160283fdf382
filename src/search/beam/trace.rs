//! The paths by which boards were reached, at four bytes a node.

use crate::puzzle::Direction;
use crate::search::arena::Arena;
use crate::search::blank_moves::SLIDES;

/// Stands for the parent of a root.
const ROOT: u32 = u32::MAX >> 2;

/// A node in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u32);

impl Mark {
    /// The origin of all paths: no move made.
    pub const ROOT: Self = Self(ROOT);
}

/// The nodes that are stored at once.
const BATCH: usize = 1 << 10;

/// The parent of every node that was ever kept, in the upper 30 bits, and the move from it.
#[derive(Debug)]
pub struct Trace {
    /// The last nodes, fewer than [`BATCH`].
    last: Vec<u32>,
    /// Those before, [`BATCH`] at a time.
    stored: Arena<u32>,
    /// The most nodes.
    most: usize,
}

impl Trace {
    /// An empty trace.
    #[must_use]
    pub fn new() -> Self {
        Self::of_at_most(u64::MAX)
    }

    /// An empty trace to which no layer is added that might make it longer than so many nodes.
    #[must_use]
    pub fn of_at_most(nodes: u64) -> Self {
        Self {
            last: Vec::new(),
            stored: Arena::new(BATCH),
            most: nodes.min(ROOT.into()) as usize,
        }
    }

    /// The number of nodes.
    const fn nodes(&self) -> usize {
        self.stored.rows() * BATCH + self.last.len()
    }

    /// Whether so many more nodes are too many.
    pub(super) const fn is_full(&self, more: usize) -> bool {
        self.nodes() + more >= self.most
    }

    /// Adds a node, one move of the blank after its parent.
    #[inline(always)]
    pub(super) fn push(&mut self, parent: Mark, blank_move: usize) -> Mark {
        let mark = self.nodes();
        self.last.push(parent.0 << 2 | blank_move as u32);
        if self.last.len() == BATCH {
            self.store();
        }
        Mark(mark as u32)
    }

    /// Stores a batch.
    #[cold]
    fn store(&mut self) {
        self.stored.push(&self.last);
        self.last.clear();
    }

    /// The link of a node.
    fn link(&self, node: usize) -> u32 {
        let (row, at) = (node / BATCH, node % BATCH);
        if row < self.stored.rows() {
            self.stored.row(row)[at]
        } else {
            self.last[at]
        }
    }

    /// The moves that lead to a node.
    #[must_use]
    pub fn moves(&self, mark: Mark) -> Vec<Direction> {
        let mut way = Way::to(mark);
        way.read(self, usize::MAX);
        way.moves
    }

    /// Frees nodes, as many as there are `left` bytes to be freed. No path may be read afterwards.
    pub(super) fn shed(&mut self, left: &mut u64) {
        self.stored.shed(left);
    }

    /// The most bytes that the trace of so many nodes holds.
    #[must_use]
    pub fn bytes_with(nodes: u64) -> u64 {
        let last = (BATCH * size_of::<u32>()) as u64;
        Arena::<u32>::bytes_with(BATCH, nodes.div_ceil(BATCH as u64)) + last
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let last = self.last.capacity() * size_of::<u32>();
        self.stored.bytes() + last as u64
    }
}

/// The moves that lead to a node, read back from it piece by piece.
#[derive(Debug)]
pub struct Way {
    at: u32,
    /// The last move first, until all are read.
    moves: Vec<Direction>,
}

impl Way {
    /// The path to a node, of which nothing is read yet.
    #[must_use]
    pub const fn to(mark: Mark) -> Self {
        Self {
            at: mark.0,
            moves: Vec::new(),
        }
    }

    /// Whether all moves are read.
    #[must_use]
    pub const fn is_read(&self) -> bool {
        self.at == ROOT
    }

    /// Reads up to `most` more moves from the trace that has the node.
    pub fn read(&mut self, trace: &Trace, most: usize) {
        for _ in 0..most {
            if self.is_read() {
                return;
            }
            let link = trace.link(self.at as usize);
            self.moves.push(SLIDES[(link & 3) as usize]);
            self.at = link >> 2;
            if self.is_read() {
                self.moves.reverse();
            }
        }
    }

    /// Appends moves, once all are read.
    pub fn add(&mut self, moves: &[Direction]) {
        self.moves.extend_from_slice(moves);
    }

    /// The moves, once all are read.
    #[must_use]
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// Bytes held.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.moves.capacity()
    }
}

impl Default for Trace {
    fn default() -> Self {
        Self::new()
    }
}
