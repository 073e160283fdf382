//! Constructive solvers that look farther ahead, for boards where there is no time for better beams, or only
//! for one such beam.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use crate::puzzle::{Problem, Shape, Solution};
use crate::search::constructive::{Constructive, Variant};
use crate::search::joined::Joined;
use crate::search::tables::Tables;
use crate::search::{Budget, Progress, Search, Step, Stop};

use super::beams::{cube, staged_time};
use super::widening::FIRST_SHARE;

/// The time of a solution with a look-ahead of 2, 3, … pushes, relative to that with two, as measured from
/// 32×32 to 100×100. With a look-ahead beyond the last, a single tile of a large board would take longer than
/// a search may run between two calls of `advance`.
const TIMES: [f64; 7] = [1.0, 1.9, 3.8, 7.8, 17.0, 38.0, 85.0];

/// The least and the greatest look-ahead in [`TIMES`].
const NEAREST: usize = 2;
const FARTHEST: usize = NEAREST + TIMES.len() - 1;

/// About the time of a solution with a look-ahead of two pushes, divided by n³.
const A_MOVE: Duration = Duration::from_nanos(90);

/// About the time around the first solution that does not depend on the board.
const AROUND_IT: Duration = Duration::from_micros(150);

/// The bounds of the [slowness] that is assumed of beams.
const SLOWNESS: RangeInclusive<f64> = 0.5..=4.0;

/// The fraction of the time that is planned for.
const PLANNED: f64 = 0.95;

/// The fraction of a board's work after which its measured speed replaces the guess.
const MEASURED: f64 = 0.01;

/// Without a deadline, the fraction of the beams' expected time that may be spent before them.
const AT_LEISURE: f64 = 0.25;

/// How many times its expected time must be left for a beam: a beam that does not end in time is of no
/// use, and one that had to become narrow to do so finds nothing shorter than a look-ahead in that time.
const ENOUGH: f64 = 1.2;

/// The fraction of the time that a look-ahead may take before beams of which the first, narrow one would not
/// be worth it. Without it there would be nothing better than the first solution while the wide one is at
/// work, or if that one comes too late.
const BEFORE_BEAMS: f64 = 0.03;

/// The time that a look-ahead takes, relative to the nearest.
fn times(look_ahead: usize) -> f64 {
    TIMES[look_ahead.clamp(NEAREST, FARTHEST) - NEAREST]
}

/// About the time of a solution with the nearest look-ahead.
fn guess(shape: Shape) -> Duration {
    A_MOVE.mul_f64(cube(shape))
}

/// How many times as long as on the machine where solvers and beams were measured a solution with the usual
/// look-ahead for a board of this shape took. On that machine it is 0.8 to 1.3, from 8×9 to 32×32 and 5×60.
#[must_use]
pub fn slowness(shape: Shape, first: Duration) -> f64 {
    let solver = guess(shape).mul_f64(times(Variant::Best.look_ahead(shape)));
    first.div_duration_f64(AROUND_IT + solver)
}

/// A solver's share of the time. Each point in time is given as the time left at that point.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// When it began.
    begun: Duration,
    /// When it must be over.
    end: Duration,
}

impl Given {
    /// From `now` on, and no longer than `most`.
    fn new(now: Duration, most: Duration) -> Self {
        Self {
            begun: now,
            end: now.saturating_sub(most),
        }
    }
}

/// A solver that looks as far ahead as it can while finishing in time.
struct Paced {
    solver: Joined<Constructive>,
    look_ahead: usize,
    time: Option<Given>,
    /// The work that is left, and the work done, weighted by its [times](TIMES). Both are fractions of a
    /// board's work.
    left: f64,
    done: f64,
}

impl Paced {
    /// About the time that all of the work takes with the nearest look-ahead, when so much time is left.
    fn unit(&self, now: Duration, guess: Duration) -> Duration {
        match self.time {
            Some(Given { begun, .. }) if self.done > MEASURED => {
                begun.saturating_sub(now).div_f64(self.done)
            }
            _ => guess,
        }
    }

    /// Goes by the time of another asker. The solver may take `most` of it from now on, and its speed is
    /// measured anew.
    fn go_by_another(&mut self, now: Duration, most: Duration) {
        self.time = Some(Given::new(now, most));
        self.done = 0.0;
    }

    /// Records the work done.
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

/// Finds shorter solutions of one problem by looking farther ahead: with a deadline, as far as that allows
/// from tile to tile; without one, by one push more each time.
///
/// Ends with [`Stop::Exhausted`] when there is no time for more, or beams make better use of it.
pub struct Lookahead {
    problem: Problem,
    tables: Arc<Tables>,
    solver: Option<Paced>,
    /// The look-ahead of the last solver.
    look_ahead: usize,
    /// How many times as long beams take here as where they were measured.
    slowness: f64,
    /// Whose time was left at the last call of `advance`.
    asker: u32,
    best: Option<usize>,
    /// The progress of the solvers that are over.
    past: Progress,
    is_over: bool,
}

impl Lookahead {
    /// A search that goes on where the usual look-ahead ends.
    #[must_use]
    pub fn new(problem: &Problem, tables: &Arc<Tables>) -> Self {
        Self {
            problem: problem.clone(),
            tables: Arc::clone(tables),
            solver: None,
            look_ahead: Variant::Best.look_ahead(problem.shape()),
            slowness: 1.0,
            asker: 0,
            best: None,
            past: Progress::default(),
            is_over: false,
        }
    }

    /// Expects beams to take `slowness` times as long as where they were measured. A slow or busy machine has
    /// no time for a beam that another one has time for, and a beam that does not end in time is of no use.
    #[must_use]
    pub const fn at_slowness(mut self, slowness: f64) -> Self {
        self.slowness = slowness.clamp(*SLOWNESS.start(), *SLOWNESS.end());
        self
    }

    /// The most time that a solver is worth when so much is left.
    fn most(&self, left: Option<Duration>) -> Duration {
        let beams = staged_time(self.problem.shape()).mul_f64(self.slowness);
        match left {
            Some(left) if left < beams.mul_f64(ENOUGH) => left,
            Some(left) if left.mul_f64(FIRST_SHARE) < beams => left.mul_f64(BEFORE_BEAMS),
            Some(_) => Duration::ZERO,
            None => beams.mul_f64(AT_LEISURE),
        }
    }

    /// Begins the next solver, if it is worth its time.
    fn begin(&mut self, left: Option<Duration>) {
        let most = self.most(left);
        let expected = guess(self.problem.shape()).mul_f64(times(self.look_ahead + 1));
        let is_paced = left.is_some() && self.best.is_some();
        if self.look_ahead >= FARTHEST || is_paced || expected >= most {
            self.is_over = true;
            return;
        }
        self.look_ahead += 1;
        let tables = Arc::clone(&self.tables);
        let mut solver = Constructive::new(tables, &self.problem, Variant::Best);
        solver.look_ahead(self.look_ahead);
        self.solver = Some(Paced {
            solver: Joined::new(&self.problem, solver),
            look_ahead: self.look_ahead,
            time: left.map(|left| Given::new(left, most)),
            left: 1.0,
            done: 0.0,
        });
    }

    /// Ends the current solver.
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
        let guess = guess(self.problem.shape());
        let most = self.most(budget.time);
        let is_another = std::mem::replace(&mut self.asker, budget.asker) != budget.asker;
        let Some(paced) = &mut self.solver else {
            self.begin(budget.time);
            return Step::Working;
        };
        if let Some(now) = budget.time {
            paced.note();
            if is_another {
                paced.go_by_another(now, most);
            }
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
