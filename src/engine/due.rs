//! When a search's findings will be taken, as the search is told it.

use std::time::Instant;

use crate::search::Budget;

/// When the asker whose time counts will take the findings, and the number of that asker.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Due {
    at: Option<Instant>,
    asker: u32,
}

impl Due {
    pub(super) fn at(self) -> Option<Instant> {
        self.at
    }

    /// Goes by this instant from now on. Returns whether it is another one than before, and thus another
    /// asker's.
    pub(super) fn set(&mut self, at: Option<Instant>) -> bool {
        let is_another = self.at != at;
        self.at = at;
        self.asker = self.asker.wrapping_add(u32::from(is_another));
        is_another
    }

    /// The budget with the time that is left.
    pub(super) fn tell(self, budget: Budget, now: Instant) -> Budget {
        Budget {
            time: self.at.map(|due| due.saturating_duration_since(now)),
            asker: self.asker,
            ..budget
        }
    }
}
