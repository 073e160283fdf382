//! The nodes that wait to be expanded.

use crate::search::blank_moves::MOVES;

use super::grid::Grid;
use super::node::Node;

/// Ends a list, and stands for no slot.
const NIL: u16 = u16::MAX;
/// More than any lower bound, and more than any depth.
const LEVELS: usize = 256;
/// The set of all of the blank's moves.
const ALL_MOVES: u8 = (1 << MOVES) - 1;

/// What a node waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// Its turn in this iteration.
    Now,
    /// The next iteration.
    Later,
}

/// Lists of slots, each last in, first out.
struct Lists {
    heads: Box<[u16; LEVELS]>,
    count: usize,
}

impl Lists {
    fn new() -> Self {
        Self {
            heads: Box::new([NIL; LEVELS]),
            count: 0,
        }
    }

    #[inline]
    fn push(&mut self, level: usize, slot: u16, next: &mut [u16]) {
        next[usize::from(slot)] = std::mem::replace(&mut self.heads[level % LEVELS], slot);
        self.count += 1;
    }

    #[inline]
    fn pop(&mut self, level: usize, next: &[u16]) -> Option<u16> {
        let slot = self.heads[level % LEVELS];
        if slot == NIL {
            return None;
        }
        self.heads[level % LEVELS] = next[usize::from(slot)];
        self.count -= 1;
        Some(slot)
    }

    /// Takes out the slots for which `gives` returns true, with their levels, the lowest first.
    fn give(&mut self, next: &mut [u16], mut gives: impl FnMut() -> bool) -> Vec<(usize, u16)> {
        let mut given = Vec::new();
        for level in 0..LEVELS {
            let mut waiting = Vec::new();
            while let Some(slot) = self.pop(level, next) {
                waiting.push(slot);
            }
            for slot in waiting.into_iter().rev() {
                if gives() {
                    given.push((level, slot));
                } else {
                    self.push(level, slot, next);
                }
            }
        }
        given
    }
}

/// A store of nodes, the lowest bound first.
///
/// At first nothing is thrown away: what an iteration cuts off waits for the next one, which thus begins
/// where this one ended. A successor that the first sum cuts off is not even made: its parent waits in its
/// place (partial expansion; Yoshizumi, Miura and Ishida, 2000). When three eighths of the store are full,
/// the nodes that wait then become the *roots* of all iterations to come. When half of it is full, the search
/// goes on by depth instead, which takes no more than a batch for each move of the path.
pub(super) struct Open<G: Grid, const P: usize, const W: usize> {
    nodes: Vec<Node<G, P, W>>,
    /// The set of the blank's moves that are still to be made from each node; all moves for free slots.
    moves_left: Vec<u8>,
    next: Vec<u16>,
    free: Vec<u16>,
    now: Lists,
    /// No list of `now` below this level has nodes.
    lowest: usize,
    later: Lists,
    /// The lists of nodes by depth, and the deepest that has any.
    deep: Lists,
    deepest: usize,
    is_deep: bool,
    /// The roots, the lowest bound first, once they are chosen.
    roots: Vec<u16>,
    /// The roots that this iteration has not reached yet, the next one last.
    roots_left: Vec<u16>,
    /// The bound of the next root, or [`LEVELS`].
    root_bound: usize,
    is_rooted: bool,
    /// Those of the nodes taken last that are not roots. They are done with when the next are taken.
    taken: Vec<u16>,
}

impl<G: Grid, const P: usize, const W: usize> Open<G, P, W> {
    /// The slots of the store.
    pub(super) const SLOTS: usize = 8192;
    /// With fewer slots left than this, the nodes that wait become the roots.
    const LEFT_FOR_ROOTS: usize = 5120;
    /// With fewer slots left than this, the search goes by depth.
    const LEFT_FOR_DEPTH: usize = 4096;
    /// The most successors of a node other than the first.
    const SUCCESSORS: usize = 3;
    /// With fewer waiting nodes than this there is nothing to share: two batches.
    const LEAST_TO_SHARE: usize = 2 * super::WIDTH;
    /// The most roots.
    const ROOTS: usize = Self::SLOTS - Self::LEFT_FOR_ROOTS + 256;

    pub(super) fn new(root: Node<G, P, W>) -> Self {
        let mut open = Self::empty();
        let slot = open.adopt(&root, ALL_MOVES);
        open.now.push(root.bound(), slot, &mut open.next);
        open.lowest = root.bound();
        open
    }

    fn empty() -> Self {
        Self {
            nodes: Vec::with_capacity(Self::SLOTS),
            moves_left: Vec::with_capacity(Self::SLOTS),
            next: Vec::with_capacity(Self::SLOTS),
            free: Vec::with_capacity(Self::SLOTS),
            now: Lists::new(),
            lowest: LEVELS,
            later: Lists::new(),
            deep: Lists::new(),
            deepest: 0,
            is_deep: false,
            roots: Vec::with_capacity(Self::ROOTS),
            roots_left: Vec::with_capacity(Self::ROOTS),
            root_bound: LEVELS,
            is_rooted: false,
            taken: Vec::with_capacity(super::WIDTH),
        }
    }

