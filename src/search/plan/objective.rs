//! What kind of solution is wanted, and when one is good enough.

use std::fmt;

use crate::search::Stop;

/// The kind of solution that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The shortest that can be found; ends early once it is proven optimal.
    #[default]
    Best,
    /// A shortest one, proven.
    Optimal,
    /// One proven no longer than this ratio × optimal.
    Bounded(Ratio),
    /// The first one.
    Fast,
}

impl Objective {
    /// Whether a solution of this length satisfies the objective, given the proven lower bound.
    #[must_use]
    pub fn is_met(self, length: usize, lower_bound: u32) -> bool {
        match self {
            Self::Best | Self::Optimal => length as u64 <= u64::from(lower_bound),
            Self::Bounded(ratio) => length as f64 <= ratio.get() * f64::from(lower_bound),
            Self::Fast => true,
        }
    }

    /// Why a search that has a solution of this length may end, given the proven lower bound.
    #[must_use]
    pub fn end(self, length: usize, lower_bound: u32) -> Option<Stop> {
        let is_optimal = length as u64 <= u64::from(lower_bound);
        self.is_met(length, lower_bound).then_some(match self {
            Self::Fast if !is_optimal => Stop::FirstFound,
            _ => Stop::Proven,
        })
    }

    /// Whether any solution is an acceptable answer when a limit comes before the proof.
    #[must_use]
    pub const fn takes_any(self) -> bool {
        matches!(self, Self::Best | Self::Fast)
    }
}

impl fmt::Display for Objective {
    /// Its name in the contract.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Best => "BEST",
            Self::Optimal => "OPTIMAL",
            Self::Bounded(_) => "BOUNDED",
            Self::Fast => "FAST",
        })
    }
}

/// A finite factor of at least 1: a weight, or a bound on a solution's excess.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(u64);

impl Ratio {
    /// The factor 1.
    pub const ONE: Self = Self(1.0_f64.to_bits());

    /// The largest factor: as a bound it admits every solution.
    pub const MAX: Self = Self(f64::MAX.to_bits());

    /// A factor; `None` if it is below 1, infinite or NaN.
    #[must_use]
    pub const fn new(factor: f64) -> Option<Self> {
        if factor.is_finite() && factor >= 1.0 {
            // The bits of positive floats are in the order of the floats.
            Some(Self(factor.to_bits()))
        } else {
            None
        }
    }

    /// The factor.
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
