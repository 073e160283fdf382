//! Target patterns.

use super::{Board, Shape};

/// The named target patterns. Any other pattern is given as a [`Board`].
///
/// ```
/// use loyd::puzzle::{GoalLayout, Shape};
///
/// let shape = Shape::new(3, 3)?;
/// assert_eq!(GoalLayout::Snail.board(shape).to_string(), "1 2 3 / 8 0 4 / 7 6 5");
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GoalLayout {
    /// `1 2 3 / 4 5 6 / 7 8 0`
    #[default]
    RowsBlankLast,
    /// `0 1 2 / 3 4 5 / 6 7 8`
    RowsBlankFirst,
    /// `1 4 7 / 2 5 8 / 3 6 0`
    ColumnsBlankLast,
    /// `1 2 3 / 8 0 4 / 7 6 5`: a clockwise spiral inwards with the blank at its end.
    Snail,
    /// `1 2 3 / 6 5 4 / 7 8 0`: rows in alternating directions with the blank at their end.
    Snake,
}

impl GoalLayout {
    /// All patterns, the default first.
    pub const ALL: [Self; 5] = [
        Self::RowsBlankLast,
        Self::RowsBlankFirst,
        Self::ColumnsBlankLast,
        Self::Snail,
        Self::Snake,
    ];

    /// Returns the target board of this pattern.
    #[must_use]
    pub fn board(self, shape: Shape) -> Board {
        match self {
            Self::RowsBlankLast => Board::solved(shape),
            Self::RowsBlankFirst => Board::from_legal(shape, |cell| cell as u16),
            Self::ColumnsBlankLast => along(
                shape,
                (0..shape.columns())
                    .flat_map(|column| (0..shape.rows()).map(move |row| shape.cell(row, column))),
            ),
            Self::Snail => along(shape, spiral(shape).into_iter()),
            Self::Snake => along(
                shape,
                (0..shape.rows()).flat_map(|row| {
                    (0..shape.columns()).map(move |i| {
                        let column = if row % 2 == 0 {
                            i
                        } else {
                            shape.columns() - 1 - i
                        };
                        shape.cell(row, column)
                    })
                }),
            ),
        }
    }
}

/// Returns the board with 1, 2, 3 … along the given path through all cells and the blank at its
/// end.
fn along(shape: Shape, way: impl Iterator<Item = usize>) -> Board {
    let cells = shape.cells();
    let mut tiles = vec![0; cells];
    for (i, cell) in way.enumerate() {
        tiles[cell] = ((i + 1) % cells) as u16;
    }
    Board::from_legal(shape, |cell| tiles[cell])
}

/// Returns all cells along a clockwise spiral inwards from the upper left corner.
fn spiral(shape: Shape) -> Vec<usize> {
    let (mut top, mut bottom) = (0, shape.rows());
    let (mut left, mut right) = (0, shape.columns());
    let mut way = Vec::with_capacity(shape.cells());
    while top < bottom && left < right {
        way.extend((left..right).map(|column| shape.cell(top, column)));
        way.extend((top + 1..bottom).map(|row| shape.cell(row, right - 1)));
        if bottom - top > 1 {
            way.extend(
                (left..right - 1)
                    .rev()
                    .map(|column| shape.cell(bottom - 1, column)),
            );
        }
        if right - left > 1 {
            way.extend((top + 1..bottom - 1).rev().map(|row| shape.cell(row, left)));
        }
        (top, bottom, left, right) = (top + 1, bottom - 1, left + 1, right - 1);
    }
    way
}
