//! A beam over whole boards: the best of each layer go on to the next.
//!
//! [`Layers`] is the machine: it knows boards, moves and ranks, and takes what a board is worth
//! from an [`Estimate`]. A [`Beam`] is the search for a solution by one such estimate.

mod cut;
mod hash;
mod layers;
mod nodes;
mod seen;
mod trace;
mod whole;

pub use hash::Hashes;
pub use layers::{Layers, State};
pub use nodes::{Head, Nodes, Tile};
pub use trace::{Mark, Trace};
pub use whole::Beam;

use crate::heuristic::Slide;

/// What a beam ranks boards by, carried along from move to move. It need not be a bound.
pub trait Estimate: Send {
    /// How a tile is stored.
    type Tile: Tile;
    /// What a node carries: the estimate, and whatever makes that of its children cheap.
    type Value: Copy + Send;

    /// Looks at a whole board, its tiles row by row.
    fn root(&self, tiles: &[Self::Tile]) -> Self::Value;

    /// The value after a slide, none where the slide is not allowed; `tiles` is the board *before*
    /// it.
    fn child(&self, tiles: &[Self::Tile], value: Self::Value, slide: Slide) -> Option<Self::Value>;

    /// The rank of a board: the lower, the better, in some fixed fraction of a move. Ranks more
    /// than 3,500 above the best of the layer before are not told apart.
    fn rank(&self, value: Self::Value) -> i32;

    /// Whether the board of this value and hash is one that is looked for.
    fn completes(&self, value: Self::Value, hash: u64) -> bool;

    /// Told of the values of a layer that is complete, before any of its nodes is expanded. If
    /// ranks mean something else from now on, the best rank of this layer in the new sense.
    fn next_layer(&mut self, layer: impl Iterator<Item = Self::Value> + Clone) -> Option<i32> {
        let _ = layer;
        None
    }
}

/// How wide and how deep a beam goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    width: usize,
    /// The most moves; layers beyond are not made.
    pub deepest: u32,
}

impl Settings {
    /// The greatest width: nodes are numbered in 29 bits.
    pub const MAX_WIDTH: usize = 1 << 28;

    /// Layers of at most `width` nodes, which is at least 1 and at most [`Self::MAX_WIDTH`].
    #[must_use]
    pub fn new(width: usize, deepest: u32) -> Self {
        Self {
            width: width.clamp(1, Self::MAX_WIDTH),
            deepest,
        }
    }

    /// The most nodes of a layer.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }
}
