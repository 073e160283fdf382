//! IDA* by pattern databases: many nodes at a time.
//!
//! The tables do not fit into the processor's caches, and each look-up waits for memory. So a batch of nodes
//! is expanded together, and the memory that all of their successors need is prefetched before any of it is
//! used. Of the two sums, the one that was greater for the parent is looked up first: what it cuts off never
//! needs the other.
//!
//! The nodes with the lowest bounds are expanded first, wherever they are, so that the last iteration ends
//! early. Paths to boards that are also reached in another way are pruned by a [cycle
//! automaton](crate::search::cycle_automaton).

mod change;
mod expand;
mod front;
mod grid;
mod lookup;
mod node;
mod open;
mod scratch;
mod seen;

use std::any::Any;
use std::sync::Arc;

use crate::heuristic::pattern_database::Additive;
use crate::puzzle::{Problem, Solution, Symmetry};
use crate::search::blank_moves::{MOVES, SLIDES};
use crate::search::cycle_automaton::CycleAutomaton;
use crate::search::{Budget, Iteration, Part, Progress, Search, Solver, Step, Stop};

use super::iterations::Iterations;

use front::Front;
pub use grid::{Grid, Large, Small};
use lookup::Lookup;
use node::Node;
use open::Open;

/// How many nodes are expanded at once. Processors can wait for about this many cache lines at a time.
const WIDTH: usize = 24;

/// More than a search on square boards of at most 16 cells holds, in bytes.
pub const SMALL_BYTES: u64 = 768 << 10;

/// More than a search on other boards of at most 16 cells holds: they have more patterns.
pub const STRIP_BYTES: u64 = 1 << 20;

/// More than a search on larger boards holds.
pub const LARGE_BYTES: u64 = 1792 << 10;

/// The longest runs of moves that the automaton covers.
const CYCLE_LENGTH: usize = 12;

/// All that searches by the same bounds share.
struct Shared<G: Grid> {
    additive: Additive<G::Entry>,
    lookup: Lookup<G>,
    automaton: Arc<CycleAutomaton>,
}

/// Makes searches by the bounds of one shape and home, on [`Small`] or [`Large`] boards.
///
/// ```
/// use loyd::heuristic::pattern_database::{Tables, Tier, Watch};
/// use loyd::puzzle::{Board, Problem, Shape};
/// use loyd::search::ida_star::batch::{Guide, Small};
/// use loyd::search::{Budget, Step};
///
/// let shape = Shape::new(4, 4)?;
/// let partitions = Tier::SixSixThree.partitions(15).expect("a home of the lower right quarter");
/// let additive = Tables::new().additive(&partitions, 1, &Watch::default())?;
/// let guide = Guide::<Small>::new(additive).expect("no more than eight patterns");
///
/// let tiles = [1, 3, 5, 6, 0, 13, 14, 9, 11, 4, 8, 12, 10, 7, 15, 2];
/// let problem = Problem::new(&Board::new(shape, &tiles)?, &Board::solved(shape))?;
/// let mut solver = guide.solver(&problem).expect("of the same shape and home");
/// let Step::Found(solution) = solver.advance(Budget::UNLIMITED) else {
///     unreachable!("without a limit it runs to the solution");
/// };
/// assert_eq!(solution.len(), 45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Guide<G: Grid>(Arc<Shared<G>>);

impl<G: Grid> Guide<G> {
    /// The most patterns of all sums together.
    pub const MAX_PATTERNS: usize = 8;

    /// Prepares searches; `None` when the bounds have more than two sums or too many patterns.
    #[must_use]
    pub fn new(additive: Additive<G::Entry>) -> Option<Self> {
        let patterns: usize = additive.sums().iter().map(Vec::len).sum();
        let fits = patterns <= Self::MAX_PATTERNS && (1..=2).contains(&additive.sums().len());
        fits.then(|| {
            Self(Arc::new(Shared {
                lookup: Lookup::new(&additive),
                automaton: CycleAutomaton::shared(additive.shape(), CYCLE_LENGTH),
                additive,
            }))
        })
    }

