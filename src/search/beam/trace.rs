//! The paths by which boards were reached, at four bytes a node.

use memmap2::MmapMut;

use crate::heuristic::huge_pages;
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

/// The nodes of a short trace. Those of a longer one go on in huge pages: taking many small ones from the
/// system takes a twenty-fifth of the time of a wide beam. (Linux aligns memory to such pages since 6.7; where
/// it does not, the pages are small, too.)
const SHORT: usize = 1 << 20;

/// The bytes of a huge page, and the nodes that it holds.
const PAGE_BYTES: usize = 2 << 20;
const PAGE: usize = PAGE_BYTES / size_of::<u32>();

/// The parent of every node that was ever kept, in the upper 30 bits, and the move from it.
#[derive(Debug)]
pub struct Trace {
    /// The last nodes, fewer than [`BATCH`].
    last: Vec<u32>,
    /// The first nodes, [`BATCH`] at a time, up to [`SHORT`].
    first: Arena<u32>,
    /// Those between.
    pages: Vec<MmapMut>,
    /// The number of nodes that are in batches.
    stored: usize,
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
            first: Arena::new(BATCH),
            pages: Vec::new(),
            stored: 0,
            most: nodes.min(ROOT.into()) as usize,
        }
    }

    /// Whether so many more nodes are too many.
    pub(super) const fn is_full(&self, more: usize) -> bool {
        self.stored + self.last.len() + more >= self.most
    }

    /// Adds a node, one move of the blank after its parent.
    #[inline(always)]
    pub(super) fn push(&mut self, parent: Mark, blank_move: usize) -> Mark {
        let mark = self.stored + self.last.len();
        self.last.push(parent.0 << 2 | blank_move as u32);
        if self.last.len() == BATCH {
            self.store();
        }
        Mark(mark as u32)
    }

    /// Stores a batch.
    #[cold]
    fn store(&mut self) {
        if let Some(late) = self.stored.checked_sub(SHORT) {
            if late.is_multiple_of(PAGE) {
                self.pages.push(huge_pages::zeroed(PAGE_BYTES));
            }
            let page = self.pages[late / PAGE].as_chunks_mut().0;
            let batch = &mut page[late % PAGE..][..BATCH];
            for (link, last) in batch.iter_mut().zip(&self.last) {
                *link = last.to_ne_bytes();
            }
        } else {
            self.first.push(&self.last);
        }
        self.stored += BATCH;
        self.last.clear();
    }

    /// The link of a node.
    fn link(&self, node: usize) -> u32 {
        if node >= self.stored {
            return self.last[node - self.stored];
        }
        let Some(late) = node.checked_sub(SHORT) else {
            return self.first.row(node / BATCH)[node % BATCH];
        };
        let (links, _) = self.pages[late / PAGE].as_chunks();
        u32::from_ne_bytes(links[late % PAGE])
    }

    /// The moves that lead to a node.
    #[must_use]
    pub fn moves(&self, mark: Mark) -> Vec<Direction> {
        let mut way = Way::to(mark);
        way.read(self, usize::MAX);
        way.moves
    }

    /// The most bytes that the trace of so many nodes holds.
    #[must_use]
    pub fn bytes_with(nodes: u64) -> u64 {
        let first = nodes.min(SHORT as u64);
        let pages = (nodes - first).div_ceil(PAGE as u64);
        // The lists double as they grow.
        let list = 2 * pages.max(4) * size_of::<MmapMut>() as u64;
        let last = (BATCH * size_of::<u32>()) as u64;
        let first = Arena::<u32>::bytes_with(BATCH, first.div_ceil(BATCH as u64));
        first + pages * PAGE_BYTES as u64 + list + last
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let lists = self.pages.capacity() * size_of::<MmapMut>();
        let last = self.last.capacity() * size_of::<u32>();
        self.first.bytes() + (self.pages.len() * PAGE_BYTES + lists + last) as u64
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
