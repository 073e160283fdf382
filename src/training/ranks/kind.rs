//! The kinds of weights that learn to rank.

use crate::heuristic::learned::near::{NearPairs, NearRanking, NearWeights};
use crate::heuristic::learned::{AllPairs, PairWeights, Pairs, Ranking, Rows, Weights};
use crate::puzzle::Shape;
use crate::training::plain::Plain;
use crate::training::weight::to_parts;

/// Pairs of cells whose weights rank the boards of a beam.
pub(super) trait Kind: Pairs {
    /// Whether inverse boards have the same weights.
    const HAS_INVERSE: bool;

    /// Whether pairs [share](super::shares) weights.
    const SHARES: bool;

    /// The tables that beams over whole boards look up.
    type Ranking: Ranking;

    /// Returns the weights nearest to these, which are given in moves.
    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> PairWeights<Self>;

    /// Creates the tables for beams over whole boards by these weights.
    fn ranking(weights: PairWeights<Self>) -> Self::Ranking;
}

/// Weights of tiles near each other. They rank boards in stages and whole boards.
impl Kind for NearPairs {
    // Tiles near each other need not have homes near each other.
    const HAS_INVERSE: bool = false;
    const SHARES: bool = true;
    type Ranking = NearRanking;

    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> NearWeights {
        let singles = singles.into_iter().map(|one| to_parts(one) as i16);
        let pairs = pairs.into_iter().map(|one| to_parts(one) as i8);
        NearWeights::of_parts(shape, singles.collect(), pairs.collect())
            .expect("as many as they were")
    }

    fn ranking(weights: NearWeights) -> NearRanking {
        NearRanking::new(weights)
    }
}

/// Weights of all pairs. They rank whole boards.
impl Kind for AllPairs {
    const HAS_INVERSE: bool = true;
    // What pairs far from each other have in common says little.
    const SHARES: bool = false;
    type Ranking = Rows;

    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Weights {
        let mut plain = Plain {
            shape,
            singles,
            pairs,
        };
        plain.settle();
        plain.rounded()
    }

    fn ranking(weights: Weights) -> Rows {
        Rows::new(weights)
    }
}
