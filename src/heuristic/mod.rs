//! Lower bounds on the number of moves to the goal, and [`learned`], an estimate that is no bound.
//!
//! This module uses only `puzzle` and does not depend on the searches that it guides.
//!
//! Each bound is a [`Heuristic`], which is updated from slide to slide; [`HeuristicKind::lower_bound`] evaluates
//! one for a problem. Searches are compiled once for each heuristic, because dynamic dispatch would cost too
//! much where a node takes nanoseconds.

mod corner_tiles;
pub(crate) mod huge_pages;
mod kind;
mod last_moves;
mod per_tile;
mod pile;
mod place;
mod prefetch;
mod shared_table;
pub(crate) mod wide_vectors;

pub mod corrected;
pub mod discrete;
pub mod hamming;
pub mod learned;
pub mod linear_conflict;
pub mod manhattan;
pub mod pattern_database;
pub mod pushes;
pub mod walking_distance;

use crate::puzzle::{Board, Direction};

pub(crate) use prefetch::prefetch;

pub use kind::{Combination, Correction, HeuristicKind};
pub use per_tile::{PerTile, SlideTable, TileCost};
pub use shared_table::{TableCounts, begin_period, limit_tables, table_counts};

/// The most cells of a board for which the effect of every slide of every tile is tabulated.
pub const SMALL_CELLS: usize = 16;

/// A board as a search holds it.
pub trait Tiles {
    /// The tile on a cell of the board, 0 for the blank.
    fn tile(&self, cell: usize) -> usize;
}

impl Tiles for Board {
    fn tile(&self, cell: usize) -> usize {
        usize::from(Self::tile(self, cell))
    }
}

/// One slide of one tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slide {
    /// The tile that slides.
    pub tile: usize,
    /// The cell that the tile leaves.
    pub from: usize,
    /// The cell that the tile enters, where the blank was.
    pub to: usize,
    /// The direction in which the tile slides.
    pub direction: Direction,
}

/// A lower bound that is updated from slide to slide.
pub trait Heuristic: Send {
    /// The state to carry along: the bound, and whatever makes the next update cheap.
    type State: Copy + Send;

    /// Evaluates a whole board.
    fn root<T: Tiles>(&self, board: &T) -> Self::State;

    /// Returns the state after a slide. `board` is the board after the slide.
    fn after_slide<T: Tiles>(&self, state: Self::State, slide: Slide, board: &T) -> Self::State;

    /// Returns the bound: no solution from here has fewer moves.
    fn value(state: Self::State) -> u32;

    /// Returns the state of a board whose bound is already known.
    fn restore<T: Tiles>(&self, board: &T, value: u32) -> Self::State;
}

/// A computation that is compiled once for each heuristic.
pub(crate) trait Guided {
    /// The result.
    type Output;

    /// Runs with the given heuristic.
    fn by<H: Heuristic + 'static>(self, heuristic: H) -> Self::Output;
}
