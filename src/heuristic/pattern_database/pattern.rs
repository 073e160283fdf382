//! Patterns: some of the tiles, and where they and the blank belong.

use crate::puzzle::{Shape, Symmetry};

use super::cell_set::CellSet;
use crate::heuristic::SMALL_CELLS;

/// Some tiles of a puzzle, named by the cells where they belong. The other tiles are alike, and
/// of the blank it only matters which of the free cells it can get to without moving a tile of
/// the pattern.
///
/// Where the free cells of the goal hang together, it makes no difference on which of them the
/// blank belongs: the pattern is the same, and so is its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pattern {
    shape: Shape,
    cells: CellSet,
    goal_region: CellSet,
}

impl Pattern {
    /// The most tiles of a pattern of up to 16 cells: the orders of eight have numbers of 16 bits.
    pub const MAX_TILES: usize = 8;
    /// The most tiles on larger boards: more have more than 2³² states.
    pub const MAX_TILES_OF_LARGE: usize = 7;
    /// The most cells of a board.
    pub const MAX_CELLS: usize = 25;

    /// The tiles that belong on `cells` when the blank's home is `home`.
    ///
    /// None when the board has more than [`Self::MAX_CELLS`] cells or more than five on both
    /// sides, when there are no tiles or too many, and when a cell is off the board or the home.
    #[must_use]
    pub fn new(shape: Shape, home: usize, cells: CellSet) -> Option<Self> {
        let most = if shape.cells() <= SMALL_CELLS {
            Self::MAX_TILES
        } else {
            Self::MAX_TILES_OF_LARGE
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

    /// The size of the board.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Where the tiles belong.
    #[must_use]
    pub const fn cells(&self) -> CellSet {
        self.cells
    }

    /// The free cells that the blank can be on when all tiles are at home.
    #[must_use]
    pub const fn goal_region(&self) -> CellSet {
        self.goal_region
    }

    /// The pattern in a mirror.
    #[must_use]
    pub fn image(&self, symmetry: Symmetry) -> Self {
        Self {
            shape: symmetry.shape(self.shape),
            cells: self.cells.image(self.shape, symmetry),
            goal_region: self.goal_region.image(self.shape, symmetry),
        }
    }

    /// The one of its mirror images that has a table, and how to get there. It is at least as
    /// high as it is wide, so that few cells lie between two on top of each other in reading order.
    #[must_use]
    pub fn canonical(&self) -> (Self, Symmetry) {
        Symmetry::all()
            .map(|symmetry| (self.image(symmetry), symmetry))
            .filter(|(image, _)| image.shape.rows() >= image.shape.columns())
            .min_by_key(|&(image, _)| image)
            .expect("a board or its transposition is at least as high as wide")
    }
}
