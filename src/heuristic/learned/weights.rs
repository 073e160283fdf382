//! Learned weights: a number for each tile on each cell, and one for each two tiles on their cells.

use super::file::{self, Kind, Stored, WeightsError};
use super::lift::{self, Line};
use super::manhattan::{self, distance};
use super::mean::mean;
use super::names::Transposition;
use crate::puzzle::Shape;

/// The most cells of boards whose weights a file may hold: their number grows with the fourth power
/// of the number of cells.
const MAX_CELLS: usize = 100;

/// The weights for boards of a shape with the blank's home in the last cell, in parts of a move
/// ([`Self::UNIT`]). The estimate of a board is the sum of the weights of its
/// tiles and of its pairs of tiles, where the blank counts as a tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights {
    shape: Shape,
    /// `[tile][cell]`.
    singles: Box<[i16]>,
    /// `[pair of cells, the lower one first][tile on the lower][tile on the other]`.
    pairs: Box<[i8]>,
}

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

impl Weights {
    /// The parts of a move in which estimates are counted.
    pub const UNIT: i32 = manhattan::UNIT;

    /// Returns the Manhattan distance as weights: the starting point of learning.
    #[must_use]
    pub fn manhattan(shape: Shape) -> Self {
        let cells = shape.cells();
        let singles = (0..cells * cells)
            .map(|at| distance(shape, at / cells, at % cells) as i16)
            .collect();
        let pairs = vec![0; Self::pair_count(shape) * cells * cells];
        Self::of_parts(shape, singles, pairs).expect("as many as the shape has")
    }

    /// Returns the number of pairs of cells of a shape.
    pub(super) const fn pair_count(shape: Shape) -> usize {
        shape.cells() * (shape.cells() - 1) / 2
    }

    /// Returns the shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the weight of a tile on a cell.
    #[inline]
    pub(super) fn single(&self, tile: usize, cell: usize) -> i32 {
        i32::from(self.singles[tile * self.shape.cells() + cell])
    }

    /// Returns the weights `[tile on the lower][tile on the other]` of a pair of cells.
    #[inline]
    pub(super) fn block(&self, pair: usize) -> &[i8] {
        let squared = self.shape.cells() * self.shape.cells();
        &self.pairs[pair * squared..][..squared]
    }

    /// Returns the weight of a tile on a cell together with another tile on another cell.
    #[inline]
    pub(super) fn pair(&self, tile: usize, cell: usize, other: usize, other_cell: usize) -> i32 {
        let at = pair_place(self.shape.cells(), (tile, cell), (other, other_cell));
        i32::from(self.pairs[at])
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
        let shape = self.shape.transposed();
        let cells = shape.cells();
        let names = Transposition::new(shape);
        let mut singles = Vec::with_capacity(self.singles.len());
        for tile in 0..cells {
            let image = names.tiles[tile];
            singles.extend((0..cells).map(|cell| self.singles[image * cells + names.cells[cell]]));
        }
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for (lower, upper) in pairs_of(cells) {
            let [lower, upper] = [names.cells[lower], names.cells[upper]];
            for tile in 0..cells {
                pairs.extend((0..cells).map(|other| {
                    self.pair(names.tiles[tile], lower, names.tiles[other], upper) as i8
                }));
            }
        }
        Self {
            shape,
            singles: singles.into(),
            pairs: pairs.into(),
        }
    }

    /// Returns the bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let squared = shape.cells() * shape.cells();
        squared * size_of::<i16>() + Self::pair_count(shape) * squared
    }

    /// Returns the weights for boards with a line more or less, computed at once, or `None` if
    /// there is no such shape. Boards with fewer than five lines in that direction get worse
    /// weights.
    #[must_use]
    pub fn lifted(self, line: Line) -> Option<Self> {
        lift::lifted(self, line)
    }

    /// Returns the mean of weights, rounded.
    ///
    /// # Panics
    /// If there are none, or if they are of different shapes.
    #[must_use]
    pub fn mean(weights: &[Self]) -> Self {
        mean(weights)
    }

    /// Returns the weights for boards of another shape.
    #[must_use]
    pub fn fit(self, shape: Shape) -> Self {
        lift::fit(self, shape)
    }

    /// Encodes the weights. On square boards, the weights of two pairs that are each other's image
    /// in the diagonal are stored once.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        file::to_bytes(self)
    }

    /// Decodes weights.
    ///
    /// # Errors
    /// If the bytes are not what [`Self::to_bytes`] makes, with the present or the previous layout.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        file::from_bytes(bytes)
    }
}

impl Stored for Weights {
    const KIND: Kind = Kind::Weights;
    const OLDEST: u16 = file::PLAIN;
    const GROWS_IN_TURNS: bool = true;

    fn supports(shape: Shape) -> bool {
        shape.cells() <= MAX_CELLS
    }

    fn pairs(shape: Shape) -> Vec<Option<(usize, usize)>> {
        pairs_of(shape.cells()).map(Some).collect()
    }

    fn find(shape: Shape, lower: usize, upper: usize) -> Option<usize> {
        Some(pair_of(shape.cells(), lower, upper))
    }

    fn parts(&self) -> (Shape, &[i16], &[i8]) {
        (self.shape, &self.singles, &self.pairs)
    }

    fn bytes(shape: Shape) -> usize {
        Self::bytes(shape)
    }

    fn of_parts(shape: Shape, singles: Vec<i16>, pairs: Vec<i8>) -> Option<Self> {
        let squared = shape.cells().pow(2);
        let fits = singles.len() == squared && pairs.len() == Self::pair_count(shape) * squared;
        fits.then(|| Self {
            shape,
            singles: singles.into(),
            pairs: pairs.into(),
        })
    }
}
