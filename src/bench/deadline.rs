//! How short solutions are by a deadline.

use std::sync::Arc;
use std::time::Duration;

use super::{Case, CpuTime, WrongLength, milliseconds};
use crate::config::MAX_MEMORY;
use crate::engine::pace::Pace;
use crate::search::chain::Chain;
use crate::search::plan::Objective;
use crate::search::tables::Tables;
use crate::search::{Budget, Search, Step};

/// What was found for a board by a deadline. Times are CPU time of the thread, or wall-clock time
/// if workers solved it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The time of the first solution, and its length in moves.
    pub first: (Duration, usize),
    /// The time of the shortest solution, and its length.
    pub best: (Duration, usize),
    /// No solution is shorter than this.
    pub lower_bound: u32,
}

/// The figures of many boards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lengths {
    /// The number of boards with a solution by the deadline.
    pub solved: usize,
    /// The number of boards whose solution was proven to be a shortest one.
    pub proven: usize,
    /// The means over the boards with a solution; `None` if there are none.
    pub means: Option<Means>,
}

/// The means over all boards with a solution by a deadline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// Milliseconds to the first solution.
    pub first: f64,
    /// The length of the first solution.
    pub first_length: f64,
    /// The length of the shortest solution found.
    pub length: f64,
    /// The same over the first fifty boards, or over all if there are fewer.
    pub length_of_50: f64,
    /// The fraction by which the solution is longer than the known shortest one: 0.01 is one in a
    /// hundred. `None` if the shortest one is not known for all boards.
    pub excess: Option<f64>,
    /// The proven lower bound on the length.
    pub lower_bound: f64,
}

/// Looks for the best solution within a deadline, with the tables that are ready. Returns `None` if
/// no solution is found in that time.
///
/// # Errors
/// If a length is known and a shorter solution is found.
pub fn best_by(
    case: &Case,
    tables: &Arc<Tables>,
    deadline: Duration,
) -> Result<Option<Reached>, WrongLength> {
    let begun = CpuTime::now();
    let mut search = Chain::of_own_choice(case.problem.clone(), Objective::Best, tables);
    let mut reached: Option<Reached> = None;
    let mut pace = Pace::default();
    let mut now = begun.elapsed();
    while now < deadline {
        let budget = Budget {
            memory: MAX_MEMORY,
            time: Some(deadline - now),
            ..Budget::nodes(pace.chunk())
        };
        let step = search.advance(budget);
        let before = std::mem::replace(&mut now, begun.elapsed());
        match step {
            Step::Working => pace.adjust(now - before),
            Step::Done(_) => break,
            Step::Found(_) if now > deadline => break,
            Step::Found(answer) => reached = Some(Reached::then(reached, (now, answer.length))),
        }
    }
    let lower_bound = search.progress().lower_bound;
    let checked = reached.map(|reached| checked(case, reached, lower_bound));
    checked.transpose()
}

/// Adds the proven lower bound to what was reached, and compares it with what is known.
pub(super) fn checked(
    case: &Case,
    reached: Reached,
    lower_bound: u32,
) -> Result<Reached, WrongLength> {
    match case.length {
        Some(known) if reached.best.1 < known => Err(WrongLength {
            board: case.problem.start().clone(),
            proven: reached.best.1,
            known,
        }),
        _ => Ok(Reached {
            lower_bound,
            ..reached
        }),
    }
}

impl Reached {
    /// Returns the state after a solution that is shorter than all before.
    pub(super) fn then(before: Option<Self>, found: (Duration, usize)) -> Self {
        Self {
            first: before.map_or(found, |before| before.first),
            best: found,
            lower_bound: 0,
        }
    }
}

impl Lengths {
    /// Returns the figures of boards, each with what was found for it.
    #[must_use]
    pub fn of(cases: &[Case], reached: &[Option<Reached>]) -> Self {
        let solved: Vec<(&Case, &Reached)> = cases
            .iter()
            .zip(reached)
            .filter_map(|(case, reached)| Some((case, reached.as_ref()?)))
            .collect();
        let is_proven =
            |(_, reached): &&(_, &Reached)| reached.best.1 as u64 <= u64::from(reached.lower_bound);
        Self {
            solved: solved.len(),
            proven: solved.iter().filter(is_proven).count(),
            means: (!solved.is_empty()).then(|| Means::of(&solved)),
        }
    }
}

impl Means {
    fn of(solved: &[(&Case, &Reached)]) -> Self {
        let mean_of = |solved: &[(&Case, &Reached)], value: &dyn Fn(&Reached) -> f64| {
            let sum: f64 = solved.iter().map(|(_, reached)| value(reached)).sum();
            sum / solved.len() as f64
        };
        let mean = |value: &dyn Fn(&Reached) -> f64| mean_of(solved, value);
        let length = |reached: &Reached| reached.best.1 as f64;
        let excess = |(case, reached): &(&Case, &Reached)| {
            let known = case.length.filter(|&known| known > 0)?;
            Some(length(reached) / known as f64 - 1.0)
        };
        let excess: Option<Vec<f64>> = solved.iter().map(excess).collect();
        Self {
            first: mean(&|reached| milliseconds(reached.first.0)),
            first_length: mean(&|reached| reached.first.1 as f64),
            length: mean(&length),
            length_of_50: mean_of(&solved[..solved.len().min(50)], &length),
            excess: excess.map(|excess| excess.iter().sum::<f64>() / excess.len() as f64),
            lower_bound: mean(&|reached| f64::from(reached.lower_bound)),
        }
    }
}