    /// Puts a node into a slot that was never used.
    fn adopt(&mut self, node: &Node<G, P, W>, moves_left: u8) -> u16 {
        let slot = self.nodes.len();
        self.nodes.push(*node);
        self.moves_left.push(moves_left);
        self.next.push(NIL);
        slot as u16
    }

    /// The bytes held.
    pub(super) fn bytes(&self) -> usize {
        let lists = 3 * size_of::<[u16; LEVELS]>();
        let slots = size_of::<Node<G, P, W>>() + 2 * size_of::<u16>() + size_of::<u8>();
        Self::SLOTS * slots + 2 * Self::ROOTS * size_of::<u16>() + lists
    }

    /// Whether nodes that this iteration cuts off are kept for the next one.
    pub(super) const fn keeps(&self) -> bool {
        !self.is_rooted
    }

    #[inline]
    pub(super) fn node(&self, slot: u16) -> &Node<G, P, W> {
        &self.nodes[usize::from(slot)]
    }

    /// The moves to expand a node by. Those that wait for the next iteration are reported by [`Self::defer`].
    #[inline]
    pub(super) fn expand(&mut self, slot: u16) -> u8 {
        let left = &mut self.moves_left[usize::from(slot)];
        let moves = *left;
        if !self.is_rooted {
            *left = 0;
        }
        moves
    }

    /// Leaves a move of a node that was taken last to the next iteration, if that keeps nodes and the move is
    /// cut off.
    #[inline]
    pub(super) fn defer(&mut self, slot: u16, blank_move: usize, is_cut_off: bool) {
        self.moves_left[usize::from(slot)] |= u8::from(is_cut_off) << blank_move;
    }

    /// The least total of moves made and to be made by way of the successors that are left. Where some
    /// successors are already made, the others were cut off and so are two more moves away.
    fn total(&self, slot: u16) -> u32 {
        let has_some = self.moves_left[usize::from(slot)] != ALL_MOVES;
        self.node(slot).total() + 2 * u32::from(has_some)
    }

    /// Releases the nodes that were taken last, except those that have moves left.
    #[inline]
    fn let_go(&mut self) {
        if self.is_rooted {
            self.free.append(&mut self.taken);
            return;
        }
        for index in 0..self.taken.len() {
            let slot = self.taken[index];
            let moves_left = &mut self.moves_left[usize::from(slot)];
            if *moves_left == 0 {
                *moves_left = ALL_MOVES;
                self.free.push(slot);
            } else {
                let bound = self.node(slot).bound();
                self.later.push(bound, slot, &mut self.next);
            }
        }
        self.taken.clear();
    }

    fn left(&self) -> usize {
        Self::SLOTS - self.nodes.len() + self.free.len()
    }

