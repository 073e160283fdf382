//! The beam at work: how wide it is, and for how long.

use std::time::Duration;

use super::share::Ends;
use super::{Beams, Scale, Widening};
use crate::search::Progress;
use crate::search::beam::Pass;

/// A beam that has begun.
pub(super) struct AtWork {
    pub(super) pass: Box<dyn Pass>,
    /// As planned.
    pub(super) scale: Scale,
    /// How wide it can be made.
    pub(super) most: usize,
    /// The least width that it had.
    pub(super) least: usize,
    pub(super) seed: u64,
    pub(super) ends: Ends,
    /// Whether it is the first one, which has little of the time.
    pub(super) is_first: bool,
}

impl AtWork {
    /// Its progress. It claims all that it can come to hold.
    pub(super) fn progress(&self, beams: &dyn Beams) -> Progress {
        let now = self.pass.progress();
        let most = beams.bytes(Scale {
            width: self.most,
            ..self.scale
        });
        Progress {
            claimed: most.saturating_sub(now.memory),
            ..now
        }
    }
}

impl Widening {
    /// Makes the beam at work as wide as its time allows.
    pub(super) fn keep_pace(&mut self, left: Duration) {
        let Some(beam) = &self.at_work else {
            return;
        };
        let layers = self.layers_to_come(beam);
        let width = self.affordable(beam.ends.time(left), beam.scale, layers);
        let width = width.max(self.beams.narrowest());
        if let Some(beam) = &mut self.at_work {
            beam.least = beam.least.min(width);
            beam.pass.set_width(width);
        }
    }

    /// About how many layers a beam has still to make.
    pub(super) fn layers_to_come(&self, beam: &AtWork) -> u32 {
        beam.pass.rest(self.expected(beam.scale))
    }
}
