//! The blank's walk to a cell, chosen for the good it does to the tiles it passes.

use super::field::{Cell, Field};
use super::slide_worth::BARRED;
use crate::puzzle::Direction;

/// No walk leads here.
const NEVER: i32 = i32::MIN / 2;

/// Finds, among all shortest walks of the blank, which turn neither back nor aside, the one that brings the
/// most tiles nearer to where they belong.
///
/// Such a walk passes each cell once, so its effect on the tiles is known exactly in advance, and dynamic
/// programming over the rectangle between its ends finds the best.
#[derive(Clone, Debug, Default)]
pub(super) struct Walks {
    /// For each cell of the rectangle, row by row from the start: the best gain of a walk to it.
    gains: Vec<i32>,
    /// The number of columns of the rectangle.
    columns: usize,
    /// The number of nodes looked at.
    pub(super) nodes: u64,
}

impl Walks {
    /// Whether some walk of the blank to `target` leads over free cells only.
    pub(super) fn can_reach(&mut self, field: &Field, target: Cell) -> bool {
        let frame = Frame::new(field, field.blank(), target);
        self.look(field, &frame);
        self.gain(&frame).is_some()
    }

    /// The walk to the cell where the best walk's gain less the cell's cost is greatest.
    pub(super) fn best_of(&mut self, field: &Field, cells: [(Cell, i32); 4]) -> Vec<Direction> {
        let frames = cells.map(|(cell, _)| Frame::new(field, field.blank(), cell));
        let mut best: Option<(i32, Vec<Direction>)> = None;
        for (first, frame) in frames.iter().enumerate() {
            let is_same = |other: &&Frame| other.ways() == frame.ways();
            if frames[..first].iter().any(|other| is_same(&other)) {
                continue;
            }
            // One look serves all cells in the same quadrant.
            let same = || frames.iter().filter(is_same);
            self.look(
                field,
                &Frame {
                    rows: same().map(|frame| frame.rows).max().unwrap_or(1),
                    columns: same().map(|frame| frame.columns).max().unwrap_or(1),
                    ..*frame
                },
            );
            for (frame, (cell, cost)) in frames.iter().zip(cells) {
                let Some(gain) = self.gain(frame).filter(|_| is_same(&frame)) else {
                    continue;
                };
                if best.as_ref().is_none_or(|&(most, _)| gain - cost > most) {
                    best = Some((gain - cost, self.way(field, frame, cell)));
                }
            }
        }
        best.map_or_else(Vec::new, |(_, way)| way)
    }

    /// Computes the gains of all cells of a rectangle.
    fn look(&mut self, field: &Field, frame: &Frame) {
        let (size, columns) = (frame.rows * frame.columns, frame.columns);
        self.nodes += size as u64;
        self.columns = columns;
        self.gains.resize(size, 0);
        let (down, on) = (frame.vertical.opposite(), frame.horizontal.opposite());
        let mut row_start = field.blank();
        let (mut cell, mut beside) = (row_start, 0);
        self.gains[0] = 0;
        for gain in &mut self.gains[1..columns] {
            cell = field.beside(cell, frame.horizontal);
            beside += field.gain(cell, on);
            *gain = beside;
        }
        for row in 1..frame.rows {
            row_start = field.beside(row_start, frame.vertical);
            let (before, gains) = self.gains.split_at_mut(row * columns);
            let above = &before[(row - 1) * columns..];
            let (mut cell, mut beside) = (row_start, NEVER);
            for (above, gain) in above.iter().zip(gains) {
                let by_row = above + field.gain(cell, down);
                let by_column = beside + field.gain(cell, on);
                beside = by_row.max(by_column);
                *gain = beside;
                cell = field.beside(cell, frame.horizontal);
            }
        }
    }

    /// The best gain of a walk to the last cell of a frame within the rectangle.
    fn gain(&self, frame: &Frame) -> Option<i32> {
        let last = (frame.rows - 1) * self.columns + frame.columns - 1;
        // The longest walk loses five per cell, far less than a cell that is not free subtracts.
        let gain = self.gains.get(last).copied();
        gain.filter(|&gain| gain > BARRED / 2)
    }

    /// The steps of the best walk to the last cell of a frame within the rectangle.
    fn way(&self, field: &Field, frame: &Frame, target: Cell) -> Vec<Direction> {
        let mut way = Vec::with_capacity(frame.rows + frame.columns);
        let (mut row, mut column, mut cell) = (frame.rows - 1, frame.columns - 1, target);
        while row > 0 || column > 0 {
            let here = row * self.columns + column;
            let by_row = row > 0
                && self.gains[here]
                    == self.gains[here - self.columns]
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

    /// Walks the best way to `target`. If there is none, nothing moves and the result is false.
    pub(super) fn walk(&mut self, field: &mut Field, target: Cell) -> bool {
        let frame = Frame::new(field, field.blank(), target);
        self.look(field, &frame);
        if self.gain(&frame).is_none() {
            return false;
        }
        for side in self.way(field, &frame, target) {
            field.step(side);
        }
        true
    }
}

/// The rectangle with the ends of a walk in opposite corners.
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

    /// The directions from the first corner to the second: the vertical one and the horizontal one.
    pub(super) const fn ways(&self) -> [Direction; 2] {
        [self.vertical, self.horizontal]
    }

    /// The number of steps in each of the [directions](Self::ways).
    pub(super) const fn steps(&self) -> [i32; 2] {
        [self.rows as i32 - 1, self.columns as i32 - 1]
    }
}
