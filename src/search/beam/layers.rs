//! The machine that makes one layer after the other.

mod candidate;
mod expand;
mod select;

use candidate::Candidate;

use super::boards::{BoardOf, Boards, Tile};
use super::children::Child;
use super::cut::{Cut, Verdict};
use super::hash::Hashes;
use super::nodes::{Head, Heads, Nodes};
use super::seen::Seen;
use super::trace::{Mark, Trace};
use super::{Estimate, Settings};
use crate::puzzle::Shape;
use crate::search::blank_moves::{BlankMoves, MOVES};

/// A node has at most so many children that do not take its last move back.
const CANDIDATES_A_NODE: usize = MOVES - 1;

/// Where a machine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is more to do.
    Working,
    /// A board has completed the search; there may be more.
    Completed,
    /// There is nothing more to do: no board is left, or the deepest layer was made.
    Over,
}

/// After so many layers that came no nearer to the goal a beam is taken to be stuck.
const PATIENCE: u32 = 50;

/// What is done with a layer, in this order. Each can be left at any point.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The children of the nodes from this one on are to be made, of the first ones by the moves from this one on.
    Expand(usize, usize),
    /// The candidates from the first number on have still to be told whether they stay; the second is how
    /// many of those before do, which stand in front.
    Judge(usize, usize, Verdict),
    /// Room for those that stay is to be made.
    Room,
    /// The boards of those that stay are to be written, from this candidate on.
    Write(usize),
    /// There is no layer any more.
    Over,
}

/// A layered beam search (Lowerre, 1976): of all boards that are one move from a board of a
/// layer, the `width` of the least rank are the next layer.
///
/// Layers are numbered by the moves made. Roots enter at the layer of their depth, and compete
/// there with the boards that the search has found itself. A board that
/// [completes](Estimate::completes) the search is set aside and not followed any further; whether
/// to go on is for the owner to say.
///
/// Within a layer nodes stand in the order of their blanks' cells, about: those that come one after the
/// other ask the estimate for the same parts of its tables, which then are in the caches.
pub struct Layers<E: Estimate> {
    estimate: E,
    hashes: Hashes,
    moves: BlankMoves,
    settings: Settings,
    /// The moves made in the layer that is being made.
    depth: u32,
    /// The least rank of the layer before, or of the first root.
    least: i32,
    /// The least rank so far, and the layer that it was first seen in, or that of the first root.
    nearest: (i32, u32),
    /// Whether it is over once it is stuck.
    gives_up: bool,
    phase: Phase,
    present: Heads<E::Value>,
    next: Heads<E::Value>,
    /// The boards of `present` and `next`.
    boards: <E::Tile as Tile>::Boards,
    candidates: Vec<Candidate<E::Value>>,
    /// Children that are worth a look.
    proposals: Box<[Child]>,
    /// Children that become candidates if they are not known, which memory was called for to
    /// tell: those of just now, and of some nodes before.
    calling: Vec<Candidate<E::Value>>,
    called: Vec<Candidate<E::Value>>,
    cut: Cut,
    seen: Seen,
    /// The cells of the board in a row, cut in so many parts that a layer has a node for each; by
    /// the part of the blank's cell: where the next node of the next layer goes.
    places: Box<[u32]>,
    /// The part of each cell.
    parts: Box<[u16]>,
    /// In order of depth; those before `entered` have become candidates.
    roots: Nodes<E::Tile, E::Value>,
    entered: usize,
    completed: Nodes<E::Tile, E::Value>,
    trace: Trace,
    expanded: u64,
    generated: u64,
}

impl<E: Estimate> Layers<E> {
    /// A machine without roots, whose ways go on from those of `trace`.
    pub fn new(
        shape: Shape,
        estimate: E,
        hashes: Hashes,
        settings: Settings,
        trace: Trace,
    ) -> Self {
        let settings = settings.at_most(<E::Tile as Tile>::Boards::most(shape));
        let (cells, width) = (shape.cells(), settings.width());
        let parts = cells.min(width);
        Self {
            estimate,
            hashes,
            moves: BlankMoves::new(shape),
            settings,
            depth: 0,
            least: i32::MAX,
            nearest: (i32::MAX, 0),
            gives_up: false,
            phase: Phase::Expand(0, 0),
            present: Heads::new(width),
            next: Heads::new(width),
            boards: Boards::new(shape, width),
            candidates: Vec::with_capacity(CANDIDATES_A_NODE * width),
            proposals: vec![Child::default(); E::TOGETHER].into(),
            calling: Vec::new(),
            called: Vec::new(),
            cut: Cut::new(width),
            seen: Seen::new(width),
            places: vec![0; parts].into(),
            parts: (0..cells)
                .map(|cell| (cell * parts / cells) as u16)
                .collect(),
            roots: Nodes::new(cells),
            entered: 0,
            completed: Nodes::new(cells),
            trace,
            expanded: 0,
            generated: 0,
        }
    }

