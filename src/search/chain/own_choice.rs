//! The searches that the server chooses by itself.

use std::sync::Arc;

use super::Chain;
use crate::puzzle::{Home, Metric, Problem, Solution};
use crate::search::distance_table::Class;
use crate::search::plan::{Method, Objective, Ready, plan};
use crate::search::tables::Tables;
use crate::search::{Budget, Progress, Search, Solver, Step};

impl Chain {
    /// The searches that the server chooses for an objective, given the tables that are ready. Lengths are in
    /// slides.
    #[must_use]
    pub fn of_own_choice(problem: Problem, objective: Objective, tables: &Arc<Tables>) -> Self {
        let ready = Ready {
            distances: Class::of(&problem).is_some_and(|class| tables.ready(class).is_some()),
            guide: tables.guides().is_ready(Home::of(&problem)),
        };
        let metric = Metric::SingleTile;
        let stages = plan(metric, problem.shape(), objective, Method::default(), ready)
            .expect("the server's own choice suits every objective");
        Self::new(problem, metric, objective, stages, Arc::clone(tables))
    }
}

/// The solver that proves a shortest solution of a problem soonest, on one thread.
pub fn optimal_solver(problem: Problem, tables: &Arc<Tables>) -> Solver {
    Box::new(Solutions(Chain::of_own_choice(
        problem,
        Objective::Optimal,
        tables,
    )))
}

/// A chain that reports only its solutions.
struct Solutions(Chain);

impl Search for Solutions {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        match self.0.advance(budget) {
            Step::Working => Step::Working,
            Step::Found(answer) => Step::Found(answer.solution),
            Step::Done(stop) => Step::Done(stop),
        }
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }

    fn shed(&mut self, nodes: u64) -> bool {
        self.0.shed(nodes)
    }
}
