//! The weights of tiles that are near each other.

use super::shapes::{supports, supports_whole};
use crate::heuristic::learned::file::{self, Kind, Stored, WeightsError};
use crate::heuristic::learned::lift::{self, Line};
use crate::heuristic::learned::mean::mean;
use crate::heuristic::learned::weights::Weights;
use crate::puzzle::Shape;

/// The offsets from a cell to the cells after it that are [near](super::REACH) it, as (rows down,
/// columns to the right).
const OFFSETS: [(usize, isize); 6] = [(0, 1), (0, 2), (1, -1), (1, 0), (1, 1), (2, 0)];

/// The number of offsets.
const OFFSET_COUNT: usize = OFFSETS.len();

/// A weight for each tile on each cell, and for each two tiles on two cells that are near each
/// other. The blank counts as a tile that belongs on the last cell. The sum of the weights ranks
/// boards of the shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearWeights {
    shape: Shape,
    /// `[tile][cell]`.
    singles: Box<[i16]>,
    /// `[cell][offset to the other][tile on the cell][tile on the other]`; unused where there is no
    /// other cell.
    pairs: Box<[i8]>,
}

impl NearWeights {
    /// Takes the weights of tiles and of near pairs from the weights of all pairs.
    #[must_use]
    pub fn of(weights: &Weights) -> Self {
        let (shape, singles, _) = weights.parts();
        let squared = shape.cells().pow(2);
        let mut pairs = Vec::with_capacity(Self::pair_count(shape) * squared);
        for pair in Self::pairs(shape) {
            match pair {
                Some((lower, upper)) => {
                    pairs.extend(weights.block(Weights::number(shape, lower, upper)));
                }
                None => pairs.resize(pairs.len() + squared, 0),
            }
        }
        Self::of_parts(shape, singles.to_vec(), pairs).expect("as many as the shape has")
    }

    /// Returns the number of blocks of weights of pairs, including those without a second cell.
    const fn pair_count(shape: Shape) -> usize {
        shape.cells() * OFFSET_COUNT
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

    /// Returns the weights `[tile on the cell][tile on the other]` of a cell and the one at an
    /// offset.
    #[inline]
    fn block(&self, cell: usize, offset: usize) -> &[i8] {
        let squared = self.shape.cells().pow(2);
        &self.pairs[(cell * OFFSET_COUNT + offset) * squared..][..squared]
    }

    /// Returns the weights of a tile on a cell with each other tile on another cell, if the cells
    /// are near each other.
    #[inline]
    pub(super) fn with_others(
        &self,
        tile: usize,
        cell: usize,
        other: usize,
    ) -> Option<impl Fn(usize) -> i32> {
        let cells = self.shape.cells();
        let (first, second) = (cell.min(other), cell.max(other));
        let block = self.block(first, offset_of(self.shape, first, second)?);
        let (start, step) = if cell < other {
            (tile * cells, 1)
        } else {
            (tile, cells)
        };
        Some(move |other: usize| i32::from(block[start + step * other]))
    }

    /// Returns the weight of a tile on a cell together with another tile on another cell.
    pub(super) fn pair(&self, tile: usize, cell: usize, other: usize, other_cell: usize) -> i32 {
        let weights = self.with_others(tile, cell, other_cell);
        weights.map_or(0, |weight| weight(other))
    }

    /// Returns the sum of the weights of a board, given as its tiles row by row, in parts of a move
    /// ([`Weights::UNIT`](crate::heuristic::learned::Weights::UNIT)).
    #[must_use]
    pub fn of_board(&self, tiles: &[u8]) -> i32 {
        let (rows, columns) = (self.shape.rows(), self.shape.columns());
        let cells = self.shape.cells();
        let mut sum = 0;
        for (row, line) in tiles.chunks_exact(columns).enumerate() {
            for (column, &tile) in line.iter().enumerate() {
                let (cell, tile) = (row * columns + column, usize::from(tile));
                sum += self.single(tile, cell);
                for (offset, (down, right)) in OFFSETS.into_iter().enumerate() {
                    let other_column = column.wrapping_add_signed(right);
                    if row + down < rows && other_column < columns {
                        let other = tiles[(row + down) * columns + other_column];
                        let weights = &self.block(cell, offset)[tile * cells..][..cells];
                        sum += i32::from(weights[usize::from(other)]);
                    }
                }
            }
        }
        sum
    }

    /// Returns the bytes held for a shape.
    pub(super) const fn bytes(shape: Shape) -> usize {
        let squared = shape.cells() * shape.cells();
        squared * (size_of::<i16>() + Self::pair_count(shape))
    }

    /// Returns the weights for boards with a line more or less, computed at once, or `None` if
    /// there is no such shape.
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
    /// If the bytes are not what [`Self::to_bytes`] makes, or of a shape that is supported neither
    /// [for stages](super::supports) nor, landscape on its longer side, for
    /// [whole boards](super::supports_whole).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        file::from_bytes(bytes)
    }
}

impl Stored for NearWeights {
    const KIND: Kind = Kind::NearWeights;
    const OLDEST: u16 = file::VERSION;
    const GROWS_IN_TURNS: bool = false;

    fn supports(shape: Shape) -> bool {
        supports(shape) || supports_whole(shape) && shape.rows() <= shape.columns()
    }

    fn pairs(shape: Shape) -> Vec<Option<(usize, usize)>> {
        let block = |cell, offset| Some((cell, other_of(shape, cell, offset)?));
        (0..shape.cells())
            .flat_map(|cell| (0..OFFSET_COUNT).map(move |offset| block(cell, offset)))
            .collect()
    }

    fn find(shape: Shape, lower: usize, upper: usize) -> Option<usize> {
        let offset = offset_of(shape, lower, upper)?;
        Some(lower * OFFSET_COUNT + offset)
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

/// Returns the cell at an offset from another, if the board has it.
#[inline]
fn other_of(shape: Shape, cell: usize, offset: usize) -> Option<usize> {
    let (down, right) = OFFSETS[offset];
    let row = shape.row(cell) + down;
    let column = shape.column(cell).checked_add_signed(right)?;
    (row < shape.rows() && column < shape.columns()).then(|| shape.cell(row, column))
}

/// Returns the offset from a cell to one after it, if they are near each other.
#[inline]
fn offset_of(shape: Shape, first: usize, second: usize) -> Option<usize> {
    let down = shape.row(second) - shape.row(first);
    let right = shape.column(second) as isize - shape.column(first) as isize;
    OFFSETS.iter().position(|&offset| offset == (down, right))
}
