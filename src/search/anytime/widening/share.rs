//! The share of the remaining time that a beam gets.

use std::time::Duration;

use super::Widening;
use super::planner::Planner;

/// From so much time on, the fractions of it that are not planned for and that the first beam gets become
/// less: they grow as the square root of the time.
const LONG: Duration = Duration::from_millis(50);

/// The fraction of the time that is not planned for: the end of a beam comes in leaps.
const UNPLANNED: f64 = 0.05;

/// The fraction of the time for the first beam.
pub(in crate::search) const FIRST_SHARE: f64 = 0.05;

/// The fraction of the time left then for the second beam, where there is [time for
/// two](super::Beams::pair_width). The third begins at the other end: the shorter of two solutions is as
/// short as that of one beam with the time of both, and seldom do both beams get stuck. It is a little more
/// than half, as the third beam also gets the time that is [not planned](UNPLANNED) for the second one.
const SECOND_SHARE: f64 = 0.52;

/// A fraction of some time, or less if the time is [long](LONG).
fn part_of(time: Duration, fraction: f64) -> Duration {
    let rate = LONG.as_secs_f64() / time.as_secs_f64().max(f64::MIN_POSITIVE);
    time.mul_f64(fraction * rate.min(1.0).sqrt())
}

/// The share of the remaining time that a beam gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// So much of it.
    First(Duration),
    Second,
    All,
}

impl Share {
    pub(super) fn of(self, left: Duration) -> Duration {
        match self {
            Self::First(time) => time,
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
    /// The ends of a beam that is given so much of all the time that is left.
    pub(super) fn new(left: Duration, given: Duration) -> Self {
        Self {
            planned: left.saturating_sub(Self::plan(given)),
            latest: left.saturating_sub(given),
        }
    }

    /// The part of so much time that may be planned for.
    pub(super) fn plan(given: Duration) -> Duration {
        given.saturating_sub(part_of(given, UNPLANNED))
    }

    /// The time that the beam may still take. The time after the planned end is not spent all at once.
    pub(super) fn time(&self, left: Duration) -> Duration {
        let late = left.saturating_sub(self.latest) / 2;
        left.saturating_sub(self.planned).max(late)
    }
}

impl Planner {
    /// Whether two beams, one from each end, make better use of so much time than one.
    fn is_time_for_two(&self, left: Duration) -> bool {
        let pair_width = self.beams.pair_width();
        let third = Ends::plan(left.mul_f64(1.0 - SECOND_SHARE));
        pair_width.is_some_and(|width| self.next(Some(third), true).width >= width)
    }

    /// The time for the first of several beams, if so much is enough for several.
    fn first_share(&self, left: Duration) -> Option<Duration> {
        let is_enough =
            |&time: &Duration| self.next(Some(time), false).width > 2 * self.beams.narrowest();
        let times = [part_of(left, FIRST_SHARE), left.mul_f64(FIRST_SHARE)];
        times.into_iter().find(is_enough)
    }
}

impl Widening {
    /// Gives the beam at work all of the time that is left.
    pub(super) fn give_all(&mut self, left: Duration) {
        if let Some(beam) = &mut self.at_work {
            beam.ends = Ends::new(left, left.saturating_sub(self.planner.replay()));
        }
    }

    /// The share of the next beam in so much time.
    pub(super) fn share(&self, left: Duration) -> Share {
        let is_none_beside = self.side_beams.is_empty() && !self.is_paired;
        if self.begun == 0
            && let Some(time) = self.planner.first_share(left)
        {
            Share::First(time)
        } else if is_none_beside && self.planner.is_time_for_two(left) {
            Share::Second
        } else {
            Share::All
        }
    }
}
