//! The Manhattan distance: the sum of all tiles' distances from home along rows and columns, as if
//! no tile were in another's way. The blank is not counted, so a move reduces the sum by at most
//! one.

use crate::puzzle::Problem;

use super::{PerTile, SlideTable, TileCost, place::Places};

/// The cost of a tile: its distance from home.
#[derive(Clone, Debug)]
pub struct Distance {
    pub(super) places: Places,
}

impl Distance {
    /// Creates the cost for the goal of a problem.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        Self {
            places: Places::new(problem),
        }
    }
}

impl TileCost for Distance {
    fn cost(&self, tile: usize, cell: usize) -> u32 {
        self.places.home(tile).distance(self.places.of_cell(cell))
    }

    fn cells(&self) -> usize {
        self.places.shape.cells()
    }
}

/// The incremental bound for boards of any size.
#[must_use]
pub fn any(problem: &Problem) -> PerTile<Distance> {
    PerTile(Distance::new(problem))
}

/// The incremental bound by table, or `None` for boards of more than [`super::SMALL_CELLS`] cells.
#[must_use]
pub fn small(problem: &Problem) -> Option<SlideTable<Distance>> {
    SlideTable::new(problem, Distance::new(problem))
}

/// The bound of a problem's start, in moves.
#[must_use]
pub fn lower_bound(problem: &Problem) -> u32 {
    Distance::new(problem).sum(problem.start())
}
