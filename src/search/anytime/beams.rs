//! Which beams solve a problem.

use std::sync::Arc;
use std::time::Duration;

use crate::heuristic::learned::near;
use crate::puzzle::{Problem, Shape};
use crate::search::beam::{self, End, Pass};
use crate::search::staged_beam;
use crate::search::tables::Tables;

use super::polish;
use super::widening::{Beams, Kind, Scale};

/// Whether beams are worth it on boards of this shape: smaller boards are soon solved to optimality.
#[must_use]
pub const fn suit(shape: Shape) -> bool {
    shape.cells() > 16
}

/// The beams for a problem: whole-board beams where there is a learned estimate, staged beams elsewhere.
#[must_use]
pub fn beams(problem: &Problem, tables: &Arc<Tables>) -> Box<dyn Beams> {
    if beam::is_learned(problem.shape()) {
        let staged = Staged::new(problem, tables);
        Box::new(Whole { staged })
    } else {
        staged(problem, tables)
    }
}

/// The staged beams for a problem of any shape.
#[must_use]
pub fn staged(problem: &Problem, tables: &Arc<Tables>) -> Box<dyn Beams> {
    Box::new(Staged::new(problem, tables))
}

/// Whether beams for boards of this shape are staged, all of them or only the narrow ones, and take a while.
#[must_use]
pub fn are_staged(shape: Shape) -> bool {
    suit(shape) && (is_large(shape) || !beam::is_learned(shape))
}

/// Whether boards of this shape are so large that narrow beams over whole boards mostly get stuck.
const fn is_large(shape: Shape) -> bool {
    let is_long = shape.rows() > SMALL_SIDE || shape.columns() > SMALL_SIDE;
    shape.cells() > if is_long { EASY_CELLS } else { SMALL_CELLS }
}

/// The most cells of a board that is not large, with sides of at most 8. A longer one must be easy.
const SMALL_CELLS: usize = 64;
const SMALL_SIDE: usize = 8;

/// About the time of the narrowest staged beam that is worth it, as its solutions are shorter than any other
/// method's.
pub(super) fn staged_time(shape: Shape) -> Duration {
    let width = (WORTH_IT * side(shape).sqrt()) as usize;
    let nodes = width as f64 * f64::from(staged_layers(shape, width));
    let cost = NARROW_COST * (1.0 + shape.cells() as f64 / DEAR_CELLS);
    Duration::from_nanos((nodes * cost) as u64)
}

/// From this many times the square root of the side on, the width of a beam is worth it: a beam of width 6 on
/// 32×32, of 8 on 64×64 and of 11 on 100×100 finds solutions as short as the constructive solver does in the
/// same time, or shorter.
const WORTH_IT: f64 = 1.1;

/// The nanoseconds per node of narrow staged beams on small boards. On boards of `DEAR_CELLS` a node would
/// take twice as long.
const NARROW_COST: f64 = 170.0;
const DEAR_CELLS: f64 = 7_000.0;

/// About the number of layers of a staged beam, as measured from 10×10 to 32×32 with widths of 4 to 500, and
/// on long boards from 6×30 to 5×60.
fn staged_layers(shape: Shape, width: usize) -> u32 {
    let by_width = 1.0 + 1.8 / (width.max(1) as f64).sqrt();
    (by_width * beam::by_length(shape) * cube(shape)) as u32
}

/// The number of solvable boards, counted for 12 cells at most: no beam could hold more.
fn boards(shape: Shape) -> usize {
    (3..=shape.cells().min(12)).product()
}

/// The cells times the mean side: n³ on n×n.
pub(super) fn cube(shape: Shape) -> f64 {
    shape.cells() as f64 * side(shape)
}

/// The mean side.
fn side(shape: Shape) -> f64 {
    (shape.rows() + shape.columns()) as f64 / 2.0
}

/// Whole-board beams by the learned estimate; staged where narrow ones would mostly get stuck.
struct Whole {
    staged: Staged,
}

/// The most cells on which narrow beams reach the goal by the learned estimate.
const EASY_CELLS: usize = 49;

/// On such boards two beams narrower than this are worse than one that has the time of both. On larger boards
/// one of two often gets through where the other does not.
const EASY_PAIR: usize = 750;

/// On larger boards, too, beams of this width or more mostly reach the goal.
const WIDE: usize = 100;

/// The same on [large](is_large) boards, and the width from which one of two beams from either end mostly gets
/// through.
const LARGE_WIDE: usize = 500;
const LARGE_PAIR: usize = 120;

/// The longest side and the most cells for which these hold, and the widths for boards beyond either.
const LARGE_SIDE: usize = 12;
const LARGE_CELLS: usize = 100;
const LARGER_WIDE: usize = 1000;
const LARGER_PAIR: usize = 300;

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
    const fn problem(&self) -> &Problem {
        &self.staged.problem
    }

    fn is_easy(&self) -> bool {
        self.problem().shape().cells() <= EASY_CELLS
    }

    const fn is_large(&self) -> bool {
        is_large(self.problem().shape())
    }

    /// Whether beams get stuck on these boards more often than on other large ones.
    fn is_larger(&self) -> bool {
        let shape = self.problem().shape();
        shape.rows().max(shape.columns()) > LARGE_SIDE || shape.cells() > LARGE_CELLS
    }

    /// Whether a beam is so large that the tables for its own home of the blank are worth it.
    fn gains_by_own_tables(&self, scale: Scale) -> bool {
        let nodes = scale.width as f64 * f64::from(self.layers(scale));
        scale.kind == Kind::Whole
            && nodes * OWN_BYTES_A_NODE >= beam::table_bytes(self.problem().shape()) as f64
    }

    /// The width from which one of two beams from either end mostly reaches the goal on large boards.
    fn large_pair(&self) -> usize {
        if self.is_larger() {
            LARGER_PAIR
        } else {
            LARGE_PAIR
        }
    }
}

