//! Weights for a board with one row or column more or less, derived from learned weights.
//!
//! The weight of two tiles on two cells changes little if a line is removed that neither tile
//! stands on or belongs to, or if an empty line is inserted. A weight is the mean over all lines
//! for which this holds.

use std::mem;

use super::names::{home_of, tile_of};
use super::rows::Rows;
use super::weights::{Weights, pair_of, pairs_of};
use crate::puzzle::Shape;

/// A row or a column that is inserted or removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line {
    /// One row more.
    MoreRows,
    /// One column more.
    MoreColumns,
    /// One row less.
    FewerRows,
    /// One column less.
    FewerColumns,
}

impl Line {
    /// Returns the resulting shape, if there is one.
    pub(super) fn shape(self, shape: Shape) -> Option<Shape> {
        let (rows, columns) = (shape.rows(), shape.columns());
        let (rows, columns) = match self {
            Self::MoreRows => (rows + 1, columns),
            Self::MoreColumns => (rows, columns + 1),
            Self::FewerRows => (rows - 1, columns),
            Self::FewerColumns => (rows, columns - 1),
        };
        Shape::new(rows, columns).ok()
    }

    const fn is_row(self) -> bool {
        matches!(self, Self::MoreRows | Self::FewerRows)
    }

    pub(super) const fn grows(self) -> bool {
        matches!(self, Self::MoreRows | Self::MoreColumns)
    }
}

/// The large board as the small one, or the small one within the large one: maps the cells and
/// tiles of the new shape to those of the old shape. `None` for those on the line that is missing,
/// and where a tile would become the blank or the blank a tile.
pub(super) struct View {
    pub(super) cells: Box<[Option<u8>]>,
    pub(super) tiles: Box<[Option<u8>]>,
}

impl View {
    /// Creates the view without the given line of the larger of the two boards.
    fn new(from: Shape, to: Shape, line: Line, index: usize) -> Self {
        let place = |cell: usize| {
            let (row, column) = (to.row(cell), to.column(cell));
            let shifted = |at: usize| {
                if line.grows() {
                    (at != index).then(|| at - usize::from(at > index))
                } else {
                    Some(at + usize::from(at >= index))
                }
            };
            Some(if line.is_row() {
                from.cell(shifted(row)?, column)
            } else {
                from.cell(row, shifted(column)?)
            })
        };
        let tile = |tile: usize| {
            let home = place(home_of(to.cells(), tile))?;
            let image = tile_of(from.cells(), home);
            ((tile == 0) == (image == 0)).then_some(image as u8)
        };
        Self {
            cells: (0..to.cells())
                .map(|cell| place(cell).map(|cell| cell as u8))
                .collect(),
            tiles: (0..to.cells()).map(tile).collect(),
        }
    }
}

/// Returns the views for a line inserted or removed, one for each position of the line.
pub(super) fn views(from: Shape, to: Shape, line: Line) -> impl Iterator<Item = View> {
    let larger = if line.grows() { to } else { from };
    let lines = if line.is_row() {
        larger.rows()
    } else {
        larger.columns()
    };
    (0..lines).map(move |index| View::new(from, to, line, index))
}

/// A lift in progress, one pair of cells after the other.
pub(crate) struct Lift {
    from: Weights,
    shape: Shape,
    views: Vec<View>,
    cells: Vec<(usize, usize)>,
    pairs: Vec<i8>,
}

impl Lift {
    /// Starts a lift, or returns `None` if there is no such shape.
    pub(crate) fn begin(from: Weights, line: Line) -> Option<Self> {
        let old = from.shape();
        let shape = line.shape(old)?;
        Some(Self {
            views: views(old, shape, line).collect(),
            cells: pairs_of(shape.cells()).collect(),
            pairs: Vec::with_capacity(Weights::pair_count(shape) * shape.cells().pow(2)),
            from,
            shape,
        })
    }

    /// Computes the weights of the given number of pairs of cells. Returns true when none are left.
    pub(crate) fn advance(&mut self, pairs: u64) -> bool {
        let squared = self.shape.cells().pow(2);
        for _ in 0..pairs {
            let Some(&(lower, upper)) = self.cells.get(self.pairs.len() / squared) else {
                return true;
            };
            self.push_pair(lower, upper);
        }
        false
    }

