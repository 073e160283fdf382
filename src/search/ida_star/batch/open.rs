//! The nodes that wait to be expanded.

use super::node::{Grid, Node};

/// Ends a list, and stands for no slot.
const NIL: u16 = u16::MAX;
/// More than any lower bound, and more than any depth.
const LEVELS: usize = 256;

/// Where a node waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// For its turn in this iteration.
    Now,
    /// For the next iteration.
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
}

/// A store of nodes, the lowest bound first.
///
/// At first nothing is thrown away: what an iteration cuts off waits for the next one, which so
/// begins where this one ended. When half of the store is full, the nodes that wait then become
/// the *roots* of all iterations to come. When it is nearly full, the search goes on by depth
/// instead, which takes no more than a batch for each move of the path.
pub(super) struct Open<G: Grid, const P: usize, const W: usize> {
    nodes: Vec<Node<G, P, W>>,
    next: Vec<u16>,
    free: Vec<u16>,
    now: Lists,
    /// No list of `now` below this one has nodes.
    lowest: usize,
    later: Lists,
    /// The lists of nodes by depth, and the deepest that has any.
    deep: Lists,
    deepest: usize,
    is_deep: bool,
    /// The roots, the lowest bound first, once they are chosen, and which is next.
    roots: Vec<u16>,
    next_root: usize,
    is_rooted: bool,
    /// Which of the nodes taken last are not roots, and are done with when the next are.
    taken: Vec<u16>,
}

impl<G: Grid, const P: usize, const W: usize> Open<G, P, W> {
    /// The slots of the store.
    const SLOTS: usize = 8192;
    /// With fewer slots left than these, the nodes that wait become the roots.
    const LEFT_FOR_ROOTS: usize = 6144;
    /// With fewer slots left than these, the search goes by depth.
    const LEFT_FOR_DEPTH: usize = 4096;
    /// The most successors of a node that is not the first.
    const SUCCESSORS: usize = 3;

    pub(super) fn new(root: Node<G, P, W>) -> Self {
        let mut nodes = Vec::with_capacity(Self::SLOTS);
        nodes.push(root);
        let mut open = Self {
            nodes,
            next: Vec::with_capacity(Self::SLOTS),
            free: Vec::with_capacity(Self::SLOTS),
            now: Lists::new(),
            lowest: LEVELS,
            later: Lists::new(),
            deep: Lists::new(),
            deepest: 0,
            is_deep: false,
            roots: Vec::with_capacity(Self::SLOTS - Self::LEFT_FOR_ROOTS + 256),
            next_root: 0,
            is_rooted: false,
            taken: Vec::with_capacity(super::WIDTH),
        };
        open.next.push(NIL);
        open.now.push(root.bound(), 0, &mut open.next);
        open.lowest = root.bound();
        open
    }

    /// The bytes held.
    pub(super) fn bytes(&self) -> usize {
        let lists = 3 * size_of::<[u16; LEVELS]>();
        let slots = size_of::<Node<G, P, W>>() + 2 * size_of::<u16>();
        Self::SLOTS * slots + self.roots.capacity() * size_of::<u16>() + lists
    }

    /// Whether nodes that this iteration cuts off are kept for the next one.
    pub(super) const fn keeps(&self) -> bool {
        !self.is_rooted
    }

    #[inline]
    pub(super) fn node(&self, slot: u16) -> &Node<G, P, W> {
        &self.nodes[usize::from(slot)]
    }

    fn left(&self) -> usize {
        Self::SLOTS - self.nodes.len() + self.free.len()
    }

    /// Puts a node into the store: `make` writes it, given the nodes and the slot. `bound` is its
    /// lower bound.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        waiting: Waiting,
        bound: usize,
        depth: usize,
        make: impl FnOnce(&mut [Node<G, P, W>], usize),
    ) -> u16 {
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => self.grow(),
        };
        make(&mut self.nodes, usize::from(slot));
        if waiting == Waiting::Later {
            self.later.push(bound, slot, &mut self.next);
        } else if self.is_deep {
            self.deep.push(depth, slot, &mut self.next);
            self.deepest = self.deepest.max(depth);
        } else {
            self.now.push(bound, slot, &mut self.next);
            self.lowest = self.lowest.min(bound);
        }
        slot
    }

    /// A slot that was never used.
    #[cold]
    fn grow(&mut self) -> u16 {
        let slot = self.nodes.len();
        debug_assert!(slot < Self::SLOTS);
        self.nodes.push(self.nodes[0]);
        self.next.push(NIL);
        slot as u16
    }

    /// Takes the next nodes of this iteration, up to as many as `batch` holds. They stay where
    /// they are until the next ones are taken. None are left when it takes none.
    pub(super) fn take(&mut self, threshold: u32, batch: &mut [u16]) -> usize {
        self.free.append(&mut self.taken);
        if self.is_deep && self.deep.count == 0 {
            self.is_deep = false;
        }
        if !self.is_rooted && self.left() < Self::LEFT_FOR_ROOTS {
            self.choose_roots();
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
        self.take_lowest(threshold, &mut batch[..width])
    }

    /// All that wait, in this iteration and for the next, become roots. Together they cover all
    /// that is not searched yet.
    fn choose_roots(&mut self) {
        for level in 0..LEVELS {
            for lists in [&mut self.now, &mut self.later] {
                while let Some(slot) = lists.pop(level, &self.next) {
                    self.roots.push(slot);
                }
            }
        }
        self.lowest = LEVELS;
        self.is_rooted = true;
    }

    fn take_lowest(&mut self, threshold: u32, batch: &mut [u16]) -> usize {
        for (count, place) in batch.iter_mut().enumerate() {
            while self.lowest < LEVELS && self.now.heads[self.lowest] == NIL {
                self.lowest += 1;
            }
            if let Some(root) = self.root_below(threshold) {
                *place = root;
            } else if let Some(slot) = self.now.pop(self.lowest, &self.next) {
                *place = slot;
                self.taken.push(slot);
            } else {
                return count;
            }
        }
        batch.len()
    }

    /// The next root of this iteration, if none of the other nodes has a lower bound.
    fn root_below(&mut self, threshold: u32) -> Option<u16> {
        while let Some(&root) = self.roots.get(self.next_root) {
            let node = &self.nodes[usize::from(root)];
            if node.bound() > self.lowest {
                return None;
            }
            self.next_root += 1;
            if node.total() <= threshold {
                return Some(root);
            }
        }
        None
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

    /// How many nodes may be expanded at once so that there are slots for as many on every depth
    /// from here to the threshold.
    fn width(&self, threshold: u32, depth: usize) -> usize {
        let depths = threshold as usize + 1 - depth;
        (self.left() / (Self::SUCCESSORS * depths)).max(1)
    }

    /// Begins the next iteration.
    pub(super) fn begin(&mut self) {
        self.free.append(&mut self.taken);
        if self.is_rooted {
            self.next_root = 0;
        } else {
            std::mem::swap(&mut self.now, &mut self.later);
            self.lowest = 0;
        }
    }
}
