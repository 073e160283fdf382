//! The changes of an estimate, laid out so that a slide reads one short piece of memory.

use memmap2::MmapMut;

use super::weights::Weights;
use crate::heuristic::{Slide, huge_pages};
use crate::puzzle::{Direction, Shape};

/// Stands for a slide over the edge.
const NO_BLOCK: u32 = u32::MAX;

/// For each two cells beside each other and each tile that slides from the first to the second, a
/// row of bytes `[cell][tile on it]`: by how much each tile elsewhere changes the estimate as the
/// slide is made. A slide costs one read for each cell; the way back changes as much, the other way
/// round.
#[derive(Debug)]
pub struct Rows {
    weights: Weights,
    /// By the first cell, and whether the second is below it: the number of the first row of the
    /// slides there.
    blocks: Box<[[u32; 2]]>,
    rows: MmapMut,
}

impl Rows {
    /// The parts of a move that estimates are counted in.
    pub const UNIT: i32 = 16;

    /// Bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let slides = 2 * cells - shape.rows() - shape.columns();
        let blocks = cells * size_of::<[u32; 2]>();
        Weights::bytes(shape) + blocks + slides * (cells - 1) * cells * cells
    }

    /// The rows of weights, all at once.
    #[must_use]
    pub fn new(weights: Weights) -> Self {
        let mut making = Making::begin(weights);
        while !making.advance(u64::MAX) {}
        making.finish()
    }

    /// The shape of its boards.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.weights.shape()
    }

    /// The estimate of a board, its tiles row by row, in parts of a move.
    #[must_use]
    pub fn of(&self, tiles: &[u8]) -> i32 {
        self.weights.of(tiles)
    }

    /// How many rows there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len() / self.shape().cells().pow(2)
    }

    /// The row of a slide, and whether it is for the slide (1) or for the way back (−1).
    #[must_use]
    #[inline]
    pub fn row(&self, slide: Slide) -> (usize, i32) {
        let (first, sign) = if slide.from < slide.to {
            (slide.from, 1)
        } else {
            (slide.to, -1)
        };
        let block = self.blocks[first][usize::from(slide.direction.is_vertical())];
        (block as usize + slide.tile - 1, sign)
    }

    /// By how much the slide of a [row](Self::row) changes the estimate; `tiles` are those before the
    /// slide, or after it.
    #[must_use]
    #[inline]
    pub fn sum(&self, row: usize, tiles: &[u8]) -> i32 {
        let square = tiles.len() * tiles.len();
        let row = &self.rows[row * square..][..square];
        // A loop whose length is known is a tenth faster.
        match tiles.len() {
            25 => sum(&row.as_chunks::<25>().0[..25], &tiles[..25]),
            36 => sum(&row.as_chunks::<36>().0[..36], &tiles[..36]),
            49 => sum(&row.as_chunks::<49>().0[..49], &tiles[..49]),
            64 => sum(&row.as_chunks::<64>().0[..64], &tiles[..64]),
            cells => {
                let changes = row.chunks_exact(cells).zip(tiles);
                changes.map(|(cell, &tile)| at(cell, tile)).sum()
            }
        }
    }

    /// By how much a slide changes the estimate; `tiles` are those before it.
    #[must_use]
    #[inline]
    pub fn change(&self, tiles: &[u8], slide: Slide) -> i32 {
        let (row, sign) = self.row(slide);
        sign * self.sum(row, tiles)
    }
}

#[inline]
fn at(cell: &[u8], tile: u8) -> i32 {
    i32::from(cell[usize::from(tile)].cast_signed())
}

#[inline]
fn sum<const N: usize>(row: &[[u8; N]], tiles: &[u8]) -> i32 {
    let changes = row.iter().zip(tiles);
    changes.map(|(cell, &tile)| at(cell, tile)).sum()
}

/// Rows in the making, one slide of one tile after the other.
#[derive(Debug)]
pub(super) struct Making {
    rows: Rows,
    /// The slides, each by the cell that the tile leaves and the one after it that it takes.
    slides: Vec<(usize, usize)>,
    /// The rows made.
    made: usize,
}

impl Making {
    pub(super) fn begin(weights: Weights) -> Self {
        let shape = weights.shape();
        let cells = shape.cells();
        let mut blocks = vec![[NO_BLOCK; 2]; cells];
        let mut slides = Vec::new();
        for (from, blocks) in blocks.iter_mut().enumerate() {
            for direction in [Direction::Right, Direction::Down] {
                if let Some(to) = shape.neighbour(from, direction) {
                    blocks[usize::from(direction.is_vertical())] =
                        (slides.len() * (cells - 1)) as u32;
                    slides.push((from, to));
                }
            }
        }
        let rows = slides.len() * (cells - 1) * cells * cells;
        Self {
            rows: Rows {
                weights,
                blocks: blocks.into(),
                rows: huge_pages::zeroed(rows),
            },
            slides,
            made: 0,
        }
    }

    /// Makes so many rows more; true when there are no more.
    pub(super) fn advance(&mut self, rows: u64) -> bool {
        let cells = self.rows.shape().cells();
        for _ in 0..rows {
            let Some(&(from, to)) = self.slides.get(self.made / (cells - 1)) else {
                return true;
            };
            self.make_row(1 + self.made % (cells - 1), from, to);
            self.made += 1;
        }
        false
    }

    pub(super) fn finish(self) -> Rows {
        self.rows
    }

    /// Fills in the next row.
    fn make_row(&mut self, tile: usize, from: usize, to: usize) {
        let Rows { weights, rows, .. } = &mut self.rows;
        let cells = weights.shape().cells();
        let row = &mut rows[self.made * cells * cells..][..cells * cells];
        for (cell, changes) in row.chunks_exact_mut(cells).enumerate() {
            if cell == from || cell == to {
                continue;
            }
            for (other, change) in changes.iter_mut().enumerate() {
                let gone = weights.pair(tile, from, other, cell) + weights.pair(0, to, other, cell);
                let come = weights.pair(tile, to, other, cell) + weights.pair(0, from, other, cell);
                *change = byte(come - gone);
            }
        }
        // What depends on the slide alone is split between the two cells whose tiles are given
        // by the slide, whichever way it goes.
        let gone = weights.single(tile, from) + weights.single(0, to);
        let come = weights.single(tile, to) + weights.single(0, from);
        let together = weights.pair(tile, to, 0, from) - weights.pair(tile, from, 0, to);
        let change = come - gone + together;
        let part = change.clamp(-MOST, MOST);
        for cell in [from, to] {
            row[cell * cells] = byte(part);
            row[cell * cells + tile] = byte(change - part);
        }
    }
}

/// No change of one weight is beyond this; the sum of all is what it would be without.
const MOST: i32 = 127;

fn byte(change: i32) -> u8 {
    change.clamp(-MOST, MOST) as u8
}
