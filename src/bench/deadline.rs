//! How short solutions are by a deadline.

use std::sync::Arc;
use std::time::Duration;

use super::{Case, CpuTime, WrongLength};
use crate::engine::pace::Pace;
use crate::search::chain::Chain;
use crate::search::plan::Objective;
use crate::search::tables::Tables;
use crate::search::{Budget, Search, Step};

/// The bytes that a search may hold.
const MEMORY: u64 = 1 << 30;

/// What came of a board by a deadline. Times are CPU time of the thread, or by the clock where workers
/// were on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// When the first solution was there, and its length in moves.
    pub first: (Duration, usize),
    /// When the shortest one was there, and its length.
    pub best: (Duration, usize),
    /// No solution is shorter than this.
    pub lower_bound: u32,
}

/// The figures of many boards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lengths {
    /// Boards with a solution by the deadline.
    pub solved: usize,
    /// Boards whose solution was proven to be a shortest one.
    pub proven: usize,
    /// Of the boards with a solution; none when there are none.
    pub means: Option<Means>,
}

/// The means over all boards with a solution by a deadline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means {
    /// Milliseconds to the first solution.
    pub first: f64,
    /// The length of the first solution.
    pub first_length: f64,
    /// The length of the shortest one.
    pub length: f64,
    /// The same of the first fifty boards; of all, if they are fewer.
    pub length_of_50: f64,
    /// By how much it is longer than the known shortest one: 0.01 is one in a hundred. None where
    /// that is not known.
    pub excess: Option<f64>,
    /// What was proven to be the least.
    pub lower_bound: f64,
}

/// Looks for the best solution within a deadline, with the tables that are there; none when there
/// is none in that time.
///
/// # Errors
/// When a length is known and a shorter solution is found.
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
            nodes: pace.chunk(),
            memory: MEMORY,
            time: Some(deadline - now),
        };
        let step = pace.time(|| search.advance(budget));
        now = begun.elapsed();
        match step {
            Step::Working => {}
            Step::Done(_) => break,
            Step::Found(_) if now > deadline => break,
            Step::Found(answer) => reached = Some(Reached::then(reached, (now, answer.length))),
        }
    }
    reached.map_or(Ok(None), |reached| {
        let lower_bound = search.progress().lower_bound;
        checked(case, reached, lower_bound).map(Some)
    })
}

/// What was reached, with what was proven, compared with what is known.
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
    /// After a solution that is shorter than all before.
    pub(super) fn then(before: Option<Self>, found: (Duration, usize)) -> Self {
        Self {
            first: before.map_or(found, |before| before.first),
            best: found,
            lower_bound: 0,
        }
    }
}

impl Lengths {
    /// The figures of boards, each with what came of it.
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
            first: mean(&|reached| reached.first.0.as_secs_f64() * 1e3),
            first_length: mean(&|reached| reached.first.1 as f64),
            length: mean(&length),
            length_of_50: mean_of(&solved[..solved.len().min(50)], &length),
            excess: excess.map(|excess| excess.iter().sum::<f64>() / excess.len() as f64),
            lower_bound: mean(&|reached| f64::from(reached.lower_bound)),
        }
    }
}
