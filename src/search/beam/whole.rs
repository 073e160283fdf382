//! The search for a solution by an estimate of whole boards.

use super::{Estimate, Hashes, Layers, Mark, Settings, State, Trace};
use crate::heuristic::{Slide, WholeEstimate};
use crate::puzzle::{Problem, Shape, Solution, Symmetry};
use crate::search::{Budget, Progress, Search, Step, Stop};

/// An estimate of whole boards, and the goal by its hash: the estimate of the goal need not be
/// the least.
struct ToGoal<W> {
    estimate: W,
    goal: u64,
}

impl<W: WholeEstimate> Estimate for ToGoal<W> {
    type Tile = u8;
    type Value = i32;

    fn root(&self, tiles: &[u8]) -> i32 {
        self.estimate.of(tiles)
    }

    #[inline]
    fn child(&self, tiles: &[u8], value: i32, slide: Slide) -> Option<i32> {
        Some(value + self.estimate.change(tiles, slide))
    }

    #[inline]
    fn rank(&self, value: i32) -> i32 {
        value
    }

    #[inline]
    fn completes(&self, _value: i32, hash: u64) -> bool {
        hash == self.goal
    }
}

/// A beam search over whole boards that ends with the first solution.
///
/// It holds at most [`Self::bytes`] bytes. The same problem, width and seed give the same
/// solution.
pub struct Beam<W: WholeEstimate> {
    problem: Problem,
    /// From the problem that was asked to the one that is solved.
    symmetry: Symmetry,
    width: usize,
    layers: Layers<ToGoal<W>>,
    /// The completed boards that turned out not to be the goal, for all their hashes.
    strangers: usize,
    stop: Option<Stop>,
}

/// The greatest number of cells: a tile takes a byte.
const MAX_CELLS: usize = 256;

impl<W: WholeEstimate> Beam<W> {
    /// Whether there is a beam for boards of this shape.
    #[must_use]
    pub const fn supports(shape: Shape) -> bool {
        shape.cells() <= MAX_CELLS
    }

    /// A search of a problem by an estimate for its image under [`Problem::canonical_symmetry`];
    /// none where the shape is not [supported](Self::supports).
    #[must_use]
    pub fn new(problem: &Problem, estimate: W, width: usize, seed: u64) -> Option<Self> {
        let symmetry = problem.canonical_symmetry();
        let image = problem.mirrored(symmetry);
        let shape = image.shape();
        if !Self::supports(shape) {
            return None;
        }
        let hashes = Hashes::new(shape, seed);
        let goal = hashes.of(image.goal().tiles().map(usize::from));
        let settings = Settings::new(width, deepest(shape));
        let width = settings.width();
        let estimate = ToGoal { estimate, goal };
        let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
        let tiles: Vec<u8> = image.start().tiles().map(|tile| tile as u8).collect();
        layers.add_root(&tiles, 0, Mark::ROOT);
        Some(Self {
            problem: problem.clone(),
            symmetry,
            width,
            layers,
            strangers: 0,
            stop: None,
        })
    }

    /// The bytes that a search of this width can come to hold, its estimate not counted.
    #[must_use]
    pub fn bytes(shape: Shape, width: usize) -> u64 {
        let width = Settings::new(width, 0).width();
        let trace = u64::from(deepest(shape)) * width as u64 * Trace::BYTES_A_NODE;
        Layers::<ToGoal<W>>::bytes(shape, width) + trace
    }

    fn solution(&self) -> Option<Solution> {
        let head = self.layers.completed().head(self.strangers);
        let back = self.symmetry.inverse();
        let moves = self.layers.trace().moves(head.mark);
        let moves = moves.into_iter().map(|slide| back.direction(slide));
        self.problem.replay(moves.collect()).ok()
    }
}

/// The most moves that are looked for: nearly twice those of a random board.
fn deepest(shape: Shape) -> u32 {
    let sides = shape.rows() + shape.columns();
    (shape.cells() * sides * 3 / 4 + 40) as u32
}

impl<W: WholeEstimate> Search for Beam<W> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(stop) = self.stop {
            return Step::Done(stop);
        }
        let state = self.layers.advance(budget.nodes);
        while self.strangers < self.layers.completed().len() {
            if let Some(solution) = self.solution() {
                self.stop = Some(Stop::FirstFound);
                return Step::Found(solution);
            }
            self.strangers += 1;
        }
        if state != State::Over {
            return Step::Working;
        }
        self.stop = Some(Stop::Exhausted);
        Step::Done(Stop::Exhausted)
    }

    fn progress(&self) -> Progress {
        let memory = Layers::<ToGoal<W>>::bytes(self.problem.shape(), self.width)
            + self.layers.trace().bytes();
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