    /// Puts a node into the store: `make` writes it, given the nodes and the slot. Returns the slot and the
    /// node's bound.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        waiting: Waiting,
        make: impl FnOnce(&mut [Node<G, P, W>], usize),
    ) -> (u16, usize) {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => self.grow(),
        };
        make(&mut self.nodes, usize::from(slot));
        let node = self.node(slot);
        let (bound, depth) = (node.bound(), usize::from(node.depth));
        if waiting == Waiting::Later {
            self.later.push(bound, slot, &mut self.next);
        } else if self.is_deep {
            self.deep.push(depth, slot, &mut self.next);
            self.deepest = self.deepest.max(depth);
        } else {
            self.now.push(bound, slot, &mut self.next);
            self.lowest = self.lowest.min(bound);
        }
        (slot, bound)
    }

    /// A slot that was never used.
    #[cold]
    fn grow(&mut self) -> u16 {
        let slot = self.nodes.len();
        debug_assert!(slot < Self::SLOTS);
        self.nodes.push(self.nodes[0]);
        self.moves_left.push(ALL_MOVES);
        self.next.push(NIL);
        slot as u16
    }

    /// Takes the next nodes of this iteration, up to as many as `batch` holds, and returns their number: 0 if
    /// none are left. They stay in their slots until the next ones are taken.
    pub(super) fn take(&mut self, threshold: u32, batch: &mut [u16]) -> usize {
        self.let_go();
        if self.is_deep && self.deep.count == 0 {
            self.is_deep = false;
        }
        if !self.is_rooted && self.left() < Self::LEFT_FOR_ROOTS {
            self.choose_roots(threshold);
        }
        if self.is_deep {
            return self.take_deepest(threshold, batch);
        }
        let mut width = batch.len();
        if self.is_rooted && self.left() < Self::LEFT_FOR_DEPTH {
            self.is_deep = true;
            self.deepest = 0;
            width = self.width(threshold, 0).min(width);
        }
        self.take_lowest(&mut batch[..width])
    }

    /// Makes roots of all nodes that wait, for this iteration and the next. Together they cover all that is
    /// not searched yet.
    fn choose_roots(&mut self, threshold: u32) {
        for level in 0..LEVELS {
            for lists in [&mut self.now, &mut self.later] {
                while let Some(slot) = lists.pop(level, &self.next) {
                    self.roots.push(slot);
                }
            }
        }
        self.lowest = LEVELS;
        self.is_rooted = true;
        self.begin(threshold);
    }

    fn take_lowest(&mut self, batch: &mut [u16]) -> usize {
        for (count, place) in batch.iter_mut().enumerate() {
            if self.now.count == 0 {
                // Easy boards have few nodes; without this, every batch would look through all levels.
                self.lowest = LEVELS;
            }
            while self.lowest < LEVELS && self.now.heads[self.lowest] == NIL {
                self.lowest += 1;
            }
            if self.root_bound <= self.lowest
                && let Some(root) = self.roots_left.pop()
            {
                *place = root;
                self.look_at_next_root();
            } else if let Some(slot) = self.now.pop(self.lowest, &self.next) {
                *place = slot;
                self.taken.push(slot);
            } else {
                return count;
            }
        }
        batch.len()
    }

    fn look_at_next_root(&mut self) {
        let root = self.roots_left.last();
        self.root_bound = root.map_or(LEVELS, |&root| self.node(root).bound());
    }

    fn take_deepest(&mut self, threshold: u32, batch: &mut [u16]) -> usize {
        while self.deep.heads[self.deepest] == NIL {
            self.deepest -= 1;
        }
        let width = self.width(threshold, self.deepest).min(batch.len());
        for (count, place) in batch[..width].iter_mut().enumerate() {
            let Some(slot) = self.deep.pop(self.deepest, &self.next) else {
                return count;
            };
            *place = slot;
            self.taken.push(slot);
        }
        width
    }

    /// How many nodes may be expanded at once so that there are slots for as many on every depth from here to
    /// the threshold.
    fn width(&self, threshold: u32, depth: usize) -> usize {
        let depths = threshold as usize + 1 - depth;
        (self.left() / (Self::SUCCESSORS * depths)).max(1)
    }

    /// Begins an iteration with this threshold.
    pub(super) fn begin(&mut self, threshold: u32) {
        self.let_go();
        if self.is_rooted {
            let mut roots_left = std::mem::take(&mut self.roots_left);
            roots_left.clear();
            let roots = self.roots.iter().rev().copied();
            roots_left.extend(roots.filter(|&slot| self.total(slot) <= threshold));
            self.roots_left = roots_left;
            self.look_at_next_root();
        } else {
            std::mem::swap(&mut self.now, &mut self.later);
            self.lowest = 0;
        }
    }

    /// The number of nodes that wait for their turn in this iteration.
    fn waiting(&self) -> usize {
        self.roots_left.len() + self.now.count + self.deep.count
    }

    /// Whether no node waits for its turn in this iteration.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting() == 0
    }

    /// Hands out half of the nodes that wait for their turn in this iteration, every other one of each kind.
    /// `None` while there are too few, or while cut-off nodes are kept, which is a short time.
    ///
    /// The store that they go to serves only this iteration. As it holds nothing but some of the nodes of
    /// this one, it never has fewer slots left than this one would have.
    pub(super) fn split(&mut self) -> Option<Self> {
        if !self.is_rooted || self.waiting() < Self::LEAST_TO_SHARE {
            return None;
        }
        let mut half = Self::empty();
        half.is_rooted = true;
        half.lowest = 0;
        let mut is_given = false;
        let mut gives = || {
            is_given = !is_given;
            is_given
        };
        let adopt = |half: &mut Self, slot: u16| {
            let slot = usize::from(slot);
            half.adopt(&self.nodes[slot], self.moves_left[slot])
        };
        self.roots_left.retain(|&root| {
            let is_given = gives();
            if is_given {
                let slot = adopt(&mut half, root);
                half.roots_left.push(slot);
            }
            !is_given
        });
        for (level, slot) in self.now.give(&mut self.next, &mut gives) {
            let adopted = adopt(&mut half, slot);
            half.now.push(level, adopted, &mut half.next);
            self.free.push(slot);
        }
        for (depth, slot) in self.deep.give(&mut self.next, &mut gives) {
            let adopted = adopt(&mut half, slot);
            half.deep.push(depth, adopted, &mut half.next);
            half.deepest = depth;
            half.is_deep = true;
            self.free.push(slot);
        }
        self.look_at_next_root();
        half.look_at_next_root();
        Some(half)
    }
}
