//! The changes of an estimate, laid out so that a slide reads one short piece of memory.

use std::ops::Range;

use memmap2::MmapMut;

use super::all_pairs::{AllPairs, Weights};
use super::making::RowBuilder;
use super::network::Network;
use super::ranking::{Changes, Ranking, goal};
use super::slides::Slides;
use super::to_make::{RowsToMake, ToMake};
use crate::heuristic::huge_pages;
use crate::puzzle::{Direction, Shape};

/// The number of tiles that a byte can name. If this many can be looked up, none needs to be
/// checked.
pub(super) const NAMES: usize = 256;

/// The cells of a group. A row holds the bytes for their tiles in the same few cache lines.
pub(super) const GROUP: usize = 4;

/// The bytes after a row that can safely be read.
pub(super) const SLACK: usize = NAMES * GROUP;

/// For each two neighbouring cells and each tile that slides from the first to the second, a row of
/// bytes: how much each tile elsewhere contributes to the change of the estimate by the slide. A
/// slide costs one read per cell. The opposite slide changes the estimate by the same amount with
/// the opposite sign.
///
/// A row is `[group of cells][tile][cell of the group]`, so that a cache line holds tiles with
/// homes near each other on cells near each other: a board reads fewer lines than it would by
/// `[cell][tile]`.
#[derive(Debug)]
pub struct Rows {
    weights: Weights,
    /// The estimate of the goal.
    goal: i32,
    slides: Slides,
    network: Option<Box<Network>>,
    /// The last row is followed by [`SLACK`] bytes.
    rows: MmapMut,
}

impl Rows {
    /// Returns the bytes held for a shape, without a network.
    #[must_use]
    pub fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let rows = Slides::count(shape) * (cells - 1) * row_bytes(cells);
        Weights::bytes(shape) + Slides::bytes(shape) + rows + SLACK
    }

    /// Creates the rows of weights, all at once.
    #[must_use]
    pub fn new(weights: Weights) -> Self {
        let last = weights.shape().cells() - 1;
        Self::at_home(weights, last)
    }

    /// Creates the rows for goals with the blank's home on a cell. Beams name tiles by the goal that
    /// results when the blank goes right and then down to the last.
    #[must_use]
    pub fn at_home(weights: Weights, home: usize) -> Self {
        TableBuilder::all(weights.at_home(home), home).finish()
    }
}

/// The sum over the goal's pairs need not be zero, least of all where lines were removed. The last
/// boards of a solution come near to this fraction of it.
const AT_THE_END: f32 = 0.9;

/// The moves to go grow as this power of the sum.
const POWER: f32 = 0.96;

/// Returns the factor of that. On boards of two or three lines, whose weights are those of squares
/// with lines removed, a tile is in more tiles' way.
fn factor(shape: Shape) -> f32 {
    1.12 + 2.0 / (shape.rows().min(shape.columns()) as f32).powi(2)
}

impl Ranking for Rows {
    type Between<'a> = Between<'a>;

    fn shape(&self) -> Shape {
        self.weights.shape()
    }

    fn network(&self) -> Option<&Network> {
        self.network.as_deref()
    }

    fn set_network(&mut self, network: Network) {
        assert_eq!(network.shape(), self.shape(), "for the same boards");
        self.network = Some(Box::new(network));
    }

    fn of(&self, tiles: &[u8]) -> i32 {
        self.weights.of(tiles)
    }

    fn moves(&self, pairs: i32) -> i32 {
        let above = (pairs as f32 - AT_THE_END * self.goal as f32).max(0.0) / Weights::UNIT as f32;
        (factor(self.shape()) * above.powf(POWER) * Weights::UNIT as f32) as i32
    }

    fn count(&self) -> usize {
        (self.rows.len() - SLACK) / row_bytes(self.shape().cells())
    }

    #[inline]
    fn between(&self, to: usize, direction: Direction) -> Between<'_> {
        let (number, sign) = self.slides.number(to, direction);
        let cells = self.shape().cells();
        let first = number * (cells - 1);
        Between {
            first,
            sign,
            cells,
            rows: &self.rows[first * row_bytes(cells)..],
        }
    }
}

/// The rows of the slides between two cells, in the order of the tiles.
#[derive(Clone, Copy, Debug)]
pub struct Between<'a> {
    first: usize,
    sign: i32,
    cells: usize,
    rows: &'a [u8],
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
        let cells = self.cells;
        let row = self.row(tile);
        // A loop of known length is a tenth faster.
        let sum = match cells {
            25 => sum(row, 25, &tiles[..25]),
            36 => sum(row, 36, &tiles[..36]),
            _ => sum(row, cells, &tiles[..cells]),
        };
        sum - self.bias()
    }
}

