//! The changes of an estimate by tiles near each other, laid out so that a slide reads few bytes.

use std::ops::Range;

use memmap2::MmapMut;

use super::REACH;
use super::lookup;
use super::pairs::{NearPairs, NearWeights};
use super::row::{Cells, GROUP, GROUPS, SLACK, row_bytes};
use crate::heuristic::learned::lookup::Lookup;
use crate::heuristic::learned::making::RowBuilder;
use crate::heuristic::learned::ranking::one_after_the_other;
use crate::heuristic::learned::rows::{NAMES, byte};
use crate::heuristic::learned::slides::Slides;
use crate::heuristic::learned::to_make::{RowsToMake, ToMake};
use crate::heuristic::learned::{Changes, TOGETHER};
use crate::heuristic::{Tiles, huge_pages};
use crate::puzzle::{Direction, Shape};

/// Fewer boards are not worth looking up together.
const FEW: usize = 4;

/// For each two neighbouring cells and each tile that slides from the first to the second, a row of
/// bytes: how much each tile that stands near contributes to the change of the estimate by the
/// slide; and the change by the slide itself. The opposite slide changes the estimate by the same
/// amount with the opposite sign.
///
/// A row is `[group of near cells][tile][cell of the group]`, so that a cache line holds tiles with
/// homes near each other on cells near each other.
#[derive(Debug)]
pub struct NearRows {
    shape: Shape,
    slides: Slides,
    /// By slide, the cells near its two cells. If there are fewer, the slide's first cell fills the
    /// rest, and no tile on it changes anything.
    near: Box<[Cells]>,
    /// `[slide][tile]`: the changes by the slides alone.
    alone: Box<[i16]>,
    /// The last row is followed by [`SLACK`] bytes.
    rows: MmapMut,
    lookup: Option<Lookup>,
}

impl NearRows {
    /// Returns the bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let slides = Slides::count(shape);
        let blocks = Slides::bytes(shape) + slides * size_of::<Cells>();
        let rows = slides * (cells - 1) * (row_bytes(cells) + size_of::<i16>());
        blocks + rows + SLACK
    }

    /// Creates the rows of weights, all at once.
    #[must_use]
    pub fn new(weights: NearWeights) -> Self {
        let last = weights.shape().cells() - 1;
        TableBuilder::all(weights, last).finish().0
    }

    /// Returns the number of rows.
    pub(super) const fn count(&self) -> usize {
        self.alone.len()
    }

    /// Returns the shape of its boards.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the changes by slides onto a cell in a direction.
    ///
    /// # Panics
    /// If there is no such cell.
    #[must_use]
    #[inline]
    pub fn between(&self, to: usize, direction: Direction) -> Between<'_> {
        let (number, sign) = self.slides.number(to, direction);
        let (cells, tiles) = (self.shape.cells(), self.shape.cells() - 1);
        let first = number * tiles;
        Between {
            first,
            sign,
            cells,
            near: &self.near[number],
            alone: &self.alone[first..][..tiles],
            rows: &self.rows[first * row_bytes(cells)..],
            lookup: self.lookup,
        }
    }
}

/// The changes by slides between two cells.
#[derive(Clone, Copy, Debug)]
pub struct Between<'a> {
    first: usize,
    sign: i32,
    cells: usize,
    near: &'a Cells,
    alone: &'a [i16],
    rows: &'a [u8],
    lookup: Option<Lookup>,
}

impl Between<'_> {
    /// Returns the change of the estimate by the slide of a tile, in parts of a move. `tiles` is
    /// the board before the slide, or after it.
    #[must_use]
    #[inline]
    pub fn change(&self, tile: usize, tiles: impl Tiles) -> i32 {
        self.sign * self.sum(tile, tiles)
    }

    /// Returns the row of a tile, and as much as may be read beyond it.
    #[inline]
    fn row(&self, tile: usize) -> &[u8] {
        let bytes = row_bytes(self.cells);
        &self.rows[(tile - 1) * bytes..][..bytes + SLACK]
    }

    /// Returns the change times the sign.
    #[inline(always)]
    fn sum(&self, tile: usize, tiles: impl Tiles) -> i32 {
        let cells = self.cells;
        let row = self.row(tile).as_chunks::<GROUP>().0;
        let mut sum = i32::from(self.alone[tile - 1]);
        for (group, near) in self.near.iter().enumerate() {
            let row = row[group * cells..].first_chunk::<NAMES>();
            let row = row.expect("there is room after the last row");
            for (place, &cell) in near.iter().enumerate() {
                let change = row[tiles.tile(cell.into())][place].cast_signed();
                sum += i32::from(change);
            }
        }
        sum
    }
}

