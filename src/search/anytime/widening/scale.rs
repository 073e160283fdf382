//! How wide a beam is, and how it solves boards.

use std::time::Duration;

use super::Widening;

/// The width of the first beam without a deadline.
const FIRST: usize = 128;

/// The factor by which beams grow without a deadline.
const GROWTH: usize = 4;

/// The time to find a move of a solution in the trace and replay it, rather too much than too little.
const A_MOVE: Duration = Duration::from_nanos(30);

/// A solution that is longer than the best by more than this fraction of it, as a divisor, is not looked for:
/// shortening it would not be enough, and seldom does it have fewer pushes.
const SHORTENED: usize = 8;

/// What is decided about a beam before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// How it solves boards.
    pub kind: Kind,
    /// The nodes of a layer.
    pub width: usize,
    /// The most moves to look for.
    pub most_moves: u32,
}

/// How a beam solves boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Whole boards at once.
    Whole,
    /// In stages.
    Staged,
}

impl Scale {
    /// A beam that looks for solutions of any length.
    #[must_use]
    pub const fn new(kind: Kind, width: usize) -> Self {
        Self {
            kind,
            width,
            most_moves: u32::MAX,
        }
    }

    /// A beam so many times as wide.
    pub(super) fn times(self, times: f64) -> Self {
        let width = (self.width as f64 * times) as usize;
        Self { width, ..self }
    }

    /// A beam no wider than that.
    pub(super) fn at_most(self, width: usize) -> Self {
        Self {
            width: self.width.min(width),
            ..self
        }
    }
}

impl Widening {
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
}
