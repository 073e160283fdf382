//! Several boards, one search after the other, each with its own seed.

use crate::puzzle::generate::board_seed;
use crate::search::{Budget, Progress, Search, Step, Stop};

/// Runs one search for each board of a batch.
pub struct Batch<S, F> {
    seed: u64,
    count: u64,
    begun: u64,
    begin: F,
    current: Option<S>,
    past: Progress,
}

impl<S: Search, F: FnMut(u64) -> S> Batch<S, F> {
    /// A batch of `count` searches; `begin` makes one from its board's seed.
    pub fn new(seed: u64, count: u64, begin: F) -> Self {
        Self {
            seed,
            count,
            begun: 0,
            begin,
            current: None,
            past: Progress::default(),
        }
    }
}

impl<S, F> Search for Batch<S, F>
where
    S: Search,
    F: FnMut(u64) -> S + Send,
{
    type Found = S::Found;

    /// Ends with `Proven` when each of the searches has found its board.
    fn advance(&mut self, budget: Budget) -> Step<S::Found> {
        let Some(search) = &mut self.current else {
            if self.begun == self.count {
                return Step::Done(Stop::Proven);
            }
            let seed = board_seed(self.seed, self.begun);
            self.begun += 1;
            self.current = Some((self.begin)(seed));
            return Step::Working;
        };
        match search.advance(budget) {
            Step::Working => Step::Working,
            Step::Found(found) => {
                self.past = self.past.then(search.progress()).at_rest();
                self.current = None;
                Step::Found(found)
            }
            Step::Done(stop) => Step::Done(stop),
        }
    }

    fn progress(&self) -> Progress {
        match &self.current {
            Some(search) => self.past.then(search.progress()),
            None => self.past,
        }
    }

    fn name(&self) -> &'static str {
        "generate"
    }
}
