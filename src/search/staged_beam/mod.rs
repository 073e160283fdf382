//! A beam for boards of any size: it brings the tiles home in stages, and all others nearer on
//! the way.

mod block;
mod carry;
mod drive;
mod estimate;
mod peel;
mod rest;
mod stage;
mod window;

use std::sync::Arc;

use block::Ending;
use estimate::Staged;

use super::beam::{Hashes, Layers, Mark, Pass, Settings, State, Tile, Trace};
use super::tables::Tables;
use super::{Budget, Progress, Search, Step, Stop};
use crate::puzzle::{Problem, Shape, Solution, Symmetry};

/// Boards of at most so many cells take a byte a tile.
const BYTE_CELLS: usize = 256;

/// A search for one solution by a staged beam that keeps `width` boards in each layer, at least
/// one. The wider, the shorter the solution, and the longer it takes.
///
/// The same problem, width and seed give the same solution. It ends with [`Stop::Exhausted`] and without a
/// solution if none is found in a few times the usual number of moves.
#[must_use]
pub fn solver(problem: &Problem, width: usize, seed: u64, tables: &Arc<Tables>) -> Box<dyn Pass> {
    if problem.shape().cells() <= BYTE_CELLS {
        Box::new(StagedBeam::<u8>::new(problem, width, seed, tables))
    } else {
        Box::new(StagedBeam::<u16>::new(problem, width, seed, tables))
    }
}

/// The bytes that a search of this width can come to hold, the tables that belong to the process
/// not counted, which are at most 25 MB.
#[must_use]
pub fn bytes(shape: Shape, width: usize) -> u64 {
    if shape.cells() <= BYTE_CELLS {
        StagedBeam::<u8>::bytes(shape, width)
    } else {
        StagedBeam::<u16>::bytes(shape, width)
    }
}

/// The most moves that are looked for: about four times the cube of the side.
fn deepest(shape: Shape) -> u32 {
    (2 * shape.cells() * (shape.rows() + shape.columns()) + 200) as u32
}

struct StagedBeam<T: Tile> {
    problem: Problem,
    tables: Arc<Tables>,
    /// From the problem that was asked to the one that is solved.
    symmetry: Symmetry,
    ending: Ending,
    layers: Layers<Staged<T>>,
    /// The completed boards that were looked at.
    seen: usize,
    /// The least moves of a solution, and its completed board.
    best: Option<(u32, usize)>,
    bytes: u64,
    stop: Option<Stop>,
}

impl<T: Tile> StagedBeam<T> {
    fn new(problem: &Problem, width: usize, seed: u64, tables: &Arc<Tables>) -> Self {
        let symmetry = problem.canonical_symmetry();
        let image = problem.mirrored(symmetry);
        let shape = image.shape();
        let estimate = Staged::new(&image);
        let ending = Ending::new(&image, estimate.block());
        let settings = Settings::new(width, deepest(shape));
        let hashes = Hashes::new(shape, seed);
        let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
        let tiles: Vec<T> = image
            .start()
            .tiles()
            .map(|tile| T::try_from(tile).unwrap_or_default())
            .collect();
        layers.add_root(&tiles, 0, Mark::ROOT);
        Self {
            problem: problem.clone(),
            tables: Arc::clone(tables),
            symmetry,
            ending,
            layers,
            seen: 0,
            best: None,
            bytes: Layers::<Staged<T>>::bytes(shape, width) + Staged::<T>::bytes(shape),
            stop: None,
        }
    }

    fn bytes(shape: Shape, width: usize) -> u64 {
        let width = Settings::new(width, 0).width();
        let trace = u64::from(deepest(shape)) * width as u64 * Trace::BYTES_A_NODE;
        // Each completed board is kept.
        let layers = Layers::<Staged<T>>::bytes(shape, width) * 3 / 2;
        layers + Staged::<T>::bytes(shape) + trace
    }

    /// Looks at the boards that have completed all stages since the last time.
    fn judge_completed(&mut self) {
        let completed = self.layers.completed();
        for node in self.seen..completed.len() {
            self.ending.prepare(&self.tables);
            let tiles = completed.tiles(node);
            let depth = completed.head(node).depth;
            let rest = self.ending.distance(|cell| number(tiles[cell]));
            let length = rest.map(|rest| depth + rest);
            if let Some(length) = length
                && self.best.is_none_or(|(least, _)| length < least)
            {
                self.best = Some((length, node));
            }
        }
        self.seen = completed.len();
    }

    /// Whether no board that completes the stages from now on can be better.
    fn is_settled(&self) -> bool {
        self.best
            .is_some_and(|(length, _)| self.layers.depth() >= length)
    }

    fn solution(&self) -> Option<Solution> {
        let (_, node) = self.best?;
        let completed = self.layers.completed();
        let tiles = completed.tiles(node);
        let mut moves = self.layers.trace().moves(completed.head(node).mark);
        moves.extend(self.ending.moves(|cell| number(tiles[cell]))?);
        let back = self.symmetry.inverse();
        for direction in &mut moves {
            *direction = back.direction(*direction);
        }
        self.problem.replay(moves).ok()
    }
}

/// The number of a tile.
fn number<T: Tile>(tile: T) -> u16 {
    let number: usize = tile.into();
    number as u16
}

impl<T: Tile> Pass for StagedBeam<T> {
    fn depth(&self) -> u32 {
        self.layers.depth()
    }

    fn rest(&self) -> u32 {
        // Ranks only compare the boards of a layer.
        0
    }

    fn set_width(&mut self, width: usize) {
        self.layers.set_width(width);
    }
}

impl<T: Tile> Search for StagedBeam<T> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(stop) = self.stop {
            return Step::Done(stop);
        }
        let state = self.layers.advance(budget.nodes);
        self.judge_completed();
        if state != State::Over && !self.is_settled() {
            return Step::Working;
        }
        match self.solution() {
            Some(solution) => {
                self.stop = Some(Stop::FirstFound);
                Step::Found(solution)
            }
            None => {
                self.stop = Some(Stop::Exhausted);
                Step::Done(Stop::Exhausted)
            }
        }
    }

    fn progress(&self) -> Progress {
        let memory = self.bytes + self.layers.trace().bytes();
        Progress {
            expanded: self.layers.expanded(),
            generated: self.layers.generated(),
            memory,
            peak_memory: memory,
            ..Progress::NONE
        }
    }

    fn name(&self) -> &'static str {
        "beam"
    }
}
