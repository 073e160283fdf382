//! A beam that is done beside the search that wants it.

use std::time::Duration;

use super::Widening;
use crate::puzzle::Solution;
use crate::search::{Budget, Part, Progress, Search, Step};

/// How much sooner it has to be over than the time: what it has found comes with the next look that is
/// taken at its search.
const EARLIER: Duration = Duration::from_micros(300);

/// A search of one beam, which has all of the time that is left.
pub(super) struct Aside {
    search: Widening,
    memory: u64,
    has_begun: bool,
    /// What it has found, shorter than what was known.
    pub(super) found: Option<Solution>,
}

impl Aside {
    /// A search that has not begun its beam, which may hold so many bytes.
    pub(super) const fn new(search: Widening, memory: u64) -> Self {
        Self {
            search,
            memory,
            has_begun: false,
            found: None,
        }
    }
}

impl Part for Aside {
    fn advance(&mut self, budget: Budget) -> bool {
        let is_over = self.has_begun && self.search.pass.is_none();
        if is_over {
            return false;
        }
        let step = self.search.advance(Budget {
            memory: self.memory,
            time: budget.time.map(|left| left.saturating_sub(EARLIER)),
            ..budget
        });
        self.has_begun |= self.search.pass.is_some();
        match step {
            Step::Working => self.search.pass.is_some() || !self.has_begun,
            Step::Found(solution) => {
                self.found = Some(solution);
                false
            }
            Step::Done(_) => false,
        }
    }

    fn progress(&self) -> Progress {
        self.search.progress()
    }
}
