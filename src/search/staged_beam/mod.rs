//! A beam for boards of any size: it brings the tiles home in stages, and all others nearer on the way.

mod carry;
mod closing;
mod estimate;
mod extent;
mod finale;
pub(crate) mod leaders;
mod near;
mod peel;
mod replay;
mod rest;
mod roots;
mod run;
mod stage;
mod stage_worth;
mod stages;
mod window;

use std::sync::Arc;

pub use extent::Extent;

pub(super) use replay::PLAYED_A_NODE;

use finale::Prospect;
use run::StagedBeam;
use stages::Setup;

use super::beam::{self, Pass, Settings, Tile};
use super::tables::Tables;
use crate::heuristic::learned::near::NearRows;
use crate::puzzle::{Home, Problem, Shape};

/// Boards of at most this many cells take a byte a tile.
const BYTE_CELLS: usize = 256;

/// The sides of the blocks that are left to the learned estimate, and the most cells of boards that are worth
/// its tables.
const LEARNED_SIDES: [(usize, usize); 2] = [(8, Shape::MAX_SIDE.pow(2)), (10, 24 * 24)];

/// Narrower beams seldom reach the goal by the learned estimate. A beam is often half as wide as planned by
/// the time when it gets there.
const LEARNED_WIDTH: usize = 64;

/// The same where the blank does not belong in a corner: there that estimate is off.
const LEARNED_WIDTH_ELSEWHERE: usize = 192;

/// A search for one solution by a staged beam.
///
/// The same problem, extent and seed give the same solution, once everything is [prepared](prepare). The
/// search ends with [`Stop::Exhausted`](super::Stop::Exhausted) and without a solution if none is found in
/// the most moves of the extent, or in a few times the usual number of moves. (The last block may be solved by
/// a table beyond that.)
///
/// Beams of 64 boards and more (192 where the blank does not belong in a corner) end with the learned estimate.
/// Should none of its boards reach the goal that way, the search goes on from them and leaves a smaller block to
/// it, and finally none.
#[must_use]
pub fn solver(problem: &Problem, extent: Extent, seed: u64, tables: &Arc<Tables>) -> Box<dyn Pass> {
    solver_by(near::rows(problem), problem, extent, seed, tables)
}

/// The same with other rows for the estimate of tiles near each other than those of the process, to learn
/// their weights, or with none.
#[must_use]
pub(crate) fn solver_by(
    near: Option<Arc<NearRows>>,
    problem: &Problem,
    extent: Extent,
    seed: u64,
    tables: &Arc<Tables>,
) -> Box<dyn Pass> {
    let finales = finales(problem, extent.width);
    let deepest = run::deepest(problem.shape(), extent.most_moves);
    let setup = Setup {
        settings: Settings::new(extent.most_width, deepest),
        seed,
        machines: finales.len() as u64 + 1,
        near,
    };
    let mut pass: Box<dyn Pass> = if problem.shape().cells() <= BYTE_CELLS {
        Box::new(StagedBeam::<u8>::new(problem, setup, finales, tables))
    } else {
        Box::new(StagedBeam::<u16>::new(problem, setup, finales, tables))
    };
    pass.set_width(extent.width);
    pass
}

/// Works on the tables of the learned estimate, about as long as so many nodes of a search take. Returns true
/// once no work is left.
#[must_use]
pub fn prepare(problem: &Problem, nodes: u64) -> bool {
    let mut blocks = learned_blocks(problem);
    blocks.all(|(_, block)| beam::prepare(block, nodes)) && near::prepare(problem, nodes)
}

/// The bytes that a search of this width for solutions of at most so many moves can come to hold, not counting
/// the tables that belong to the process: at most 25 MB, and those of the learned estimate.
#[must_use]
pub fn bytes(shape: Shape, width: usize, most_moves: u32) -> u64 {
    if shape.cells() <= BYTE_CELLS {
        StagedBeam::<u8>::bytes(shape, width, most_moves)
    } else {
        StagedBeam::<u16>::bytes(shape, width, most_moves)
    }
}

/// The shape of a problem as it is solved, if its blank belongs in a corner, which then is the last cell:
/// only there does the estimate of tiles near each other apply.
fn corner_shape(problem: &Problem) -> Option<Shape> {
    let home = Home::of(problem);
    home.is_corner().then(|| home.shape())
}

/// The blocks that can be left to the learned estimate, each with its longest side, small ones first.
fn learned_blocks(problem: &Problem) -> impl Iterator<Item = (usize, Shape)> + use<> {
    let shape = problem.canonical_symmetry().shape(problem.shape());
    let sides = LEARNED_SIDES.into_iter();
    let sides = sides.filter(move |&(_, most)| shape.cells() <= most);
    sides.filter_map(move |(side, _)| {
        // Lines are peeled off the longer side until both are short enough.
        let block = shape.block(side);
        (block != shape).then_some((side, block))
    })
}

/// Whether a search of this width can end by the learned estimate, for a blank that belongs in a corner or
/// elsewhere.
const fn has_finales(width: usize, in_corner: bool) -> bool {
    let least = if in_corner {
        LEARNED_WIDTH
    } else {
        LEARNED_WIDTH_ELSEWHERE
    };
    width >= least
}

/// The ways in which a search of this width can end by the learned estimate, the best last.
fn finales(problem: &Problem, width: usize) -> Vec<Prospect> {
    if !has_finales(width, corner_shape(problem).is_some()) {
        return Vec::new();
    }
    let prospect = |(side, block)| {
        let ranking = beam::ready(block)?;
        Some(Prospect { side, ranking })
    };
    learned_blocks(problem).filter_map(prospect).collect()
}

/// The number of a tile.
fn number<T: Tile>(tile: T) -> u16 {
    let number: usize = tile.into();
    number as u16
}
