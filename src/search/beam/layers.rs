//! The machine that makes one layer after the other.

mod candidate;
mod expand;
mod select;

use candidate::Candidate;
use expand::Expand;
use select::{Judge, Write};

use super::boards::Boards;
use super::children::Child;
use super::cut::{Cut, Verdict};
use super::hash::Hashes;
use super::nodes::{Head, Heads, Nodes};
use super::seen::Seen;
use super::tile::{BoardOf, Tile};
use super::trace::{Compaction, Mark, Trace};
use super::{Estimate, Settings};
use crate::heuristic::wide_vectors::WideVectors;
use crate::puzzle::Shape;
use crate::search::blank_moves::{BlankMoves, MOVES};
use crate::search::shed;

/// The most children of a node that do not undo its last move.
const CANDIDATES_A_NODE: usize = MOVES - 1;

/// The state of a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// There is more to do.
    Working,
    /// A board has completed the search; there may be more.
    Completed,
    /// There is nothing more to do: no board is left, or the deepest layer was made.
    Over,
}

/// A beam counts as stuck after this many layers that came no nearer to the goal.
const PATIENCE: u32 = 50;

/// The steps of making a layer, in order. Each can be interrupted at any point.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The memory of the boards that were seen is to be touched.
    Touch,
    /// The children of the nodes from this one on are to be made; those of the first nodes by the moves from
    /// this one on.
    Expand(usize, usize),
    /// The candidates from the first number on are still to be judged. The second number is how many before
    /// them are kept; these have been moved to the front.
    Judge(usize, usize, Verdict),
    /// Room for the kept candidates is to be made.
    Room,
    /// The boards of the kept candidates are to be written, from this candidate on.
    Write(usize),
    /// The layer is complete, and ranks mean something else now: the least is to be found, from this node on.
    Rank(usize),
    /// The paths are to be compacted before the children of the present layer are made.
    Compact,
    /// There is no layer left.
    Over,
}

/// A layered beam search (Lowerre, 1976): of all boards that are one move from a board of a layer, the
/// `width` of the least rank form the next layer.
///
/// Layers are numbered by the moves made. Roots enter at the layer of their depth and compete there with the
/// boards that the search has found itself. A board that [completes](Estimate::completes) the search is set
/// aside and not followed any further; the owner decides whether to go on.
///
/// Within a layer, nodes are roughly in the order of their blanks' cells: successive nodes then read the same
/// parts of the estimate's tables, which are in the caches.
pub struct Layers<E: Estimate> {
    estimate: E,
    hashes: Hashes,
    moves: BlankMoves,
    wide_vectors: WideVectors,
    settings: Settings,
    /// The number of moves made in the layer that is being made.
    depth: u32,
    /// The least rank of the layer before, or of the first root.
    least: i32,
    /// The least rank so far, and the layer in which it was first seen, or that of the first root.
    nearest: (i32, u32),
    /// Whether the search ends once it is stuck.
    gives_up: bool,
    phase: Phase,
    present: Heads<E::Value>,
    next: Heads<E::Value>,
    /// The boards of `present` and `next`.
    boards: <E::Tile as Tile>::Boards,
    candidates: Vec<Candidate<E::Value>>,
    /// Children that are worth a look.
    proposals: Box<[Child]>,
    /// Children that become candidates if they have not been seen, for which the memory needed to tell was
    /// prefetched: those of the nodes just expanded, and those of the nodes before.
    prefetching: Vec<Candidate<E::Value>>,
    prefetched: Vec<Candidate<E::Value>>,
    cut: Cut,
    seen: Seen,
    /// By part of the blank's cell: where the next node of the next layer goes. The cells, row by row, are
    /// divided into parts, no more than a layer has nodes.
    places: Box<[u32]>,
    /// The part of each cell.
    parts: Box<[u16]>,
    /// Roots in order of depth; those before `entered` have become candidates.
    roots: Nodes<E::Tile, E::Value>,
    entered: usize,
    completed: Nodes<E::Tile, E::Value>,
    trace: Trace,
    compaction: Option<Compaction>,
    expanded: u64,
    generated: u64,
}

impl<E: Estimate> Layers<E> {
    /// A machine without roots. Its paths continue those of `trace`.
    pub fn new(
        shape: Shape,
        mut estimate: E,
        hashes: Hashes,
        settings: Settings,
        mut trace: Trace,
    ) -> Self {
        let settings = settings.at_most(<E::Tile as Tile>::Boards::most(shape));
        let (cells, width) = (shape.cells(), settings.width());
        estimate.reserve(width);
        trace.go_on(settings);
        let parts = cells.min(width);
        Self {
            estimate,
            hashes,
            moves: BlankMoves::new(shape),
            wide_vectors: WideVectors::detect(),
            settings,
            depth: 0,
            least: i32::MAX,
            nearest: (i32::MAX, 0),
            gives_up: false,
            phase: Phase::Touch,
            present: Heads::new(width),
            next: Heads::new(width),
            boards: Boards::new(shape, width),
            candidates: Vec::with_capacity(CANDIDATES_A_NODE * width),
            proposals: vec![Child::default(); E::TOGETHER].into(),
            prefetching: Vec::new(),
            prefetched: Vec::new(),
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
            compaction: None,
            expanded: 0,
            generated: 0,
        }
    }

    /// Adds a root: the board after `depth` moves, to which `mark` leads in the trace that the machine continues.
    /// It must be at least as deep as the roots before it and all layers made.
    pub fn add_root(&mut self, tiles: &[E::Tile], depth: u32, mark: Mark) {
        self.add_root_of(self.estimate.root(tiles), tiles, depth, mark);
    }

