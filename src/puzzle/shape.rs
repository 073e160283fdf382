//! The size of a board: rows × columns.

use std::fmt;

use thiserror::Error;

use super::Direction;

/// The size of a board, each side within [`Shape::MIN_SIDE`]`..=`[`Shape::MAX_SIDE`].
///
/// Cells are numbered row by row from the upper left corner, `0..cells()`.
///
/// ```
/// use loyd::puzzle::Shape;
///
/// let shape = Shape::new(3, 5)?;
/// assert_eq!(shape.cells(), 15);
/// assert_eq!(shape.cell(1, 2), 7);
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape {
    rows: u8,
    columns: u8,
}

/// A side of a board that is too short or too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a board of {rows}×{columns} is out of range: each side must be {min} to {max}",
    min = Shape::MIN_SIDE,
    max = Shape::MAX_SIDE
)]
pub struct ShapeError {
    /// The requested rows.
    pub rows: usize,
    /// The requested columns.
    pub columns: usize,
}

impl Shape {
    /// The shortest side. On a narrower board no tile could turn a corner.
    pub const MIN_SIDE: usize = 2;
    /// The longest side.
    pub const MAX_SIDE: usize = 128;
    /// The number of cells of the largest board.
    pub const MAX_CELLS: usize = Self::MAX_SIDE * Self::MAX_SIDE;

    /// Creates a shape of `rows` × `columns`.
    ///
    /// # Errors
    /// If a side is outside [`Self::MIN_SIDE`]`..=`[`Self::MAX_SIDE`].
    pub const fn new(rows: usize, columns: usize) -> Result<Self, ShapeError> {
        if rows < Self::MIN_SIDE
            || rows > Self::MAX_SIDE
            || columns < Self::MIN_SIDE
            || columns > Self::MAX_SIDE
        {
            return Err(ShapeError { rows, columns });
        }
        Ok(Self {
            rows: rows as u8,
            columns: columns as u8,
        })
    }

    /// Returns the number of rows.
    #[must_use]
    pub const fn rows(self) -> usize {
        self.rows as usize
    }

    /// Returns the largest block of such a board whose sides are at most `side`, which must be at least
    /// [`Self::MIN_SIDE`].
    #[must_use]
    pub(crate) fn block(self, side: usize) -> Self {
        let side = side as u8;
        Self {
            rows: self.rows.min(side),
            columns: self.columns.min(side),
        }
    }

    /// Returns the number of columns.
    #[must_use]
    pub const fn columns(self) -> usize {
        self.columns as usize
    }

    /// Returns the number of cells, including the blank's.
    #[must_use]
    pub const fn cells(self) -> usize {
        self.rows() * self.columns()
    }

    /// Returns the cell at `row` and `column`, both counted from 0 at the upper left.
    #[must_use]
    pub const fn cell(self, row: usize, column: usize) -> usize {
        row * self.columns() + column
    }

    /// Returns the row of a cell, from 0 at the top.
    #[must_use]
    pub const fn row(self, cell: usize) -> usize {
        cell / self.columns()
    }

    /// Returns the column of a cell, from 0 at the left.
    #[must_use]
    pub const fn column(self, cell: usize) -> usize {
        cell % self.columns()
    }

    /// Returns the row and the column of every cell, cell by cell.
    #[must_use]
    pub fn points(self) -> Box<[(u8, u8)]> {
        (0..self.cells())
            .map(|cell| (self.row(cell) as u8, self.column(cell) as u8))
            .collect()
    }

    /// Returns the taxicab (Manhattan) distance between two cells.
    #[must_use]
    pub const fn distance(self, a: usize, b: usize) -> usize {
        self.row(a).abs_diff(self.row(b)) + self.column(a).abs_diff(self.column(b))
    }

    /// Returns the neighbour of a cell on the given side, if the board has one there.
    #[must_use]
    pub const fn neighbour(self, cell: usize, side: Direction) -> Option<usize> {
        let columns = self.columns();
        match side {
            Direction::Up if cell >= columns => Some(cell - columns),
            Direction::Down if cell + columns < self.cells() => Some(cell + columns),
            Direction::Left if self.column(cell) > 0 => Some(cell - 1),
            Direction::Right if self.column(cell) + 1 < columns => Some(cell + 1),
            _ => None,
        }
    }

    /// Returns the cells beside a cell.
    pub fn neighbours(self, cell: usize) -> impl Iterator<Item = usize> {
        Direction::ALL
            .into_iter()
            .filter_map(move |side| self.neighbour(cell, side))
    }

    /// Returns the shape with rows and columns exchanged.
    #[must_use]
    pub const fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.rows, self.columns)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}