    /// The bounds.
    #[must_use]
    pub fn additive(&self) -> &Additive<G::Entry> {
        &self.0.additive
    }

    fn begin<const P: usize, const W: usize>(&self, problem: &Problem) -> Option<Solver> {
        Some(Box::new(Batched::<G, P, W>::new(&self.0, problem)?))
    }
}

impl Guide<Small> {
    /// IDA* for a problem.
    ///
    /// Ends with `Found` and `Done(Proven)`. `None` when no mirror image of the problem has the shape and
    /// home of the bounds.
    #[must_use]
    pub fn solver(&self, problem: &Problem) -> Option<Solver> {
        let is_square = problem.shape().rows() == problem.shape().columns();
        match (self.0.lookup.patterns(), is_square) {
            (..=4, true) => self.begin::<4, 3>(problem),
            (..=6, true) => self.begin::<6, 3>(problem),
            _ => self.begin::<{ Self::MAX_PATTERNS }, 5>(problem),
        }
    }
}

impl Guide<Large> {
    /// IDA* for a problem; as on small boards.
    #[must_use]
    pub fn solver(&self, problem: &Problem) -> Option<Solver> {
        self.begin::<{ Self::MAX_PATTERNS }, 7>(problem)
    }
}

struct Batched<G: Grid, const P: usize, const W: usize> {
    problem: Problem,
    /// Maps the mirror in which it is solved back to the problem.
    back: Symmetry,
    front: Front<G, P, W>,
    /// Parts that came back before they were done.
    back_early: Vec<Front<G, P, W>>,
    /// The number of parts handed out.
    out: usize,
    progress: Progress,
    iterations: Iterations,
    solved: bool,
}

/// The result of a batch, or of several.
enum Outcome<G: Grid, const P: usize, const W: usize> {
    Expanded,
    /// No nodes were left in this iteration.
    Empty,
    Goal(Node<G, P, W>),
}

impl<G: Grid, const P: usize, const W: usize> Batched<G, P, W> {
    fn new(shared: &Arc<Shared<G>>, problem: &Problem) -> Option<Self> {
        let additive = &shared.additive;
        let (shape, home) = (problem.shape(), problem.home());
        let symmetry = Symmetry::all().find(|symmetry| {
            let image = (symmetry.shape(shape), symmetry.cell(shape, home));
            image == (additive.shape(), additive.home())
        })?;
        let image = problem.mirrored(symmetry);
        let cycle = shared.automaton.start(first_moves(&image));
        let root = Node::root(&image, additive, cycle);
        let threshold = root.bound() as u32;
        let mut search = Self {
            problem: problem.clone(),
            back: symmetry.inverse(),
            front: Front::new(shared, Open::new(root), threshold),
            back_early: Vec::new(),
            out: 0,
            progress: Progress {
                iterations: 1,
                lower_bound: threshold,
                ..Progress::default()
            },
            iterations: Iterations::new(threshold),
            solved: false,
        };
        search.front.goal = (threshold == 0).then_some(root);
        search.measure();
        Some(search)
    }

    /// Measures the memory held, including that of parts handed out.
    fn measure(&mut self) {
        let fronts = (1 + self.back_early.len() + self.out) as u64;
        let memory = size_of::<Self>() as u64 + fronts * self.front.bytes() + Iterations::BYTES;
        self.progress.memory = memory;
        self.progress.peak_memory = self.progress.peak_memory.max(memory);
    }

    /// Adds to the counts.
    fn count(&mut self, done: Progress) {
        self.progress.expanded += done.expanded;
        self.progress.generated += done.generated;
    }

    fn solution(&mut self, goal: &Node<G, P, W>) -> Step<Solution> {
        self.solved = true;
        self.back_early.clear();
        self.measure();
        let moves = goal.moves();
        let moves = moves.map(|blank_move| self.back.direction(SLIDES[blank_move]));
        let solution = self.problem.replay(moves.collect());
        Step::Found(solution.expect("a search follows legal moves to the goal"))
    }
}

