//! What bounds a staged beam.

/// How wide a staged beam is, and how far it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The boards that it keeps in each layer, at least one: the more, the shorter the solution and the longer it
    /// takes.
    pub width: usize,
    /// The greatest width that it can be given later, at least `width`.
    pub most_width: usize,
    /// The most moves of the solutions that it looks for.
    pub most_moves: u32,
}

impl Extent {
    /// A beam that keeps its width, for solutions of any length.
    #[must_use]
    pub const fn of_width(width: usize) -> Self {
        Self {
            width,
            most_width: width,
            most_moves: u32::MAX,
        }
    }
}