impl Changes for Between<'_> {
    #[inline]
    fn numbers(&self) -> Range<usize> {
        self.first..self.first + self.cells - 1
    }

    #[inline]
    fn sign(&self) -> i32 {
        self.sign
    }

    #[inline(always)]
    fn sum(&self, tile: usize, tiles: &[u8]) -> i32 {
        self.sum(tile, tiles)
    }

    #[inline]
    fn are_looked_up_together(&self) -> bool {
        self.lookup.is_some()
    }

    #[inline(always)]
    fn sums(
        &self,
        tile: usize,
        boards: &[u8],
        nodes: &[u32; TOGETHER],
        next: usize,
        sums: &mut [i32],
    ) {
        match self.lookup {
            Some(proof) if sums.len() >= FEW => {
                let (row, next) = (self.row(tile), self.row(next));
                let numbers = (nodes, sums.len());
                let found = lookup::sums(proof, row, self.near, self.cells, boards, numbers, next);
                for (sum, found) in sums.iter_mut().zip(found) {
                    *sum = i32::from(self.alone[tile - 1]) + found;
                }
            }
            _ => one_after_the_other(self, tile, boards, nodes, sums),
        }
    }
}

/// Rows under construction, one slide of one tile after the other.
pub(super) struct TableBuilder {
    weights: NearWeights,
    home: usize,
    rows: NearRows,
    left: RowsToMake,
}

impl RowBuilder for TableBuilder {
    type Pairs = NearPairs;

    fn bytes(shape: Shape) -> usize {
        NearRows::bytes(shape) + NearWeights::bytes(shape)
    }

    fn begin(weights: NearWeights, home: usize) -> Self {
        let shape = weights.shape();
        let cells = shape.cells();
        let (slides, ends) = Slides::new(shape);
        let near = ends.iter().map(|&(from, to)| near_cells(shape, from, to));
        let rows = ends.len() * (cells - 1);
        Self {
            rows: NearRows {
                shape,
                slides,
                near: near.collect(),
                alone: vec![0; rows].into(),
                lookup: Lookup::available().filter(|_| cells <= lookup::MOST),
                rows: huge_pages::zeroed(rows * row_bytes(cells) + SLACK),
            },
            weights,
            home,
            left: RowsToMake::new(ends, cells - 1),
        }
    }

    fn left(&mut self) -> &mut RowsToMake {
        &mut self.left
    }

    fn make(&mut self, row: ToMake) {
        let ToMake {
            number,
            slide,
            tile,
            from,
            to,
        } = row;
        let weights = &self.weights;
        let cells = weights.shape().cells();
        let bytes = row_bytes(cells);
        let row = &mut self.rows.rows[number * bytes..][..bytes];
        let near = self.rows.near[slide].as_flattened();
        for (place, &cell) in near.iter().enumerate() {
            let cell = usize::from(cell);
            if cell == from {
                continue;
            }
            let mut changes = [0; NAMES];
            for (sign, tile, on) in [(-1, tile, from), (-1, 0, to), (1, tile, to), (1, 0, from)] {
                let Some(weight) = weights.with_others(tile, on, cell) else {
                    continue;
                };
                for (other, change) in changes[..cells].iter_mut().enumerate() {
                    *change += sign * weight(other);
                }
            }
            let (group, place) = (place / GROUP, place % GROUP);
            for (other, change) in changes[..cells].iter().enumerate() {
                let at = (group * cells + other) * GROUP + place;
                row[at] = byte(*change);
            }
        }
        let gone = weights.single(tile, from) + weights.single(0, to);
        let come = weights.single(tile, to) + weights.single(0, from);
        let together = weights.pair(tile, to, 0, from) - weights.pair(tile, from, 0, to);
        self.rows.alone[number] = (come - gone + together) as i16;
    }
}

impl TableBuilder {
    /// Returns the blank's home that the rows are for.
    pub(super) const fn home(&self) -> usize {
        self.home
    }

    /// Returns the rows, and the weights that they are made of.
    pub(super) fn finish(self) -> (NearRows, NearWeights) {
        (self.rows, self.weights)
    }
}

/// Returns the cells near one of two cells, padded with the first of the two.
fn near_cells(shape: Shape, from: usize, to: usize) -> Cells {
    let is_near = |cell: usize, other: usize| shape.distance(cell, other) <= REACH;
    let cells = (0..shape.cells()).filter(|&cell| cell != from && cell != to);
    let near = cells.filter(|&cell| is_near(cell, from) || is_near(cell, to));
    let mut places = [[from as u8; GROUP]; GROUPS];
    for (place, cell) in places.as_flattened_mut().iter_mut().zip(near) {
        *place = cell as u8;
    }
    places
}
