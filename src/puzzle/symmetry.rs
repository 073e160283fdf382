//! The symmetries of a rectangle: flips and the transposition.

use super::{Direction, Shape};

/// A symmetry: rows and columns are flipped as given, then exchanged if `transpose` is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Symmetry {
    /// Exchanges top and bottom.
    pub flip_rows: bool,
    /// Exchanges left and right.
    pub flip_columns: bool,
    /// Turns rows into columns, after the flips.
    pub transpose: bool,
}

impl Symmetry {
    /// Leaves everything in place.
    pub const IDENTITY: Self = Self {
        flip_rows: false,
        flip_columns: false,
        transpose: false,
    };

    /// Turns rows into columns.
    pub const TRANSPOSITION: Self = Self {
        transpose: true,
        ..Self::IDENTITY
    };

    /// Returns all eight symmetries, the identity first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..8_u8).map(|bits| Self {
            flip_rows: bits & 1 != 0,
            flip_columns: bits & 2 != 0,
            transpose: bits & 4 != 0,
        })
    }

    /// Returns the symmetry that makes a board at least as wide as it is high and brings a cell as close to the
    /// lower right corner as possible. Equivalent cells get the same image.
    #[must_use]
    pub fn canonical(shape: Shape, cell: usize) -> Self {
        let mut best = (Self::IDENTITY, None);
        for symmetry in Self::all() {
            let image = symmetry.shape(shape);
            if image.rows() > image.columns() {
                continue;
            }
            let image = symmetry.cell(shape, cell);
            if best.1.is_none_or(|best_cell| image > best_cell) {
                best = (symmetry, Some(image));
            }
        }
        best.0
    }

    /// Returns the symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Self {
        if self.transpose {
            Self {
                flip_rows: self.flip_columns,
                flip_columns: self.flip_rows,
                transpose: true,
            }
        } else {
            self
        }
    }

    /// Returns the shape of the image.
    #[must_use]
    pub const fn shape(self, shape: Shape) -> Shape {
        if self.transpose {
            shape.transposed()
        } else {
            shape
        }
    }

    /// Returns the image of a cell of a board of the given shape.
    #[must_use]
    pub const fn cell(self, shape: Shape, cell: usize) -> usize {
        let (mut row, mut column) = (shape.row(cell), shape.column(cell));
        if self.flip_rows {
            row = shape.rows() - 1 - row;
        }
        if self.flip_columns {
            column = shape.columns() - 1 - column;
        }
        if self.transpose {
            shape.transposed().cell(column, row)
        } else {
            shape.cell(row, column)
        }
    }

    /// Returns the image of a move.
    #[must_use]
    pub const fn direction(self, direction: Direction) -> Direction {
        let flipped = if direction.is_vertical() {
            self.flip_rows
        } else {
            self.flip_columns
        };
        let direction = if flipped {
            direction.opposite()
        } else {
            direction
        };
        if self.transpose {
            direction.transposed()
        } else {
            direction
        }
    }
}