    fn push_pair(&mut self, lower: usize, upper: usize) {
        let (cells, old_cells) = (self.shape.cells(), self.from.shape().cells());
        let mut sums = vec![(0_i16, 0_i16); cells * cells];
        for View {
            cells: there,
            tiles,
        } in &self.views
        {
            let (Some(lower), Some(upper)) = (there[lower], there[upper]) else {
                continue;
            };
            // Lines keep their order, so the lower cell stays the lower one.
            let pair = pair_of(old_cells, usize::from(lower), usize::from(upper));
            let block = self.from.block(pair).chunks_exact(old_cells);
            let block: Vec<&[i8]> = block.collect();
            for (sums, tile) in sums.chunks_exact_mut(cells).zip(tiles) {
                let Some(row) = tile.map(|tile| block[usize::from(tile)]) else {
                    continue;
                };
                for ((sum, count), other) in sums.iter_mut().zip(tiles) {
                    if let Some(other) = *other {
                        *sum += i16::from(row[usize::from(other)]);
                        *count += 1;
                    }
                }
            }
        }
        let means = sums
            .into_iter()
            .map(|(sum, count)| mean(sum.into(), count.into()) as i8);
        self.pairs.extend(means);
    }

    /// Returns the weights once all pairs are done.
    pub(crate) fn finish(&mut self) -> Option<Weights> {
        let cells = self.shape.cells();
        let from = &self.from;
        let single = |at: usize| {
            let place = (at / cells, at % cells);
            let single = |tile, cell| from.single(tile, cell);
            lifted_single(self.views.iter(), from.shape(), single, self.shape, place)
        };
        let singles = (0..cells * cells).map(single).collect();
        Weights::new(self.shape, singles, mem::take(&mut self.pairs))
    }
}

/// Returns the lifted weight of a tile on a cell: its Manhattan distance, plus the mean over the
/// views of what the old weights add to theirs.
pub(super) fn lifted_single<'a>(
    views: impl Iterator<Item = &'a View>,
    from: Shape,
    single: impl Fn(usize, usize) -> i32,
    shape: Shape,
    (tile, cell): (usize, usize),
) -> i16 {
    let (mut sum, mut count) = (0, 0);
    for view in views {
        if let (Some(tile), Some(cell)) = (view.tiles[tile], view.cells[cell]) {
            let [tile, cell] = [tile, cell].map(usize::from);
            sum += single(tile, cell) - distance(from, tile, cell);
            count += 1;
        }
    }
    (distance(shape, tile, cell) + mean(sum, count)) as i16
}

impl Weights {
    /// Returns the Manhattan distance as weights: the starting point of learning.
    #[must_use]
    pub fn manhattan(shape: Shape) -> Self {
        let cells = shape.cells();
        let singles = (0..cells * cells)
            .map(|at| distance(shape, at / cells, at % cells) as i16)
            .collect();
        let pairs = vec![0; Self::pair_count(shape) * cells * cells];
        Self::new(shape, singles, pairs).expect("as many as the shape has")
    }

    /// Returns the weights for boards with a line more or less, computed at once, or `None` if
    /// there is no such shape. Boards with fewer than five lines in that direction get worse
    /// weights.
    #[must_use]
    pub fn lifted(self, line: Line) -> Option<Self> {
        let mut lift = Lift::begin(self, line)?;
        while !lift.advance(u64::MAX) {}
        lift.finish()
    }

    /// Returns the weights for boards of another shape. Lines are removed before any are inserted,
    /// as the work grows with the fourth power of the number of cells.
    #[must_use]
    pub fn fit(self, shape: Shape) -> Self {
        let mut weights = self;
        while weights.shape() != shape {
            let (rows, columns) = (weights.shape().rows(), weights.shape().columns());
            let line = if rows > shape.rows() {
                Line::FewerRows
            } else if columns > shape.columns() {
                Line::FewerColumns
            } else if rows < shape.rows() && (rows <= columns || columns == shape.columns()) {
                Line::MoreRows
            } else {
                Line::MoreColumns
            };
            weights = weights
                .lifted(line)
                .expect("a shape on the way from one to another");
        }
        weights
    }
}

/// Returns the distance of a tile from its home, in the units of the weights; 0 for the blank.
fn distance(shape: Shape, tile: usize, cell: usize) -> i32 {
    if tile == 0 {
        return 0;
    }
    let home = home_of(shape.cells(), tile);
    Rows::UNIT * shape.distance(home, cell) as i32
}

/// Returns the mean, rounded to the nearest whole number, or 0 if there is nothing to average.
pub(super) const fn mean(sum: i32, count: i32) -> i32 {
    if count == 0 {
        return 0;
    }
    (2 * sum + count).div_euclid(2 * count)
}
