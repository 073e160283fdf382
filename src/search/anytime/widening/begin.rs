//! What the next beam is to be, and how it begins.

use std::time::Duration;

use super::at_work::AtWork;
use super::share::{Ends, Share};
use super::{Scale, Widening};
use crate::search::{Budget, Stop};

/// The factor by which a beam may become wider than planned. No guess at the machine's slowness counts for
/// more, so that a beam can still become about as wide as it would have been planned without.
pub(super) const SLACK: f64 = 1.5;

/// What is planned for the next beam.
struct Plan {
    /// As wide as its time allows.
    scale: Scale,
    /// As wide as it may become.
    most: Scale,
    /// Its share of the time, if that is limited.
    share: Option<Share>,
    ends: Ends,
    /// Whether another beam runs, or will run, from the other end.
    is_paired: bool,
    /// Whether its width is planned by the time.
    is_timed: bool,
}

impl Widening {
    /// Begins the next beam, or claims the memory that it takes. If there is no next one, fails with the
    /// reason.
    pub(super) fn begin(&mut self, budget: Budget) -> Result<(), Stop> {
        let plan = self.plan(budget.time)?;
        let memory = budget.memory.saturating_sub(self.side_beams.memory());
        let Some(most) = self.within_memory(memory, &plan)? else {
            return Ok(());
        };
        let scale = most.at_most(plan.scale.width);
        let seed = self.next_seed(self.side_beams.seed());
        let pass = self.planner.beams.beam(scale, most.width, seed);
        self.at_work = Some(AtWork {
            pass: pass.ok_or(Stop::Exhausted)?,
            scale,
            most: most.width,
            least: scale.width,
            seed,
            ends: plan.ends,
            is_first: matches!(plan.share, Some(Share::First(_))),
        });
        self.claimed = 0;
        self.is_paired |= plan.share == Some(Share::Second);
        Ok(())
    }

    /// Plans the next beam, whatever memory it takes. If there is no next one, fails with the reason.
    fn plan(&self, time: Option<Duration>) -> Result<Plan, Stop> {
        let planner = &self.planner;
        let (narrowest, widest) = (planner.beams.narrowest(), planner.beams.widest());
        if planner.widest >= widest {
            return Err(Stop::Exhausted);
        }
        let left = time.map(|left| left.saturating_sub(planner.replay()));
        let share = left.map(|left| self.share(left));
        let given = left.zip(share).map(|(left, share)| share.of(left));
        let is_paired = share == Some(Share::Second)
            || !self.side_beams.is_empty()
            || self.is_paired && !self.last_failed;
        let is_timed = time.is_some() && !planner.is_hasty;
        let scale = planner.next(given.map(Ends::plan).filter(|_| is_timed), is_paired);
        if self.kept_all.contains(&scale.kind) {
            return Err(Stop::Exhausted);
        }
        // Not even a beam of half the least width would end in time.
        let is_too_late = |left| planner.next(Some(left), is_paired).width < narrowest.div_ceil(2);
        if time.is_some_and(is_too_late) {
            return Err(Stop::Time);
        }
        let width = scale.width.max(narrowest);
        let scale = Scale { width, ..scale }.at_most(widest);
        let slack = if is_timed { SLACK } else { 1.0 };
        let ends = time.zip(given);
        Ok(Plan {
            scale,
            most: scale.times(slack).at_most(widest),
            share,
            ends: ends.map_or_else(Ends::default, |(left, given)| Ends::new(left, given)),
            is_paired,
            is_timed,
        })
    }

    /// The planned beam at its widest, or what so much memory allows of it; `None` once more is claimed
    /// instead, as a search that claims memory may be granted more. Without a deadline a beam has to be wider than
    /// those before it.
    fn within_memory(&mut self, memory: u64, plan: &Plan) -> Result<Option<Scale>, Stop> {
        let planner = &self.planner;
        if planner.beams.bytes(plan.most) <= memory {
            return Ok(Some(plan.most));
        }
        if memory > self.claimed {
            self.claimed = memory;
            return Ok(None);
        }
        let fits = planner.widest_in(memory, plan.most, plan.is_paired);
        let is_no_wider = fits.width <= planner.widest && !plan.is_timed;
        if fits.width < planner.beams.narrowest() || is_no_wider {
            return Err(Stop::Memory);
        }
        if self.kept_all.contains(&fits.kind) {
            return Err(Stop::Exhausted);
        }
        Ok(Some(fits))
    }

    /// The seed of a new beam, from the end where the beam with the seed `other` does not begin.
    pub(super) fn next_seed(&mut self, other: Option<u64>) -> u64 {
        let is_same_end = other.is_some_and(|other| (self.begun + other).is_multiple_of(2));
        let seed = self.begun + u64::from(is_same_end);
        self.begun = seed + 1;
        seed
    }
}
