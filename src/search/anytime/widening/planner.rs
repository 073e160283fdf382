//! How wide beams can be, by the time and the memory that they may take.

use std::sync::Arc;
use std::time::Duration;

use super::pace::Pace;
use super::{Beams, Kind, Scale};

/// The width of the first beam without a deadline.
const FIRST: usize = 128;

/// The factor by which beams grow without a deadline.
const GROWTH: usize = 4;

/// The time to find a move of a solution in the trace and replay it, rather too much than too little.
const A_MOVE: Duration = Duration::from_nanos(30);

/// A solution that is longer than the best by more than this fraction of it, as a divisor, is not looked for:
/// shortening it would not be enough, and seldom does it have fewer pushes.
const SHORTENED: usize = 8;

/// All that the width of a beam is planned by.
pub(super) struct Planner {
    pub(super) beams: Arc<dyn Beams>,
    pub(super) pace: Pace,
    /// Whether the first beam is the narrowest and later ones grow by a fixed factor, however much time there
    /// is.
    pub(super) is_hasty: bool,
    /// The width of the widest beam that is over.
    pub(super) widest: usize,
    /// The fewest slides of a known solution.
    pub(super) best: Option<usize>,
}

impl Planner {
    /// A planner that knows of no solution.
    pub(super) fn new(beams: Arc<dyn Beams>, pace: Pace) -> Self {
        Self {
            beams,
            pace,
            is_hasty: false,
            widest: 0,
            best: None,
        }
    }

    /// The next beam, as wide as the time that it may take allows.
    pub(super) fn next(&self, time: Option<Duration>, is_paired: bool) -> Scale {
        let Some(time) = time else {
            let width = match self.widest {
                0 if self.is_hasty => self.beams.narrowest(),
                0 => FIRST,
                widest => widest.saturating_mul(GROWTH),
            };
            return self.suitable(width, is_paired);
        };
        let whole = self.widest_by(time, Kind::Whole);
        if self.beams.kind(whole.width, is_paired) == Kind::Whole {
            whole
        } else {
            self.widest_by(time, Kind::Staged)
        }
    }

    /// The widest beam of a kind that ends in time.
    fn widest_by(&self, time: Duration, kind: Kind) -> Scale {
        let width = self.beams.widest();
        let mut scale = self.scale_of(kind, width);
        // Wider beams have fewer layers and cheaper nodes: a few rounds, starting from the widest, reconcile
        // them.
        for _ in 0..3 {
            scale.width = self.affordable(time, scale, self.expected(scale));
        }
        scale
    }

    /// A beam of a width, of the kind that suits it best.
    pub(super) fn suitable(&self, width: usize, is_paired: bool) -> Scale {
        self.scale_of(self.beams.kind(width, is_paired), width)
    }

    /// A beam that looks for solutions which, once shortened, can be better than the best one.
    fn scale_of(&self, kind: Kind, width: usize) -> Scale {
        let most_moves = self
            .best
            .map_or(u32::MAX, |best| (best + best / SHORTENED) as u32);
        Scale {
            kind,
            width,
            most_moves,
        }
    }

    /// The width at which a beam of about this scale and this many layers ends in time.
    pub(super) fn affordable(&self, time: Duration, scale: Scale, layers: u32) -> usize {
        (self.nodes_in(time, scale) / f64::from(layers.max(1))) as usize
    }

    /// The nodes of a beam for which this much time is enough.
    fn nodes_in(&self, time: Duration, scale: Scale) -> f64 {
        time.as_nanos() as f64 / (self.pace.slowness() * self.beams.cost(scale))
    }

    /// About the number of layers that a beam has to make.
    pub(super) fn expected(&self, scale: Scale) -> u32 {
        let layers = self.beams.layers(scale);
        self.best.map_or(layers, |best| layers.min(best as u32))
    }

    /// The time that must be left to replay the solution of a beam.
    pub(super) fn replay(&self) -> Duration {
        A_MOVE * self.expected(self.suitable(self.beams.narrowest(), false))
    }

    /// The widest beam of the kind that suits it, up to `most`, that takes no more than `memory` bytes.
    pub(super) fn widest_in(&self, memory: u64, most: Scale, is_paired: bool) -> Scale {
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
