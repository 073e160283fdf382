//! A beam over whole boards: the best of each layer go on to the next.
//!
//! [`Layers`] is the machine: it handles boards, moves and ranks, and takes the value of a board from an
//! [`Estimate`]. A [`Beam`] is the search for a solution by one such estimate.

mod boards;
mod by_learned;
mod children;
mod cut;
mod hash;
mod layers;
mod leaders;
mod learned;
mod nodes;
mod seen;
mod shared_rows;
mod task;
mod tile;
mod trace;
mod whole;

pub use boards::{Boards, Lines};
pub use by_learned::{by_learned, bytes, is_learned, is_ready, prepare, prepare_from};
pub use children::{Child, Children};
pub use hash::Hashes;
pub use layers::{Layers, State};
pub use leaders::LEAST_WIDTH;
pub use nodes::{Head, Nodes};
pub use task::{End, home};
pub use tile::{BoardOf, Tile};
pub use trace::{Mark, Trace, Way};
pub use whole::Beam;

pub(crate) use by_learned::{Ready, ready, table_bytes};
pub(crate) use leaders::{GROUP, Group, Watch};
pub(crate) use learned::Learned;
pub(super) use whole::by_length;
pub(crate) use whole::{bytes_of, deepest};

use super::Search;
use crate::heuristic::Slide;
use crate::puzzle::{Direction, Shape, Solution};

/// A node's board goes into the next layer behind those with the blank on the same cell. That is one place
/// for each cell, more than the processor foresees: the memory of so many nodes further on is prefetched.
const AHEAD: usize = 4;

/// The slides from one cell to another, whatever the tile. What they have in common is computed once for all
/// boards whose blanks are on the same cell.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// The cell that the tile leaves to the blank.
    pub from: usize,
    /// The cell that it takes from the blank.
    pub to: usize,
    /// The direction in which it slides.
    pub direction: Direction,
}

impl Lane {
    /// The slide of a tile.
    #[must_use]
    #[inline]
    pub const fn slide(self, tile: usize) -> Slide {
        Slide {
            tile,
            from: self.from,
            to: self.to,
            direction: self.direction,
        }
    }
}

/// What a beam ranks boards by, updated from move to move. It need not be a bound.
pub trait Estimate: Send {
    /// How a tile is stored.
    type Tile: Tile;
    /// What a node carries: the estimate, and whatever makes its children's estimates cheap.
    type Value: Copy + Send;
    /// The number of ranks in a move.
    const UNIT: i32;
    /// The most nodes, with their blanks on one cell, whose children are made together.
    const TOGETHER: usize = 32;

    /// The value of a whole board, given its tiles row by row.
    fn root(&self, tiles: &[Self::Tile]) -> Self::Value;

