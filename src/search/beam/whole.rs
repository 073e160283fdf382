//! The search for a solution over whole boards.

use super::task::Task;
use super::{Estimate, Group, Hashes, Layers, Mark, Pass, Settings, State, Trace, Watch};
use crate::puzzle::{Board, Shape, Solution};
use crate::search::{Budget, Progress, Search, Step, Stop, shed};

/// A beam search over whole boards that ends with the first solution. The same problem, width and seed give
/// the same solution.
pub struct Beam<E: Estimate<Tile = u8>> {
    task: Task,
    width: usize,
    layers: Layers<E>,
    /// Completed boards that turned out not to be the goal in spite of their hashes.
    false_goals: usize,
    stop: Option<Stop>,
}

impl<E: Estimate<Tile = u8>> Beam<E> {
    pub(super) fn new(task: Task, estimate: E, hashes: Hashes, width: usize) -> Self {
        let shape = task.start().shape();
        let settings = Settings::new(width, deepest(shape));
        let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
        layers.add_root(&bytes_of(task.start()), 0, Mark::ROOT);
        Self {
            task,
            width: settings.width(),
            layers,
            false_goals: 0,
            stop: None,
        }
    }

    /// Looks for solutions of at most so many moves.
    pub(super) fn within(mut self, moves: u32) -> Self {
        // The children of the deepest layer are looked at, too.
        self.layers.end_by(moves.saturating_sub(1));
        self
    }

    /// Runs the search to its end and samples groups of boards from its layers: in each, first the board that
    /// led to the solution, then others chosen at random. `None` if no solution is found.
    pub(crate) fn leaders(mut self, seed: u64) -> Option<Vec<Group>> {
        let mut watch = Watch::new(self.task.start().shape());
        // Fewer than the nodes of a layer, so that each layer is sampled.
        let budget = Budget::nodes(self.width as u64 / 8 + 1);
        loop {
            match self.advance(budget) {
                Step::Working => watch.look(&self.layers),
                Step::Found(_) => break,
                Step::Done(_) => return None,
            }
        }
        let goal = self.layers.completed().head(self.false_goals);
        let moves = self.layers.trace().moves(goal.mark);
        Some(watch.groups(self.task.start(), &moves, seed))
    }
}

/// The tiles of a board, a byte each.
pub(crate) fn bytes_of(board: &Board) -> Vec<u8> {
    board.tiles().map(|tile| tile as u8).collect()
}

/// The most moves that are looked for: nearly twice those of a random board.
pub(crate) fn deepest(shape: Shape) -> u32 {
    let sides = shape.rows() + shape.columns();
    let moves = (shape.cells() * sides) as f64 * 0.75 + 40.0;
    (moves * by_length(shape)) as u32
}

/// How many times as many moves a board takes as a square one with as many cells and the same mean side would.
/// Measured on boards of up to 5×60 in stages, and of 2×12 to 8×16 as a whole.
pub(in crate::search) fn by_length(shape: Shape) -> f64 {
    const A_LONGER: f64 = 0.075;
    let (rows, columns) = (shape.rows() as f64, shape.columns() as f64);
    1.0 + A_LONGER * (rows.max(columns) / rows.min(columns) - 1.0)
}

impl<E: Estimate<Tile = u8>> Pass for Beam<E> {
    /// By the estimate alone: easy boards are soon solved, and wide beams find short solutions.
    fn rest(&self, _expected: u32) -> u32 {
        self.layers.rest()
    }

    fn is_stuck(&self) -> bool {
        self.stop.is_none() && self.layers.is_stuck()
    }

    fn set_width(&mut self, width: usize) {
        self.layers.set_width(width);
    }
}

impl<E: Estimate<Tile = u8>> Search for Beam<E> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(stop) = self.stop {
            return Step::Done(stop);
        }
        let state = self.layers.advance(budget.nodes);
        while self.false_goals < self.layers.completed().len() {
            let head = self.layers.completed().head(self.false_goals);
            let moves = self.layers.trace().moves(head.mark);
            if let Some(solution) = self.task.solution(moves) {
                self.stop = Some(Stop::FirstFound);
                return Step::Found(solution);
            }
            self.false_goals += 1;
        }
        if state != State::Over {
            return Step::Working;
        }
        self.stop = Some(Stop::Exhausted);
        Step::Done(Stop::Exhausted)
    }

    fn progress(&self) -> Progress {
        let shape = self.task.start().shape();
        let memory = Layers::<E>::bytes(shape, self.width) + self.layers.trace().bytes();
        let (expanded, generated) = self.layers.counts();
        Progress {
            expanded,
            generated,
            memory,
            peak_memory: memory,
            ..Progress::default()
        }
    }

    fn name(&self) -> &'static str {
        "beam"
    }

    fn shed(&mut self, nodes: u64) -> bool {
        let mut left = shed::bytes(nodes);
        self.layers.shed(&mut left);
        left > 0
    }
}
