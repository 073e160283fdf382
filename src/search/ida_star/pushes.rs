//! IDA* in pushes: the axes alternate, so a node is a board and the axis of its next push.

use crate::heuristic::pushes::{self, Lines, Patterns, PushBound, PushKind};
use crate::heuristic::{Slide, Tiles};
use crate::puzzle::{Direction, Problem, Shape, Solution};
use crate::search::prepared;
use crate::search::{Budget, Iteration, Progress, Search, Solver, Step, Stop};

use super::cells::Cells;
use super::iterations::Iterations;

/// IDA* for the fewest pushes, on boards of any size.
///
/// Ends with `Found` and `Done(Proven)`; the solution's [`Metric::MultiTile`] length is least.
/// `progress().lower_bound` and `iterations()` count pushes. The bound is that of the [`pushes::Patterns`]
/// where there are any, otherwise that of the [`pushes::Lines`].
///
/// ```
/// use loyd::puzzle::{Board, Metric, Problem, Shape};
/// use loyd::search::{Budget, Step, ida_star};
///
/// let shape = Shape::new(3, 3)?;
/// let start = Board::new(shape, &[8, 6, 7, 2, 5, 4, 3, 0, 1])?;
/// let problem = Problem::new(&start, &Board::solved(shape))?;
/// let mut search = ida_star::push_solver(&problem);
/// let Step::Found(solution) = search.advance(Budget::UNLIMITED) else {
///     unreachable!("without a limit it runs to the solution");
/// };
/// assert_eq!(Metric::MultiTile.length(solution.moves()), 20);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Metric::MultiTile`]: crate::puzzle::Metric::MultiTile
#[must_use]
pub fn push_solver(problem: &Problem) -> Solver {
    prepared::solver(problem, pushes::prepare, |problem| {
        push_solver_by(problem, PushKind::of(problem.shape()))
    })
}

/// The same, guided by this bound if its tables are ready.
pub(in crate::search) fn push_solver_by(problem: &Problem, kind: PushKind) -> Solver {
    let patterns = (kind == PushKind::Patterns).then(|| Patterns::new(problem));
    match patterns.flatten() {
        Some(patterns) => Box::new(Pushes::new(problem, patterns)),
        None => Box::new(Pushes::new(problem, Lines::new(problem))),
    }
}

/// A node that waits for its turn.
#[derive(Clone, Copy)]
struct Node<S> {
    state: S,
    blank: u16,
    /// The axis of the next push; `None` at the root, where it may be either.
    vertical: Option<bool>,
    depth: u32,
}

struct Pushes<B: PushBound> {
    problem: Problem,
    bound: B,
    root: Node<B::State>,
    /// The board of the present node.
    board: Cells,
    /// The blank's cells on the path to that node, the start's first.
    path: Vec<u16>,
    /// All successors of a node are made at once: their bounds are looked up in memory far from the
    /// processor, which then waits for all of them together.
    stack: Vec<Node<B::State>>,
    threshold: u32,
    /// The least sum of pushes and bound beyond the threshold.
    beyond: u32,
    progress: Progress,
    iterations: Iterations,
    /// Whether the solution was handed out.
    solved: bool,
}

impl<B: PushBound> Pushes<B> {
    fn new(problem: &Problem, bound: B) -> Self {
        let state = bound.root(problem.start());
        let [across, vertical] = [false, true].map(|axis| bound.least(state, axis, u32::MAX));
        let threshold = across.min(vertical);
        let blank = problem.start().blank() as u16;
        let root = Node {
            state,
            blank,
            vertical: None,
            depth: 0,
        };
        let mut search = Self {
            problem: problem.clone(),
            bound,
            root,
            board: Cells(problem.start().tiles().collect()),
            path: vec![blank],
            stack: vec![root],
            threshold,
            beyond: u32::MAX,
            progress: Progress {
                iterations: 1,
                lower_bound: threshold,
                ..Progress::default()
            },
            iterations: Iterations::new(threshold),
            solved: false,
        };
        search.measure();
        search
    }

    fn measure(&mut self) {
        let cells = size_of::<u16>() * (self.board.0.capacity() + self.path.capacity());
        let stack = size_of::<Node<B::State>>() * self.stack.capacity();
        self.progress.memory = (cells + stack) as u64 + Iterations::BYTES;
        self.progress.peak_memory = self.progress.peak_memory.max(self.progress.memory);
    }

