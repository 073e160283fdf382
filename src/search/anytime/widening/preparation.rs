//! When a search works on the tables of its beams, and that it does.

use std::time::Duration;

use super::Widening;
use crate::search::Budget;

/// Which tables a search works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// Those without which beams are poor.
    Needed,
    /// Those without which some beams are a little worse.
    Extra,
}

/// The fractions of the time left after the first beam that may go into them.
const FOR_NEEDED: f64 = 0.5;
const FOR_EXTRA: f64 = 0.1;

/// The work on the tables.
#[derive(Debug, Default)]
pub(super) struct Preparation {
    needed: Work,
    extra: Work,
    /// Whether the last turn was spent on those needed.
    had_last_turn: bool,
}

/// The work on some of the tables.
#[derive(Debug, Default)]
struct Work {
    /// Whether nothing is left to do.
    is_over: bool,
    /// The time left at which it stops, once the first beam is over.
    until: Option<Duration>,
}

impl Work {
    const OVER: Self = Self {
        is_over: true,
        until: None,
    };

    /// Whether nothing is left to do in so much time.
    fn is_over_by(&self, left: Duration) -> bool {
        self.is_over || self.until.is_some_and(|until| left <= until)
    }

    /// Whether it goes on between the first beam and the next until this fraction of the time that
    /// was left then has gone.
    fn goes_on(&mut self, left: Duration, fraction: f64) -> bool {
        let until = self.until.get_or_insert(left.mul_f64(1.0 - fraction));
        !self.is_over && left > *until
    }
}

impl Preparation {
    /// Nothing is left to do.
    pub(super) const OVER: Self = Self {
        needed: Work::OVER,
        extra: Work::OVER,
        had_last_turn: false,
    };

    /// Whether nothing is left to do: in so much time, between two beams.
    pub(super) fn is_over(&self, left: Duration, is_between_beams: bool) -> bool {
        self.needed.is_over && (!is_between_beams || self.extra.is_over_by(left))
    }

    /// Ends the work on these tables: nothing is left to do.
    pub(super) const fn end(&mut self, tables: Which) {
        match tables {
            Which::Needed => self.needed.is_over = true,
            Which::Extra => self.extra.is_over = true,
        }
    }

    /// The tables whose turn it is: those needed every other time beside the first beam, and between that one and
    /// the next for a part of the time; then the others for a part of the rest.
    pub(super) fn turn(&mut self, time: Option<Duration>, is_between_beams: bool) -> Option<Which> {
        match time {
            Some(left) if is_between_beams => {
                if self.needed.goes_on(left, FOR_NEEDED) {
                    Some(Which::Needed)
                } else {
                    let goes_on = self.needed.is_over && self.extra.goes_on(left, FOR_EXTRA);
                    goes_on.then_some(Which::Extra)
                }
            }
            _ if !self.needed.is_over => {
                let is_over = self.needed.until.is_some();
                self.had_last_turn = !is_over && !self.had_last_turn;
                self.had_last_turn.then_some(Which::Needed)
            }
            None if is_between_beams && !self.extra.is_over => Some(Which::Extra),
            _ => None,
        }
    }

    /// Goes by the time of another asker, who may have more of it.
    pub(super) const fn go_by_another(&mut self) {
        self.needed.until = None;
        self.extra.until = None;
    }
}

impl Widening {
    /// The tables whose turn it is, if any. Each call is a turn.
    pub(super) fn take_turn(&mut self) -> Option<Which> {
        let is_between_beams = self.at_work.is_none() && self.begun > 0;
        self.preparation.turn(self.left, is_between_beams)
    }

    /// Works on these tables.
    pub(super) fn prepare(&mut self, tables: Which, budget: Budget) {
        if self.at_work.is_none() {
            // Work on the tables must not count as a beam's time.
            self.planner.pace.pause();
        }
        let nodes = budget.nodes.max(1);
        let is_over = match tables {
            Which::Needed => self.planner.beams.prepare(nodes),
            Which::Extra => {
                let half = budget.time.map(|left| left / 2);
                let next = self.planner.next(half, true);
                self.planner.beams.refine(next, nodes)
            }
        };
        if is_over {
            self.preparation.end(tables);
        }
    }
}
