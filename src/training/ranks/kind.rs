//! The kinds of weights that learn to rank.

use crate::heuristic::learned::near::{NearRanking, NearWeights};
use crate::heuristic::learned::{Ranking, Rows, Stored, Weights};
use crate::puzzle::Shape;
use crate::training::plain::Plain;
use crate::training::weight::to_parts;

/// Weights by which a beam ranks boards.
pub(super) trait Kind: Stored + Clone + Send + Sync {
    /// Whether inverse boards have the same weights.
    const HAS_INVERSE: bool;

    /// Whether pairs [share](super::shares) weights.
    const SHARES: bool;

    /// The tables that beams over whole boards look up.
    type Ranking: Ranking;

    /// Returns the weights nearest to these, which are given in moves.
    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self;

    /// Creates the tables for beams over whole boards by these weights.
    fn ranking(self) -> Self::Ranking;
}

/// Weights of tiles near each other. They rank boards in stages and whole boards.
impl Kind for NearWeights {
    // Tiles near each other need not have homes near each other.
    const HAS_INVERSE: bool = false;
    const SHARES: bool = true;
    type Ranking = NearRanking;

    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self {
        let singles = singles.into_iter().map(|one| to_parts(one) as i16);
        let pairs = pairs.into_iter().map(|one| to_parts(one) as i8);
        Self::of_parts(shape, singles.collect(), pairs.collect()).expect("as many as they were")
    }

    fn ranking(self) -> NearRanking {
        NearRanking::new(self)
    }
}

/// Weights of all pairs. They rank whole boards.
impl Kind for Weights {
    const HAS_INVERSE: bool = true;
    // What pairs far from each other have in common says little.
    const SHARES: bool = false;
    type Ranking = Rows;

    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self {
        let mut plain = Plain {
            shape,
            singles,
            pairs,
        };
        plain.settle();
        plain.rounded()
    }

    fn ranking(self) -> Rows {
        Rows::new(self)
    }
}
