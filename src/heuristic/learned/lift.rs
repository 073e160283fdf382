//! Weights for a board with one row or column more or less, and so of any other shape, derived from
//! learned weights.
//!
//! The weight of two tiles on two cells changes little if a line is removed that neither tile
//! stands on or belongs to, or if an empty line is inserted. A weight is the mean over all lines
//! for which this holds. If a line is removed, cells with that line between them may be near each
//! other only on the smaller board; then their weights come from the other lines.

use super::derived::{Derivation, Derived};
use super::manhattan::distance;
use super::mean::rounded;
use super::names::{home_of, tile_of};
use super::weights::{PairWeights, Pairs};
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
    fn shape(self, shape: Shape) -> Option<Shape> {
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

    const fn grows(self) -> bool {
        matches!(self, Self::MoreRows | Self::MoreColumns)
    }
}

/// Returns the next line to insert or remove on the way from a shape to another. Lines are removed
/// before any are inserted, as the work grows with the fourth power of the number of cells.
fn next_line<P: Pairs>(from: Shape, to: Shape) -> Option<Line> {
    let (rows, columns) = (from.rows(), from.columns());
    if rows > to.rows() {
        Some(Line::FewerRows)
    } else if columns > to.columns() {
        Some(Line::FewerColumns)
    } else if rows < to.rows() && !(P::GROWS_IN_TURNS && rows > columns && columns < to.columns()) {
        Some(Line::MoreRows)
    } else if columns < to.columns() {
        Some(Line::MoreColumns)
    } else {
        None
    }
}

/// Tiles that are consecutive on both boards: the first on the new board, the first on the old
/// board, and how many.
type Run = (usize, usize, usize);

/// The large board as the small one, or the small one within the large one: maps the cells and
/// tiles of the new shape to those of the old shape. `None` for those on the line that is missing,
/// and where a tile would become the blank or the blank a tile.
struct View {
    cells: Box<[Option<usize>]>,
    tiles: Box<[Option<usize>]>,
    /// The tiles that are there, in runs.
    runs: Vec<Run>,
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
            ((tile == 0) == (image == 0)).then_some(image)
        };
        let tiles: Box<[_]> = (0..to.cells()).map(tile).collect();
        Self {
            cells: (0..to.cells()).map(place).collect(),
            runs: runs(&tiles),
            tiles,
        }
    }

    /// Returns the views for a line inserted or removed, one for each position of the line.
    fn all(from: Shape, to: Shape, line: Line) -> Vec<Self> {
        let larger = if line.grows() { to } else { from };
        let lines = if line.is_row() {
            larger.rows()
        } else {
            larger.columns()
        };
        let view = |index| Self::new(from, to, line, index);
        (0..lines).map(view).collect()
    }
}

/// Returns the tiles that a view has, in runs.
fn runs(tiles: &[Option<usize>]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (new, &old) in tiles.iter().enumerate() {
        let Some(old) = old else {
            continue;
        };
        match runs.last_mut() {
            Some((first, first_old, len)) if *first + *len == new && *first_old + *len == old => {
                *len += 1;
            }
            _ => runs.push((new, old, 1)),
        }
    }
    runs
}

/// Derives weights by one line more or less.
pub(super) struct Lift {
    shape: Shape,
    views: Vec<View>,
    /// For the current pair of cells: the sums of the weights of each two tiles, and how many were
    /// added.
    sums: Vec<i16>,
    counts: Vec<i16>,
}

impl Lift {
    /// Starts a lift, or returns `None` if there is no such shape.
    fn begin<P: Pairs>(from: PairWeights<P>, line: Line) -> Option<Derived<P, Self>> {
        let old = from.shape();
        let shape = line.shape(old)?;
        let squared = shape.cells().pow(2);
        let lift = Self {
            shape,
            views: View::all(old, shape, line),
            sums: vec![0; squared],
            counts: vec![0; squared],
        };
        Some(Derived::begin(from, shape, lift))
    }

    /// Starts the next lift on the way to a shape. Returns the weights if they are of this shape.
    pub(super) fn towards<P: Pairs>(
        shape: Shape,
        from: PairWeights<P>,
    ) -> Result<Derived<P, Self>, PairWeights<P>> {
        match next_line::<P>(from.shape(), shape) {
            Some(line) => Ok(Self::begin(from, line).expect("a shape on the way to another")),
            None => Err(from),
        }
    }
}

impl<P: Pairs> Derivation<P> for Lift {
    fn push_pair(
        &mut self,
        from: &PairWeights<P>,
        pair: Option<(usize, usize)>,
        pairs: &mut Vec<i8>,
    ) {
        let old = from.shape();
        let (cells, old_cells) = (self.shape.cells(), old.cells());
        self.sums.fill(0);
        self.counts.fill(0);
        for view in &self.views {
            // Lines keep their order, so the lower cell stays the lower one.
            let block = pair
                .and_then(|(lower, upper)| P::find(old, view.cells[lower]?, view.cells[upper]?));
            let Some(block) = block else {
                continue;
            };
            let block = from.block(block);
            for (tile, &old_tile) in view.tiles.iter().enumerate() {
                let Some(old_tile) = old_tile else {
                    continue;
                };
                let row = &block[old_tile * old_cells..][..old_cells];
                let sums = &mut self.sums[tile * cells..][..cells];
                let counts = &mut self.counts[tile * cells..][..cells];
                for &(new, old, len) in &view.runs {
                    let sums = sums[new..][..len].iter_mut();
                    for ((sum, count), &weight) in
                        sums.zip(&mut counts[new..][..len]).zip(&row[old..][..len])
                    {
                        *sum += i16::from(weight);
                        *count += 1;
                    }
                }
            }
        }
        let sums = self.sums.iter().zip(&self.counts);
        pairs.extend(sums.map(|(&sum, &count)| rounded(sum.into(), count.into()) as i8));
    }

    /// The Manhattan distance of the tile, plus the mean over the views of what the old weights add to
    /// theirs.
    fn single(&self, from: &PairWeights<P>, tile: usize, cell: usize) -> i16 {
        let old = from.shape();
        let (mut sum, mut count) = (0, 0);
        for view in &self.views {
            if let (Some(tile), Some(cell)) = (view.tiles[tile], view.cells[cell]) {
                sum += from.single(tile, cell) - distance(old, tile, cell);
                count += 1;
            }
        }
        (distance(self.shape, tile, cell) + rounded(sum, count)) as i16
    }
}

impl<P: Pairs> PairWeights<P> {
    /// Returns the weights for boards with a line more or less, computed at once, or `None` if
    /// there is no such shape. Boards with fewer than five lines in that direction get worse
    /// weights.
    #[must_use]
    pub fn lifted(self, line: Line) -> Option<Self> {
        Lift::begin(self, line).map(Derived::all)
    }

    /// Returns the weights for boards of another shape, computed at once.
    #[must_use]
    pub fn fit(mut self, shape: Shape) -> Self {
        loop {
            self = match Lift::towards(shape, self) {
                Ok(lift) => lift.all(),
                Err(weights) => return weights,
            };
        }
    }
}
