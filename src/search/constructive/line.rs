//! An outer line of the cells that are still free, and what lies behind it.

use super::field::{Cell, Field};
use crate::search::rectangle::Edge;

/// An [`Edge`] by the cells of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    origin: Cell,
    along: isize,
    inward: isize,
    /// The number of its cells.
    pub(super) length: usize,
    /// The number of lines to the other side of the rectangle, including this one.
    pub(super) depth: usize,
}

impl Line {
    pub(super) const fn new(field: &Field, edge: Edge) -> Self {
        let (along, inward) = (edge.along as isize, edge.inward as isize);
        let down = field.cell(1, 0) as isize - field.cell(0, 0) as isize;
        let (along, inward) = if edge.upright {
            (along * down, inward)
        } else {
            (along, inward * down)
        };
        Self {
            origin: field.cell(edge.row, edge.column),
            along,
            inward,
            length: edge.length,
            depth: edge.depth,
        }
    }

    /// The cell number `i` of the line, or of the line `depth` lines behind it.
    pub(super) const fn cell(self, i: usize, depth: usize) -> Cell {
        self.origin
            .wrapping_add_signed(self.along * i as isize + self.inward * depth as isize)
    }
}
