//! The paths by which boards were reached, at four bytes a node.
//!
//! Few boards of a layer have descendants a few layers later. The boards of a layer have one path in common, and
//! beside it only five to eight times as many nodes as there are boards, in whichever layer (measured on 6×6,
//! 7×7 and 10×10 at widths from 500 to 20,000). So from time to time the other nodes are removed.

mod compaction;

use super::Settings;
use crate::puzzle::Direction;
use crate::search::blank_moves::SLIDES;
use crate::search::shed;

pub(super) use compaction::Compaction;

/// Stands for the parent of a root.
const ROOT: u32 = u32::MAX >> 2;

/// A node in the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(u32);

impl Mark {
    /// The origin of all paths: no move made.
    pub const ROOT: Self = Self(ROOT);
}

/// There is room for so many layers, or at least so many nodes, before nodes are removed. With less, that would
/// take more than a hundredth or two of the time; with more, paths would leave the caches.
const LAYERS: u64 = 64;
const NODES: u64 = 1 << 16;

/// The parents of nodes, and the moves from them.
#[derive(Debug)]
pub struct Trace {
    /// A node's parent in the upper 30 bits, and the move from it. Parents come before their children.
    links: Vec<u32>,
    /// So many of the first nodes stay as they are: marks of them are held elsewhere.
    fixed: usize,
    /// The most nodes.
    most: usize,
}

impl Trace {
    /// An empty trace.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            links: Vec::new(),
            fixed: 0,
            most: 0,
        }
    }

    /// An empty trace with room for several machines, one of which continues the paths of the other: to make room
    /// later may mean to copy.
    #[must_use]
    pub fn for_machines(machines: u64, settings: Settings) -> Self {
        let room = machines * Self::room(settings);
        Self {
            links: Vec::with_capacity(room.min(ROOT.into()) as usize),
            ..Self::new()
        }
    }

    /// The most nodes of a machine: some layers and the path that all boards have in common, twice, as it would be
    /// moved too often otherwise; but not more than the nodes of all layers and as many completed boards.
    fn room(settings: Settings) -> u64 {
        let (width, deepest) = (settings.width() as u64, u64::from(settings.deepest));
        let some = NODES.max(LAYERS * width) + 2 * deepest;
        let all = deepest.saturating_add(4).saturating_mul(width);
        some.min(all).min(ROOT.into())
    }

    /// Makes room for another machine. From now on, the nodes that are there stay.
    pub(super) fn go_on(&mut self, settings: Settings) {
        self.fixed = self.links.len();
        let most = self.fixed as u64 + Self::room(settings);
        self.most = most.min(ROOT.into()) as usize;
        self.links.reserve_exact(self.most - self.fixed);
    }

    /// Removes the nodes of the last machine.
    pub fn go_back(&mut self) {
        self.links.truncate(self.fixed);
    }

    /// Whether so many more nodes are too many.
    pub(super) const fn is_full(&self, more: usize) -> bool {
        self.links.len() + more >= self.most
    }

    /// Adds a node, one move of the blank after its parent.
    #[inline(always)]
    pub(super) fn push(&mut self, parent: Mark, blank_move: usize) -> Mark {
        let mark = self.links.len();
        self.links.push(parent.0 << 2 | blank_move as u32);
        Mark(mark as u32)
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
        shed::list(&mut self.links, left);
    }

    /// Bytes held, with those of a compaction.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let links = self.links.capacity() * size_of::<u32>();
        links as u64 + Compaction::bytes((self.most - self.fixed) as u64)
    }

    /// The most bytes that a machine takes for its paths.
    #[must_use]
    pub fn bytes_of(settings: Settings) -> u64 {
        let nodes = Self::room(settings);
        nodes * size_of::<u32>() as u64 + Compaction::bytes(nodes)
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

    /// Reads up to `most` more moves from the trace that has the node. No nodes may have been removed since.
    pub fn read(&mut self, trace: &Trace, most: usize) {
        for _ in 0..most {
            if self.is_read() {
                return;
            }
            let link = trace.links[self.at as usize];
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
