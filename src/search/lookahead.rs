//! Constructive solvers that look farther ahead, for boards on which there is no time for beams that would
//! do better, or for one of them alone.

use std::sync::Arc;
use std::time::Duration;

use super::beams::{cube, staged_time};
use super::constructive::{Constructive, Variant};
use super::joined::Joined;
use super::tables::Tables;
use super::widening::FIRST_SHARE;
use super::{Budget, Progress, Search, Step, Stop};
use crate::puzzle::{Problem, Solution};

/// How many times as long as with two pushes a solution takes with more, from two on, as measured from
/// 32×32 to 100×100. With more than the last a single tile of a large board would take longer than a
/// search may go on without being asked.
const TIMES: [f64; 7] = [1.0, 1.9, 3.8, 7.8, 17.0, 38.0, 85.0];

/// The least and the farthest look ahead that [`TIMES`] knows.
const NEAREST: usize = 2;
const FARTHEST: usize = NEAREST + TIMES.len() - 1;

/// About what a look ahead of two pushes takes for n³ moves' worth of a board.
const A_MOVE: Duration = Duration::from_nanos(90);

/// The part of the time that is planned for.
const PLANNED: f64 = 0.95;

/// So much work, of all that a board takes, tells how fast it is done.
const MEASURED: f64 = 0.01;

/// Without a time to keep, as much of what beams will take is spent before them.
const AT_LEISURE: f64 = 0.25;

/// A look ahead may take as much of the time before beams whose first, narrow one would not be worth it, lest
/// there be nothing better than the first solution while the wide one is at work, or if it comes too late.
const BEFORE_BEAMS: f64 = 0.03;

/// How many times as long as the nearest a look ahead takes.
fn times(look_ahead: usize) -> f64 {
    TIMES[look_ahead.clamp(NEAREST, FARTHEST) - NEAREST]
}

/// What a solver has of the time, as so much of it is left.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// When it began.
    begun: Duration,
    /// When it is to be over.
    end: Duration,
    /// At the last look.
    last: Duration,
}

impl Given {
    /// From now on, and no longer than `most`.
    fn new(now: Duration, most: Duration) -> Self {
        Self {
            begun: now,
            end: now.saturating_sub(most),
            last: now,
        }
    }
}

/// A solver that looks as far ahead as it can to be over in time.
struct Paced {
    solver: Joined<Constructive>,
    look_ahead: usize,
    time: Option<Given>,
    /// The work that is still to be done, and what was done, by how many [times](TIMES) it took; of
    /// all that a board takes.
    left: f64,
    done: f64,
}

impl Paced {
    /// About what all of the work takes with the nearest look ahead, when so much time is left.
    fn unit(&self, now: Duration, guess: Duration) -> Duration {
        match self.time {
            Some(Given { begun, .. }) if self.done > MEASURED => {
                begun.saturating_sub(now).div_f64(self.done)
            }
            _ => guess,
        }
    }

    /// Takes a look at the time that is left. Where that has become longer, as somebody else waits now,
    /// it may take `most` of it from then on, and how fast it is has to be measured again.
    fn look(&mut self, now: Duration, most: Duration) {
        let Some(given) = &mut self.time else {
            return;
        };
        if now > given.last {
            *given = Given::new(now, most);
            self.done = 0.0;
        }
        given.last = now;
    }

    /// Notes the work that was done.
    fn note(&mut self) {
        let left = self.solver.runs().left();
        self.done += (self.left - left) * times(self.look_ahead);
        self.left = left;
    }

    /// Looks as far ahead as there is time for.
    fn keep_pace(&mut self, now: Duration, guess: Duration) {
        let Some(Given { end, .. }) = self.time else {
            return;
        };
        let time = now.saturating_sub(end).mul_f64(PLANNED);
        let unit = self.unit(now, guess).mul_f64(self.left);
        let fits = |&look_ahead: &usize| unit.mul_f64(times(look_ahead)) < time;
        self.look_ahead = (NEAREST..=FARTHEST).rfind(fits).unwrap_or(NEAREST);
        self.solver.runs_mut().look_ahead(self.look_ahead);
    }
}

/// Finds shorter solutions of one problem by looking farther ahead: where there is a time to keep, as far
/// as that allows from tile to tile, else by one push more each time.
///
/// Ends with [`Stop::Exhausted`] when there is no time for more, or beams make more of it.
pub struct Lookahead {
    problem: Problem,
    tables: Arc<Tables>,
    solver: Option<Paced>,
    /// The look ahead of the last solver.
    look_ahead: usize,
    best: Option<usize>,
    /// Of the solvers that are over.
    past: Progress,
    is_over: bool,
}

impl Lookahead {
    /// A search that goes on where the usual look ahead ends.
    #[must_use]
    pub fn new(problem: &Problem, tables: &Arc<Tables>) -> Self {
        Self {
            problem: problem.clone(),
            tables: Arc::clone(tables),
            solver: None,
            look_ahead: Variant::Best.look_ahead(problem.shape()),
            best: None,
            past: Progress::NONE,
            is_over: false,
        }
    }

    /// About the time of a solution with the nearest look ahead.
    fn guess(&self) -> Duration {
        A_MOVE.mul_f64(cube(self.problem.shape()))
    }

    /// The most time that a solver is worth when so much is left.
    fn most(&self, left: Option<Duration>) -> Duration {
        let beams = staged_time(self.problem.shape());
        match left {
            Some(left) if left < beams => left,
            Some(left) if left.mul_f64(FIRST_SHARE) < beams => left.mul_f64(BEFORE_BEAMS),
            Some(_) => Duration::ZERO,
            None => beams.mul_f64(AT_LEISURE),
        }
    }

    /// Begins the next solver, if it is worth its time.
    fn begin(&mut self, left: Option<Duration>) {
        let most = self.most(left);
        let expected = self.guess().mul_f64(times(self.look_ahead + 1));
        let is_paced = left.is_some() && self.best.is_some();
        if self.look_ahead >= FARTHEST || is_paced || expected >= most {
            self.is_over = true;
            return;
        }
        self.look_ahead += 1;
        let tables = Arc::clone(&self.tables);
        let solver = Constructive::new(tables, &self.problem, Variant::Best);
        let solver = solver.looking_ahead(self.look_ahead);
        self.solver = Some(Paced {
            solver: Joined::new(&self.problem, solver),
            look_ahead: self.look_ahead,
            time: left.map(|left| Given::new(left, most)),
            left: 1.0,
            done: 0.0,
        });
    }

    /// Ends the solver at work.
    fn leave(&mut self) {
        self.past = self.progress().at_rest();
        self.solver = None;
    }
}

impl Search for Lookahead {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.is_over {
            return Step::Done(Stop::Exhausted);
        }
        let guess = self.guess();
        let most = self.most(budget.time);
        let Some(paced) = &mut self.solver else {
            self.begin(budget.time);
            return Step::Working;
        };
        if let Some(now) = budget.time {
            paced.note();
            paced.look(now, most);
            paced.keep_pace(now, guess);
        }
        match paced.solver.advance(budget) {
            Step::Working => Step::Working,
            Step::Done(_) => {
                self.leave();
                Step::Working
            }
            Step::Found(solution) => {
                self.leave();
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
            Some(paced) => self.past.then(paced.solver.progress()),
            None => self.past,
        }
    }

    fn name(&self) -> &'static str {
        "constructive"
    }
}
