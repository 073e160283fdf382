//! Which boards the last few layers held: a table that forgets.

use memmap2::MmapMut;

use crate::heuristic::huge_pages;
use crate::heuristic::pattern_database::prefetch;

/// Words of a bucket: a line of the cache.
const WORDS: usize = 16;

/// A bucket, its words as bytes.
type Bucket = [u8; size_of::<[u32; WORDS]>()];

/// A narrow beam remembers more than its last few layers, lest it go in circles.
const LEAST_BUCKETS: usize = 256;

/// The first word of a bucket counts what was put in; the others hold fingerprints.
const PLACES: usize = WORDS - 1;

/// Fingerprints of boards in buckets of fifteen; the oldest of a bucket is forgotten first.
///
/// With a bucket for every two nodes of a layer, boards are remembered for six layers or seven. A board
/// can only come back after an even number of moves, most often two or four layers on. Of four
/// thousand million new boards one is taken for a known one.
#[derive(Debug)]
pub(super) struct Seen {
    buckets: MmapMut,
}

impl Seen {
    /// Nothing seen yet, with layers of at most so many nodes to come.
    pub(super) fn new(width: usize) -> Self {
        Self {
            buckets: huge_pages::zeroed(buckets(width) * size_of::<Bucket>()),
        }
    }

    /// Calls for the memory that [`Self::insert`] will look at.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let buckets: &[Bucket] = self.buckets.as_chunks().0;
        prefetch(buckets, bucket(hash, buckets.len()));
    }

    /// Remembers a board; false when it is known already.
    #[inline]
    pub(super) fn insert(&mut self, hash: u64) -> bool {
        let buckets: &mut [Bucket] = self.buckets.as_chunks_mut().0;
        let bucket = &mut buckets[bucket(hash, buckets.len())];
        let words = bucket.as_chunks_mut().0;
        // Bits that the choice of the bucket leaves almost free. 0 stands for an empty place, and small
        // numbers are counts.
        let fingerprint = ((hash >> 12) as u32).max(WORDS as u32);
        // Without an early end, so that it becomes a few vector comparisons.
        let known = words.iter().fold(false, |known, &other| {
            known | (u32::from_ne_bytes(other) == fingerprint)
        });
        if known {
            return false;
        }
        let count = u32::from_ne_bytes(words[0]) as usize % PLACES;
        words[1 + count] = fingerprint.to_ne_bytes();
        words[0] = (count as u32 + 1).to_ne_bytes();
        true
    }

    /// What the table takes for layers of so many nodes.
    pub(super) const fn bytes(width: usize) -> u64 {
        (buckets(width) * size_of::<Bucket>()) as u64
    }
}

/// How many buckets there are for layers of so many nodes.
const fn buckets(width: usize) -> usize {
    if width / 2 > LEAST_BUCKETS {
        width / 2
    } else {
        LEAST_BUCKETS
    }
}

/// The bucket of a board.
#[inline]
fn bucket(hash: u64, buckets: usize) -> usize {
    ((u128::from(hash) * buckets as u128) >> 64) as usize
}
