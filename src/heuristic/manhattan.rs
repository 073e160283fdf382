//! The Manhattan distance: how far all tiles are from their homes, along rows and columns, as if
//! none were in another's way. The blank is not counted: each move brings one tile nearer by one
//! at most.

use crate::puzzle::Problem;

use super::{PerTile, SlideTable, TileCost, place::Places};

/// A tile pays its distance from home.
#[derive(Clone, Debug)]
pub struct Distance {
    pub(super) places: Places,
}

impl Distance {
    /// The cost for the goal of a problem.
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

/// The incremental bound by table; none for boards of more than [`super::SMALL_CELLS`] cells.
#[must_use]
pub fn small(problem: &Problem) -> Option<SlideTable<Distance>> {
    SlideTable::new(problem, Distance::new(problem))
}

/// The bound of a problem's start, in moves.
#[must_use]
pub fn lower_bound(problem: &Problem) -> u32 {
    Distance::new(problem).sum(problem.start())
}
