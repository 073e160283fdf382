//! Boards with a requested optimal length.

use std::mem::replace;

use super::lengths::Range;
use crate::puzzle::generate::Walk;
use crate::puzzle::{Board, Dice, Problem, Solution};
use crate::search::{Budget, Progress, Search, Solver, Step, Stop};

/// After this many measured boards in a row, none of them farther than the farthest so far, a board within
/// the range is accepted in place of one at the target.
const PATIENCE: u32 = 16;

/// A board with a known optimal length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// The board, its tiles named like the goal's.
    pub board: Board,
    /// A shortest solution. Which of several it is depends on the solver; its length does not.
    pub solution: Solution,
    /// The seed that generates this board.
    pub seed: u64,
}

/// The search for a board whose optimal length lies in a range.
///
/// A target is drawn from the range, and a random walk sets out from the goal towards it. After as many moves
/// as are missing, which can never lead too far, the board is measured by solving it optimally. If it is at
/// the target, the search is over. If it is closer to the goal than the walk was when it set out, the walk
/// goes on from here only with probability 2^(−moves lost), and otherwise returns to where it set out (the
/// rule of Metropolis et al., 1953, which climbs and yet leaves every dead end). So no board is ever solved
/// that is farther away than the target.
///
/// A target may lie where there are hardly any boards: once 16 measured boards in a row brought the walk no
/// farther, the farthest is taken if it is within the range. Where the [greatest
/// length](super::lengths::greatest_length) is unknown, targets are drawn only up to length 40, or up to 20
/// above the least length, whichever is more.
///
/// The same goal, range and seed give the same board in every release: the walk depends on nothing but its
/// dice and optimal lengths, and these are the same for every optimal solver.
pub struct Difficulty<F> {
    goal: Board,
    seed: u64,
    min: u32,
    target: u32,
    solver_for: F,
    dice: Dice,
    /// Where the walk stood when it was last measured, and how far that is from the goal.
    base: (Walk, u32),
    /// The walk from there to the next board to measure.
    walk: Walk,
    farthest: Option<Generated>,
    in_vain: u32,
    phase: Phase,
    /// The progress of the walks, each of whose moves is a node, and of the solvers that have ended.
    progress: Progress,
}

enum Phase {
    Walking {
        moves: u32,
    },
    Solving {
        solver: Solver,
        found: Option<Solution>,
    },
    /// The search of a walk's end is over: its memory is freed piece by piece.
    Shedding {
        solver: Solver,
        result: Result<Solution, Stop>,
    },
    Over(Stop),
}

impl<F: Fn(Problem) -> Solver> Difficulty<F> {
    /// Looks for a board whose optimal length to `goal` lies in `range`, which must have been made for the
    /// shape and blank's home of the goal. `solver_for` makes an *optimal* solver: one that ends with
    /// [`Stop::Proven`].
    pub fn new(goal: &Board, range: Range, seed: u64, solver_for: F) -> Self {
        let (min, max) = (range.min(), range.max());
        let mut dice = Dice::new(seed);
        let target = min + dice.below(max - min + 1);
        let walk = Walk::new(goal.clone());
        Self {
            goal: goal.clone(),
            seed,
            min,
            target,
            solver_for,
            dice,
            base: (walk.clone(), 0),
            walk,
            farthest: None,
            in_vain: 0,
            phase: Phase::Walking { moves: target },
            progress: Progress::default(),
        }
    }

    /// Judges the board at the end of the walk by its shortest solution.
    fn measured(&mut self, solution: Solution) -> Option<Generated> {
        let length = solution.len() as u32;
        let board = Generated {
            board: self.walk.board().clone(),
            solution,
            seed: self.seed,
        };
        if length == self.target {
            return Some(board);
        }
        match &self.farthest {
            Some(farthest) if length <= farthest.solution.len() as u32 => self.in_vain += 1,
            _ => {
                self.farthest = Some(board);
                self.in_vain = 0;
            }
        }
        if self.in_vain >= PATIENCE
            && let Some(farthest) = self
                .farthest
                .take_if(|farthest| farthest.solution.len() as u32 >= self.min)
        {
            return Some(farthest);
        }
        let lost = self.base.1.saturating_sub(length);
        if self.dice.below(1 << lost.min(31)) == 0 {
            self.base = (self.walk.clone(), length);
        } else {
            self.walk = self.base.0.clone();
        }
        self.phase = Phase::Walking {
            moves: self.target - self.base.1,
        };
        None
    }

    fn problem(&self) -> Problem {
        Problem::new(self.walk.board(), &self.goal).expect("a walk from the goal can be taken back")
    }
}

impl<F: Fn(Problem) -> Solver + Send> Search for Difficulty<F> {
    type Found = Generated;

    fn advance(&mut self, budget: Budget) -> Step<Generated> {
        let mut nodes = budget.nodes;
        loop {
            match &mut self.phase {
                Phase::Over(stop) => return Step::Done(*stop),
                Phase::Shedding { solver, result } => {
                    if !solver.shed(nodes) {
                        return Step::Working;
                    }
                    self.progress = together(self.progress, solver.progress()).at_rest();
                    match result.clone() {
                        Ok(shortest) => {
                            if let Some(board) = self.measured(shortest) {
                                self.phase = Phase::Over(Stop::FirstFound);
                                return Step::Found(board);
                            }
                        }
                        Err(stop) => self.phase = Phase::Over(stop),
                    }
                }
                _ if nodes == 0 => return Step::Working,
                Phase::Walking { moves: 0 } => {
                    self.phase = Phase::Solving {
                        solver: (self.solver_for)(self.problem()),
                        found: None,
                    };
                }
                Phase::Walking { moves } => {
                    self.walk.step(&mut self.dice);
                    *moves -= 1;
                    nodes -= 1;
                    // A walk that was not counted would escape every node limit.
                    self.progress.generated += 1;
                }
                Phase::Solving { solver, found } => {
                    let before = solver.progress().generated;
                    let step = solver.advance(Budget { nodes, ..budget });
                    let spent = solver.progress().generated - before;
                    nodes = nodes.saturating_sub(spent.max(1));
                    let stop = match step {
                        Step::Working => return Step::Working,
                        Step::Found(solution) => {
                            *found = Some(solution);
                            continue;
                        }
                        Step::Done(stop) => stop,
                    };
                    let result = match (stop, found.take()) {
                        (Stop::Proven, Some(shortest)) => Ok(shortest),
                        _ => Err(stop),
                    };
                    let over = Phase::Over(stop);
                    if let Phase::Solving { solver, .. } = replace(&mut self.phase, over) {
                        self.phase = Phase::Shedding { solver, result };
                    }
                }
            }
        }
    }

    fn progress(&self) -> Progress {
        match &self.phase {
            Phase::Solving { solver, .. } | Phase::Shedding { solver, .. } => {
                together(self.progress, solver.progress())
            }
            Phase::Walking { .. } | Phase::Over(_) => self.progress,
        }
    }
}

/// The work done before and by the current solver. There is no bound, since no solution is sought.
fn together(before: Progress, now: Progress) -> Progress {
    Progress {
        lower_bound: 0,
        ..before.then(now)
    }
}
