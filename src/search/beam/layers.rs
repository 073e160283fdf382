//! The machine that makes one layer after the other.

use std::mem;

use super::cut::{Cut, Verdict};
use super::hash::Hashes;
use super::nodes::{Head, Nodes};
use super::seen::Seen;
use super::trace::{Mark, Trace};
use super::{Estimate, Settings};
use crate::heuristic::Slide;
use crate::puzzle::Shape;
use crate::search::blank_moves::{BlankMoves, MOVES, SLIDES, back};

/// A node has at most so many children that do not take its last move back.
const CANDIDATES_A_NODE: usize = MOVES - 1;

/// How many candidates are judged in the time of a node.
const JUDGED_A_NODE: usize = 16;

/// How many boards are written in the time of a node.
const WRITTEN_A_NODE: usize = 4;

/// A board that may become a node of the next layer.
#[derive(Clone, Copy, Debug)]
struct Candidate<V> {
    hash: u64,
    value: V,
    origin: Origin,
}

/// The parent of a candidate, or its number among the roots, and its move; in four bytes.
#[derive(Clone, Copy, Debug)]
struct Origin(u32);

impl Origin {
    /// In the place of a move: the board is itself a root.
    const IS_ROOT: u32 = 4;
    /// A candidate that does not stay.
    const DROPPED: Self = Self(u32::MAX);

    const fn child(parent: usize, blank_move: usize) -> Self {
        Self((parent as u32) << 3 | blank_move as u32)
    }

    const fn root(root: usize) -> Self {
        Self((root as u32) << 3 | Self::IS_ROOT)
    }

    const fn index(self) -> usize {
        (self.0 >> 3) as usize
    }

    const fn code(self) -> u32 {
        self.0 & 7
    }
}

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