    /// The same for a board whose value is already known.
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

    /// The same machine, but ending with the first layer in which it [is stuck](Self::is_stuck): the same one
    /// however it is advanced, for searches that go on from there in another way.
    #[must_use]
    pub const fn giving_up(mut self) -> Self {
        self.gives_up = true;
        self
    }

    /// Limits the depth of layers to `depth`, unless the limit is lower already.
    pub const fn end_by(&mut self, depth: u32) {
        if depth < self.settings.deepest {
            self.settings.deepest = depth;
        }
    }

    /// Sets the width of layers from the next one on, up to the width of the settings.
    pub fn set_width(&mut self, width: usize) {
        self.cut.set_width(width.clamp(1, self.settings.width()));
    }

    /// Spends about so many nodes, fewer if something is completed.
    pub fn advance(&mut self, nodes: u64) -> State {
        let wide_vectors = self.wide_vectors;
        let mut left = nodes;
        let completed = self.completed.len();
        while left > 0 {
            match self.phase {
                Phase::Touch => {
                    if self.seen.touch(&mut left) {
                        self.phase = Phase::Expand(0, 0);
                    }
                }
                Phase::Expand(first, blank_move) => {
                    wide_vectors.run(Expand {
                        layers: self,
                        first,
                        blank_move,
                        left: &mut left,
                    });
                    if self.completed.len() > completed {
                        return State::Completed;
                    }
                }
                Phase::Judge(first, kept, verdict) => {
                    wide_vectors.run(Judge {
                        layers: self,
                        first,
                        kept,
                        verdict,
                        left: &mut left,
                    });
                }
                Phase::Room => self.make_room(&mut left),
                Phase::Write(first) => wide_vectors.run(Write {
                    layers: self,
                    first,
                    left: &mut left,
                }),
                Phase::Rank(first) => self.find_least(first, &mut left),
                Phase::Compact => self.compact(&mut left),
                Phase::Over => return State::Over,
            }
        }
        State::Working
    }

    /// The number of moves made in the layer that is being made.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// About how many layers are to come, at least one. Only for estimates whose ranks are moves.
    #[must_use]
    pub fn rest(&self) -> u32 {
        let moves = self.estimate.moves(self.least);
        // The best board of a layer looks better than it is.
        let by_estimate = u32::try_from((moves + moves / 16) / E::UNIT).unwrap_or(0);
        let begun = if self.roots.is_empty() {
            0
        } else {
            self.roots.head(0).depth
        };
        let made = self.depth.saturating_sub(begun);
        by_estimate.max(made / 40 + 1)
    }

    /// Whether the layers have come no nearer to the goal for a long time. Only for estimates whose ranks
    /// mean the same in all layers.
    #[must_use]
    pub const fn is_stuck(&self) -> bool {
        self.depth > self.nearest.1 + PATIENCE
    }

    /// The estimate that ranks the boards.
    #[must_use]
    pub const fn estimate(&self) -> &E {
        &self.estimate
    }

    /// The number of nodes of the last complete layer, whose children are being made.
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

    /// The rank of a node of that layer, in moves.
    ///
    /// # Panics
    /// When there is no such node.
    #[must_use]
    pub fn rank(&self, node: usize) -> f32 {
        let rank = self.estimate.rank(self.present.all()[node].value);
        rank as f32 / E::UNIT as f32
    }

    /// The boards that have completed the search so far, in order of depth; at most as many as a layer has
    /// nodes.
    #[must_use]
    pub const fn completed(&self) -> &Nodes<E::Tile, E::Value> {
        &self.completed
    }

    /// The paths to the boards that have completed the search. They may be read when [`State::Completed`] or
    /// [`State::Over`] was returned last.
    #[must_use]
    pub const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The completed boards and the paths to all nodes, to go on from, and the estimate that ranked the
    /// boards.
    #[must_use]
    pub fn finish(self) -> (Nodes<E::Tile, E::Value>, Trace, E) {
        (self.completed, self.trace, self.estimate)
    }

    /// Frees the layers, as much as there are `left` bytes to be freed, but not what [`Self::finish`] returns.
    /// The machine must not be advanced any more.
    pub fn shed_layers(&mut self, left: &mut u64) {
        self.phase = Phase::Over;
        self.compaction = None;
        self.estimate.shed(left);
        shed::list(&mut self.candidates, left);
        self.boards.shed(left);
        self.present.shed(left);
        self.next.shed(left);
        self.roots.shed(left);
    }

    /// Frees all that is large. Neither completed boards nor paths may be read afterwards.
    pub fn shed(&mut self, left: &mut u64) {
        self.shed_layers(left);
        self.completed.shed(left);
        self.trace.shed(left);
    }

    /// The numbers of nodes expanded and of nodes generated.
    #[must_use]
    pub const fn counts(&self) -> (u64, u64) {
        (self.expanded, self.generated)
    }

    /// The bytes of its roots and of the completed boards.
    #[must_use]
    pub const fn bytes_beside(&self) -> u64 {
        self.roots.bytes() + self.completed.bytes()
    }

    /// The bytes of a machine for a shape, without roots, completed boards and trace.
    #[must_use]
    pub fn bytes(shape: Shape, width: usize) -> u64 {
        let heads = 2 * size_of::<Head<E::Value>>();
        let candidates = CANDIDATES_A_NODE * size_of::<Candidate<E::Value>>();
        let boards = <E::Tile as Tile>::Boards::bytes(shape, width);
        let nodes = width as u64 * (heads + candidates) as u64;
        nodes + boards + E::bytes(shape, width) + Seen::bytes(width) + Hashes::bytes(shape)
    }
}
