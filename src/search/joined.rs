//! Joins runs of moves into one solution.

use crate::puzzle::{Direction, Problem, Recording, Solution};

use super::{Budget, Progress, Search, Step};

/// Turns a search that finds the runs of one solution into one that finds the solution.
pub struct Joined<S> {
    runs: S,
    recording: Option<Recording>,
    /// The most bytes held, which handing the solution over does not reset.
    peak_memory: u64,
}

impl<S: Search<Found = Vec<Direction>>> Joined<S> {
    /// Joins the runs that solve `problem`.
    #[must_use]
    pub fn new(problem: &Problem, runs: S) -> Self {
        Self {
            runs,
            recording: Some(Recording::new(problem)),
            peak_memory: 0,
        }
    }

    /// The search for the runs.
    pub const fn runs(&self) -> &S {
        &self.runs
    }

    /// The search for the runs.
    pub const fn runs_mut(&mut self) -> &mut S {
        &mut self.runs
    }

    fn memory(&self) -> u64 {
        let recorded = self.recording.as_ref().map_or(0, Recording::bytes) as u64;
        self.runs.progress().memory + recorded
    }
}

impl<S: Search<Found = Vec<Direction>>> Search for Joined<S> {
    type Found = Solution;

    /// # Panics
    /// When the runs do not solve the problem: a defect of the underlying search.
    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        match self.runs.advance(budget) {
            Step::Working => Step::Working,
            Step::Found(run) => {
                if let Some(recording) = &mut self.recording {
                    recording.play(&run).expect("every move of a run is legal");
                }
                self.peak_memory = self.peak_memory.max(self.memory());
                Step::Working
            }
            Step::Done(stop) => match self.recording.take() {
                Some(recording) => {
                    Step::Found(recording.finish().expect("the runs lead to the goal"))
                }
                None => Step::Done(stop),
            },
        }
    }

    fn progress(&self) -> Progress {
        let runs = self.runs.progress();
        let memory = self.memory();
        Progress {
            memory,
            peak_memory: runs.peak_memory.max(self.peak_memory).max(memory),
            ..runs
        }
    }
}
