//! Beams over whole boards.

use super::staged::{NARROWEST, Staged};
use super::{EASY_CELLS, boards, cube, is_large};
use crate::heuristic::learned::near;
use crate::puzzle::{Problem, Shape};
use crate::search::anytime::widening::{Beams, Kind, Scale};
use crate::search::beam::{self, End, Pass};

/// Whole-board beams by the learned estimate; staged where narrow ones would mostly get stuck.
pub(super) struct Whole {
    staged: Staged,
    widths: Widths,
}

/// How narrow beams can be on boards of a size.
#[derive(Clone, Copy)]
struct Widths {
    /// The narrowest beam of either kind.
    narrowest: usize,
    /// From this width on, a beam over whole boards mostly reaches the goal by the learned estimate.
    alone: usize,
    /// From this width on, one of two beams from either end does.
    beside_another: usize,
    /// From this width on, two beams are together as good as one that has the time of both. On large boards that
    /// is from where they go over whole boards: those in stages all begin at the same end.
    worth_two: usize,
}

impl Widths {
    /// Boards of at most [`EASY_CELLS`].
    const EASY: Self = Self {
        narrowest: 48,
        alone: 0,
        beside_another: 0,
        worth_two: 750,
    };

    /// Boards that are neither easy nor large. One of two beams often gets through where the other does not.
    const SMALL: Self = Self {
        narrowest: 8,
        alone: 100,
        beside_another: 100,
        worth_two: 0,
    };

    /// [Large](is_large) boards. Narrower beams than these are staged.
    const LARGE: Self = Self {
        narrowest: NARROWEST,
        alone: 500,
        beside_another: 120,
        worth_two: 120,
    };

    /// Large boards on which beams get stuck more often.
    const LARGER: Self = Self {
        alone: 1000,
        beside_another: 300,
        worth_two: 300,
        ..Self::LARGE
    };

    /// The longest side and the most cells of boards that are large but not larger.
    const LARGE_SIDE: usize = 12;
    const LARGE_CELLS: usize = 100;

    fn of(shape: Shape) -> Self {
        let side = shape.rows().max(shape.columns());
        if shape.cells() <= EASY_CELLS {
            Self::EASY
        } else if !is_large(shape) {
            Self::SMALL
        } else if side <= Self::LARGE_SIDE && shape.cells() <= Self::LARGE_CELLS {
            Self::LARGE
        } else {
            Self::LARGER
        }
    }
}

/// A beam that makes fewer nodes than one for so many bytes of the tables for its own home of the blank loses
/// more by reading them from memory than it gains by them. Those for the last corner are used more often, so
/// they are in the caches.
const OWN_BYTES_A_NODE: f64 = 32.0;

/// The nanoseconds per node of beams that are ranked by pairs of tiles near each other, on very small boards
/// and in addition for each cell, and the additional nanoseconds per layer.
const NEAR_NODE: f64 = 56.0;
const NEAR_CELL: f64 = 0.24;
const NEAR_LAYER: f64 = 4000.0;

impl Whole {
    /// Beams over whole boards, and those in stages for the same problem.
    pub(super) fn new(staged: Staged) -> Self {
        let widths = Widths::of(staged.problem.shape());
        Self { staged, widths }
    }

    const fn problem(&self) -> &Problem {
        &self.staged.problem
    }

    const fn shape(&self) -> Shape {
        self.problem().shape()
    }

    /// Whether a beam is so large that the tables for its own home of the blank are worth it.
    fn gains_by_own_tables(&self, scale: Scale) -> bool {
        let nodes = scale.width as f64 * f64::from(self.layers(scale));
        scale.kind == Kind::Whole
            && nodes * OWN_BYTES_A_NODE >= beam::table_bytes(self.shape()) as f64
    }
}

impl Beams for Whole {
    fn prepare(&self, nodes: u64) -> bool {
        // On large boards narrow beams, which are staged, need tables of their own. These come first, in case
        // there is no room for both.
        let is_staged_prepared = !is_large(self.shape()) || self.staged.prepare(nodes);
        is_staged_prepared && beam::prepare(self.shape(), nodes)
    }

    fn refine(&self, scale: Scale, nodes: u64) -> bool {
        // The beam after the first begins at the goal.
        let mut ends = [End::Goal, End::Start].into_iter();
        !self.gains_by_own_tables(scale)
            || ends.all(|from| beam::prepare_from(self.problem(), from, nodes))
    }

    fn beam(&self, scale: Scale, most: usize, seed: u64) -> Option<Box<dyn Pass>> {
        if scale.kind == Kind::Staged {
            return self.staged.beam(scale, most, seed);
        }
        // The ends alternate: what a beam from one end misses, one from the other often finds.
        let from = if seed.is_multiple_of(2) {
            End::Start
        } else {
            End::Goal
        };
        let (problem, most_moves) = (self.problem(), scale.most_moves);
        let mut beam = if self.gains_by_own_tables(scale) {
            beam::by_learned(problem, from, most, seed, most_moves)?
        } else {
            beam::ready(problem.shape())?.beam(problem, from, most, seed, most_moves)?
        };
        beam.set_width(scale.width);
        Some(beam)
    }

    fn kind(&self, width: usize, is_paired: bool) -> Kind {
        let least = if is_paired {
            self.widths.beside_another
        } else {
            self.widths.alone
        };
        if width >= least && beam::is_ready(self.shape()) {
            Kind::Whole
        } else {
            Kind::Staged
        }
    }

    fn bytes(&self, scale: Scale) -> u64 {
        match scale.kind {
            Kind::Whole => beam::bytes(self.shape(), scale.width),
            Kind::Staged => self.staged.bytes(scale),
        }
    }

    fn pair_width(&self) -> Option<usize> {
        // Staged beams, which are the only ones on large boards until the tables are ready, all begin at the
        // same end.
        let are_whole = !is_large(self.shape()) || beam::is_ready(self.shape());
        are_whole.then_some(self.widths.worth_two)
    }

    fn suit_two(&self) -> bool {
        true
    }

    fn narrowest(&self) -> usize {
        self.widths.narrowest
    }

    fn widest(&self) -> usize {
        boards(self.shape())
    }

    fn layers(&self, scale: Scale) -> u32 {
        match scale.kind {
            Kind::Whole => (0.9 * beam::by_length(self.shape()) * cube(self.shape())) as u32,
            Kind::Staged => self.staged.layers(scale),
        }
    }

    fn cost(&self, scale: Scale) -> f64 {
        match scale.kind {
            Kind::Whole if near::supports_whole(self.shape()) => {
                let cells = self.shape().cells() as f64;
                NEAR_NODE + NEAR_CELL * cells + NEAR_LAYER / scale.width.max(1) as f64
            }
            Kind::Whole => 20.0 + 2.0 * self.shape().cells() as f64,
            Kind::Staged => self.staged.cost(scale),
        }
    }
}
