//! What is decided about a beam before it begins.

/// How a beam solves boards, how wide it is, and how far it looks.
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
