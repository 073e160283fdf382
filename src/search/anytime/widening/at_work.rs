//! The beam at work: how wide it is, for how long, and the memory for the paths to come.

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
    /// Whether it is made wider and narrower on the way, by how much time is left.
    pub(super) is_paced: bool,
    /// The bytes to be granted for the paths to come, if it is paced.
    pub(super) claimed: u64,
}

impl AtWork {
    /// The most bytes that it can come to hold.
    pub(super) fn bytes(&self, beams: &dyn Beams) -> u64 {
        beams.bytes(Scale {
            width: self.most,
            ..self.scale
        })
    }

    /// The bytes of the paths to so many layers of a width.
    pub(super) fn paths(&self, beams: &dyn Beams, width: usize, layers: u32) -> u64 {
        let bytes = |most_moves| {
            beams.bytes(Scale {
                width,
                most_moves,
                ..self.scale
            })
        };
        bytes(layers).saturating_sub(bytes(0))
    }

    /// Its progress, with what it claims, granted or not.
    pub(super) fn progress(&self, beams: &dyn Beams) -> Progress {
        let now = self.pass.progress();
        let claimed = if self.is_paced {
            now.claimed + self.claimed
        } else {
            self.bytes(beams).saturating_sub(now.memory)
        };
        Progress { claimed, ..now }
    }
}

impl Widening {
    /// Makes the beam at work as wide as its time and the memory allow.
    pub(super) fn keep_pace(&mut self, left: Duration) {
        let Some(beam) = &self.at_work else {
            return;
        };
        let layers = self.layers_to_come(beam);
        let width = self.affordable(beam.ends.time(left), beam.scale, layers);
        let width = width.min(self.fitting(beam, layers));
        let width = width.max(self.beams.narrowest());
        let paths = beam.paths(&*self.beams, width, layers);
        if let Some(beam) = &mut self.at_work {
            beam.claimed = paths;
            beam.least = beam.least.min(width);
            beam.pass.set_width(width);
        }
    }

    /// About how many layers a beam has still to make.
    pub(super) fn layers_to_come(&self, beam: &AtWork) -> u32 {
        beam.pass.rest(self.expected(beam.scale))
    }
}