impl Beams for Whole {
    fn prepare(&self, nodes: u64) -> bool {
        // On large boards narrow beams, which are staged, need tables of their own. These come first, in case
        // there is no room for both.
        let is_staged_prepared = !self.is_large() || self.staged.prepare(nodes);
        is_staged_prepared && beam::prepare(self.problem().shape(), nodes)
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
        let least = if self.is_easy() {
            0
        } else if !self.is_large() {
            WIDE
        } else if is_paired {
            self.large_pair()
        } else if self.is_larger() {
            LARGER_WIDE
        } else {
            LARGE_WIDE
        };
        if width >= least && beam::is_ready(self.problem().shape()) {
            Kind::Whole
        } else {
            Kind::Staged
        }
    }

    fn bytes(&self, scale: Scale) -> u64 {
        match scale.kind {
            Kind::Whole => beam::bytes(self.problem().shape(), scale.width),
            Kind::Staged => self.staged.bytes(scale),
        }
    }

    fn pair_width(&self) -> Option<usize> {
        if self.is_easy() {
            Some(EASY_PAIR)
        } else if self.is_large() {
            // Staged beams all begin at the same end.
            beam::is_ready(self.problem().shape()).then_some(self.large_pair())
        } else {
            Some(0)
        }
    }

    fn suit_two(&self) -> bool {
        true
    }

    fn narrowest(&self) -> usize {
        if self.is_easy() {
            48
        } else if self.is_large() {
            self.staged.narrowest()
        } else {
            8
        }
    }

    fn widest(&self) -> usize {
        boards(self.problem().shape())
    }

    fn layers(&self, scale: Scale) -> u32 {
        match scale.kind {
            Kind::Whole => {
                let shape = self.problem().shape();
                (0.9 * beam::by_length(shape) * cube(shape)) as u32
            }
            Kind::Staged => self.staged.layers(scale),
        }
    }

    fn cost(&self, scale: Scale) -> f64 {
        match scale.kind {
            Kind::Whole if near::supports_whole(self.problem().shape()) => {
                let cells = self.problem().shape().cells() as f64;
                NEAR_NODE + NEAR_CELL * cells + NEAR_LAYER / scale.width.max(1) as f64
            }
            Kind::Whole => 20.0 + 2.0 * self.problem().shape().cells() as f64,
            Kind::Staged => self.staged.cost(scale),
        }
    }
}

/// On larger boards the shorter of two staged beams was no shorter than a single one, which has the caches to
/// itself.
const PAIR_CELLS: usize = 256;

/// The nanoseconds per node of wide staged beams on boards up to this side; on larger ones a node takes longer
/// by the square root of the side.
const STAGED_NODE: f64 = 125.0;
const SHORT_SIDE: f64 = 16.0;

/// By how much more a node takes in narrow beams, times the width to the power of 0.7, up to this side: mostly
/// because tables are made, and the fewer the longer the side. Measured from 12×12 to 32×32 at widths from 4
/// to 3000.
const NARROWNESS: f64 = 15.0;
const NARROW_SIDE: f64 = 12.0;

/// Staged beams, whose solutions are shortened on large boards.
struct Staged {
    problem: Problem,
    tables: Arc<Tables>,
}

impl Staged {
    fn new(problem: &Problem, tables: &Arc<Tables>) -> Self {
        Self {
            problem: problem.clone(),
            tables: Arc::clone(tables),
        }
    }
}

impl Beams for Staged {
    fn prepare(&self, nodes: u64) -> bool {
        staged_beam::prepare(&self.problem, nodes) && polish::prepare(self.problem.shape(), nodes)
    }

    fn beam(&self, scale: Scale, most: usize, seed: u64) -> Option<Box<dyn Pass>> {
        let (problem, width) = (&self.problem, scale.width);
        let beam = staged_beam::solver(problem, width, most, scale.most_moves, seed, &self.tables);
        Some(polish::polished(problem, beam, width, seed))
    }

    fn kind(&self, _width: usize, _is_paired: bool) -> Kind {
        Kind::Staged
    }

    fn bytes(&self, scale: Scale) -> u64 {
        staged_beam::bytes(self.problem.shape(), scale.width, scale.most_moves)
    }

    fn pair_width(&self) -> Option<usize> {
        None
    }

    fn suit_two(&self) -> bool {
        self.problem.shape().cells() <= PAIR_CELLS
    }

    fn narrowest(&self) -> usize {
        4
    }

    fn widest(&self) -> usize {
        boards(self.problem.shape())
    }

    fn layers(&self, scale: Scale) -> u32 {
        staged_layers(self.problem.shape(), scale.width)
    }

    fn cost(&self, scale: Scale) -> f64 {
        let side = side(self.problem.shape());
        let growth = (side / SHORT_SIDE).max(1.0).sqrt();
        let narrow = NARROWNESS * (NARROW_SIDE / side).min(1.0).powf(2.6);
        STAGED_NODE * growth * (1.0 + narrow / (scale.width.max(1) as f64).powf(0.7))
    }
}