/// What is done with a layer, in this order. Each can be left at any point.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The children of the nodes from this one on are to be made.
    Expand(usize),
    /// The candidates from this one on have still to be told whether they stay.
    Judge(usize, Verdict),
    /// So many will stay; room for them is to be made.
    Room(usize),
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
    phase: Phase,
    present: Nodes<E::Tile, E::Value>,
    next: Nodes<E::Tile, E::Value>,
    candidates: Vec<Candidate<E::Value>>,
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
        let (cells, width) = (shape.cells(), settings.width());
        let parts = cells.min(width);
        Self {
            estimate,
            hashes,
            moves: BlankMoves::new(shape),
            settings,
            depth: 0,
            phase: Phase::Expand(0),
            present: Nodes::new(cells, width),
            next: Nodes::new(cells, width),
            candidates: Vec::with_capacity(CANDIDATES_A_NODE * width),
            cut: Cut::new(width),
            seen: Seen::new(width),
            places: vec![0; parts].into(),
            parts: (0..cells).map(|cell| (cell * parts / cells) as u16).collect(),
            roots: Nodes::new(cells, 0),
            entered: 0,
            completed: Nodes::new(cells, 0),
            trace,
            expanded: 0,
            generated: 0,
        }
    }

    /// Adds a root, at least as deep as those before it and all layers made: the board after
    /// `depth` moves, to which `mark` leads.
    pub fn add_root(&mut self, tiles: &[E::Tile], depth: u32, mark: Mark) {
        let numbers = || tiles.iter().map(|&tile| tile.into());
        let blank = numbers().position(|tile| tile == 0).unwrap_or(0);
        let head = Head {
            value: self.estimate.root(tiles),
            mark,
            depth,
            hash: self.hashes.of(numbers()),
            blank: blank as u16,
            back: MOVES as u8,
        };
        if self.estimate.completes(head.value, head.hash) {
            self.completed.push(head, tiles, 0, 0);
        } else {
            self.roots.push(head, tiles, 0, 0);
        }
    }

    /// Spends about so many nodes, less when something is completed.
    pub fn advance(&mut self, nodes: u64) -> State {
        let mut left = nodes;
        let completed = self.completed.len();
        while left > 0 {
            match self.phase {
                Phase::Expand(first) => {
                    self.expand(first, &mut left);
                    if self.completed.len() > completed {
                        return State::Completed;
                    }
                }
                Phase::Judge(first, verdict) => self.judge(first, verdict, &mut left),
                Phase::Room(kept) => self.make_room(kept, &mut left),
                Phase::Write(first) => self.write(first, &mut left),
                Phase::Over => return State::Over,
            }
        }
        State::Working
    }

    /// Makes the children of the nodes from `first` on, until something is completed.
    fn expand(&mut self, first: usize, left: &mut u64) {
        let completed = self.completed.len();
        for node in first..self.present.len() {
            if *left == 0 || self.completed.len() > completed {
                self.phase = Phase::Expand(node);
                return;
            }
            let children = self.expand_node(node);
            *left = left.saturating_sub(children.max(1));
            self.generated += children;
            self.expanded += 1;
        }
        self.enter_roots();
        let more = !self.candidates.is_empty()
            && self.depth <= self.settings.deepest
            && !self.trace.is_full(self.cut.kept());
        self.phase = if more {
            self.places.fill(0);
            Phase::Judge(0, self.cut.verdict())
        } else {
            Phase::Over
        };
    }

    /// Makes the children of a node; the number of them.
    #[inline]
    fn expand_node(&mut self, node: usize) -> u64 {
        let head = *self.present.head(node);
        let tiles = self.present.tiles(node);
        let to = usize::from(head.blank);
        let mut children = 0;
        for (blank_move, &direction) in SLIDES.iter().enumerate() {
            if blank_move == usize::from(head.back) {
                continue;
            }
            let Some(from) = self.moves.target(to, blank_move) else {
                continue;
            };
            let tile = tiles[from].into();
            let slide = Slide {
                tile,
                from,
                to,
                direction,
            };
            let Some(value) = self.estimate.child(tiles, head.value, slide) else {
                continue;
            };
            children += 1;
            let hash = self.hashes.after(head.hash, tile, from, to);
            let rank = self.estimate.rank(value);
            let completes = self.estimate.completes(value, hash);
            if !(completes || self.cut.admits(rank)) || !self.seen.insert(hash) {
                continue;
            }
            if completes {
                if self.completed.len() < self.settings.width() && !self.trace.is_full(1) {
                    let child = Head {
                        value,
                        mark: self.trace.push(head.mark, blank_move),
                        depth: head.depth + 1,
                        hash,
                        blank: from as u16,
                        back: back(blank_move) as u8,
                    };
                    self.completed.push(child, tiles, from, to);
                }
                continue;
            }
            self.cut.add(rank);
            self.candidates.push(Candidate {
                hash,
                value,
                origin: Origin::child(node, blank_move),
            });
        }
        children
    }

    /// Lets the roots of the next layer compete with the boards that were found; where none was,
    /// the next layer is that of the next root.
    fn enter_roots(&mut self) {
        if self.candidates.is_empty() && self.entered < self.roots.len() {
            self.depth = self.depth.max(self.roots.head(self.entered).depth);
        }
        while self.entered < self.roots.len() {
            let head = *self.roots.head(self.entered);
            if head.depth > self.depth {
                return;
            }
            let rank = self.estimate.rank(head.value);
            if self.cut.admits(rank) && self.seen.insert(head.hash) {
                self.cut.add(rank);
                self.candidates.push(Candidate {
                    hash: head.hash,
                    value: head.value,
                    origin: Origin::root(self.entered),
                });
            }
            self.entered += 1;
        }
    }

    /// Tells the candidates from `first` on whether they stay, and counts those by blank's cell.
    fn judge(&mut self, first: usize, verdict: Verdict, left: &mut u64) {
        let mut verdict = verdict;
        let end = self
            .candidates
            .len()
            .min(first + chunk(*left, JUDGED_A_NODE));
        *left = left.saturating_sub(((end - first) / JUDGED_A_NODE) as u64);
        for candidate in &mut self.candidates[first..end] {
            if verdict.keeps(self.estimate.rank(candidate.value), candidate.hash) {
                let origin = candidate.origin;
                let blank = match origin.code() {
                    Origin::IS_ROOT => usize::from(self.roots.head(origin.index()).blank),
                    code => {
                        let parent = usize::from(self.present.head(origin.index()).blank);
                        self.moves.target(parent, code as usize).unwrap_or(parent)
                    }
                };
                self.places[usize::from(self.parts[blank])] += 1;
            } else {
                candidate.origin = Origin::DROPPED;
            }
        }
        if end < self.candidates.len() {
            self.phase = Phase::Judge(end, verdict);
            return;
        }
        let mut sum = 0;
        for place in &mut self.places {
            (*place, sum) = (sum, sum + *place);
        }
        self.phase = Phase::Room(sum as usize);
    }

    /// Makes room for the nodes of the next layer.
    fn make_room(&mut self, kept: usize, left: &mut u64) {
        let first = self.candidates[0];
        let filler = Head {
            value: first.value,
            mark: Mark::ROOT,
            depth: self.depth,
            hash: first.hash,
            blank: 0,
            back: MOVES as u8,
        };
        let before = self.next.len();
        if self.next.grow(kept, filler) {
            self.phase = Phase::Write(0);
        }
        *left =
            left.saturating_sub((self.next.len().saturating_sub(before) / WRITTEN_A_NODE) as u64);
    }

    /// Writes the boards of the candidates that stay, from `first` on.
    fn write(&mut self, first: usize, left: &mut u64) {
        let end = self
            .candidates
            .len()
            .min(first + chunk(*left, WRITTEN_A_NODE));
        *left = left.saturating_sub(((end - first) / WRITTEN_A_NODE) as u64);
        for candidate in &self.candidates[first..end] {
            let Candidate {
                hash,
                value,
                origin,
            } = *candidate;
            if origin.0 == Origin::DROPPED.0 {
                continue;
            }
            let index = origin.index();
            if origin.code() == Origin::IS_ROOT {
                let head = *self.roots.head(index);
                let place = &mut self.places[usize::from(self.parts[usize::from(head.blank)])];
                self.next
                    .put(*place as usize, head, self.roots.tiles(index), 0, 0);
                *place += 1;
                continue;
            }
            let blank_move = origin.code() as usize;
            let parent = self.present.head(index);
            let to = usize::from(parent.blank);
            let from = self.moves.target(to, blank_move).unwrap_or(to);
            let head = Head {
                value,
                mark: self.trace.push(parent.mark, blank_move),
                depth: self.depth,
                hash,
                blank: from as u16,
                back: back(blank_move) as u8,
            };
            let place = &mut self.places[usize::from(self.parts[from])];
            self.next
                .put(*place as usize, head, self.present.tiles(index), from, to);
            *place += 1;
        }
        if end < self.candidates.len() {
            self.phase = Phase::Write(end);
            return;
        }
        mem::swap(&mut self.present, &mut self.next);
        self.candidates.clear();
        let values = self.present.values();
        let best = self.estimate.next_layer(values);
        self.cut.clear(best.unwrap_or(self.cut.least()));
        self.depth += 1;
        self.phase = Phase::Expand(0);
    }

    /// The moves made in the layer that is being made.
    #[must_use]
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The boards that completed the search so far, in order of depth; at most as many as a layer
    /// has nodes.
    #[must_use]
    pub const fn completed(&self) -> &Nodes<E::Tile, E::Value> {
        &self.completed
    }

    /// The estimate, to be changed between two calls: what it is from then on holds for boards
    /// that are still to be found.
    pub const fn estimate_mut(&mut self) -> &mut E {
        &mut self.estimate
    }

    /// The ways to all nodes.
    #[must_use]
    pub const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// What was completed, and the ways to all nodes, to go on from.
    #[must_use]
    pub fn finish(self) -> (Nodes<E::Tile, E::Value>, Trace) {
        (self.completed, self.trace)
    }

    /// Nodes whose children were made.
    #[must_use]
    pub const fn expanded(&self) -> u64 {
        self.expanded
    }

    /// Children made.
    #[must_use]
    pub const fn generated(&self) -> u64 {
        self.generated
    }

    /// Bytes of a machine for a shape, without roots, completed boards and trace.
    #[must_use]
    pub const fn bytes(shape: Shape, width: usize) -> u64 {
        let node = Nodes::<E::Tile, E::Value>::bytes(shape.cells());
        let candidates = CANDIDATES_A_NODE * size_of::<Candidate<E::Value>>();
        width as u64 * (2 * node + candidates as u64 + Seen::BYTES_A_NODE) + Hashes::bytes(shape)
    }
}

/// As many items as the nodes that are left pay for.
fn chunk(left: u64, items_a_node: usize) -> usize {
    usize::try_from(left)
        .unwrap_or(usize::MAX)
        .saturating_mul(items_a_node)
        .min(1 << 20)
}
