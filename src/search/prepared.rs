//! A search that begins once the tables of its heuristic are ready, and works on them until then.

use crate::puzzle::{Problem, Solution};

use super::{Budget, Iteration, Progress, Search, Solver, Step};

/// The solver that `begin` makes of the problem once everything is prepared. `prepare` works on the tables
/// for a problem, about as long as so many nodes of a search take, and returns whether no work is left.
pub(super) fn solver(
    problem: &Problem,
    prepare: impl Fn(&Problem, u64) -> bool + Send + 'static,
    begin: impl Fn(&Problem) -> Solver + Send + 'static,
) -> Solver {
    if prepare(problem, 0) {
        return begin(problem);
    }
    Box::new(Prepared {
        problem: problem.clone(),
        prepare,
        begin,
        solver: None,
    })
}

struct Prepared<P, F> {
    problem: Problem,
    prepare: P,
    begin: F,
    solver: Option<Solver>,
}

impl<P, F> Search for Prepared<P, F>
where
    P: Fn(&Problem, u64) -> bool + Send,
    F: Fn(&Problem) -> Solver + Send,
{
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(solver) = &mut self.solver {
            return solver.advance(budget);
        }
        if !(self.prepare)(&self.problem, budget.nodes.max(1)) {
            return Step::Working;
        }
        let solver = self.solver.insert((self.begin)(&self.problem));
        solver.advance(budget)
    }

    /// The work on the tables, which outlive the search, is not counted as the search's.
    fn progress(&self) -> Progress {
        self.solver
            .as_ref()
            .map_or_else(Progress::default, |solver| solver.progress())
    }

    fn shed(&mut self, nodes: u64) -> bool {
        self.solver.as_mut().is_none_or(|solver| solver.shed(nodes))
    }

    fn iterations(&self) -> Vec<Iteration> {
        self.solver
            .as_ref()
            .map_or_else(Vec::new, |solver| solver.iterations())
    }
}
