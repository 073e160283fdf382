//! Estimates of whole boards that only rank: they bound nothing.

use std::sync::Arc;

use super::Slide;

/// An estimate of the moves from a board to the goal, in parts of a move, which may be too high
/// as well as too low. What it says of a board does not depend on the way to it.
///
/// Boards are given by their tiles, row by row, 0 for the blank, and have at most 256 cells.
pub trait WholeEstimate: Send {
    /// The parts of a move.
    const UNIT: i32 = 16;

    /// Looks at a whole board.
    fn of(&self, tiles: &[u8]) -> i32;

    /// By how much a slide changes it; `tiles` is the board *before* the slide.
    fn change(&self, tiles: &[u8], slide: Slide) -> i32;
}

impl<W: WholeEstimate + Sync> WholeEstimate for Arc<W> {
    fn of(&self, tiles: &[u8]) -> i32 {
        (**self).of(tiles)
    }

    #[inline]
    fn change(&self, tiles: &[u8], slide: Slide) -> i32 {
        (**self).change(tiles, slide)
    }
}
