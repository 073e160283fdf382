//! How fast boards are solved, and how well by a deadline: suites of boards, some with known
//! lengths, and the figures of a run.
//!
//! Most of it uses only `search` and the modules below, on the caller's thread and without the
//! service, so that the search itself is measured. `workers` uses the engine's pool, to measure
//! what more than one thread gains, and `deadline` uses the engine's pace.

mod cpu_time;
mod deadline;
mod figures;
mod suite;
mod workers;

use std::sync::Arc;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::puzzle::Board;
use crate::search::chain::optimal_solver;
use crate::search::tables::Tables;
use crate::search::{Budget, Step, Stop};

pub use cpu_time::CpuTime;
pub use deadline::{Lengths, Means, Reached, best_by};
pub use figures::Figures;
pub(crate) use figures::milliseconds;
pub use suite::{Case, Suite, read_cases};
pub use workers::Workers;

/// The nodes between two reads of the clock.
const CHUNK: u64 = 4096;

/// The result of one board.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The length of the shortest solutions; `None` if the limit came before the proof.
    pub length: Option<usize>,
    /// The CPU time, including the creation of the search.
    pub time: Duration,
    /// The wall-clock time, including the creation of the search.
    pub wall: Duration,
    /// The nodes generated.
    pub nodes: u64,
    /// No solution is shorter than this.
    pub lower_bound: u32,
}

/// A length was proven that differs from the one in the suite: either the suite or the search is
/// wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{board}: its shortest solution has length {proven}, not {known}")]
pub struct WrongLength {
    /// The board.
    pub board: Board,
    /// The length that the search proved, in moves.
    pub proven: usize,
    /// The length in the suite.
    pub known: usize,
}

/// Solves one board to optimality, within a limit of CPU time.
///
/// # Errors
/// If a length is known and another one is proven.
pub fn run(case: &Case, tables: &Arc<Tables>, limit: Duration) -> Result<Run, WrongLength> {
    let wall_begun = Instant::now();
    let begun = CpuTime::now();
    let mut search = optimal_solver(case.problem.clone(), tables);
    let mut best = None;
    let proven = loop {
        match search.advance(Budget::nodes(CHUNK)) {
            Step::Working => {}
            Step::Found(solution) => best = Some(solution.len()),
            Step::Done(stop) => break stop == Stop::Proven,
        }
        if begun.elapsed() > limit {
            break false;
        }
    };
    let progress = search.progress();
    let run = Run {
        length: best.filter(|_| proven),
        time: begun.elapsed(),
        wall: wall_begun.elapsed(),
        nodes: progress.generated,
        lower_bound: progress.lower_bound,
    };
    check(case, run)
}

/// Compares what was proven with what is known.
fn check(case: &Case, run: Run) -> Result<Run, WrongLength> {
    match (run.length, case.length) {
        (Some(proven), Some(known)) if proven != known => Err(WrongLength {
            board: case.problem.start().clone(),
            proven,
            known,
        }),
        _ => Ok(run),
    }
}
