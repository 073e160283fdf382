//! Beams that solve boards in stages.

use std::sync::Arc;

use super::{boards, side, staged_layers};
use crate::puzzle::Problem;
use crate::search::anytime::polish;
use crate::search::anytime::widening::{Beams, Kind, Scale};
use crate::search::beam::Pass;
use crate::search::staged_beam::{self, Extent};
use crate::search::tables::Tables;

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

/// The narrowest beam that finds good solutions.
pub(super) const NARROWEST: usize = 4;

/// Staged beams, whose solutions are shortened on large boards.
pub(super) struct Staged {
    pub(super) problem: Problem,
    tables: Arc<Tables>,
}

impl Staged {
    pub(super) fn new(problem: &Problem, tables: &Arc<Tables>) -> Self {
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
        let extent = Extent {
            width: scale.width,
            most_width: most,
            most_moves: scale.most_moves,
        };
        let beam = staged_beam::solver(&self.problem, extent, seed, &self.tables);
        Some(polish::polished(&self.problem, beam, scale.width, seed))
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
        NARROWEST
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
