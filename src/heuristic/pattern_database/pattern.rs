//! Patterns: subsets of the tiles, and where they and the blank belong.

use crate::puzzle::{Shape, Symmetry};

use super::cell_set::CellSet;
use super::rank::{self, orders};
use super::transpose::stride_words;
use crate::heuristic::SMALL_CELLS;

/// A subset of a puzzle's tiles, named by the cells where they belong. The other tiles are alike,
/// and of the blank it only matters which free cells it can reach without moving a tile of the
/// pattern.
///
/// If the free cells of the goal are connected, it makes no difference which of them is the blank's
/// home: the pattern is the same, and so is its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    shape: Shape,
    cells: CellSet,
    goal_region: CellSet,
}

impl Pattern {
    /// The most tiles of a pattern on up to 16 cells.
    pub const MAX_TILES: usize = rank::MOST_TILES;
    /// The most tiles on larger boards: a place in a table is a number of 32 bits, and patterns with
    /// more have more states. On 2×12, where tiles leave more regions, it is one less.
    pub const MAX_TILES_OF_LARGE: usize = 7;
    /// The most cells of a board.
    pub const MAX_CELLS: usize = 25;

    /// Creates the pattern of the tiles that belong on `cells` when the blank's home is `home`.
    ///
    /// Returns `None` if the board has more than [`Self::MAX_CELLS`] cells or both sides are longer
    /// than five, if there are no tiles or too many, or if a cell is off the board or is the home.
    #[must_use]
    pub fn new(shape: Shape, home: usize, cells: CellSet) -> Option<Self> {
        let most = match (shape.cells(), shape.rows().min(shape.columns())) {
            (..=SMALL_CELLS, _) => Self::MAX_TILES,
            (24, 2) => Self::MAX_TILES_OF_LARGE - 1,
            _ => Self::MAX_TILES_OF_LARGE,
        };
        let fits = shape.cells() <= Self::MAX_CELLS
            && shape.rows().min(shape.columns()) <= 5
            && (1..=most).contains(&cells.len())
            && home < shape.cells()
            && !cells.contains(home)
            && cells.without(CellSet::all(shape)).is_empty();
        fits.then(|| Self {
            shape,
            cells,
            goal_region: CellSet::all(shape).without(cells).region(shape, home),
        })
    }

    /// Returns the size of the board.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the cells where the tiles belong.
    #[must_use]
    pub const fn cells(&self) -> CellSet {
        self.cells
    }

    /// Returns the free cells that the blank can be on when all tiles are at home.
    #[must_use]
    pub const fn goal_region(&self) -> CellSet {
        self.goal_region
    }

    /// Returns the number of words of its table, which has so many rows.
    pub(super) const fn words(&self, rows: usize) -> usize {
        stride_words(rows) * orders(self.cells.len())
    }

    /// Returns the image of the pattern under a symmetry.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        Self {
            shape: symmetry.shape(self.shape),
            cells: self.cells.image(self.shape, symmetry),
            goal_region: self.goal_region.image(self.shape, symmetry),
        }
    }

    /// Returns the image of the pattern that has a table, and the symmetry that leads to it. The
    /// image is at least as high as it is wide, so that few cells lie between vertical neighbours
    /// in reading order.
    #[must_use]
    pub fn canonical(&self) -> (Self, Symmetry) {
        Symmetry::all()
            .map(|symmetry| (self.image(symmetry), symmetry))
            .filter(|(image, _)| image.shape.rows() >= image.shape.columns())
            .min_by_key(|&(image, _)| image)
            .expect("a board or its transposition is at least as high as wide")
    }
}
