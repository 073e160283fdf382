//! The order in which the cells of a board are done: rows and columns are peeled off a rectangle.

use crate::puzzle::Shape;
use crate::search::rectangle::{Edge, Rectangle};

/// The most cells that are left to a distance table.
const TABLE_CELLS: usize = 9;

/// How the block that is left at the end is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// By a table of all its boards.
    Table,
    /// By a beam with the learned estimate, on a block of at most so many rows and columns.
    Learned(usize),
}

impl Ending {
    /// Whether a block can be left to it.
    const fn takes(self, block: Rectangle) -> bool {
        match self {
            Self::Table => block.cells() <= TABLE_CELLS,
            Self::Learned(side) => block.rows <= side && block.columns <= side,
        }
    }
}

/// Where a group of tiles belongs in the rectangle that is left: beside each other on one of its sides, next
/// to the cells of that line that are done.
///
/// Seen from the group's first cell, `u` runs along the line towards the cells that are not done yet, and `v`
/// into the rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The row of the first tile's cell.
    pub(super) row: i16,
    /// The column of that cell.
    pub(super) column: i16,
    /// Whether the line is a column of the board.
    pub(super) upright: bool,
    /// Whether one cell on along the line is one row or column on (1) or back (−1).
    pub(super) along: i16,
    /// The same for one cell into the rectangle.
    pub(super) inward: i16,
    /// The number of cells of the line before this group.
    pub(super) before: u8,
    /// The number of cells of the line after the group's first cell.
    pub(super) after: u8,
    /// The number of lines of the rectangle, including this one.
    pub(super) depth: u8,
    /// The number of tiles of the group: one or two.
    pub(super) tiles: u8,
}

impl Group {
    /// A cell of the board as (u, v).
    #[inline]
    pub(super) const fn local(&self, (row, column): (i16, i16)) -> (i16, i16) {
        let (rows, columns) = (row - self.row, column - self.column);
        if self.upright {
            (rows * self.along, columns * self.inward)
        } else {
            (columns * self.along, rows * self.inward)
        }
    }

    /// The row and the column of the group's tile number `i`.
    pub(super) const fn cell(&self, i: usize) -> (usize, usize) {
        let on = self.along * i as i16;
        if self.upright {
            ((self.row + on) as usize, self.column as usize)
        } else {
            (self.row as usize, (self.column + on) as usize)
        }
    }
}

/// All groups of a board in order, and the block that is left. The blank's home is in the block.
///
/// Tiles are taken in pairs so that a line ends with a pair, as its last two tiles cannot be brought home one
/// by one. The first tile of an odd line is alone.
pub(super) fn peel(shape: Shape, home: usize, ending: Ending) -> (Vec<Group>, Rectangle) {
    let home = (shape.row(home), shape.column(home));
    let mut groups = Vec::with_capacity(shape.cells() / 2);
    let mut block = Rectangle::whole(shape);
    while !ending.takes(block) {
        group(block.peel(home), &mut groups);
    }
    (groups, block)
}

/// Adds the groups of a line.
fn group(edge: Edge, groups: &mut Vec<Group>) {
    let Edge {
        row,
        column,
        upright,
        along,
        inward,
        length,
        depth,
    } = edge;
    let mut before = 0;
    while before < length {
        let tiles = if before == 0 && length % 2 == 1 { 1 } else { 2 };
        let on = along * before as i16;
        groups.push(Group {
            row: row as i16 + if upright { on } else { 0 },
            column: column as i16 + if upright { 0 } else { on },
            upright,
            along,
            inward,
            before: before as u8,
            after: (length - 1 - before) as u8,
            depth: depth as u8,
            tiles,
        });
        before += usize::from(tiles);
    }
}
