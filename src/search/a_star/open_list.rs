//! The open list of A*: nodes that were reached and wait for their expansion.

use std::collections::BTreeMap;

use crate::search::arena::Arena;

/// Where a node stands in the list. Nodes with the same key share a bucket.
///
/// The order of the fields is the order in which nodes come out: least f first, and among equal ones the node
/// that seems nearest to the goal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    /// g + weight · h, as the bits of an `f64`: the bits of positive numbers are in the order of the numbers.
    f: u64,
    h: u32,
    g: u32,
}

/// A stack of nodes in chunks, of which only the last may be partly filled.
#[derive(Clone, Copy)]
struct Bucket {
    chunk: u32,
    filled: u32,
}

impl Bucket {
    const EMPTY: Self = Self {
        chunk: NONE,
        filled: CHUNK as u32,
    };
}

/// Stands for no chunk.
const NONE: u32 = u32::MAX;

/// The first place of a chunk holds the number of the chunk beneath; the others hold nodes.
const CHUNK: usize = 32;

/// The chunks of all buckets.
struct Chunks {
    arena: Arena<[u32; CHUNK]>,
    /// The first chunk that no bucket uses.
    free: u32,
}

impl Chunks {
    fn push(&mut self, bucket: &mut Bucket, node: u32) {
        if bucket.filled as usize == CHUNK {
            *bucket = Bucket {
                chunk: self.take(bucket.chunk),
                filled: 1,
            };
        }
        self.arena.row_mut(bucket.chunk as usize)[0][bucket.filled as usize] = node;
        bucket.filled += 1;
    }

    /// Takes the last node from a bucket that is not empty.
    fn pop(&mut self, bucket: &mut Bucket) -> u32 {
        bucket.filled -= 1;
        let chunk = &mut self.arena.row_mut(bucket.chunk as usize)[0];
        let node = chunk[bucket.filled as usize];
        if bucket.filled == 1 {
            let beneath = std::mem::replace(&mut chunk[0], self.free);
            self.free = bucket.chunk;
            *bucket = Bucket {
                chunk: beneath,
                ..Bucket::EMPTY
            };
        }
        node
    }

    /// An unused chunk, put on top of another.
    fn take(&mut self, beneath: u32) -> u32 {
        let mut fresh = [NONE; CHUNK];
        fresh[0] = beneath;
        if self.free == NONE {
            self.arena.push(&[fresh]);
            self.arena.rows() as u32 - 1
        } else {
            let chunk = self.free;
            let place = &mut self.arena.row_mut(chunk as usize)[0];
            self.free = std::mem::replace(place, fresh)[0];
            chunk
        }
    }
}

/// The most bytes that a bucket takes in the tree: nodes of 11 places are at least 5 full.
const TREE_BYTES: usize = 80;

/// A priority queue of node numbers in order of f = g + weight · h.
///
/// There are few pairs (g, h) and many nodes, so nodes are kept in one bucket per pair and only the buckets
/// are ordered. A node that is reached again on a shorter path goes into another bucket, and its old entry is
/// skipped when its turn comes: the list needs no way from a node to its place.
///
/// For comparison, a binary heap that knows each node's place and moves it up in such a case (Harder's
/// updatable heap) was measured in the same order and so with the same nodes. On the twelve easiest of Korf's
/// boards, with Manhattan distance, it took 2.3 s instead of 1.4 s and 136 MB instead of 94 MB for the whole
/// search; on a thousand random 3×3 boards 0.22 s instead of 0.15 s.
pub(super) struct OpenList {
    weight: f64,
    buckets: BTreeMap<Key, Bucket>,
    chunks: Chunks,
    live: u64,
    peak: u64,
    /// Live nodes by g + h, from `base` on.
    counts: Vec<u32>,
    base: u32,
    /// No live node is counted before this index of `counts`.
    least: usize,
}

impl OpenList {
    /// An empty list. `weight` is at least 1; `base` is the lower bound of the root.
    pub(super) fn new(weight: f64, base: u32) -> Self {
        Self {
            weight,
            buckets: BTreeMap::new(),
            chunks: Chunks {
                arena: Arena::new(1),
                free: NONE,
            },
            live: 0,
            peak: 0,
            counts: Vec::new(),
            base,
            least: 0,
        }
    }

    /// Adds a node that took `g` moves to reach and has at least `h` to go.
    pub(super) fn push(&mut self, node: u32, g: u32, h: u32) {
        let f = (f64::from(g) + self.weight * f64::from(h)).to_bits();
        let bucket = self.buckets.entry(Key { f, h, g });
        self.chunks.push(bucket.or_insert(Bucket::EMPTY), node);
        let sum = self.place(g, h);
        if sum >= self.counts.len() {
            self.counts.resize(sum + 1, 0);
        }
        self.counts[sum] += 1;
        self.least = self.least.min(sum);
        self.live += 1;
        self.peak = self.peak.max(self.live);
    }

    /// Records that a node pushed with these values is no longer waiting.
    pub(super) fn withdraw(&mut self, g: u32, h: u32) {
        let sum = self.place(g, h);
        self.counts[sum] -= 1;
        self.live -= 1;
    }

    /// Takes out the first node for which `is_live(node, g)` holds: one that was not withdrawn.
    pub(super) fn pop(&mut self, is_live: impl Fn(u32, u32) -> bool) -> Option<u32> {
        loop {
            let mut first = self.buckets.first_entry()?;
            let Key { g, h, .. } = *first.key();
            let node = self.chunks.pop(first.get_mut());
            if first.get().chunk == NONE {
                first.remove();
            }
            if is_live(node, g) {
                self.withdraw(g, h);
                return Some(node);
            }
        }
    }

    /// The least g + h of a live node; if the list is empty, more than that of any node so far.
    pub(super) fn least_sum(&mut self) -> u32 {
        while self.counts.get(self.least) == Some(&0) {
            self.least += 1;
        }
        self.base + self.least as u32
    }

    /// The greatest number of live nodes so far.
    pub(super) const fn peak(&self) -> u64 {
        self.peak
    }

    /// Frees nodes, as many as there are `left` bytes to be freed. The list is unusable afterwards.
    pub(super) fn shed(&mut self, left: &mut u64) {
        self.chunks.arena.shed(left);
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let counts = self.counts.capacity() * size_of::<u32>();
        let tree = self.buckets.len() * TREE_BYTES;
        self.chunks.arena.bytes() + (counts + tree) as u64
    }

    /// The bytes that so many pushes may need on top of those held.
    pub(super) fn headroom(&self, pushes: usize) -> u64 {
        let counts = 2 * (self.counts.capacity() + 4) * size_of::<u32>();
        self.chunks.arena.headroom(pushes) + (counts + pushes * TREE_BYTES) as u64
    }

    /// An inconsistent bound may fall below the root's, which remains proven all the same.
    fn place(&self, g: u32, h: u32) -> usize {
        (g + h).saturating_sub(self.base) as usize
    }
}