    /// Adds a root, at least as deep as those before it and all layers made: the board after
    /// `depth` moves, to which `mark` leads.
    pub fn add_root(&mut self, tiles: &[E::Tile], depth: u32, mark: Mark) {
        self.add_root_of(self.estimate.root(tiles), tiles, depth, mark);
    }

    /// The same for a board of which the estimate has told the value.
    pub fn add_root_of(&mut self, value: E::Value, tiles: &[E::Tile], depth: u32, mark: Mark) {
        let numbers = || tiles.iter().map(|&tile| tile.into());
        let blank = numbers().position(|tile| tile == 0).unwrap_or(0);
        let head = Head {
            value,
            mark,
            depth,
            hash: self.hashes.of(numbers()),
            blank: blank as u16,
            back: MOVES as u8,
        };
        if self.estimate.completes(head.value, head.hash) {
            self.completed.push(head, tiles, 0, 0);
        } else {
            if self.roots.is_empty() {
                self.least = self.estimate.rank(head.value);
                self.nearest.1 = depth;
            }
            self.roots.push(head, tiles, 0, 0);
        }
    }

    /// The same machine, but it is over once it [is stuck](Self::is_stuck).
    #[must_use]
    pub const fn giving_up(mut self) -> Self {
        self.gives_up = true;
        self
    }

    /// Makes no layer beyond this depth, nor beyond what it would have made before.
    pub const fn end_by(&mut self, depth: u32) {
        if depth < self.settings.deepest {
            self.settings.deepest = depth;
        }
    }

    /// Makes the layers from the next one on so wide; at most as wide as the settings say.
    pub fn set_width(&mut self, width: usize) {
        self.cut.set_width(width.clamp(1, self.settings.width()));
    }

    /// Spends about so many nodes, less when something is completed.
    pub fn advance(&mut self, nodes: u64) -> State {
        let mut left = nodes;
        let completed = self.completed.len();
        while left > 0 {
            match self.phase {
                Phase::Expand(first, blank_move) => {
                    self.expand(first, blank_move, &mut left);
                    if self.completed.len() > completed {
                        return State::Completed;
                    }
                }
                Phase::Judge(first, kept, verdict) => {
                    self.judge(first, kept, verdict, &mut left);
                }
                Phase::Room => self.make_room(&mut left),
                Phase::Write(first) => self.write(first, &mut left),
                Phase::Over => return State::Over,
            }
        }
        State::Working
    }

    /// The moves made in the layer that is being made.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// About how many layers are to come, at least one. Only for estimates whose ranks are moves.
    #[must_use]
    pub fn rest(&self) -> u32 {
        let by_estimate = u32::try_from(self.estimate.moves(self.least) / E::UNIT).unwrap_or(0);
        let begun = if self.roots.is_empty() {
            0
        } else {
            self.roots.head(0).depth
        };
        let made = self.depth.saturating_sub(begun);
        // The best board of a layer looks better than it is.
        (by_estimate + by_estimate / 16).max(made / 40 + 1)
    }

    /// Whether the layers have come no nearer to the goal for a long time. Only for estimates whose
    /// ranks mean the same in all layers.
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        self.depth > self.nearest.1 + PATIENCE
    }

    /// What ranks the boards.
    #[must_use]
    pub const fn estimate(&self) -> &E {
        &self.estimate
    }

    /// How many nodes the last complete layer has: the children of these are being made.
    #[must_use]
    pub const fn nodes(&self) -> usize {
        self.present.len()
    }

    /// The board of a node of that layer.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    pub fn board(&self, node: usize) -> BoardOf<'_, E::Tile> {
        self.boards.board(node)
    }

    /// What a node of that layer ranks, in moves.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    pub fn rank(&self, node: usize) -> f32 {
        let rank = self.estimate.rank(self.present.all()[node].value);
        rank as f32 / E::UNIT as f32
    }

    /// The boards that completed the search so far, in order of depth; at most as many as a layer
    /// has nodes.
    #[must_use]
    pub const fn completed(&self) -> &Nodes<E::Tile, E::Value> {
        &self.completed
    }

    /// The ways to all nodes.
    #[must_use]
    pub const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// What was completed, and the ways to all nodes, to go on from; and what ranked the boards.
    #[must_use]
    pub fn finish(self) -> (Nodes<E::Tile, E::Value>, Trace, E) {
        (self.completed, self.trace, self.estimate)
    }

    /// Nodes whose children were made, and children made.
    #[must_use]
    pub const fn counts(&self) -> (u64, u64) {
        (self.expanded, self.generated)
    }

    /// Bytes of a machine for a shape, without roots, completed boards and trace.
    #[must_use]
    pub fn bytes(shape: Shape, width: usize) -> u64 {
        let heads = 2 * size_of::<Head<E::Value>>();
        let candidates = CANDIDATES_A_NODE * size_of::<Candidate<E::Value>>();
        let boards = <E::Tile as Tile>::Boards::bytes(shape, width);
        let nodes = width as u64 * (heads + candidates) as u64;
        nodes + boards + E::bytes(shape, width) + Seen::bytes(width) + Hashes::bytes(shape)
    }
}
