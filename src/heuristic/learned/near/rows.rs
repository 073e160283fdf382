//! The changes of an estimate by tiles near each other, laid out so that a slide reads few bytes.

use std::ops::Range;

use memmap2::MmapMut;

use super::REACH;
use super::weights::NearWeights;
use crate::heuristic::learned::Changes;
use crate::heuristic::learned::rows::{NAMES, byte};
use crate::heuristic::learned::slides::Slides;
use crate::heuristic::{Tiles, huge_pages};
use crate::puzzle::{Direction, Shape};

/// The cells that stand together in a row, and how many groups of them: at most 16 cells are near one of two beside
/// each other, these left out.
const GROUP: usize = 8;
const GROUPS: usize = 2;

/// Cells by their groups.
type Cells = [[u8; GROUP]; GROUPS];

/// For each two cells beside each other and each tile that slides from the first to the second, a
/// row of bytes: by how much each tile that stands near changes the estimate as the slide is made; and by how
/// much the slide itself does. The way back changes as much, the other way round.
///
/// A row is `[group of near cells][tile][cell of the group]`, so that a line of the cache holds tiles of near homes on
/// near cells.
#[derive(Debug)]
pub struct NearRows {
    shape: Shape,
    slides: Slides,
    /// By slide, the cells near the two; the same again where there are fewer, for which no tile changes anything.
    near: Box<[Cells]>,
    /// `[slide][tile]`: the changes by the slides alone.
    alone: Box<[i16]>,
    /// After the last row there is room for what is looked up of [`NAMES`] tiles there.
    rows: MmapMut,
}

impl NearRows {
    /// Bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let slides = Slides::count(shape);
        let blocks = Slides::bytes(shape) + slides * size_of::<Cells>();
        let rows = slides * (cells - 1) * (row_bytes(cells) + size_of::<i16>());
        blocks + rows + NAMES * GROUP
    }

    /// The rows of weights, all at once.
    #[must_use]
    pub fn new(weights: NearWeights) -> Self {
        Making::all(weights).finish().0
    }

    /// How many rows there are.
    pub(super) const fn count(&self) -> usize {
        self.alone.len()
    }

    /// The shape of its boards.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The changes by slides onto a cell in a direction.
    ///
    /// # Panics
    /// When there is no such cell.
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
            rows: &self.rows.as_chunks().0[first * GROUPS * cells..],
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
    rows: &'a [[u8; GROUP]],
}

impl Between<'_> {
    /// By how much the slide of a tile changes the estimate, in parts of a move; `tiles` are those before the
    /// slide, or after it.
    #[must_use]
    #[inline]
    pub fn change(&self, tile: usize, tiles: impl Tiles) -> i32 {
        self.sign * self.sum(tile, tiles)
    }

    /// The same, times the sign.
    #[inline]
    fn sum(&self, tile: usize, tiles: impl Tiles) -> i32 {
        let cells = self.cells;
        // As far as is looked up, checked once.
        let row = &self.rows[(tile - 1) * GROUPS * cells..][..(GROUPS - 1) * cells + NAMES];
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

    #[inline]
    fn sum(&self, tile: usize, tiles: &[u8]) -> i32 {
        self.sum(tile, tiles)
    }
}

/// The bytes of a row.
const fn row_bytes(cells: usize) -> usize {
    GROUPS * cells * GROUP
}

/// Rows in the making, one slide of one tile after the other.
pub(super) struct Making {
    weights: NearWeights,
    rows: NearRows,
    /// The slides, each by the cell that the tile leaves and the one after it that it takes.
    ends: Vec<(usize, usize)>,
    /// The rows made.
    made: usize,
}

impl Making {
    pub(super) fn begin(weights: NearWeights) -> Self {
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
                rows: huge_pages::zeroed(rows * row_bytes(cells) + NAMES * GROUP),
            },
            weights,
            ends,
            made: 0,
        }
    }

    /// All rows made.
    pub(super) fn all(weights: NearWeights) -> Self {
        let mut making = Self::begin(weights);
        while !making.advance(u64::MAX) {}
        making
    }

    /// Makes so many rows more; true when there are no more.
    pub(super) fn advance(&mut self, rows: u64) -> bool {
        let tiles = self.rows.shape.cells() - 1;
        for _ in 0..rows {
            let number = self.made / tiles;
            let Some(&(from, to)) = self.ends.get(number) else {
                return true;
            };
            self.make_row(1 + self.made % tiles, number, from, to);
            self.made += 1;
        }
        false
    }

    /// The rows, and the weights that they are of.
    pub(super) fn finish(self) -> (NearRows, NearWeights) {
        (self.rows, self.weights)
    }

    /// Fills in the next row.
    fn make_row(&mut self, tile: usize, number: usize, from: usize, to: usize) {
        let weights = &self.weights;
        let cells = weights.shape().cells();
        let bytes = row_bytes(cells);
        let row = &mut self.rows.rows[self.made * bytes..][..bytes];
        let near = self.rows.near[number].as_flattened();
        for (place, &cell) in near.iter().enumerate() {
            let cell = usize::from(cell);
            if cell == from {
                continue;
            }
            let mut changes = [0; NAMES];
            for (sign, tile, on) in [(-1, tile, from), (-1, 0, to), (1, tile, to), (1, 0, from)] {
                let Some(weight) = weights.pairs(tile, on, cell) else {
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
        self.rows.alone[self.made] = (come - gone + together) as i16;
    }
}

/// The cells near one of two others; filled up with the first of these.
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
