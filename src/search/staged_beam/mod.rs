//! A beam for boards of any size: it brings the tiles home in stages, and all others nearer on
//! the way.

mod block;
mod carry;
mod drive;
mod estimate;
mod finale;
mod peel;
mod rest;
mod stage;
mod window;

use std::sync::Arc;

use block::{Inside, Tabled};
use estimate::Staged;
use finale::Finale;
use peel::Ending;

use super::beam::{Hashes, Layers, Learned, Mark, Settings, State, Tile, Trace};
use super::tables::Tables;
use super::{Budget, Progress, Search, Solver, Step, Stop, prepared};
use crate::heuristic::learned;
use crate::puzzle::{Direction, Problem, Shape, Solution, Symmetry};

/// Boards of at most so many cells take a byte a tile.
const BYTE_CELLS: usize = 256;

/// The seed of the hashes: any will do.
const SEED: u64 = 1;

/// The sides of the blocks that are left to the learned estimate, each with the least width of
/// beams that seldom give up on them.
const LEARNED_SIDES: [(usize, usize); 2] = [(7, 1000), (6, 100)];

/// How many layers are waited for more boards to complete the stages, after the first.
const GATHERED_LAYERS: u32 = 30;

/// A search for one solution by a staged beam that keeps `width` boards in each layer, at least
/// one. The wider, the shorter the solution, and the longer it takes.
///
/// The same problem and width give the same solution. It ends with [`Stop::Exhausted`] and without a
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

/// The most moves that are looked for: about four times the cube of the side.
fn deepest(shape: Shape) -> u32 {
    (2 * shape.cells() * (shape.rows() + shape.columns()) + 200) as u32
}

/// The number of a tile.
fn number<T: Tile>(tile: T) -> u16 {
    let number: usize = tile.into();
    number as u16
}

struct StagedBeam<T: Tile> {
    problem: Problem,
    tables: Arc<Tables>,
    /// From the problem that was asked to the one that is solved.
    symmetry: Symmetry,
    inside: Inside,
    settings: Settings,
    phase: Phase<T>,
    /// The nodes expanded and generated in phases that are over.
    past: (u64, u64),
    peak_memory: u64,
}

/// What is being done.
enum Phase<T: Tile> {
    /// The stages, until the block can be left to the learned estimate.
    Gathering(Layers<Staged<T>>),
    /// The block, by the learned estimate.
    Finale(Finale<T>),
    /// The stages, with a table for the block.
    ToTable(Layers<Staged<T>>, Closing),
    Over(Stop),
}

impl<T: Tile> Phase<T> {
    /// The first phase, and the block that is left to the last.
    fn begin(image: &Problem, settings: Settings, ending: Ending) -> (Self, Inside) {
        let shape = image.shape();
        let estimate = Staged::new(image, settings.width(), ending);
        let inside = Inside::new(image, estimate.block());
        let hashes = Hashes::new(shape, SEED);
        let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
        let tiles: Vec<T> = image
            .start()
            .tiles()
            .map(|tile| T::try_from(tile).unwrap_or_default())
            .collect();
        layers.add_root(&tiles, 0, Mark::ROOT);
        let phase = match ending {
            Ending::Table => Self::ToTable(layers, Closing::new(inside)),
            Ending::Learned(_) => Self::Gathering(layers),
        };
        (phase, inside)
    }

    /// The nodes expanded and generated in it.
    const fn counts(&self) -> (u64, u64) {
        match self {
            Self::Gathering(layers) | Self::ToTable(layers, _) => {
                (layers.expanded(), layers.generated())
            }
            Self::Finale(finale) => (finale.layers().expanded(), finale.layers().generated()),
            Self::Over(_) => (0, 0),
        }
    }
}

/// The boards that have only the block left, and how good they are.
struct Closing {
    tabled: Tabled,
    /// The completed boards that were looked at.
    seen: usize,
    /// The least moves of a solution, and its completed board.
    best: Option<(u32, usize)>,
}

impl Closing {
    const fn new(inside: Inside) -> Self {
        Self {
            tabled: Tabled::new(inside),
            seen: 0,
            best: None,
        }
    }

