//! How much the learned estimate of tiles near each other counts in stages.

use std::sync::Arc;

use super::{corner_shape, rest};
use crate::heuristic::Tiles;
use crate::heuristic::learned::Weights;
use crate::heuristic::learned::near::{self, Between, NearRows};
use crate::puzzle::Problem;
use crate::search::beam::Lane;

/// Up to this width the estimate counts once; in wider beams its weight grows with the width to a power, up
/// to a limit. As measured on 10×10 at widths of 30, 300 and 3000, and on 9×9, 8×12 and 12×12 at 30 and 300.
const ONCE: f64 = 2.0;
const MORE: f64 = 0.2;
const MOST_TIMES: f64 = 4.0;

/// The estimate for boards of a problem.
#[derive(Debug)]
pub(super) struct Near {
    rows: Arc<NearRows>,
    /// The weight of the estimate's unit, in 1/[`rest::UNIT`]s of a move.
    weight: i32,
}

impl Near {
    /// The estimate with its weight in a beam of a width.
    pub(super) fn new(rows: Arc<NearRows>, width: usize) -> Self {
        Self {
            rows,
            weight: weight(width),
        }
    }

    /// The changes by the slides of a lane.
    #[inline]
    pub(super) fn change(&self, lane: Lane) -> Change<'_> {
        Change {
            between: self.rows.between(lane.to, lane.direction),
            weight: self.weight,
        }
    }
}

/// The weight of the estimate's unit in a beam of a width, in 1/[`rest::UNIT`]s of a move.
fn weight(width: usize) -> i32 {
    let times = (width as f64 / ONCE).powf(MORE).clamp(1.0, MOST_TIMES);
    (times * f64::from(rest::UNIT / Weights::UNIT)).round() as i32
}

/// The factor by which the estimate counts in the ranks of a beam of a width.
pub(crate) fn times(width: usize) -> f32 {
    weight(width) as f32 / (rest::UNIT / Weights::UNIT) as f32
}

/// The changes by the slides of a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    between: Between<'a>,
    weight: i32,
}

impl Change<'_> {
    /// The change by the slide of a tile, in 1/[`rest::UNIT`]s of a move; `board` is the one before the
    /// slide.
    #[inline]
    pub(super) fn of(self, board: impl Tiles, tile: usize) -> i32 {
        self.weight * self.between.change(tile, board)
    }
}

/// The rows for a problem; `None` where they are not [prepared](prepare) or do not exist.
pub(super) fn rows(problem: &Problem) -> Option<Arc<NearRows>> {
    near::ready(corner_shape(problem)?)
}

/// Works on the tables for a problem, about as long as so many nodes of a search take. Returns true once no
/// work is left.
pub(super) fn prepare(problem: &Problem, nodes: u64) -> bool {
    corner_shape(problem).is_none_or(|shape| near::prepare(shape, nodes))
}