/// The moves to begin with. From a board that is its own mirror image, some moves lead to mirror images of
/// each other; of these only the first is made.
fn first_moves(problem: &Problem) -> [bool; MOVES] {
    let (shape, home) = (problem.shape(), problem.home());
    let keeps = |symmetry: &Symmetry| {
        let keeps_goal = symmetry.shape(shape) == shape && symmetry.cell(shape, home) == home;
        keeps_goal && problem.mirrored(*symmetry) == *problem
    };
    let symmetries: Vec<Symmetry> = Symmetry::all().filter(keeps).collect();
    std::array::from_fn(|blank_move| {
        let image = |symmetry: &Symmetry| {
            let slide = symmetry.direction(SLIDES[blank_move]);
            SLIDES.iter().position(|&other| other == slide)
        };
        symmetries.iter().map(image).min() == Some(Some(blank_move))
    })
}

impl<G: Grid, const P: usize, const W: usize> Search for Batched<G, P, W> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.solved {
            return match self.out {
                0 => Step::Done(Stop::Proven),
                _ => Step::Working,
            };
        }
        if let Some(goal) = self.front.goal.take() {
            return self.solution(&goal);
        }
        let until = self.progress.generated.saturating_add(budget.nodes);
        while self.progress.generated < until {
            let front = self.back_early.last_mut().unwrap_or(&mut self.front);
            let outcome = front.run(until - self.progress.generated);
            let done = std::mem::take(&mut front.progress);
            self.count(done);
            match outcome {
                Outcome::Expanded => {}
                Outcome::Goal(goal) => return self.solution(&goal),
                Outcome::Empty if self.back_early.pop().is_some() => self.measure(),
                Outcome::Empty if self.out > 0 => return Step::Working,
                Outcome::Empty => {
                    // Distances of boards with the blank on cells of one colour are all even or all odd, and
                    // so are their bounds.
                    let threshold = self.front.threshold + 2;
                    if threshold > Node::<G, P, W>::MAX_DEPTH {
                        return Step::Done(Stop::Exhausted);
                    }
                    self.front.begin(threshold);
                    self.iterations.begin(threshold, &mut self.progress);
                }
            }
        }
        Step::Working
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn iterations(&self) -> Vec<Iteration> {
        self.iterations.until(self.progress.generated)
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        if self.solved || self.front.goal.is_some() {
            return None;
        }
        // Whatever is handed out, some work must remain here.
        let remaining = usize::from(!self.front.open.is_empty()) + self.back_early.len();
        let part = if remaining > 1 && !self.back_early.is_empty() {
            self.back_early.pop()?
        } else if self.progress.memory + self.front.bytes() > memory {
            return None;
        } else {
            let only = self.back_early.last_mut().unwrap_or(&mut self.front);
            only.split()?
        };
        self.out += 1;
        self.measure();
        Some(Box::new(part))
    }

    fn waits(&self) -> bool {
        let has_more = || {
            self.front.goal.is_some() || !self.front.open.is_empty() || !self.back_early.is_empty()
        };
        self.out > 0 && (self.solved || !has_more())
    }

    /// # Panics
    /// When the part belongs to another search, of which nothing is known here.
    fn join(&mut self, part: Box<dyn Part>) {
        let part: Box<dyn Any> = part;
        let part = part.downcast::<Front<G, P, W>>();
        let mut part = *part.expect("a part goes back to the search that handed it out");
        self.out -= 1;
        self.count(std::mem::take(&mut part.progress));
        if let Some(goal) = part.goal {
            // Any goal of an iteration is as good as another.
            self.front.goal = Some(goal);
        } else if !self.solved && !part.open.is_empty() {
            self.back_early.push(part);
        }
        self.measure();
    }
}
