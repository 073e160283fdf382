//! Lower bounds on the number of moves to the goal.
//!
//! Uses only `puzzle`; knows nothing of the searches that it guides.
//!
//! Each bound is there twice: as a plain function of a problem, and as a [`Heuristic`] that
//! follows a search from slide to slide. The searches are compiled once for each heuristic, so
//! that nothing is looked up by name where nodes are counted in nanoseconds.

mod corner_tiles;
pub(crate) mod huge_pages;
mod kind;
mod last_moves;
mod per_tile;
mod place;
mod shared_table;

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

pub use kind::{Combination, Correction, HeuristicKind};
pub use per_tile::{PerTile, SlideTable, TileCost};
pub use shared_table::{TableCounts, begin_period, limit_tables, table_counts};

/// Boards of at most this many cells have tables of every slide of every tile.
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
    /// The cell that it leaves to the blank.
    pub from: usize,
    /// The cell that it takes from the blank.
    pub to: usize,
    /// The way it slides.
    pub direction: Direction,
}

/// A lower bound that is carried along from slide to slide.
pub trait Heuristic: Send {
    /// What is carried: the bound, and whatever makes its next change cheap.
    type State: Copy + Send;

    /// Looks at a whole board.
    fn root<T: Tiles>(&self, board: &T) -> Self::State;

    /// The state after a slide; `board` is the board after it.
    fn after_slide<T: Tiles>(&self, state: Self::State, slide: Slide, board: &T) -> Self::State;

    /// The bound: no solution from here has fewer moves.
    fn value(state: Self::State) -> u32;

    /// The state of a board whose bound is known already.
    fn restore<T: Tiles>(&self, board: &T, value: u32) -> Self::State;
}

/// Something that is compiled once for each heuristic.
pub(crate) trait Guided {
    /// What it makes of the heuristic.
    type Output;

    /// Takes the heuristic.
    fn by<H: Heuristic + 'static>(self, heuristic: H) -> Self::Output;
}
