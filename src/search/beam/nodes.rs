//! The nodes of a layer, and boards that are set aside.

use std::ops::Range;

use super::tile::Tile;
use super::trace::Mark;
use crate::heuristic::Tiles;
use crate::search::shed;

/// How many nodes are cleared at once: this takes a fraction of a millisecond.
const CLEARED_AT_ONCE: usize = 1 << 12;

/// A node without its board.
#[derive(Clone, Copy, Debug)]
pub struct Head<V> {
    /// What the estimate carries along.
    pub value: V,
    /// The path to the node.
    pub mark: Mark,
    /// The number of moves made.
    pub depth: u32,
    pub(super) hash: u64,
    pub(super) blank: u16,
    /// The move of the blank that would undo the last one; 4 where there is none.
    pub(super) back: u8,
}

/// The heads of a layer.
#[derive(Debug)]
pub(super) struct Heads<V> {
    len: usize,
    /// At least `len` heads: what was written once is not cleared, only overwritten.
    heads: Vec<Head<V>>,
}

impl<V: Copy> Heads<V> {
    /// No heads yet. Room for so many is reserved, and used as it is needed.
    pub(super) fn new(room: usize) -> Self {
        Self {
            len: 0,
            heads: Vec::with_capacity(room),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// All heads.
    #[inline]
    pub(super) fn all(&self) -> &[Head<V>] {
        &self.heads[..self.len]
    }

    /// All heads, for writing.
    #[inline]
    pub(super) fn all_mut(&mut self) -> &mut [Head<V>] {
        &mut self.heads[..self.len]
    }

    /// The paths to the nodes from `first` on.
    pub(super) fn marks(&mut self, first: usize) -> impl Iterator<Item = &mut Mark> {
        marks(self.all_mut(), first)
    }

    /// The nodes from `first` on that have their blanks on the same cell, `most` at most.
    #[inline]
    pub(super) fn alike(&self, first: usize, most: usize) -> Range<usize> {
        let end = self.len.min(first + most);
        let blank = self.heads[first].blank;
        let other = self.heads[first..end]
            .iter()
            .position(|head| head.blank != blank);
        first..other.map_or(end, |other| first + other)
    }

    /// Sets the length to `len`, or to as many heads as can be cleared at once. All are to be
    /// [written](Self::all_mut).
    pub(super) fn grow(&mut self, len: usize, filler: Head<V>) {
        if len > self.heads.len() {
            let cleared = len.min(self.heads.len() + CLEARED_AT_ONCE);
            self.heads.resize(cleared, filler);
        }
        self.len = len.min(self.heads.len());
    }

    /// Frees heads, as many as there are `left` bytes to be freed. None is left afterwards.
    pub(super) fn shed(&mut self, left: &mut u64) {
        self.len = 0;
        shed::list(&mut self.heads, left);
    }
}

fn marks<V>(heads: &mut [Head<V>], first: usize) -> impl Iterator<Item = &mut Mark> {
    let heads = heads.get_mut(first..).unwrap_or_default();
    heads.iter_mut().map(|head| &mut head.mark)
}

/// Boards of one size, each with its head.
#[derive(Debug)]
pub struct Nodes<T, V> {
    cells: usize,
    heads: Vec<Head<V>>,
    tiles: Vec<T>,
}

impl<T: Tile, V: Copy> Nodes<T, V> {
    /// No nodes yet, of boards with so many cells.
    pub const fn new(cells: usize) -> Self {
        Self {
            cells,
            heads: Vec::new(),
            tiles: Vec::new(),
        }
    }

    /// The number of nodes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The head of a node.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    #[inline]
    pub fn head(&self, node: usize) -> &Head<V> {
        &self.heads[node]
    }

    /// The tiles of a node's board, row by row, 0 for the blank.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    #[inline]
    pub fn tiles(&self, node: usize) -> &[T] {
        &self.tiles[node * self.cells..][..self.cells]
    }

    /// Adds a node: the board of its parent after the tile on `from` has slid to `to`.
    pub(super) fn push(&mut self, head: Head<V>, parent: impl Tiles, from: usize, to: usize) {
        let tile = |cell| T::try_from(parent.tile(cell) as u16).unwrap_or_default();
        let first = self.tiles.len();
        self.tiles.extend((0..self.cells).map(tile));
        self.tiles.swap(first + from, first + to);
        self.heads.push(head);
    }

    /// The paths to the nodes from `first` on.
    pub(super) fn marks(&mut self, first: usize) -> impl Iterator<Item = &mut Mark> {
        marks(&mut self.heads, first)
    }

    /// The bytes of the nodes.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        (size_of_val(self.heads.as_slice()) + size_of_val(self.tiles.as_slice())) as u64
    }

    /// Frees nodes, as many as there are `left` bytes to be freed. None is left afterwards.
    pub(in crate::search) fn shed(&mut self, left: &mut u64) {
        shed::list(&mut self.heads, left);
        shed::list(&mut self.tiles, left);
    }
}
