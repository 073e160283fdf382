//! Weights that are derived from others, one pair of cells after the other.

use std::mem;

use super::weights::{PairWeights, Pairs};
use crate::puzzle::Shape;

/// How weights follow from others.
pub(super) trait Derivation<P> {
    /// Appends the weights of all two tiles on a pair of cells, lower cell first; `None` is a block without a
    /// second cell.
    fn push_pair(
        &mut self,
        from: &PairWeights<P>,
        pair: Option<(usize, usize)>,
        pairs: &mut Vec<i8>,
    );

    /// Returns the weight of a tile on a cell.
    fn single(&self, from: &PairWeights<P>, tile: usize, cell: usize) -> i16;
}

/// Weights under construction.
pub(super) struct Derived<P, D> {
    from: PairWeights<P>,
    by: D,
    shape: Shape,
    cells: Vec<Option<(usize, usize)>>,
    pairs: Vec<i8>,
}

impl<P: Pairs, D: Derivation<P>> Derived<P, D> {
    /// Starts to derive weights for boards of a shape.
    pub(super) fn begin(from: PairWeights<P>, shape: Shape, by: D) -> Self {
        let cells = P::blocks(shape);
        Self {
            from,
            by,
            shape,
            pairs: Vec::with_capacity(cells.len() * shape.cells().pow(2)),
            cells,
        }
    }

    /// Computes the weights of the given number of pairs of cells. Returns true when none are left.
    pub(super) fn advance(&mut self, pairs: u64) -> bool {
        for _ in 0..pairs {
            let done = self.pairs.len() / self.shape.cells().pow(2);
            let Some(&pair) = self.cells.get(done) else {
                return true;
            };
            self.by.push_pair(&self.from, pair, &mut self.pairs);
        }
        false
    }

    /// Returns the weights once all pairs are done.
    pub(super) fn finish(&mut self) -> Option<PairWeights<P>> {
        let cells = self.shape.cells();
        let single = |at| self.by.single(&self.from, at / cells, at % cells);
        let singles = (0..cells * cells).map(single).collect();
        PairWeights::of_parts(self.shape, singles, mem::take(&mut self.pairs))
    }

    /// Computes all weights at once.
    pub(super) fn all(mut self) -> PairWeights<P> {
        while !self.advance(u64::MAX) {}
        self.finish().expect("as many as the shape has")
    }
}
