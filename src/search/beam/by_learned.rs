//! Beams by the learned estimate, and the tables that rank their boards.

use std::sync::Arc;

use super::task::{Task, home};
use super::whole::deepest;
use super::{Beam, End, Hashes, Layers, Learned, Pass, Settings, Trace};
use crate::heuristic::learned::near::{self, NearRanking};
use crate::heuristic::learned::{self, Ranking, Rows};
use crate::puzzle::{Home, Problem, Shape};

impl<R: Ranking> Beam<Learned<R>> {
    /// A search by the learned estimate; `None` when the rows are not those of the shape of the problem's
    /// image under [`Problem::canonical_symmetry`].
    #[must_use]
    pub fn learned(
        problem: &Problem,
        from: End,
        rows: Arc<R>,
        width: usize,
        seed: u64,
    ) -> Option<Self> {
        let task = Task::by_last_corner(problem, from);
        let shape = task.start().shape();
        if rows.shape() != shape {
            return None;
        }
        let hashes = Hashes::new(shape, seed);
        let estimate = Learned::new(rows, &hashes, task.goal());
        Some(Self::new(task, estimate, hashes, width))
    }

    /// The same for a solution of at most so many moves, by tables of either kind.
    fn pass(
        rows: &Arc<R>,
        problem: &Problem,
        from: End,
        width: usize,
        seed: u64,
        most_moves: u32,
    ) -> Option<Box<dyn Pass>> {
        let beam = Self::learned(problem, from, Arc::clone(rows), width, seed)?;
        Some(Box::new(beam.within(most_moves)))
    }
}

/// Whether there is a learned estimate of whole boards of this shape.
#[must_use]
pub const fn is_learned(shape: Shape) -> bool {
    learned::supports(shape) || near::supports_whole(shape)
}

/// Works on the tables of that estimate, about as long as so many nodes of a search take. Returns true once
/// no work is left.
pub fn prepare(shape: Shape, nodes: u64) -> bool {
    prepare_at(Home::corner(shape), nodes)
}

/// Works on tables that make beams of a problem from an end better, where the blank's home is not a corner, in
/// the same way.
pub fn prepare_from(problem: &Problem, from: End, nodes: u64) -> bool {
    prepare_at(home(problem, from), nodes)
}

/// Works on the tables for a home of the blank, in the same way.
fn prepare_at(home: Home, nodes: u64) -> bool {
    if near::supports_whole(home.shape()) {
        near::prepare_whole(home, nodes)
    } else {
        learned::prepare(home, nodes)
    }
}

/// The bytes of the tables for one home of the blank.
pub(crate) fn table_bytes(shape: Shape) -> usize {
    if near::supports_whole(shape) {
        NearRanking::bytes(shape)
    } else {
        Rows::bytes(shape)
    }
}

/// Whether the tables of the estimate are ready.
#[must_use]
pub fn is_ready(shape: Shape) -> bool {
    ready(shape).is_some()
}

/// The bytes that a search by that estimate of this width can come to hold, not counting these tables.
#[must_use]
pub fn bytes(shape: Shape, width: usize) -> u64 {
    let settings = Settings::new(width, deepest(shape));
    Layers::<Learned>::bytes(shape, settings.width()) + Trace::bytes_of(settings)
}

/// The tables that rank whole boards of a shape.
#[derive(Clone)]
pub(crate) enum Ready {
    /// All pairs of tiles.
    Pairs(Arc<Rows>),
    /// Pairs of tiles near each other.
    Near(Arc<NearRanking>),
}

/// The tables that rank whole boards of this shape, if they are ready.
pub(crate) fn ready(shape: Shape) -> Option<Ready> {
    ready_at(Home::corner(shape))
}

/// Those for a home of the blank, if they are ready.
fn ready_at(home: Home) -> Option<Ready> {
    if near::supports_whole(home.shape()) {
        near::ready_whole(home).map(Ready::Near)
    } else {
        learned::ready(home).map(Ready::Pairs)
    }
}

/// The tables for a problem from an end: if they are ready, those for its own home of the blank.
fn ready_from(problem: &Problem, from: End) -> Option<Ready> {
    let home = home(problem, from);
    ready_at(home).or_else(|| ready(home.shape()))
}

impl Ready {
    /// A search of a problem of this shape for a solution of at most so many moves.
    pub(crate) fn beam(
        &self,
        problem: &Problem,
        from: End,
        width: usize,
        seed: u64,
        most_moves: u32,
    ) -> Option<Box<dyn Pass>> {
        match self {
            Self::Pairs(rows) => Beam::pass(rows, problem, from, width, seed, most_moves),
            Self::Near(ranking) => Beam::pass(ranking, problem, from, width, seed, most_moves),
        }
    }
}

/// A search by the learned estimate of the problem's shape for a solution of at most so many moves, by the
/// tables for its own home of the blank where these are ready; `None` when no tables are.
#[must_use]
pub fn by_learned(
    problem: &Problem,
    from: End,
    width: usize,
    seed: u64,
    most_moves: u32,
) -> Option<Box<dyn Pass>> {
    ready_from(problem, from)?.beam(problem, from, width, seed, most_moves)
}
