//! Hashes of boards that are updated after a slide with one multiplication.

use crate::puzzle::{Board, Dice, Shape};

/// Hashes of boards: Σ a(tile) · b(cell) modulo 2⁶⁴ over all tiles but the blank, where `a` and `b` are
/// random words. This is multilinear hashing (Carter & Wegman, 1979), kept up to date from move to move like
/// Zobrist's keys (1970). Zobrist's own table, a word for each tile on each cell, would leave no room in the
/// caches and take 2 GB on 128×128; this one takes 16 bytes a cell. The upper bits are the good ones.
#[derive(Clone, Debug)]
pub struct Hashes {
    tiles: Box<[u64]>,
    cells: Box<[u64]>,
}

impl Hashes {
    /// The hashes of boards of a shape that belong to a seed.
    #[must_use]
    pub fn new(shape: Shape, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut half = || u64::from(dice.below(u32::MAX));
        let mut words = || (0..shape.cells()).map(|_| half() << 32 | half()).collect();
        Self {
            tiles: words(),
            cells: words(),
        }
    }

    /// The hash of a board whose tiles are given row by row.
    pub fn of(&self, tiles: impl Iterator<Item = usize>) -> u64 {
        let cells = self.cells.iter();
        tiles
            .zip(cells)
            .filter(|&(tile, _)| tile != 0)
            .fold(0, |hash: u64, (tile, &cell)| {
                hash.wrapping_add(self.tiles[tile].wrapping_mul(cell))
            })
    }

    /// The hash of a board.
    #[must_use]
    pub fn of_board(&self, board: &Board) -> u64 {
        self.of(board.tiles().map(usize::from))
    }

    /// A function that returns the hash after a slide from one cell to another, given the hash before it and
    /// the tile.
    #[inline]
    pub fn after(&self, from: usize, to: usize) -> impl Fn(u64, usize) -> u64 {
        let shift = self.cells[to].wrapping_sub(self.cells[from]);
        let tiles = &*self.tiles;
        move |hash, tile| hash.wrapping_add(tiles[tile].wrapping_mul(shift))
    }

    /// The bytes that the hashes of a shape take.
    pub(super) const fn bytes(shape: Shape) -> u64 {
        16 * shape.cells() as u64
    }
}
