//! A learned estimate of the moves to the goal, by table look-up.
//!
//! The estimate of a board is a sum over its tiles and over its pairs of tiles, the blank counted
//! as a tile: like additive pattern databases of two tiles each, but of *all* pairs, and with
//! weights that were learned from solutions instead of counted. It is no bound.

mod file;
mod lift;
mod rows;
mod weights;

pub use file::WeightsError;
pub use rows::Rows;
pub use weights::Weights;

pub(crate) use lift::{Lift, Step, distance};
pub(crate) use weights::{Transposition, home_of, pair_of, pairs_of, tile_of};

impl Weights {
    /// The Manhattan distance as weights: what learning starts from.
    #[must_use]
    pub fn manhattan(shape: crate::puzzle::Shape) -> Self {
        let cells = shape.cells();
        let singles = (0..cells * cells)
            .map(|at| distance(shape, at / cells, at % cells) as i16)
            .collect();
        let pairs = vec![0; Self::pair_count(shape) * cells * cells];
        Self::new(shape, singles, pairs).expect("as many as the shape has")
    }
}

impl Weights {
    /// Temporary.
    #[must_use]
    pub fn lifted(&self, step: char) -> Self {
        let step = match step {
            'R' => Step::MoreRows,
            'C' => Step::MoreColumns,
            'r' => Step::FewerRows,
            _ => Step::FewerColumns,
        };
        let mut lift = Lift::begin(self.clone(), step).unwrap();
        while !lift.advance(u64::MAX) {}
        lift.finish().unwrap()
    }
}

impl Rows {
    /// The rows of weights, all at once.
    #[must_use]
    pub fn new(weights: Weights) -> Self {
        let mut making = rows::Making::begin(weights);
        while !making.advance(u64::MAX) {}
        making.finish()
    }
}
