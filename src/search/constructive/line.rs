//! The rectangle that is still free, and the outer lines that are peeled off it.

use super::field::{Cell, Field};

/// The cells that are not finished yet: rows `top..bottom`, columns `left..right` of the board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    pub(super) top: usize,
    pub(super) bottom: usize,
    pub(super) left: usize,
    pub(super) right: usize,
}

/// The outermost row or column on one side of the rectangle, and what lies behind it. Its cells are counted
/// from the end that is farther from the blank's home.
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
    /// The cell number `i` of the line, or of the line `depth` lines behind it.
    pub(super) const fn cell(self, i: usize, depth: usize) -> Cell {
        self.origin
            .wrapping_add_signed(self.along * i as isize + self.inward * depth as isize)
    }
}

impl Rectangle {
    pub(super) const fn rows(self) -> usize {
        self.bottom - self.top
    }

    pub(super) const fn columns(self) -> usize {
        self.right - self.left
    }

    /// Removes a row if there are at least as many rows as columns, otherwise a column, on the side that is
    /// farther from the blank's home.
    pub(super) fn peel(&mut self, field: &Field, home: (usize, usize)) -> Line {
        let down = field.cell(1, 0) as isize - field.cell(0, 0) as isize;
        let (rows, columns) = (self.rows(), self.columns());
        let from_top = home.0 - self.top >= self.bottom - 1 - home.0;
        let from_left = home.1 - self.left >= self.right - 1 - home.1;
        let row = if from_top { self.top } else { self.bottom - 1 };
        let column = if from_left { self.left } else { self.right - 1 };
        let origin = field.cell(row, column);
        let vertical = if from_top { down } else { -down };
        let horizontal = if from_left { 1 } else { -1 };
        if rows >= columns {
            if from_top {
                self.top += 1;
            } else {
                self.bottom -= 1;
            }
            Line {
                origin,
                along: horizontal,
                inward: vertical,
                length: columns,
                depth: rows,
            }
        } else {
            if from_left {
                self.left += 1;
            } else {
                self.right -= 1;
            }
            Line {
                origin,
                along: vertical,
                inward: horizontal,
                length: rows,
                depth: columns,
            }
        }
    }
}
