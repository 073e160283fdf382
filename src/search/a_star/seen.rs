//! Which boards were reached before: node numbers by the hash of their boards.

use hashbrown::HashTable;

/// The number of tables, each of which grows on its own: with a hundred million nodes, growing one moves a
/// hundred thousand entries rather than all.
const SHARDS: usize = 1024;

/// The bits of the hash are kept beside the node, so that growing reads memory in order instead of looking up
/// all the boards.
#[derive(Clone, Copy)]
struct Entry {
    hash: u32,
    node: u32,
}

/// Node numbers by hash. The boards themselves are elsewhere.
pub(super) struct Seen {
    shards: Vec<HashTable<Entry>>,
    bytes: u64,
    /// The bytes of the largest shard.
    largest: u64,
}

/// The most bytes of a shard that had none, and the most that rounding adds when one doubles.
const SMALLEST: u64 = 96;

/// The upper half of a hash selects the shard, the lower half the place within it.
const fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

/// The half that selects the place, at both ends of the word: hashbrown takes places from the lowest bits and
/// tags from the highest.
const fn widened(half: u32) -> u64 {
    (half as u64) << 32 | half as u64
}

impl Seen {
    pub(super) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| HashTable::new()).collect(),
            bytes: (SHARDS * size_of::<HashTable<Entry>>()) as u64,
            largest: 0,
        }
    }

    /// The node with this hash for which `is_it` holds.
    pub(super) fn find(&self, hash: u64, is_it: impl Fn(u32) -> bool) -> Option<u32> {
        let half = hash as u32;
        self.shards[shard_of(hash)]
            .find(widened(half), |entry| {
                entry.hash == half && is_it(entry.node)
            })
            .map(|entry| entry.node)
    }

    /// Adds a node that is not there. Returns how many bytes were held for a moment beyond those held now: a
    /// table that grows exists twice.
    pub(super) fn insert(&mut self, hash: u64, node: u32) -> u64 {
        let number = shard_of(hash);
        let shard = &mut self.shards[number];
        let mut released = 0;
        // If left alone, all shards would fill up and grow at about the same time. So each grows at its own
        // load, between seven eighths and all of what hashbrown allows.
        let capacity = shard.capacity();
        if shard.len() >= capacity * (7 * SHARDS + number) / (8 * SHARDS) {
            released = shard.allocation_size() as u64;
            shard.reserve(capacity + 1 - shard.len(), |entry| widened(entry.hash));
            let held = shard.allocation_size() as u64;
            self.bytes += held - released;
            self.largest = self.largest.max(held);
        }
        let hash = hash as u32;
        shard.insert_unique(widened(hash), Entry { hash, node }, |entry| {
            widened(entry.hash)
        });
        released
    }

    /// Frees shards, as many as there are `left` bytes to be freed. The set is unusable afterwards.
    pub(super) fn shed(&mut self, left: &mut u64) {
        while *left > 0
            && let Some(shard) = self.shards.pop()
        {
            let freed = shard.allocation_size() as u64;
            self.bytes -= freed;
            *left = left.saturating_sub(freed);
        }
    }

    /// Bytes held.
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The bytes that so many insertions may need on top of those held: each doubles a shard, and the last
    /// exists twice for a moment.
    pub(super) const fn headroom(&self, insertions: u64) -> u64 {
        (insertions + 1) * (self.largest + SMALLEST)
    }
}
