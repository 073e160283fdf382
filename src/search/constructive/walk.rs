//! The blank's way to a cell, chosen for the good it does to the tiles it passes.

use super::field::{Cell, Field};
use crate::puzzle::Direction;

/// No way leads here.
const CLOSED: i32 = i32::MIN / 2;

/// Finds, among all shortest ways of the blank that turn neither back nor aside, the one that
/// brings the most tiles nearer to where they belong.
///
/// Such a way passes each cell once, so what it does to the tiles is known exactly beforehand,
/// and the best is found by dynamic programming over the rectangle between its ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Walks {
    /// For each cell of the rectangle, row by row from the start: the best gain of a way to it.
    gains: Vec<i32>,
    /// Nodes looked at.
    pub(super) nodes: u64,
}

impl Walks {
    /// The tiles brought nearer, less those moved away, by the best way of the blank to `target`;
    /// none when every such way leads over cells that are not free.
    pub(super) fn best(&mut self, field: &Field, target: Cell) -> Option<i32> {
        let frame = Frame::new(field, field.blank(), target);
        self.nodes += (frame.rows * frame.columns) as u64;
        self.gains.clear();
        let mut row_start = field.blank();
        for row in 0..frame.rows {
            let mut cell = row_start;
            for column in 0..frame.columns {
                let here = self.gains.len();
                let gain = if row == 0 && column == 0 {
                    0
                } else if !field.is_free(cell) {
                    CLOSED
                } else {
                    let from_row = if row > 0 {
                        self.gains[here - frame.columns]
                            + field.gain(cell, frame.vertical.opposite())
                    } else {
                        CLOSED
                    };
                    let from_column = if column > 0 {
                        self.gains[here - 1] + field.gain(cell, frame.horizontal.opposite())
                    } else {
                        CLOSED
                    };
                    from_row.max(from_column).max(CLOSED)
                };
                self.gains.push(gain);
                cell = field.beside(cell, frame.horizontal);
            }
            row_start = field.beside(row_start, frame.vertical);
        }
        // The longest way loses one per cell, far less than separates it from a closed one.
        self.gains.last().copied().filter(|&gain| gain > CLOSED / 2)
    }

    /// The steps of the way that [`Self::best`] has just found.
    pub(super) fn way(&self, field: &Field, target: Cell) -> Vec<Direction> {
        let frame = Frame::new(field, field.blank(), target);
        let mut way = Vec::with_capacity(frame.rows + frame.columns);
        let (mut row, mut column, mut cell) = (frame.rows - 1, frame.columns - 1, target);
        while row > 0 || column > 0 {
            let here = row * frame.columns + column;
            let by_row = row > 0
                && self.gains[here]
                    == self.gains[here - frame.columns]
                        + field.gain(cell, frame.vertical.opposite());
            let side = if by_row {
                row -= 1;
                frame.vertical
            } else {
                column -= 1;
                frame.horizontal
            };
            way.push(side);
            cell = field.beside(cell, side.opposite());
        }
        way.reverse();
        way
    }

    pub(super) fn bytes(&self) -> usize {
        self.gains.capacity() * size_of::<i32>()
    }

    /// Walks the best way to `target`; false, and nothing moves, when there is none.
    pub(super) fn walk(&mut self, field: &mut Field, target: Cell) -> bool {
        if self.best(field, target).is_none() {
            return false;
        }
        for side in self.way(field, target) {
            field.step(side);
        }
        true
    }
}

/// The rectangle with the ends of a way in opposite corners.
pub(super) struct Frame {
    pub(super) vertical: Direction,
    pub(super) horizontal: Direction,
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Frame {
    pub(super) fn new(field: &Field, from: Cell, to: Cell) -> Self {
        let (from, to) = (field.point(from), field.point(to));
        Self {
            vertical: if to.row < from.row {
                Direction::Up
            } else {
                Direction::Down
            },
            horizontal: if to.column < from.column {
                Direction::Left
            } else {
                Direction::Right
            },
            rows: usize::from(to.row.abs_diff(from.row)) + 1,
            columns: usize::from(to.column.abs_diff(from.column)) + 1,
        }
    }
}
