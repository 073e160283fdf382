//! What a beam gets of the time that is left.

use std::time::Duration;

use super::Widening;

/// The share of the time that is planned for: the end of a beam comes in leaps.
const PLANNED: f64 = 0.95;

/// The share of the time for the first beam.
pub(in crate::search) const FIRST_SHARE: f64 = 0.05;

/// The share of what is left then for the second one, where there is [time for two](super::Beams::pair_width).
/// The third begins at the other end: the shorter of two solutions is as short as that of one beam with
/// the time of both, and one of two beams is seldom stuck. A little more than half, as what the second one
/// [plans](PLANNED) to leave is the third one's.
const SECOND_SHARE: f64 = 0.52;

/// What a beam gets of the time that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    First,
    Second,
    All,
}

impl Share {
    pub(super) fn of(self, left: Duration) -> Duration {
        match self {
            Self::First => left.mul_f64(FIRST_SHARE),
            Self::Second => left.mul_f64(SECOND_SHARE),
            Self::All => left,
        }
    }
}

/// When a beam is to be over, in time that is left then.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ends {
    planned: Duration,
    latest: Duration,
}

impl Ends {
    /// Those of a beam that is given so much of all the time that is left.
    pub(super) fn new(left: Duration, given: Duration) -> Self {
        Self {
            planned: left.saturating_sub(Self::plan(given)),
            latest: left.saturating_sub(given),
        }
    }

    /// What may be planned for of so much time.
    pub(super) fn plan(given: Duration) -> Duration {
        given.mul_f64(PLANNED)
    }

    /// The time that the beam may still take. What comes after the planned end is not spent all at once.
    pub(super) fn time(&self, left: Duration) -> Duration {
        let late = left.saturating_sub(self.latest) / 2;
        left.saturating_sub(self.planned).max(late)
    }
}

impl Widening {
    /// Whether two beams, one from either end, make more of so much time than one.
    fn is_time_for_two(&self, left: Duration) -> bool {
        let pair_width = self.beams.pair_width();
        let third = Ends::plan(left.mul_f64(1.0 - SECOND_SHARE));
        pair_width.is_some_and(|width| self.next(Some(third), true).width >= width)
    }

    /// The share of the next beam in so much time.
    pub(super) fn share(&self, left: Duration) -> Share {
        let first = left.mul_f64(FIRST_SHARE);
        if self.begun == 0 && self.next(Some(first), false).width > 2 * self.beams.narrowest() {
            Share::First
        } else if self.asides.is_empty() && !self.is_paired && self.is_time_for_two(left) {
            Share::Second
        } else {
            Share::All
        }
    }
}
