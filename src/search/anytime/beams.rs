//! Which beams solve a problem.

mod staged;
mod whole;

use std::sync::Arc;
use std::time::Duration;

use crate::puzzle::{Problem, Shape};
use crate::search::beam;
use crate::search::tables::Tables;

use super::widening::Beams;

use staged::Staged;
use whole::Whole;

/// Whether beams are worth it on boards of this shape: smaller boards are soon solved to optimality.
#[must_use]
pub const fn suit(shape: Shape) -> bool {
    shape.cells() > 16
}

/// The beams for a problem: whole-board beams where there is a learned estimate, staged beams elsewhere.
#[must_use]
pub fn beams(problem: &Problem, tables: &Arc<Tables>) -> Box<dyn Beams> {
    if beam::is_learned(problem.shape()) {
        Box::new(Whole::new(Staged::new(problem, tables)))
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

/// The most cells on which narrow beams reach the goal by the learned estimate.
const EASY_CELLS: usize = 49;

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
