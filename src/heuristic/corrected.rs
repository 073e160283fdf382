//! Corner tiles and last moves on top of the Manhattan distance or of linear conflict.
//!
//! Every correction counts moves of certain tiles beyond their Manhattan distance, so corrections
//! may be added up as long as no tile pays twice for the same moves:
//!
//! - Linear conflict concerns tiles that clash with another in their line. Tiles that clash with
//!   none never have to step out, and the fewest that have to are the same without them. So a tile
//!   pays as a corner tile only if it clashes in neither its row nor its column.
//! - A last move along a row concerns a tile's moves along its row, and so does stepping out of its
//!   column. So a tile pays for such a last move only if it does not clash in its column.
//! - A tile that pays as a corner tile does not pay for a last move.
//!
//! The sums are not consistent: a tile that enters its line can clash with several that paid.

use crate::puzzle::Problem;

use super::{
    Heuristic, Slide, Tiles, corner_tiles::CornerTiles, last_moves::LastMoves, per_tile::PerTile,
    per_tile::SlideTable, per_tile::TileCost,
};

/// A bound to which corrections can be added.
pub trait Conflicts: Heuristic {
    /// Returns whether the bound may count on a tile stepping out of its own column, or row:
    /// whether the tile stands in that line and clashes with another tile there.
    fn clashes<T: Tiles>(
        &self,
        state: Self::State,
        board: &T,
        tile: usize,
        is_column: bool,
    ) -> bool;
}

/// Sums over the tiles never count on a tile stepping out.
impl<C: TileCost> Conflicts for PerTile<C> {
    fn clashes<T: Tiles>(&self, _: u32, _: &T, _: usize, _: bool) -> bool {
        false
    }
}

impl<C: TileCost> Conflicts for SlideTable<C> {
    #[inline]
    fn clashes<T: Tiles>(&self, _: u32, _: &T, _: usize, _: bool) -> bool {
        false
    }
}

/// The sum of a bound and of the corrections for corner tiles, last moves or both.
#[derive(Clone, Debug)]
pub struct Corrected<B> {
    base: B,
    corners: Option<CornerTiles>,
    last: Option<LastMoves>,
}

/// The state of the base, and what is added to it.
#[derive(Clone, Copy, Debug)]
pub struct CorrectedState<S> {
    base: S,
    /// The last moves whose tiles are on the right side.
    ready: u16,
    added: u16,
}

impl<B: Conflicts> Corrected<B> {
    /// Adds corrections to `base`, the Manhattan distance or linear conflict of the same problem.
    #[must_use]
    pub fn new(problem: &Problem, base: B, corner_tiles: bool, last_moves: bool) -> Self {
        let corners = corner_tiles.then(|| CornerTiles::new(problem));
        let last = last_moves.then(|| LastMoves::new(problem, corners.as_ref()));
        Self {
            base,
            corners,
            last,
        }
    }

    /// Adds the corrections of a board. `base` is the state of the base for that board; all that
    /// matters about its value is whether it is less than 2.
    #[inline]
    fn state<T: Tiles>(&self, base: B::State, ready: u16, board: &T) -> CorrectedState<B::State> {
        let clashes = |tile, is_column| self.base.clashes(base, board, tile, is_column);
        let corner_tiles = self.corners.as_ref().map_or(0, |corners| {
            corners.paying(board, |tile| clashes(tile, false) || clashes(tile, true))
        });
        let last = match &self.last {
            // Closer to the goal there are no two last moves.
            Some(last) if B::value(base) >= 2 => {
                last.paying(ready, corner_tiles, |tile, is_vertical| {
                    clashes(tile, !is_vertical)
                })
            }
            _ => 0,
        };
        CorrectedState {
            base,
            ready,
            added: 2 * (corner_tiles.count_ones() + last) as u16,
        }
    }

    fn ready<T: Tiles>(&self, board: &T) -> u16 {
        self.last.as_ref().map_or(0, |last| last.all_ready(board))
    }
}

impl<B: Conflicts> Heuristic for Corrected<B> {
    type State = CorrectedState<B::State>;

    fn root<T: Tiles>(&self, board: &T) -> Self::State {
        self.state(self.base.root(board), self.ready(board), board)
    }

    #[inline]
    fn after_slide<T: Tiles>(&self, state: Self::State, slide: Slide, board: &T) -> Self::State {
        let base = self.base.after_slide(state.base, slide, board);
        let ready = match &self.last {
            Some(last) => {
                let change = last.ready(slide.tile, slide.from) ^ last.ready(slide.tile, slide.to);
                state.ready ^ change
            }
            None => 0,
        };
        self.state(base, ready, board)
    }

    #[inline]
    fn value(state: Self::State) -> u32 {
        B::value(state.base) + u32::from(state.added)
    }

    /// Nothing is added where the base is less than 2, so the sum is less than 2 only there.
    fn restore<T: Tiles>(&self, board: &T, value: u32) -> Self::State {
        let base = self.base.restore(board, value);
        let state = self.state(base, self.ready(board), board);
        CorrectedState {
            base: self.base.restore(board, value - u32::from(state.added)),
            ..state
        }
    }
}
