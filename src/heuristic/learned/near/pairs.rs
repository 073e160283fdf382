//! The weights of tiles that are near each other.

use super::shapes::{supports, supports_whole};
use crate::heuristic::learned::file::{self, Kind};
use crate::heuristic::learned::{AllPairs, PairWeights, Pairs, Weights};
use crate::puzzle::Shape;

/// The offsets from a cell to the cells after it that are [near](super::REACH) it, as (rows down,
/// columns to the right).
const OFFSETS: [(usize, isize); 6] = [(0, 1), (0, 2), (1, -1), (1, 0), (1, 1), (2, 0)];

/// The pairs of cells that are near each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NearPairs {}

/// A weight for each tile on each cell, and for each two tiles on two cells that are near each
/// other. The sum of the weights ranks boards of the shape.
pub type NearWeights = PairWeights<NearPairs>;

/// A cell has a block for each offset.
impl Pairs for NearPairs {
    const KIND: Kind = Kind::NearWeights;
    const OLDEST: u16 = file::VERSION;
    const GROWS_IN_TURNS: bool = false;

    /// Those supported [for stages](supports), and those for [whole boards](supports_whole) that are
    /// at least as wide as they are high.
    fn supports(shape: Shape) -> bool {
        supports(shape) || supports_whole(shape) && shape.rows() <= shape.columns()
    }

    fn count(shape: Shape) -> usize {
        shape.cells() * OFFSETS.len()
    }

    fn blocks(shape: Shape) -> Vec<Option<(usize, usize)>> {
        let block = |cell, offset| Some((cell, other_of(shape, cell, offset)?));
        (0..shape.cells())
            .flat_map(|cell| OFFSETS.map(|offset| block(cell, offset)))
            .collect()
    }

    #[inline]
    fn find(shape: Shape, lower: usize, upper: usize) -> Option<usize> {
        let down = shape.row(upper) - shape.row(lower);
        let right = shape.column(upper) as isize - shape.column(lower) as isize;
        let offset = OFFSETS.iter().position(|&offset| offset == (down, right))?;
        Some(lower * OFFSETS.len() + offset)
    }
}

impl NearWeights {
    /// Takes the weights of tiles and of near pairs from the weights of all pairs.
    #[must_use]
    pub fn of(weights: &Weights) -> Self {
        let (shape, singles, _) = weights.parts();
        let squared = shape.cells().pow(2);
        let mut pairs = Vec::with_capacity(NearPairs::count(shape) * squared);
        for pair in NearPairs::blocks(shape) {
            match pair {
                Some((lower, upper)) => {
                    pairs.extend(weights.block(AllPairs::number(shape, lower, upper)));
                }
                None => pairs.resize(pairs.len() + squared, 0),
            }
        }
        Self::of_parts(shape, singles.to_vec(), pairs).expect("as many as the shape has")
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
        let cells = self.shape().cells();
        let (first, second) = (cell.min(other), cell.max(other));
        let block = self.block(NearPairs::find(self.shape(), first, second)?);
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
        let shape = self.shape();
        let (rows, columns, cells) = (shape.rows(), shape.columns(), shape.cells());
        let mut sum = 0;
        for (row, line) in tiles.chunks_exact(columns).enumerate() {
            for (column, &tile) in line.iter().enumerate() {
                let (cell, tile) = (row * columns + column, usize::from(tile));
                sum += self.single(tile, cell);
                for (offset, (down, right)) in OFFSETS.into_iter().enumerate() {
                    let other_column = column.wrapping_add_signed(right);
                    if row + down < rows && other_column < columns {
                        let other = tiles[(row + down) * columns + other_column];
                        let block = self.block(cell * OFFSETS.len() + offset);
                        let weights = &block[tile * cells..][..cells];
                        sum += i32::from(weights[usize::from(other)]);
                    }
                }
            }
        }
        sum
    }
}

/// Returns the cell at an offset from another, if the board has it.
fn other_of(shape: Shape, cell: usize, (down, right): (usize, isize)) -> Option<usize> {
    let row = shape.row(cell) + down;
    let column = shape.column(cell).checked_add_signed(right)?;
    (row < shape.rows() && column < shape.columns()).then(|| shape.cell(row, column))
}
