//! When a search works on the tables of its beams.

use std::time::Duration;

/// The work on the tables, without which beams are poor.
#[derive(Debug, Default)]
pub(super) struct Preparation {
    /// Whether nothing is left to do.
    pub(super) is_over: bool,
    /// Whether the last turn was spent on it.
    had_last_turn: bool,
    /// The time left at which it stops, once the first beam is over.
    until: Option<Duration>,
}

impl Preparation {
    /// Nothing is left to do.
    pub(super) const OVER: Self = Self {
        is_over: true,
        had_last_turn: false,
        until: None,
    };

    /// Whether it is its turn: every other time beside the first beam, and between that one and the next until half
    /// of the time that was left then has gone.
    pub(super) fn is_its_turn(&mut self, time: Option<Duration>, is_between_beams: bool) -> bool {
        if self.is_over {
            return false;
        }
        match (time, self.until) {
            (Some(left), _) if is_between_beams => left > *self.until.get_or_insert(left / 2),
            (_, Some(_)) => false,
            (_, None) => {
                self.had_last_turn = !self.had_last_turn;
                self.had_last_turn
            }
        }
    }

    /// Goes by the time of another asker, who may have more of it.
    pub(super) const fn go_by_another(&mut self) {
        self.until = None;
    }
}
