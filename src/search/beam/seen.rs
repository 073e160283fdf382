//! Which boards the last few layers held: a table that forgets.

use crate::heuristic::pattern_database::prefetch;

/// Words of a bucket: a line of the cache.
const WORDS: usize = 16;

/// A narrow beam remembers more than its last few layers, lest it go in circles.
const LEAST_BUCKETS: usize = 256;

/// The first word of a bucket counts what was put in; the others hold fingerprints.
const PLACES: usize = WORDS - 1;

/// Fingerprints of boards in buckets of fifteen; the oldest of a bucket is forgotten first.
///
/// With a bucket for every node of a layer, boards are remembered for about five layers. A board
/// can only come back after an even number of moves, most often two or four layers on. Of four
/// thousand million new boards one is taken for a known one.
#[derive(Debug)]
pub(super) struct Seen {
    buckets: Vec<[u32; WORDS]>,
}

impl Seen {
    /// Nothing seen yet, with layers of at most so many nodes to come.
    pub(super) fn new(width: usize) -> Self {
        Self {
            buckets: vec![[0; WORDS]; width.max(LEAST_BUCKETS)],
        }
    }

    /// Calls for the memory that [`Self::insert`] will look at.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        prefetch(&self.buckets, self.bucket(hash));
    }

    #[inline]
    fn bucket(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.buckets.len() as u128) >> 64) as usize
    }

    /// Remembers a board; false when it is known already.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64) -> bool {
        let bucket = self.bucket(hash);
        let bucket = &mut self.buckets[bucket];
        // Bits that the choice of the bucket leaves almost free. 0 stands for an empty place, and small
        // numbers are counts.
        let fingerprint = ((hash >> 12) as u32).max(WORDS as u32);
        // Without an early end, so that it becomes a few vector comparisons.
        let known = bucket
            .iter()
            .fold(false, |known, &other| known | (other == fingerprint));
        if known {
            return false;
        }
        let count = bucket[0] as usize % PLACES;
        bucket[1 + count] = fingerprint;
        bucket[0] = count as u32 + 1;
        true
    }

    /// What the table takes for layers of so many nodes.
    pub(super) const fn bytes(width: usize) -> u64 {
        let buckets = if width > LEAST_BUCKETS {
            width
        } else {
            LEAST_BUCKETS
        };
        (buckets * size_of::<[u32; WORDS]>()) as u64
    }
}
