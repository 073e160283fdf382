//! Ways to run a solver to its end.

use loyd::puzzle::Solution;
use loyd::search::{Budget, Progress, Search, Solver, Step, Stop};

/// The course of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    pub(crate) found: Vec<Solution>,
    pub(crate) stop: Stop,
    pub(crate) progress: Progress,
}

impl Run {
    /// The length of the one solution found.
    pub(crate) fn length(&self) -> usize {
        assert_eq!(self.found.len(), 1);
        self.found[0].len()
    }
}

/// How many more nodes than requested may be counted in a slice: IDA* counts the successors that it has made
/// ahead only when it comes to them, at most two for each move of the path.
const OVERSHOOT: u64 = 200;

/// Advances by a slice, checking that counts only grow.
pub(crate) fn advance<S: Search + ?Sized>(search: &mut S, slice: Budget) -> Step<S::Found> {
    let before = search.progress();
    let step = search.advance(slice);
    let progress = search.progress();
    assert!(progress.expanded >= before.expanded);
    assert!(progress.generated >= before.generated);
    assert!(progress.peak_open >= before.peak_open);
    assert!(progress.peak_memory >= before.peak_memory);
    assert!(progress.peak_memory >= progress.memory);
    assert!(progress.iterations >= before.iterations);
    assert!(progress.lower_bound >= before.lower_bound);
    step
}

/// Advances to the end by slices of the given budget.
pub(crate) fn run_sliced(mut solver: Solver, slice: Budget) -> Run {
    let mut found = Vec::new();
    loop {
        let before = solver.progress().generated;
        let step = advance(&mut *solver, slice);
        let progress = solver.progress();
        assert!(progress.generated - before <= slice.nodes.saturating_add(OVERSHOOT));
        match step {
            Step::Working => {}
            Step::Found(solution) => found.push(solution),
            Step::Done(stop) => {
                // There is nothing more to do, now or on any later call.
                assert_eq!(solver.advance(slice), Step::Done(stop));
                assert_eq!(solver.progress(), progress);
                return Run {
                    found,
                    stop,
                    progress,
                };
            }
        }
    }
}

pub(crate) fn run(solver: Solver) -> Run {
    run_sliced(solver, Budget::UNLIMITED)
}
