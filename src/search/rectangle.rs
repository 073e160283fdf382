//! The cells that are not done yet where a board is solved from its outer lines inwards, and which line is next.

use crate::puzzle::Shape;

/// A rectangle of cells: `rows` × `columns` from the cell at (`top`, `left`) on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    pub(super) top: usize,
    pub(super) left: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// The outermost row or column on one side of a rectangle, from the end that is farther from the blank's home.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// The row of the first cell.
    pub(super) row: usize,
    /// The column of the first cell.
    pub(super) column: usize,
    /// Whether it is a column of the board.
    pub(super) upright: bool,
    /// Whether one cell on along it is one row or column on (1) or back (−1).
    pub(super) along: i16,
    /// The same for one cell into the rectangle.
    pub(super) inward: i16,
    /// The number of its cells.
    pub(super) length: usize,
    /// The number of lines to the other side of the rectangle, including this one.
    pub(super) depth: usize,
}

impl Rectangle {
    /// All cells of a board.
    pub(super) const fn whole(shape: Shape) -> Self {
        Self {
            top: 0,
            left: 0,
            rows: shape.rows(),
            columns: shape.columns(),
        }
    }

    pub(super) const fn cells(self) -> usize {
        self.rows * self.columns
    }

    /// Removes a row if there are at least as many rows as columns, otherwise a column, on the side that is
    /// farther from the blank's home, which stays in the rectangle.
    pub(super) const fn peel(&mut self, home: (usize, usize)) -> Edge {
        let Self {
            top,
            left,
            rows,
            columns,
        } = *self;
        let from_top = home.0 - top >= top + rows - 1 - home.0;
        let from_left = home.1 - left >= left + columns - 1 - home.1;
        let upright = rows < columns;
        let (row, down) = if from_top {
            (top, 1)
        } else {
            (top + rows - 1, -1)
        };
        let (column, right) = if from_left {
            (left, 1)
        } else {
            (left + columns - 1, -1)
        };
        let (length, depth, along, inward) = if upright {
            self.columns -= 1;
            self.left += from_left as usize;
            (rows, columns, down, right)
        } else {
            self.rows -= 1;
            self.top += from_top as usize;
            (columns, rows, right, down)
        };
        Edge {
            row,
            column,
            upright,
            along,
            inward,
            length,
            depth,
        }
    }
}
