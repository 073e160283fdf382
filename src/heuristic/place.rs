//! Rows and columns of cells and of tiles' homes, precomputed to avoid divisions.

use crate::puzzle::{Problem, Shape};

/// A row and a column, from 0 at the upper left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) row: u8,
    pub(super) column: u8,
}

impl Place {
    pub(super) const fn distance(self, other: Self) -> u32 {
        self.row.abs_diff(other.row) as u32 + self.column.abs_diff(other.column) as u32
    }
}

/// The places of a problem's cells and of its tiles' homes.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) shape: Shape,
    cells: Box<[Place]>,
    homes: Box<[Place]>,
}

impl Places {
    pub(super) fn new(problem: &Problem) -> Self {
        let shape = problem.shape();
        let cells: Box<[Place]> = (0..shape.rows() as u8)
            .flat_map(|row| (0..shape.columns() as u8).map(move |column| Place { row, column }))
            .collect();
        let homes = (0..shape.cells() as u16)
            .map(|tile| cells[problem.goal_cell(tile)])
            .collect();
        Self {
            shape,
            cells,
            homes,
        }
    }

    pub(super) fn of_cell(&self, cell: usize) -> Place {
        self.cells[cell]
    }

    /// Returns the place where the tile belongs.
    pub(super) fn home(&self, tile: usize) -> Place {
        self.homes[tile]
    }
}
