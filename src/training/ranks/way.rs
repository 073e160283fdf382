//! How beams solve boards by weights that learn to rank.

use std::sync::Arc;

use super::SLICE;
use super::kind::Kind;
use crate::heuristic::learned::Ranking;
use crate::heuristic::learned::near::{NearPairs, NearRows};
use crate::puzzle::Problem;
use crate::search::Solver;
use crate::search::beam::{Beam, End, Group};
use crate::search::staged_beam::{self, Extent};
use crate::search::tables::Tables;

/// A way to solve boards by weights of a kind.
pub(super) trait Way<K> {
    /// The tables that a beam looks up.
    type Rows: Send + Sync;

    /// Returns the factor of the weights in the ranks of a beam of a given width.
    fn times(width: usize) -> f32;

    /// Builds the other tables that beams for a problem need.
    fn prepare(problem: &Problem);

    /// Returns groups of boards of a beam's layers, or `None` if the beam does not reach its end.
    fn leaders(
        rows: Arc<Self::Rows>,
        problem: &Problem,
        width: usize,
        seed: u64,
    ) -> Option<Vec<Group>>;

    /// Returns the ends at which beams start. The shortest of their solutions counts.
    fn ends() -> &'static [End];

    /// Creates a search by a beam.
    fn solver(
        rows: Arc<Self::Rows>,
        problem: &Problem,
        from: End,
        width: usize,
        seed: u64,
        tables: &Arc<Tables>,
    ) -> Solver;
}

/// Solves boards in stages.
pub(super) enum InStages {}

impl Way<NearPairs> for InStages {
    type Rows = NearRows;

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

    fn ends() -> &'static [End] {
        &[End::Start]
    }

    fn solver(
        rows: Arc<NearRows>,
        problem: &Problem,
        _from: End,
        width: usize,
        seed: u64,
        tables: &Arc<Tables>,
    ) -> Solver {
        staged_beam::solver_by(Some(rows), problem, Extent::of_width(width), seed, tables)
    }
}

/// The ends at which beams over whole boards start. Boards are served from both, as what one beam
/// misses the other often finds.
pub(super) const ENDS: [End; 2] = [End::Start, End::Goal];

/// Returns the end from which ranks are learned on a board. The seeds of successive boards are
/// successive numbers, so that the ends take turns. A beam from the goal looks for a blank that is
/// seldom in a corner, on which the estimate is less exact.
pub(super) const fn end_of(seed: u64) -> End {
    ENDS[(seed % ENDS.len() as u64) as usize]
}

/// Solves whole boards at once.
pub(super) enum Whole {}

impl<K: Kind> Way<K> for Whole {
    type Rows = K::Ranking;

    fn times(_width: usize) -> f32 {
        1.0
    }

    fn prepare(_problem: &Problem) {}

    fn leaders(
        rows: Arc<K::Ranking>,
        problem: &Problem,
        width: usize,
        seed: u64,
    ) -> Option<Vec<Group>> {
        Beam::learned(problem, end_of(seed), rows, width, seed)?.leaders(seed)
    }

    fn ends() -> &'static [End] {
        &ENDS
    }

    fn solver(
        rows: Arc<K::Ranking>,
        problem: &Problem,
        from: End,
        width: usize,
        seed: u64,
        _tables: &Arc<Tables>,
    ) -> Solver {
        whole(rows, problem, from, width, seed)
    }
}

/// Creates a search over whole boards.
///
/// # Panics
/// If the rows are not those of the problem's shape.
pub(super) fn whole(
    rows: Arc<impl Ranking>,
    problem: &Problem,
    from: End,
    width: usize,
    seed: u64,
) -> Solver {
    let beam = Beam::learned(problem, from, rows, width, seed);
    Box::new(beam.expect("rows of the problem's shape"))
}
