//! Weights of a board with one line more or less, and so of any other shape.

use super::weights::{NearWeights, offset_of, other_of, pairs_of};
use crate::heuristic::learned::Line;
use crate::heuristic::learned::lift::{View, lifted_single, mean, views};
use crate::puzzle::Shape;

impl NearWeights {
    /// Returns the weights for boards with a line more or less, computed at once, or `None` if
    /// there is no such shape.
    #[must_use]
    pub fn lifted(self, line: Line) -> Option<Self> {
        let mut lift = NearLift::begin(self, line)?;
        while !lift.advance(u64::MAX) {}
        Some(lift.finish())
    }

    /// Returns the next line to insert or remove on the way to a shape.
    pub(super) fn next_line(&self, shape: Shape) -> Option<Line> {
        if self.shape().rows() > shape.rows() {
            Some(Line::FewerRows)
        } else if self.shape().columns() > shape.columns() {
            Some(Line::FewerColumns)
        } else if self.shape().rows() < shape.rows() {
            Some(Line::MoreRows)
        } else if self.shape().columns() < shape.columns() {
            Some(Line::MoreColumns)
        } else {
            None
        }
    }

    /// Returns the weights for boards of another shape.
    #[must_use]
    pub fn fit(self, shape: Shape) -> Self {
        let mut weights = self;
        while let Some(line) = weights.next_line(shape) {
            weights = weights
                .lifted(line)
                .expect("a shape on the way from one to another");
        }
        weights
    }
}

/// Tiles that are consecutive on both boards: the first on the new board, the first on the old
/// board, and how many.
type Run = (usize, usize, usize);

/// A lift in progress, one pair of cells after the other. If a line is removed, pairs with that
/// line between them are not near each other on the larger board, so their weights come from the
/// other lines.
pub(super) struct NearLift {
    from: NearWeights,
    shape: Shape,
    views: Vec<(View, Vec<Run>)>,
    cells: Vec<(usize, usize)>,
    /// The number of pairs that are done.
    done: usize,
    pairs: Vec<i8>,
    /// For the current pair of cells: the sums of the weights of each two tiles, and how many were
    /// added.
    sums: Vec<i16>,
    counts: Vec<i16>,
}

impl NearLift {
    /// Starts a lift, or returns `None` if there is no such shape.
    pub(super) fn begin(from: NearWeights, line: Line) -> Option<Self> {
        let shape = line.shape(from.shape())?;
        let squared = shape.cells().pow(2);
        let views = views(from.shape(), shape, line).map(|view| {
            let runs = runs(&view);
            (view, runs)
        });
        Some(Self {
            views: views.collect(),
            cells: pairs_of(shape).collect(),
            done: 0,
            pairs: Vec::with_capacity(NearWeights::pair_count(shape) * squared),
            sums: vec![0; squared],
            counts: vec![0; squared],
            from,
            shape,
        })
    }

    /// Computes the weights of the given number of pairs of cells. Returns true when none are left.
    pub(super) fn advance(&mut self, pairs: u64) -> bool {
        for _ in 0..pairs {
            let Some(&(cell, offset)) = self.cells.get(self.done) else {
                return true;
            };
            self.done += 1;
            self.push_pair(cell, offset);
        }
        false
    }

    fn push_pair(&mut self, cell: usize, offset: usize) {
        let (cells, old) = (self.shape.cells(), self.from.shape());
        self.sums.fill(0);
        self.counts.fill(0);
        let other = other_of(self.shape, cell, offset);
        for (view, runs) in &self.views {
            let there = |cell: usize| view.cells[cell].map(usize::from);
            let (Some(cell), Some(other)) = (there(cell), other.and_then(there)) else {
                continue;
            };
            let Some(offset) = offset_of(old, cell, other) else {
                continue;
            };
            let block = self.from.block(cell, offset);
            for (tile, old_tile) in view.tiles.iter().enumerate() {
                let Some(old_tile) = old_tile.map(usize::from) else {
                    continue;
                };
                let row = &block[old_tile * old.cells()..][..old.cells()];
                let sums = &mut self.sums[tile * cells..][..cells];
                let counts = &mut self.counts[tile * cells..][..cells];
                for &(new, old, len) in runs {
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
        let means = sums.map(|(&sum, &count)| mean(sum.into(), count.into()) as i8);
        self.pairs.extend(means);
    }

    /// Returns the weights once all pairs are done.
    pub(super) fn finish(&mut self) -> NearWeights {
        let (cells, from) = (self.shape.cells(), &self.from);
        let views = || self.views.iter().map(|(view, _)| view);
        let single = |at: usize| {
            let (tile, cell) = (at / cells, at % cells);
            let single = |tile, cell| from.single(tile, cell);
            lifted_single(views(), from.shape(), single, self.shape, (tile, cell))
        };
        let singles = (0..cells * cells).map(single).collect();
        NearWeights::new(self.shape, singles, std::mem::take(&mut self.pairs))
    }
}

/// Returns the tiles that a view has, in runs.
fn runs(view: &View) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for (new, old) in view.tiles.iter().enumerate() {
        let Some(old) = old.map(usize::from) else {
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
