//! A beam for boards of any size: it brings the tiles home in stages, and all others nearer on
//! the way.

mod block;
mod carry;
mod closing;
mod drive;
mod estimate;
mod finale;
mod peel;
mod rest;
mod run;
mod stage;
mod window;

use std::sync::Arc;

use block::Inside;
use peel::Ending;
use run::StagedBeam;

use super::beam::Tile;
use super::tables::Tables;
use super::{Solver, prepared};
use crate::heuristic::learned;
use crate::puzzle::{Problem, Shape};

/// Boards of at most so many cells take a byte a tile.
const BYTE_CELLS: usize = 256;

/// The sides of the blocks that are left to the learned estimate, each with the least width of
/// beams that seldom give up on them.
const LEARNED_SIDES: [(usize, usize); 2] = [(7, 1000), (6, 100)];

/// A search for one solution by a staged beam that keeps `width` boards in each layer, at least
/// one. The wider, the shorter the solution, and the longer it takes.
///
/// The same problem and width give the same solution. It ends with [`Stop::Exhausted`](super::Stop::Exhausted) and without a
/// solution if none is found in a few times the usual number of moves.
///
/// Beams of a hundred boards and more end with the learned estimate, on whose tables they work first
/// if they are not there. Should none of its boards come to the end by that, the search begins
/// again and ends without.
#[must_use]
pub fn solver(problem: &Problem, width: usize, tables: &Arc<Tables>) -> Solver {
    let (ending, block) = ending(problem, width);
    let tables = Arc::clone(tables);
    let begin = move |problem: &Problem| -> Solver {
        if problem.shape().cells() <= BYTE_CELLS {
            Box::new(StagedBeam::<u8>::new(problem, width, ending, &tables))
        } else {
            Box::new(StagedBeam::<u16>::new(problem, width, ending, &tables))
        }
    };
    let prepare =
        move |_: &Problem, nodes| ending == Ending::Table || learned::prepare(block, nodes);
    prepared::solver(problem, prepare, begin)
}

/// The bytes that a search of this width can come to hold, the tables that belong to the process
/// not counted: at most 25 MB, and those of the learned estimate.
#[must_use]
pub fn bytes(shape: Shape, width: usize) -> u64 {
    if shape.cells() <= BYTE_CELLS {
        StagedBeam::<u8>::bytes(shape, width)
    } else {
        StagedBeam::<u16>::bytes(shape, width)
    }
}

/// How a search ends, and the shape of the block that is left to that. The learned estimate is for
/// blanks that belong in a corner.
fn ending(problem: &Problem, width: usize) -> (Ending, Shape) {
    let image = problem.mirrored(problem.canonical_symmetry());
    let block = |ending| {
        let (_, block) = peel::peel(image.shape(), image.home(), ending);
        (ending, Inside::new(&image, block).inner)
    };
    LEARNED_SIDES
        .into_iter()
        .filter(|&(_, least)| width >= least && image.home() + 1 == image.shape().cells())
        .map(|(side, _)| block(Ending::Learned(side)))
        .find(|&(_, shape)| learned::supports(shape))
        .unwrap_or_else(|| block(Ending::Table))
}

/// The number of a tile.
fn number<T: Tile>(tile: T) -> u16 {
    let number: usize = tile.into();
    number as u16
}
