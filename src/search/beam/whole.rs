//! The search for a solution over whole boards.

use super::{Estimate, Group, Hashes, Layers, Mark, Pass, Settings, State, Trace, Watch};
use crate::puzzle::{Board, Direction, Problem, Shape, Solution, Symmetry, plain_names};
use crate::search::{Budget, Progress, Search, Step, Stop, shed};

/// The end from which a beam begins. Both ends are about equally good, and what one misses the other often
/// finds: the shorter of both solutions is as short as that of a beam of twice the width, and at 7×7 the
/// narrow beams that give up on a board seldom do so from both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum End {
    /// From the start.
    #[default]
    Start,
    /// From the goal: the beam looks for the start, and the moves are reversed.
    Goal,
}

/// The problem as the beam sees it: turned so that the blank's home is as near to the lower right corner as
/// its mirror images allow.
pub(super) struct Task {
    problem: Problem,
    from: End,
    /// Maps the problem to its image.
    symmetry: Symmetry,
    start: Board,
    goal: Board,
}

impl Task {
    /// The image with its tiles [named after another goal](names_by_last_corner).
    pub(super) fn by_last_corner(problem: &Problem, from: End) -> Self {
        let seen = match from {
            End::Start => problem.clone(),
            End::Goal => problem.reversed(),
        };
        let symmetry = seen.canonical_symmetry();
        let image = seen.mirrored(symmetry);
        let goal = image.goal();
        let names = names_by_last_corner(&goal);
        Self {
            problem: problem.clone(),
            from,
            symmetry,
            start: renamed(image.start(), &names),
            goal: renamed(&goal, &names),
        }
    }

    /// The image of the start.
    pub(super) const fn start(&self) -> &Board {
        &self.start
    }

    /// The image of the goal.
    pub(super) const fn goal(&self) -> &Board {
        &self.goal
    }

    /// The solution of the problem that corresponds to moves of its image.
    fn solution(&self, moves: Vec<Direction>) -> Option<Solution> {
        let back = self.symmetry.inverse();
        let moves = moves.into_iter().map(|slide| back.direction(slide));
        let moves = match self.from {
            End::Start => moves.collect(),
            End::Goal => moves.rev().map(Direction::opposite).collect(),
        };
        self.problem.replay(moves).ok()
    }
}

/// The names of all tiles after another goal: the one that results from the true goal when the blank goes right
/// and down to the last corner. An estimate that knows only that corner is then off by about the same number of
/// moves everywhere, which changes no rank.
pub(crate) fn names_by_last_corner(goal: &Board) -> Vec<u16> {
    let mut corner = goal.clone();
    while corner.slide(Direction::Left) || corner.slide(Direction::Up) {}
    plain_names(&corner)
}

/// A board with other names for its tiles.
pub(crate) fn renamed(board: &Board, names: &[u16]) -> Board {
    Board::from_legal(board.shape(), |cell| names[usize::from(board.tile(cell))])
}

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
        let shape = task.start.shape();
        let settings = Settings::new(width, deepest(shape));
        let mut layers = Layers::new(shape, estimate, hashes, settings, Trace::new());
        layers.add_root(&bytes_of(&task.start), 0, Mark::ROOT);
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
        let mut watch = Watch::new(self.task.start.shape());
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
        Some(watch.groups(&self.task.start, &moves, seed))
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
        let shape = self.task.start.shape();
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
