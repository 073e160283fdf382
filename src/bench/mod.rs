//! How fast boards are solved: suites of boards with known lengths, and the figures of a run.
//!
//! Uses `search` and what is beneath it, on the caller's thread and without the service, so that
//! what is measured is the search.

mod cpu_time;
mod figures;
mod suite;

use std::sync::Arc;
use std::time::Duration;

use crate::search::chain::optimal_solver;
use crate::search::tables::Tables;
use crate::search::{Budget, Search, Step};

pub use cpu_time::CpuTime;
pub use figures::Figures;
pub use suite::{Case, Suite, read_cases};

/// Nodes between two looks at the clock.
const CHUNK: u64 = 4096;

/// What one board took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The length of its shortest solutions; none when the limit came before the proof.
    pub length: Option<usize>,
    /// Time of this thread, the making of the search included.
    pub time: Duration,
    /// Nodes generated.
    pub nodes: u64,
    /// No solution is shorter than this.
    pub lower_bound: u32,
}

/// Solves one board to optimality, within a limit of CPU time.
///
/// # Panics
/// When a length is known and another one is proven: a defect of the search.
#[must_use]
pub fn run(case: &Case, tables: &Arc<Tables>, limit: Duration) -> Run {
    let begun = CpuTime::now();
    let mut search = optimal_solver(case.problem.clone(), tables);
    let mut best = None;
    let proven = loop {
        match search.advance(Budget::nodes(CHUNK)) {
            Step::Working => {}
            Step::Found(solution) => best = Some(solution.len()),
            Step::Done(_) => break true,
        }
        if begun.elapsed() > limit {
            break false;
        }
    };
    let time = begun.elapsed();
    let length = best.filter(|_| proven);
    if let (Some(length), Some(known)) = (length, case.length) {
        assert_eq!(length, known, "{}", case.problem.start());
    }
    let progress = search.progress();
    Run {
        length,
        time,
        nodes: progress.generated,
        lower_bound: progress.lower_bound,
    }
}
