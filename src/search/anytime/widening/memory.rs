//! How wide beams may be by the memory that is granted.

use super::{Scale, Widening};
use crate::search::Stop;

impl Widening {
    /// The next beam at its widest: `most`, or what so much memory allows of it; `None` once more is claimed
    /// instead, as a search that claims memory may be granted more. Without a deadline a beam has to be wider than
    /// those before it.
    pub(super) fn within_memory(
        &mut self,
        memory: u64,
        most: Scale,
        is_paired: bool,
        is_timed: bool,
    ) -> Result<Option<Scale>, Stop> {
        if self.beams.bytes(most) <= memory {
            return Ok(Some(most));
        }
        if memory > self.claimed {
            self.claimed = memory;
            return Ok(None);
        }
        let fits = self.widest_in(memory, most, is_paired);
        let is_no_wider = fits.width <= self.widest && !is_timed;
        if fits.width < self.beams.narrowest() || is_no_wider {
            return Err(Stop::Memory);
        }
        if self.kept_all.contains(&fits.kind) {
            return Err(Stop::Exhausted);
        }
        Ok(Some(fits))
    }

    /// The widest beam of the kind that suits it, up to `most`, that takes no more than `memory` bytes.
    fn widest_in(&self, memory: u64, most: Scale, is_paired: bool) -> Scale {
        let fits = self.widest_of_kind(memory, most);
        let kind = self.beams.kind(fits.width, is_paired);
        if kind == fits.kind {
            return fits;
        }
        self.widest_of_kind(memory, Scale { kind, ..fits })
    }

    fn widest_of_kind(&self, memory: u64, most: Scale) -> Scale {
        let mut fits = Scale { width: 0, ..most };
        for bit in (0..=most.width.max(1).ilog2()).rev() {
            let wider = Scale {
                width: fits.width | 1 << bit,
                ..most
            };
            if wider.width <= most.width && self.beams.bytes(wider) <= memory {
                fits = wider;
            }
        }
        fits
    }
}