impl Between<'_> {
    #[inline]
    fn row(&self, tile: usize) -> &[u8] {
        let bytes = row_bytes(self.cells);
        &self.rows[(tile - 1) * bytes..][..bytes + SLACK]
    }

    /// Returns by how much the sum of a row's bytes exceeds the change.
    #[inline]
    const fn bias(&self) -> i32 {
        BIAS as i32 * self.cells as i32
    }
}

/// The byte that stands for no change.
const BIAS: u8 = 128;

/// Returns the bytes of a group of cells: [`GROUP`] for each tile.
pub(super) const fn group_bytes(cells: usize) -> usize {
    cells * GROUP
}

/// Returns the bytes of a row.
pub(super) const fn row_bytes(cells: usize) -> usize {
    cells.div_ceil(GROUP) * group_bytes(cells)
}

/// Returns the sum of a row's bytes for a board, which is too large by [`BIAS`] for each cell. The
/// sum is taken group by group, because each addition waits for the one before.
#[inline(always)]
fn sum(row: &[u8], cells: usize, tiles: &[u8]) -> i32 {
    // The range that is looked up, checked once.
    let row = &row.as_chunks::<GROUP>().0[..tiles.len() / GROUP * cells + NAMES];
    let (groups, rest) = tiles.as_chunks::<GROUP>();
    let whole = groups.iter().enumerate();
    let whole: i32 = whole
        .map(|(at, tiles)| group(&row[at * cells..], tiles))
        .sum();
    whole + group(&row[groups.len() * cells..], rest)
}

#[inline(always)]
fn group(row: &[[u8; GROUP]], tiles: &[u8]) -> i32 {
    let row = row.first_chunk::<NAMES>();
    let row = row.expect("there is room for as many");
    let tiles = tiles.iter().enumerate();
    let changes = tiles.map(|(cell, &tile)| row[usize::from(tile)][cell % GROUP]);
    changes.map(i32::from).sum()
}

/// Rows under construction, one slide of one tile after the other.
#[derive(Debug)]
pub(super) struct TableBuilder {
    rows: Rows,
    left: RowsToMake,
}

impl RowBuilder for TableBuilder {
    type Pairs = AllPairs;

    fn bytes(shape: Shape) -> usize {
        Rows::bytes(shape)
    }

    fn begin(weights: Weights, home: usize) -> Self {
        let shape = weights.shape();
        let cells = shape.cells();
        let (slides, ends) = Slides::new(shape);
        let rows = ends.len() * (cells - 1) * row_bytes(cells);
        Self {
            rows: Rows {
                goal: weights.of(&goal(shape, home)),
                weights,
                slides,
                network: None,
                rows: huge_pages::zeroed(rows + SLACK),
            },
            left: RowsToMake::new(ends, cells - 1),
        }
    }

    fn left(&mut self) -> &mut RowsToMake {
        &mut self.left
    }

    fn make(&mut self, row: ToMake) {
        let ToMake {
            number,
            tile,
            from,
            to,
            ..
        } = row;
        let Rows { weights, rows, .. } = &mut self.rows;
        let cells = weights.shape().cells();
        let bytes = row_bytes(cells);
        let row = &mut rows[number * bytes..][..bytes];
        let place = |cell, tile| cell / GROUP * group_bytes(cells) + tile * GROUP + cell % GROUP;
        for cell in 0..cells {
            for other in 0..cells {
                let is_given = cell == from || cell == to;
                let pair = |tile, home| {
                    if is_given {
                        0
                    } else {
                        weights.pair(tile, home, other, cell)
                    }
                };
                let gone = pair(tile, from) + pair(0, to);
                let come = pair(tile, to) + pair(0, from);
                row[place(cell, other)] = byte(come - gone) ^ BIAS;
            }
        }
        // What depends on the slide alone is split between the two cells whose tiles the slide
        // determines, whichever way it goes.
        let gone = weights.single(tile, from) + weights.single(0, to);
        let come = weights.single(tile, to) + weights.single(0, from);
        let together = weights.pair(tile, to, 0, from) - weights.pair(tile, from, 0, to);
        let change = come - gone + together;
        let part = change.clamp(-MOST, MOST);
        for cell in [from, to] {
            row[place(cell, 0)] = byte(part) ^ BIAS;
            row[place(cell, tile)] = byte(change - part) ^ BIAS;
        }
    }
}

impl TableBuilder {
    pub(super) fn finish(self) -> Rows {
        self.rows
    }
}

/// The most that a byte of a row can stand for, in either direction. What the slide alone changes may
/// be twice as much: it takes two bytes.
const MOST: i32 = 127;

/// Returns a change as a byte of a row, clamped.
pub(super) fn byte(change: i32) -> u8 {
    change.clamp(-MOST, MOST) as u8
}
