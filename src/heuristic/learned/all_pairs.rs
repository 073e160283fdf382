//! The weights of all pairs of tiles.

use super::file::{self, Kind};
use super::manhattan::distance;
use super::names::Transposition;
use super::weights::{PairWeights, Pairs};
use crate::puzzle::Shape;

/// The most cells of boards whose weights a file may hold: their number grows with the fourth power
/// of the number of cells.
const MAX_CELLS: usize = 100;

/// All pairs of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllPairs {}

/// A weight for each tile on each cell, and for each two tiles on their cells.
pub type Weights = PairWeights<AllPairs>;

/// Returns the number of a pair of cells, the lower one first, on a board of this many cells.
#[inline]
const fn pair_of(cells: usize, lower: usize, upper: usize) -> usize {
    lower * (2 * cells - lower - 1) / 2 + upper - lower - 1
}

/// Returns the index, in the order of [`Weights`], of the weight of two tiles on their cells, given
/// in either order.
#[inline]
pub(crate) const fn pair_place(
    cells: usize,
    (tile, cell): (usize, usize),
    (other, other_cell): (usize, usize),
) -> usize {
    if cell < other_cell {
        (pair_of(cells, cell, other_cell) * cells + tile) * cells + other
    } else {
        (pair_of(cells, other_cell, cell) * cells + other) * cells + tile
    }
}

/// Returns the pairs of cells in the order of their numbers.
pub(crate) fn pairs_of(cells: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..cells).flat_map(move |lower| (lower + 1..cells).map(move |upper| (lower, upper)))
}

impl Pairs for AllPairs {
    const KIND: Kind = Kind::Weights;
    const OLDEST: u16 = file::PLAIN;
    const GROWS_IN_TURNS: bool = true;

    fn supports(shape: Shape) -> bool {
        shape.cells() <= MAX_CELLS
    }

    fn count(shape: Shape) -> usize {
        shape.cells() * (shape.cells() - 1) / 2
    }

    fn blocks(shape: Shape) -> Vec<Option<(usize, usize)>> {
        pairs_of(shape.cells()).map(Some).collect()
    }

    fn find(shape: Shape, lower: usize, upper: usize) -> Option<usize> {
        Some(pair_of(shape.cells(), lower, upper))
    }
}

impl Weights {
    /// Returns the Manhattan distance as weights: the starting point of learning.
    #[must_use]
    pub fn manhattan(shape: Shape) -> Self {
        let cells = shape.cells();
        let singles = (0..cells * cells)
            .map(|at| distance(shape, at / cells, at % cells) as i16)
            .collect();
        let pairs = vec![0; AllPairs::count(shape) * cells * cells];
        Self::of_parts(shape, singles, pairs).expect("as many as the shape has")
    }

    /// Returns the weight of a tile on a cell together with another tile on another cell.
    #[inline]
    pub(super) fn pair(&self, tile: usize, cell: usize, other: usize, other_cell: usize) -> i32 {
        let (shape, _, pairs) = self.parts();
        let at = pair_place(shape.cells(), (tile, cell), (other, other_cell));
        i32::from(pairs[at])
    }

    /// Returns the estimate of a board, given as its tiles row by row.
    #[must_use]
    pub fn of(&self, tiles: &[u8]) -> i32 {
        let tile = |cell: usize| usize::from(tiles[cell]);
        let singles: i32 = (0..tiles.len())
            .map(|cell| self.single(tile(cell), cell))
            .sum();
        let pairs: i32 = pairs_of(tiles.len())
            .map(|(lower, upper)| self.pair(tile(lower), lower, tile(upper), upper))
            .sum();
        singles + pairs
    }

    /// Returns the same weights for transposed boards.
    #[must_use]
    pub fn transposed(&self) -> Self {
        let shape = self.shape().transposed();
        let cells = shape.cells();
        let names = Transposition::new(shape);
        let (mut singles, mut pairs) = (Vec::new(), Vec::new());
        for tile in 0..cells {
            let single = |cell| self.single(names.tiles[tile], names.cells[cell]) as i16;
            singles.extend((0..cells).map(single));
        }
        for (lower, upper) in pairs_of(cells) {
            let [lower, upper] = [names.cells[lower], names.cells[upper]];
            for tile in 0..cells {
                pairs.extend((0..cells).map(|other| {
                    self.pair(names.tiles[tile], lower, names.tiles[other], upper) as i8
                }));
            }
        }
        Self::of_parts(shape, singles, pairs).expect("as many as the shape has")
    }
}