    /// Looks at the boards that have completed all stages since the last time.
    fn judge<T: Tile>(&mut self, layers: &Layers<Staged<T>>, tables: &Tables) {
        let completed = layers.completed();
        for node in self.seen..completed.len() {
            self.tabled.prepare(tables);
            let tiles = completed.tiles(node);
            let depth = completed.head(node).depth;
            let rest = self.tabled.distance(|cell| number(tiles[cell]));
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
    fn is_settled(&self, depth: u32) -> bool {
        self.best.is_some_and(|(length, _)| depth >= length)
    }

    fn moves<T: Tile>(&self, layers: &Layers<Staged<T>>) -> Option<Vec<Direction>> {
        let (_, node) = self.best?;
        let completed = layers.completed();
        let tiles = completed.tiles(node);
        let mut moves = layers.trace().moves(completed.head(node).mark);
        moves.extend(self.tabled.moves(|cell| number(tiles[cell]))?);
        Some(moves)
    }
}

impl<T: Tile> StagedBeam<T> {
    fn new(problem: &Problem, width: usize, ending: Ending, tables: &Arc<Tables>) -> Self {
        let symmetry = problem.canonical_symmetry();
        let image = problem.mirrored(symmetry);
        let settings = Settings::new(width, deepest(image.shape()));
        let (phase, inside) = Phase::begin(&image, settings, ending);
        Self {
            problem: problem.clone(),
            tables: Arc::clone(tables),
            symmetry,
            inside,
            settings,
            phase,
            past: (0, 0),
            peak_memory: 0,
        }
    }

    fn bytes(shape: Shape, width: usize) -> u64 {
        let width = Settings::new(width, 0).width();
        let trace = u64::from(deepest(shape)) * width as u64 * Trace::BYTES_A_NODE;
        // Each completed board is kept; and the finale is not larger than a beam of the whole
        // board.
        2 * Self::layer_bytes(shape, width) + trace
    }

    fn layer_bytes(shape: Shape, width: usize) -> u64 {
        Layers::<Staged<T>>::bytes(shape, width) + Staged::<T>::bytes(shape)
    }

    fn solution(&self, moves: Vec<Direction>) -> Option<Solution> {
        let back = self.symmetry.inverse();
        let moves = moves.into_iter().map(|slide| back.direction(slide));
        self.problem.replay(moves.collect()).ok()
    }

    /// Ends with what was found.
    fn end(&mut self, counts: (u64, u64), solution: Option<Solution>) -> Step<Solution> {
        self.past.0 += counts.0;
        self.past.1 += counts.1;
        let stop = match solution {
            Some(_) => Stop::FirstFound,
            None => Stop::Exhausted,
        };
        self.phase = Phase::Over(stop);
        solution.map_or(Step::Done(stop), Step::Found)
    }

    /// Bytes held.
    fn memory(&self) -> u64 {
        let (shape, width) = (self.problem.shape(), self.settings.width());
        let stages = Self::layer_bytes(shape, width);
        match &self.phase {
            Phase::Gathering(layers) | Phase::ToTable(layers, _) => stages + layers.trace().bytes(),
            Phase::Finale(finale) => {
                let finale_bytes = Layers::<Learned>::bytes(self.inside.inner, width);
                stages + finale_bytes + finale.layers().trace().bytes()
            }
            Phase::Over(_) => 0,
        }
    }

    /// Begins again, with an end that cannot fail.
    fn begin_again(&mut self) -> Step<Solution> {
        let image = self.problem.mirrored(self.symmetry);
        (self.phase, self.inside) = Phase::begin(&image, self.settings, Ending::Table);
        Step::Working
    }

    /// Leaves the stages for the finale.
    fn begin_finale(&mut self, layers: Layers<Staged<T>>) -> Step<Solution> {
        let counts = (layers.expanded(), layers.generated());
        let (roots, trace) = layers.finish();
        self.past = counts;
        let Some(rows) = learned::ready(self.inside.inner).filter(|_| !roots.is_empty()) else {
            return self.begin_again();
        };
        let settings = self.settings;
        let finale = Finale::new(self.inside, rows, settings, roots, trace, SEED);
        self.phase = Phase::Finale(finale);
        Step::Working
    }
}

impl<T: Tile> Search for StagedBeam<T> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        self.peak_memory = self.peak_memory.max(self.memory());
        match std::mem::replace(&mut self.phase, Phase::Over(Stop::Exhausted)) {
            Phase::Over(stop) => {
                self.phase = Phase::Over(stop);
                Step::Done(stop)
            }
            Phase::Gathering(mut layers) => {
                let state = layers.advance(budget.nodes);
                let completed = layers.completed();
                let is_full = completed.len() >= self.settings.width();
                let has_waited = !completed.is_empty()
                    && layers.depth() > completed.head(0).depth + GATHERED_LAYERS;
                if state == State::Over || is_full || has_waited {
                    return self.begin_finale(layers);
                }
                self.phase = Phase::Gathering(layers);
                Step::Working
            }
            Phase::Finale(mut finale) => {
                let state = finale.advance(budget.nodes);
                while let Some(moves) = finale.next_moves() {
                    if let Some(solution) = self.solution(moves) {
                        return self.end(Phase::Finale(finale).counts(), Some(solution));
                    }
                }
                if state == State::Over {
                    let (expanded, generated) = Phase::Finale(finale).counts();
                    self.past = (self.past.0 + expanded, self.past.1 + generated);
                    return self.begin_again();
                }
                self.phase = Phase::Finale(finale);
                Step::Working
            }
            Phase::ToTable(mut layers, mut closing) => {
                let state = layers.advance(budget.nodes);
                closing.judge(&layers, &self.tables);
                if state != State::Over && !closing.is_settled(layers.depth()) {
                    self.phase = Phase::ToTable(layers, closing);
                    return Step::Working;
                }
                let moves = closing.moves(&layers);
                let solution = moves.and_then(|moves| self.solution(moves));
                self.end((layers.expanded(), layers.generated()), solution)
            }
        }
    }

    fn progress(&self) -> Progress {
        let (expanded, generated) = self.phase.counts();
        let memory = self.memory();
        Progress {
            expanded: self.past.0 + expanded,
            generated: self.past.1 + generated,
            memory,
            peak_memory: self.peak_memory.max(memory),
            ..Progress::NONE
        }
    }

    fn name(&self) -> &'static str {
        "beam"
    }
}
