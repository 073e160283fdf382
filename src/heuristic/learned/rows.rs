//! The changes of an estimate, laid out so that a slide reads one short piece of memory.

use super::weights::Weights;
use crate::heuristic::Slide;
use crate::puzzle::{Direction, Shape};

/// Stands for a slide over the edge.
const NO_BLOCK: u32 = u32::MAX;

/// For each cell of the blank, direction and tile that slides, a row of bytes `[cell][tile on
/// it]`: by how much each tile elsewhere changes the estimate as the slide is made. A slide costs
/// one read for each cell.
#[derive(Debug)]
pub struct Rows {
    weights: Weights,
    /// By the blank's cell and the direction: the number of the first row of the slides there.
    blocks: Box<[u32]>,
    rows: Vec<i8>,
}

impl Rows {
    /// The parts of a move that estimates are counted in.
    pub const UNIT: i32 = 16;

    /// Bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let slides = 2 * (2 * cells - shape.rows() - shape.columns());
        let blocks = cells * Direction::ALL.len() * size_of::<u32>();
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

    /// By how much a slide changes the estimate; `tiles` are those *before* it.
    #[must_use]
    #[inline]
    pub fn change(&self, tiles: &[u8], slide: Slide) -> i32 {
        let cells = tiles.len();
        let block = self.blocks[slide.to * Direction::ALL.len() + slide.direction as usize];
        let row = (block as usize + slide.tile - 1) * cells * cells;
        let row = &self.rows[row..row + cells * cells];
        row.chunks_exact(cells)
            .zip(tiles)
            .map(|(cell, &tile)| i32::from(cell[usize::from(tile)]))
            .sum()
    }
}

/// Rows in the making, one slide of one tile after the other.
#[derive(Debug)]
pub(super) struct Making {
    rows: Rows,
    /// The slides, each by the cell that the tile leaves and the one that it takes.
    slides: Vec<(usize, usize)>,
}

impl Making {
    pub(super) fn begin(weights: Weights) -> Self {
        let shape = weights.shape();
        let cells = shape.cells();
        let mut blocks = vec![NO_BLOCK; cells * Direction::ALL.len()];
        let mut slides = Vec::new();
        for to in 0..cells {
            for direction in Direction::ALL {
                if let Some(from) = shape.neighbour(to, direction.opposite()) {
                    blocks[to * Direction::ALL.len() + direction as usize] =
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
                rows: Vec::with_capacity(rows),
            },
            slides,
        }
    }

    /// Makes so many rows more; true when there are no more.
    pub(super) fn advance(&mut self, rows: u64) -> bool {
        let cells = self.rows.shape().cells();
        for _ in 0..rows {
            let row = self.rows.rows.len() / (cells * cells);
            let Some(&(from, to)) = self.slides.get(row / (cells - 1)) else {
                return true;
            };
            self.push_row(1 + row % (cells - 1), from, to);
        }
        false
    }

    pub(super) fn finish(self) -> Rows {
        self.rows
    }

    fn push_row(&mut self, tile: usize, from: usize, to: usize) {
        let Rows { weights, rows, .. } = &mut self.rows;
        let cells = weights.shape().cells();
        let begin = rows.len();
        for cell in 0..cells {
            if cell == from || cell == to {
                rows.extend((0..cells).map(|_| 0));
                continue;
            }
            rows.extend((0..cells).map(|other| {
                let gone = weights.pair(tile, from, other, cell) + weights.pair(0, to, other, cell);
                let come = weights.pair(tile, to, other, cell) + weights.pair(0, from, other, cell);
                clamp(come - gone)
            }));
        }
        // What depends on the slide alone is split between the two cells whose tiles are given
        // by the slide.
        let gone = weights.single(tile, from) + weights.single(0, to);
        let come = weights.single(tile, to) + weights.single(0, from);
        let together = weights.pair(tile, to, 0, from) - weights.pair(tile, from, 0, to);
        let change = come - gone + together;
        let part = clamp(change);
        rows[begin + to * cells] = part;
        rows[begin + from * cells + tile] = clamp(change - i32::from(part));
    }
}

/// No change of one weight is beyond this; the sum of all is what it would be without.
fn clamp(change: i32) -> i8 {
    change.clamp(-127, 127) as i8
}
