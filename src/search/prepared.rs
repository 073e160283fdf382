//! A search that begins when the tables of its heuristic are there, and until then works on them.

use crate::heuristic::HeuristicKind;
use crate::puzzle::{Problem, Solution};

use super::{Budget, Iteration, Progress, Search, Solver, Step};

/// The solver that `begin` makes of the problem, once `heuristic` is prepared for it.
pub(super) fn solver(
    problem: &Problem,
    heuristic: HeuristicKind,
    begin: impl Fn(&Problem) -> Solver + Send + 'static,
) -> Solver {
    if heuristic.prepare(problem, 0) {
        return begin(problem);
    }
    Box::new(Prepared {
        problem: problem.clone(),
        heuristic,
        begin,
        solver: None,
    })
}

struct Prepared<F> {
    problem: Problem,
    heuristic: HeuristicKind,
    begin: F,
    solver: Option<Solver>,
}

impl<F: Fn(&Problem) -> Solver + Send> Search for Prepared<F> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(solver) = &mut self.solver {
            return solver.advance(budget);
        }
        if !self.heuristic.prepare(&self.problem, budget.nodes.max(1)) {
            return Step::Working;
        }
        let solver = self.solver.insert((self.begin)(&self.problem));
        solver.advance(budget)
    }

    /// The work on the tables, which outlive the search, is not the search's.
    fn progress(&self) -> Progress {
        self.solver
            .as_ref()
            .map_or_else(Progress::default, |solver| solver.progress())
    }

    fn iterations(&self) -> Vec<Iteration> {
        self.solver
            .as_ref()
            .map_or_else(Vec::new, |solver| solver.iterations())
    }
}
