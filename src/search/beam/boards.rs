//! How the boards of layers are stored.

use std::mem;
use std::ops::Range;

use super::AHEAD;
use crate::heuristic::Tiles;
use crate::heuristic::prefetch;
use crate::puzzle::Shape;
use crate::search::shed;

impl<T: Copy + Into<usize>> Tiles for &[T] {
    #[inline]
    fn tile(&self, cell: usize) -> usize {
        self[cell].into()
    }
}

/// A board whose lines can be read.
pub trait Lines: Tiles + Copy {
    /// The tiles of a row, on a board of `columns` columns.
    fn row(self, row: usize, columns: usize) -> impl Iterator<Item = usize>;

    /// The tiles of a column, on a board of `columns` columns.
    fn column(self, column: usize, columns: usize) -> impl Iterator<Item = usize>;
}

impl<T: Copy + Into<usize>> Lines for &[T] {
    #[inline]
    fn row(self, row: usize, columns: usize) -> impl Iterator<Item = usize> {
        self[row * columns..][..columns]
            .iter()
            .map(|&tile| tile.into())
    }

    #[inline]
    fn column(self, column: usize, columns: usize) -> impl Iterator<Item = usize> {
        self[column..]
            .iter()
            .step_by(columns)
            .map(|&tile| tile.into())
    }
}

/// The boards of the present layer, and those of the next one, which are made from them.
pub trait Boards<T>: Send {
    /// A board for reading.
    type Board<'a>: Lines
    where
        Self: 'a;

    /// Layers without boards, with capacity for `width` boards each.
    fn new(shape: Shape, width: usize) -> Self;

    /// The most boards that a layer of a shape can hold.
    fn most(shape: Shape) -> usize;

    /// A board of the present layer.
    fn board(&self, node: usize) -> Self::Board<'_>;

    /// The tile on a cell, for each of the boards of the present layer.
    fn tiles(&self, nodes: Range<usize>, cell: usize) -> impl Iterator<Item = usize>;

    /// Makes room for so many boards in the next layer. Each must be put there before the layer is
    /// [turned](Self::turn) to.
    fn grow(&mut self, len: usize);

    /// Puts a board into the next layer.
    fn put(&mut self, node: usize, tiles: &[T]);

    /// Puts into the next layer the board of a node of the present one, after the tile on `from` has slid to
    /// `to`.
    fn put_child(&mut self, node: usize, parent: usize, from: usize, to: usize);

    /// Makes the next layer the present one, and forgets the latter.
    fn turn(&mut self);

    /// Frees boards, as many as there are `left` bytes to be freed. No board may be read or put afterwards.
    fn shed(&mut self, left: &mut u64);

    /// The most bytes that layers of so many boards of a shape take.
    fn bytes(shape: Shape, width: usize) -> u64;
}

/// Boards stored whole, one after the other.
#[derive(Debug)]
pub struct Whole<T> {
    cells: usize,
    /// Boards that were written once are not cleared, only overwritten.
    present: Vec<T>,
    next: Vec<T>,
}

impl<T> Whole<T> {
    /// The tiles of the boards of the present layer.
    #[inline]
    pub(super) fn all(&self) -> &[T] {
        &self.present
    }
}

impl<T: Copy + Default + Into<usize> + Send + 'static> Boards<T> for Whole<T> {
    type Board<'a> = &'a [T];

    fn new(shape: Shape, width: usize) -> Self {
        let cells = shape.cells();
        Self {
            cells,
            present: Vec::with_capacity(width * cells),
            next: Vec::with_capacity(width * cells),
        }
    }

    fn most(_shape: Shape) -> usize {
        usize::MAX
    }

    #[inline]
    fn board(&self, node: usize) -> &[T] {
        &self.present[node * self.cells..][..self.cells]
    }

    #[inline]
    fn tiles(&self, nodes: Range<usize>, cell: usize) -> impl Iterator<Item = usize> {
        let boards = &self.present[nodes.start * self.cells..nodes.end * self.cells];
        let boards = boards.chunks_exact(self.cells);
        boards.map(move |board| board[cell].into())
    }

    fn grow(&mut self, len: usize) {
        let tiles = self.next.len().max(len * self.cells);
        self.next.resize(tiles, T::default());
    }

    #[inline]
    fn put(&mut self, node: usize, tiles: &[T]) {
        self.next[node * self.cells..][..self.cells].copy_from_slice(tiles);
    }

    #[inline(always)]
    fn put_child(&mut self, node: usize, parent: usize, from: usize, to: usize) {
        let parent = &self.present[parent * self.cells..][..self.cells];
        prefetch(&self.next, (node + AHEAD) * self.cells);
        let tiles = &mut self.next[node * self.cells..][..self.cells];
        copy(parent, tiles);
        tiles.swap(from, to);
    }

    fn turn(&mut self) {
        mem::swap(&mut self.present, &mut self.next);
    }

    fn shed(&mut self, left: &mut u64) {
        shed::list(&mut self.present, left);
        shed::list(&mut self.next, left);
    }

    fn bytes(shape: Shape, width: usize) -> u64 {
        2 * (width * shape.cells() * size_of::<T>()) as u64
    }
}

/// Copies a board. Copying is faster when the length is known at compile time.
#[inline(always)]
fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    match from.len() {
        25 => to[..25].copy_from_slice(&from[..25]),
        36 => to[..36].copy_from_slice(&from[..36]),
        49 => to[..49].copy_from_slice(&from[..49]),
        64 => to[..64].copy_from_slice(&from[..64]),
        _ => to.copy_from_slice(from),
    }
}
