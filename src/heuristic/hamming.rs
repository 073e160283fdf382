//! The Hamming distance: the number of misplaced tiles, not counting the blank.

use crate::puzzle::Problem;

use super::{PerTile, SlideTable, TileCost};

/// The cost of a tile: 1 if it is not at home.
#[derive(Clone, Debug)]
pub struct Misplaced {
    homes: Box<[u16]>,
}

impl Misplaced {
    /// Creates the cost for the goal of a problem.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        Self {
            homes: (0..problem.shape().cells() as u16)
                .map(|tile| problem.goal_cell(tile) as u16)
                .collect(),
        }
    }
}

impl TileCost for Misplaced {
    fn cost(&self, tile: usize, cell: usize) -> u32 {
        u32::from(usize::from(self.homes[tile]) != cell)
    }

    fn cells(&self) -> usize {
        self.homes.len()
    }
}

/// The incremental bound for boards of any size.
#[must_use]
pub fn any(problem: &Problem) -> PerTile<Misplaced> {
    PerTile(Misplaced::new(problem))
}

/// The incremental bound by table, or `None` for boards of more than [`super::SMALL_CELLS`] cells.
#[must_use]
pub fn small(problem: &Problem) -> Option<SlideTable<Misplaced>> {
    SlideTable::new(problem, Misplaced::new(problem))
}