    /// Brings the board to a node whose parent is on the path.
    fn go_to(&mut self, node: &Node<B::State>) {
        let shape = self.problem.shape();
        let parents = (node.depth as usize).max(1);
        while self.path.len() > parents {
            let from = self.path.pop().expect("the start stays on the path");
            push(
                &mut self.board.0,
                shape,
                from,
                self.path[self.path.len() - 1],
            );
        }
        if node.depth > 0 {
            push(&mut self.board.0, shape, self.path[parents - 1], node.blank);
            self.path.push(node.blank);
        }
    }

    /// Makes all successors by pushes along an axis and keeps those that the threshold allows.
    fn expand(&mut self, node: &Node<B::State>, vertical: bool) {
        let shape = self.problem.shape();
        let depth = node.depth + 1;
        // No sum is less than its node's, which is within the threshold.
        let enough = self.threshold - depth.min(self.threshold);
        for direction in Direction::ALL {
            if direction.is_vertical() != vertical {
                continue;
            }
            let mut state = node.state;
            let mut to = usize::from(node.blank);
            while let Some(from) = shape.neighbour(to, direction.opposite()) {
                let slide = Slide {
                    tile: self.board.tile(from),
                    from,
                    to,
                    direction,
                };
                state = self.bound.after_slide(state, slide);
                self.progress.generated += 1;
                let sum = depth + self.bound.least(state, !vertical, enough);
                if sum <= self.threshold {
                    self.stack.push(Node {
                        state,
                        blank: from as u16,
                        vertical: Some(!vertical),
                        depth,
                    });
                } else {
                    self.beyond = self.beyond.min(sum);
                }
                to = from;
            }
        }
    }

    fn found(&mut self) -> Step<Solution> {
        self.solved = true;
        self.measure();
        let shape = self.problem.shape();
        let pushes = self.path.windows(2);
        let slides = pushes.flat_map(|ends| slides(shape, ends[0], ends[1]));
        let moves = slides.map(|(direction, _)| direction).collect();
        let solution = self.problem.replay(moves);
        Step::Found(solution.expect("a search follows legal moves to the goal"))
    }
}

/// The slides of the push that takes the blank from one cell to another in the same line, each with the cell
/// that the blank moves to.
fn slides(shape: Shape, from: u16, to: u16) -> impl Iterator<Item = (Direction, usize)> {
    let (from, to) = (usize::from(from), usize::from(to));
    let (direction, step) = match (shape.row(from) == shape.row(to), from < to) {
        (true, true) => (Direction::Left, 1),
        (true, false) => (Direction::Right, 1),
        (false, true) => (Direction::Up, shape.columns()),
        (false, false) => (Direction::Down, shape.columns()),
    };
    (1..=from.abs_diff(to) / step).map(move |count| {
        let cell = if from < to {
            from + count * step
        } else {
            from - count * step
        };
        (direction, cell)
    })
}

fn push(board: &mut [u16], shape: Shape, from: u16, to: u16) {
    let mut blank = usize::from(from);
    for (_, next) in slides(shape, from, to) {
        board.swap(blank, next);
        blank = next;
    }
}

impl<B: PushBound> Search for Pushes<B> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.solved {
            return Step::Done(Stop::Proven);
        }
        let until = self.progress.generated.saturating_add(budget.nodes);
        while self.progress.generated < until {
            let Some(node) = self.stack.pop() else {
                self.stack.push(self.root);
                self.threshold = self.beyond;
                self.beyond = u32::MAX;
                self.iterations.begin(self.threshold, &mut self.progress);
                continue;
            };
            self.go_to(&node);
            // The goal needs no more pushes, whatever the axis of the next one.
            if self.bound.least(node.state, true, 0) == 0 && self.board.are_goal_of(&self.problem) {
                return self.found();
            }
            self.progress.expanded += 1;
            for axis in [true, false] {
                if node.vertical.is_none_or(|vertical| vertical == axis) {
                    self.expand(&node, axis);
                }
            }
        }
        self.measure();
        Step::Working
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn iterations(&self) -> Vec<Iteration> {
        self.iterations.until(self.progress.generated)
    }
}
