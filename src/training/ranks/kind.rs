//! The kinds of weights that learn to rank.

use crate::heuristic::learned::near::{NearRanking, NearWeights};
use crate::heuristic::learned::{Ranking, Rows, Stored, Weights};
use crate::puzzle::Shape;
use crate::search::beam::End;
use crate::training::plain::Plain;

/// Weights by which a beam ranks boards.
pub(super) trait Kind: Stored + Clone + Send + Sync {
    /// Whether inverse boards weigh as much.
    const HAS_INVERSE: bool;

    /// Whether pairs [share](super::shares) weights.
    const SHARES: bool;

    /// Where beams over whole boards begin that decide what weights are worth: by tiles near each other beams from one end
    /// get stuck now and then, so that boards are solved from both.
    const ENDS: &'static [End];

    /// What beams over whole boards look up.
    type Ranking: Ranking;

    /// The weights that come nearest to these, given in moves.
    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self;

    /// What beams over whole boards by these weights look up.
    fn ranking(self) -> Self::Ranking;
}

/// A weight in parts of a move; a cast to a whole number stops at the ends of its range.
fn to_parts(weight: f32) -> f32 {
    (weight * Rows::UNIT as f32).round()
}

/// Of tiles near each other; they rank boards in stages and whole boards.
impl Kind for NearWeights {
    // Tiles near each other need not have homes near each other.
    const HAS_INVERSE: bool = false;
    const SHARES: bool = true;
    const ENDS: &'static [End] = &[End::Start, End::Goal];
    type Ranking = NearRanking;

    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self {
        let singles = singles.into_iter().map(|one| to_parts(one) as i16);
        let pairs = pairs.into_iter().map(|one| to_parts(one) as i8);
        Self::new(shape, singles.collect(), pairs.collect())
    }

    fn ranking(self) -> NearRanking {
        NearRanking::new(self)
    }
}

/// Of all pairs; they rank whole boards.
impl Kind for Weights {
    const HAS_INVERSE: bool = true;
    // What pairs far from each other have in common says little.
    const SHARES: bool = false;
    const ENDS: &'static [End] = &[End::Start];
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
