//! Boards as nodes hold them.

use std::ops::BitXor;

use crate::heuristic::pattern_database::{Bytes, RowEntry};
use crate::puzzle::Board;

/// A board of a limited size, as a node holds it.
pub trait Grid: Copy + Send + Sync + 'static {
    /// The row numbers of its tables.
    type Entry: RowEntry;
    /// A set of cells.
    type Cells: Copy + Send + Sync + Into<u32> + TryFrom<u32> + BitXor<Output = Self::Cells>;

    /// The most cells between a cell and the one below it, in reading order.
    const PASSED: usize;

    /// The board as a node holds it.
    fn new(board: &Board) -> Self;
    /// The tile on a cell.
    fn tile(&self, cell: usize) -> usize;
    /// Exchanges a tile and the blank.
    fn slide(&mut self, tile: usize, from: usize, to: usize);
}

/// Boards of at most 16 cells: four bits a cell.
#[derive(Clone, Copy, Debug)]
pub struct Small(u64);

impl Grid for Small {
    type Entry = u64;
    type Cells = u16;

    const PASSED: usize = 3;

    fn new(board: &Board) -> Self {
        Self(board.packed())
    }

    #[inline]
    fn tile(&self, cell: usize) -> usize {
        (self.0 >> (4 * cell) & 15) as usize
    }

    #[inline]
    fn slide(&mut self, tile: usize, from: usize, to: usize) {
        self.0 ^= (tile as u64) << (4 * from) | (tile as u64) << (4 * to);
    }
}

/// Boards of at most 25 cells: a byte a cell, padded to a power of two.
#[derive(Clone, Copy, Debug)]
pub struct Large([u8; 32]);

impl Grid for Large {
    type Entry = Bytes;
    type Cells = u32;

    const PASSED: usize = 4;

    fn new(board: &Board) -> Self {
        let mut cells = [0; 32];
        for (cell, tile) in cells.iter_mut().zip(board.tiles()) {
            *cell = tile as u8;
        }
        Self(cells)
    }

    #[inline]
    fn tile(&self, cell: usize) -> usize {
        usize::from(self.0[cell % 32])
    }

    #[inline]
    fn slide(&mut self, tile: usize, from: usize, to: usize) {
        self.0[from % 32] = 0;
        self.0[to % 32] = tile as u8;
    }
}

/// A set of cells that the grid has.
#[inline]
pub(super) fn cells<G: Grid>(bits: u32) -> G::Cells {
    let Ok(cells) = bits.try_into() else {
        unreachable!("no cells beyond the grid");
    };
    cells
}