    /// A function that returns the value after a slide of a lane, given the board *before* it, the value of
    /// that board and the tile that slides; `None` where the slide is not allowed.
    fn child(
        &self,
        lane: Lane,
    ) -> impl Fn(BoardOf<'_, Self::Tile>, Self::Value, usize) -> Option<Self::Value>;

    /// Computes the values of children by the slides of a lane, and may look at their parents' boards
    /// together. Calls `each` with every child and its value, in order.
    #[inline]
    fn children(
        &self,
        lane: Lane,
        boards: &<Self::Tile as Tile>::Boards,
        children: Children<'_, Self::Value>,
        mut each: impl FnMut(Child, Option<Self::Value>),
    ) {
        let value_after = self.child(lane);
        for &child in children.all() {
            let board = boards.board(children.node(child));
            let value = children.parent(child).value;
            each(child, value_after(board, value, child.tile()));
        }
    }

    /// A function that predicts the rank of the board after a slide of a lane without looking at it, given
    /// the value before the slide and the tile that slides. It returns less than any rank where no prediction
    /// is possible and where the slide may complete the search.
    #[inline]
    fn foreseen(&self, lane: Lane) -> impl Fn(Self::Value, usize) -> i32 {
        let _ = lane;
        |_, _| i32::MIN
    }

    /// The rank of a board: the lower the better, in some fixed fraction of a move. Ranks more than 3,500
    /// above the best of the layer before are not distinguished.
    fn rank(&self, value: Self::Value) -> i32;

    /// The part of a rank of the present layer that measures moves, without what only distinguishes boards of
    /// one layer.
    fn moves(&self, rank: i32) -> i32 {
        rank
    }

    /// Whether the board of this value and hash is one that the search looks for.
    fn completes(&self, value: Self::Value, hash: u64) -> bool;

    /// Announces the most nodes that a layer will have: what grew layer by layer would have to be copied.
    fn reserve(&mut self, width: usize) {
        let _ = width;
    }

    /// Announces that the next layer will have so many nodes. Each is then [entered](Self::enter) or
    /// [follows](Self::follow) one of the present layer, before that layer is complete.
    fn make_room(&mut self, nodes: usize) {
        let _ = nodes;
    }

    /// Announces a root that is a node of the next layer, with its tiles row by row.
    fn enter(&mut self, node: usize, tiles: &[Self::Tile]) {
        let _ = (node, tiles);
    }

    /// Announces a node of the next layer that follows from `parent` in the present layer by a slide of a
    /// lane. `boards` holds the boards of the present layer.
    #[inline]
    fn follow(
        &mut self,
        node: usize,
        parent: usize,
        lane: Lane,
        boards: &<Self::Tile as Tile>::Boards,
    ) {
        let _ = (node, parent, lane, boards);
    }

    /// Frees what it holds for the nodes of layers, as much as there are `left` bytes to be freed. No child's
    /// value may be asked for afterwards.
    fn shed(&mut self, left: &mut u64) {
        let _ = left;
    }

    /// The bytes that it comes to hold for layers of so many nodes.
    fn bytes(shape: Shape, width: usize) -> u64 {
        let _ = (shape, width);
        0
    }

    /// Announces the values of some nodes of the next layer: of each once, before that layer is complete.
    fn note(&mut self, values: impl Iterator<Item = Self::Value>) {
        let _ = values;
    }

    /// Announces that the next layer is complete and becomes the present one. Returns whether ranks mean
    /// something else from now on.
    fn next_layer(&mut self) -> bool {
        false
    }
}

/// A beam whose width can be changed while it runs. What it finds after its first solution is shorter; then it
/// ends with [`Stop::FirstFound`](super::Stop::FirstFound).
pub trait Pass: Search<Found = Solution> {
    /// About how many layers are to come, at least one, if `expected` are expected in all.
    fn rest(&self, expected: u32) -> u32;

    /// Whether no layer has come nearer to the goal for a long time. It goes on all the same: whoever has other
    /// beams to begin may leave it, at whatever point its budgets end.
    fn is_stuck(&self) -> bool;

    /// Whether layers are being made now. What else takes time, such as looking at roots or reading a path,
    /// tells nothing about how long nodes take.
    fn makes_layers(&self) -> bool {
        true
    }

    /// Sets the width of the layers to come, up to the width that the beam was made for.
    fn set_width(&mut self, width: usize);
}

/// How wide and how deep a beam goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    width: usize,
    /// The most moves; no layers beyond are made.
    pub deepest: u32,
}

impl Settings {
    /// The greatest width: nodes are numbered in 29 bits.
    pub const MAX_WIDTH: usize = 1 << 28;

    /// Layers of at most `width` nodes, clamped to between 1 and [`Self::MAX_WIDTH`].
    #[must_use]
    pub fn new(width: usize, deepest: u32) -> Self {
        Self {
            width: width.clamp(1, Self::MAX_WIDTH),
            deepest,
        }
    }

    /// The same, but with layers of at most so many nodes.
    fn at_most(self, width: usize) -> Self {
        Self::new(self.width.min(width), self.deepest)
    }

    /// The most nodes of a layer.
    #[must_use]
    pub const fn width(&self) -> usize {
        self.width
    }
}
