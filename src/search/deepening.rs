//! Constructive solvers that look farther and farther ahead, for boards on which there is no time for
//! beams that would do better, or for one of them alone.

use std::sync::Arc;
use std::time::Duration;

use super::beams::{cube, staged_time};
use super::constructive::{Constructive, Variant};
use super::joined::Joined;
use super::tables::Tables;
use super::widening::FIRST_SHARE;
use super::{Budget, Progress, Search, Step, Stop};
use crate::puzzle::{Problem, Shape, Solution};

/// The farthest look ahead. With more a single tile of a large board would take longer than a search
/// may go on without being asked.
const FARTHEST: usize = 6;

/// How many times as long a solution takes with one push more, as measured from 32×32 to 100×100.
const GROWTH: f64 = 2.5;

/// About what a look ahead of two pushes takes for n³ moves' worth of a board.
const A_MOVE: Duration = Duration::from_nanos(240);

/// Without a time to keep, as much of what beams will take is spent before them.
const AT_LEISURE: f64 = 0.25;

/// A look ahead may take as much of the time before beams whose first, narrow one would not be worth it, lest
/// there be nothing better than the first solution while the wide one is at work, or if it comes too late.
const BEFORE_BEAMS: f64 = 0.03;

/// About the time of a solution with such a look ahead.
fn typical(shape: Shape, look_ahead: usize) -> Duration {
    A_MOVE.mul_f64(cube(shape) * GROWTH.powi(look_ahead as i32 - 2))
}

/// Finds ever shorter solutions of one problem, each by one push more of look ahead.
///
/// Ends with [`Stop::Exhausted`] when there is no time for the next, or beams make more of it.
pub struct Deepening {
    problem: Problem,
    tables: Arc<Tables>,
    /// The solver at work, and the time that was left when it began.
    solver: Option<(Joined<Constructive>, Option<Duration>)>,
    /// The look ahead of the last solver, and about what it took.
    look_ahead: usize,
    took: Duration,
    best: Option<usize>,
    /// Of the solvers that are over.
    past: Progress,
    is_over: bool,
}

impl Deepening {
    /// A search that goes on where the usual look ahead ends.
    #[must_use]
    pub fn new(problem: &Problem, tables: &Arc<Tables>) -> Self {
        let shape = problem.shape();
        let look_ahead = Variant::Best.look_ahead(shape);
        Self {
            problem: problem.clone(),
            tables: Arc::clone(tables),
            solver: None,
            look_ahead,
            took: typical(shape, look_ahead),
            best: None,
            past: Progress::NONE,
            is_over: false,
        }
    }

    /// Begins the next solver, if it is worth its time.
    fn begin(&mut self, left: Option<Duration>) {
        let expected = self.took.mul_f64(GROWTH);
        let beams = staged_time(self.problem.shape());
        let is_worth_it = match left {
            Some(left) if left < beams => expected < left,
            Some(left) => {
                left.mul_f64(FIRST_SHARE) < beams && expected < left.mul_f64(BEFORE_BEAMS)
            }
            None => expected < beams.mul_f64(AT_LEISURE),
        };
        if !is_worth_it || self.look_ahead == FARTHEST {
            self.is_over = true;
            return;
        }
        self.look_ahead += 1;
        let tables = Arc::clone(&self.tables);
        let solver = Constructive::new(tables, &self.problem, Variant::Best);
        let solver = solver.looking_ahead(self.look_ahead);
        self.solver = Some((Joined::new(&self.problem, solver), left));
    }

    /// Ends the solver at work.
    fn leave(&mut self, begun: Option<Duration>, left: Option<Duration>) {
        self.past = self.progress().at_rest();
        self.solver = None;
        let took = begun
            .zip(left)
            .and_then(|(begun, left)| begun.checked_sub(left));
        // Not known where the time became longer: somebody else waits now.
        self.took = took.unwrap_or_else(|| typical(self.problem.shape(), self.look_ahead));
    }
}

impl Search for Deepening {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.is_over {
            return Step::Done(Stop::Exhausted);
        }
        let Some((solver, begun)) = &mut self.solver else {
            self.begin(budget.time);
            return Step::Working;
        };
        let begun = *begun;
        match solver.advance(budget) {
            Step::Working => Step::Working,
            Step::Done(_) => {
                self.leave(begun, budget.time);
                Step::Working
            }
            Step::Found(solution) => {
                self.leave(begun, budget.time);
                if self.best.is_some_and(|best| best <= solution.len()) {
                    return Step::Working;
                }
                self.best = Some(solution.len());
                Step::Found(solution)
            }
        }
    }

    fn progress(&self) -> Progress {
        match &self.solver {
            Some((solver, _)) => self.past.then(solver.progress()),
            None => self.past,
        }
    }

    fn name(&self) -> &'static str {
        "constructive"
    }
}
