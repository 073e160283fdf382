//! The boards of a layer.

use super::trace::Mark;

/// How a tile is stored: in one byte on boards of up to 256 cells, else in two.
pub trait Tile: Copy + Default + Eq + Into<usize> + TryFrom<u16> + Send + 'static {}

impl Tile for u8 {}
impl Tile for u16 {}

/// How many nodes are cleared in one go: a fraction of a millisecond.
const CLEARED_AT_ONCE: usize = 1 << 12;

/// A node, all but its board.
#[derive(Clone, Copy, Debug)]
pub struct Head<V> {
    /// What the estimate carries along.
    pub value: V,
    /// The way to it.
    pub mark: Mark,
    /// The moves made.
    pub depth: u32,
    pub(super) hash: u64,
    pub(super) blank: u16,
    /// The move of the blank that would take the last one back; 4 where there is none.
    pub(super) back: u8,
}

/// Boards of one size, each with its head.
#[derive(Debug)]
pub struct Nodes<T, V> {
    cells: usize,
    len: usize,
    /// At least `len`: what was written once is not cleared, only written again.
    heads: Vec<Head<V>>,
    tiles: Vec<T>,
}

impl<T: Tile, V: Copy> Nodes<T, V> {
    /// None yet. Room for so many is set aside, and used as it is needed.
    pub(super) fn new(cells: usize, room: usize) -> Self {
        Self {
            cells,
            len: 0,
            heads: Vec::with_capacity(room),
            tiles: Vec::with_capacity(room * cells),
        }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
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

    /// What the estimate carries along, node by node.
    pub(super) fn values(&self) -> impl Iterator<Item = V> + Clone + '_ {
        self.heads[..self.len].iter().map(|head| head.value)
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

    /// Makes the nodes `len`, all to be [put](Self::put), or as many as can be cleared at once;
    /// whether they are `len`.
    pub(super) fn grow(&mut self, len: usize, filler: Head<V>) -> bool {
        if len > self.heads.len() {
            let cleared = len.min(self.heads.len() + CLEARED_AT_ONCE);
            self.heads.resize(cleared, filler);
            self.tiles.resize(cleared * self.cells, T::default());
        }
        self.len = len.min(self.heads.len());
        self.len == len
    }

    /// Writes a node: the board of its parent after the tile on `from` has slid to `to`.
    #[inline]
    pub(super) fn put(&mut self, node: usize, head: Head<V>, parent: &[T], from: usize, to: usize) {
        let tiles = &mut self.tiles[node * self.cells..][..self.cells];
        tiles.copy_from_slice(parent);
        tiles.swap(from, to);
        self.heads[node] = head;
    }

    /// Adds a node: the board of its parent after a slide, as for [`Self::put`].
    pub(super) fn push(&mut self, head: Head<V>, parent: &[T], from: usize, to: usize) {
        self.grow(self.len + 1, head);
        self.put(self.len - 1, head, parent, from, to);
    }

    /// The bytes of a node.
    pub(super) const fn bytes(cells: usize) -> u64 {
        (cells * size_of::<T>() + size_of::<Head<V>>()) as u64
    }
}
