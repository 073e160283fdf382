//! The kinds of weights that learn to rank.

use std::sync::Arc;

use super::SLICE;
use crate::heuristic::learned::near::{NearRows, NearWeights};
use crate::heuristic::learned::{Rows, Stored, Weights};
use crate::puzzle::{Problem, Shape};
use crate::search::Solver;
use crate::search::beam::{Beam, End, Group};
use crate::search::staged_beam;
use crate::search::tables::Tables;
use crate::training::plain::Plain;

/// Weights by which a beam ranks boards.
pub(super) trait Kind: Stored + Send + Sync {
    /// What a beam looks up.
    type Rows: Send + Sync;

    /// Whether inverse boards weigh as much.
    const HAS_INVERSE: bool;

    /// Whether pairs [share](super::shares) weights.
    const SHARES: bool;

    /// The weights that come nearest to these, given in moves.
    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self;

    /// What a beam by these weights looks up.
    fn rows(&self) -> Self::Rows;

    /// How often the weights count in the ranks of a beam of a width.
    fn times(width: usize) -> f32;

    /// Makes the tables that beams for a problem need beside these.
    fn prepare(problem: &Problem);

    /// Groups of boards of a beam's layers; none where it does not come to an end.
    fn leaders(
        rows: Arc<Self::Rows>,
        problem: &Problem,
        width: usize,
        seed: u64,
    ) -> Option<Vec<Group>>;

    /// A search by a beam.
    fn solver(
        rows: Arc<Self::Rows>,
        problem: &Problem,
        width: usize,
        seed: u64,
        tables: &Arc<Tables>,
    ) -> Solver;
}

/// A weight in parts of a move; a cast to a whole number stops at the ends of its range.
fn to_parts(weight: f32) -> f32 {
    (weight * Rows::UNIT as f32).round()
}

/// Of tiles near each other; they rank boards in stages.
impl Kind for NearWeights {
    type Rows = NearRows;
    // Tiles near each other need not have homes near each other.
    const HAS_INVERSE: bool = false;
    const SHARES: bool = true;

    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self {
        let singles = singles.into_iter().map(|one| to_parts(one) as i16);
        let pairs = pairs.into_iter().map(|one| to_parts(one) as i8);
        Self::new(shape, singles.collect(), pairs.collect())
    }

    fn rows(&self) -> NearRows {
        NearRows::new(self.clone())
    }

    fn times(width: usize) -> f32 {
        staged_beam::leaders::times(width)
    }

    fn prepare(problem: &Problem) {
        while !staged_beam::prepare(problem, SLICE) {}
    }

    fn leaders(
        rows: Arc<NearRows>,
        problem: &Problem,
        width: usize,
        seed: u64,
    ) -> Option<Vec<Group>> {
        staged_beam::leaders::leaders(rows, problem, width, seed)
    }

    fn solver(
        rows: Arc<NearRows>,
        problem: &Problem,
        width: usize,
        seed: u64,
        tables: &Arc<Tables>,
    ) -> Solver {
        staged_beam::solver_by(Some(rows), problem, width, width, seed, tables)
    }
}

/// Of all pairs; they rank whole boards.
impl Kind for Weights {
    type Rows = Rows;
    const HAS_INVERSE: bool = true;
    // What pairs far from each other have in common says little.
    const SHARES: bool = false;

    fn nearest_to(shape: Shape, singles: Vec<f32>, pairs: Vec<f32>) -> Self {
        let mut plain = Plain {
            shape,
            singles,
            pairs,
        };
        plain.settle();
        plain.rounded()
    }

    fn rows(&self) -> Rows {
        Rows::new(self.clone())
    }

    fn times(_width: usize) -> f32 {
        1.0
    }

    fn prepare(_problem: &Problem) {}

    fn leaders(rows: Arc<Rows>, problem: &Problem, width: usize, seed: u64) -> Option<Vec<Group>> {
        Beam::learned(problem, End::Start, rows, width, seed)?.leaders(seed)
    }

    fn solver(
        rows: Arc<Rows>,
        problem: &Problem,
        width: usize,
        seed: u64,
        _tables: &Arc<Tables>,
    ) -> Solver {
        let beam = Beam::learned(problem, End::Start, rows, width, seed);
        Box::new(beam.expect("rows of the problem's shape"))
    }
}
