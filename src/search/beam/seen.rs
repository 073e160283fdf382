//! Which boards the last few layers held: a table that forgets.

use memmap2::MmapMut;

use crate::heuristic::huge_pages;
use crate::heuristic::prefetch;

/// The words of a bucket: one cache line.
const WORDS: usize = 16;

/// A bucket, its words as bytes.
type Bucket = [u8; size_of::<[u32; WORDS]>()];

/// A narrow beam remembers more than its last few layers, lest it run in circles.
const LEAST_BUCKETS: usize = 256;

/// The bytes that the system zeroes in the time of a node.
const ZEROED_A_NODE: u64 = 1 << 10;

/// The first word of a bucket counts what was put in; the others hold fingerprints.
const PLACES: usize = WORDS - 1;

/// Fingerprints of boards in buckets of fifteen; the oldest of a bucket is forgotten first.
///
/// With one bucket for every two nodes of a layer, boards are remembered for six or seven layers. A board can
/// only recur after an even number of moves, most often two or four layers on. A fingerprint has 32 bits, so
/// about one in 290 million new boards is mistaken for a known one.
#[derive(Debug)]
pub(super) struct Seen {
    buckets: MmapMut,
    /// The first bytes of the memory are there; the rest comes when it is touched.
    touched: usize,
}

/// The least distance of two bytes that come with different touches.
const PAGE: usize = 4 << 10;

impl Seen {
    /// An empty table for layers of at most so many nodes.
    pub(super) fn new(width: usize) -> Self {
        Self {
            buckets: huge_pages::zeroed(buckets(width) * size_of::<Bucket>()),
            touched: 0,
        }
    }

    /// Touches more of its memory, as much as can be zeroed in the time of the nodes that are left, lest the
    /// first boards, each of which is put somewhere else, make all of it come at once. Returns whether all is
    /// there.
    pub(super) fn touch(&mut self, left: &mut u64) -> bool {
        while *left > 0 && self.touched < self.buckets.len() {
            self.buckets[self.touched] = 0;
            self.touched += PAGE;
            *left = left.saturating_sub(PAGE as u64 / ZEROED_A_NODE);
        }
        self.touched >= self.buckets.len()
    }

    /// Prefetches the memory that [`Self::insert`] will read.
    #[inline]
    pub(super) fn prefetch(&self, hash: u64) {
        let buckets: &[Bucket] = self.buckets.as_chunks().0;
        prefetch(buckets, bucket(hash, buckets.len()));
    }

    /// Remembers a board. Returns false if it is known already.
    #[inline(always)]
    pub(super) fn insert(&mut self, hash: u64) -> bool {
        let buckets: &mut [Bucket] = self.buckets.as_chunks_mut().0;
        let bucket = &mut buckets[bucket(hash, buckets.len())];
        let words = bucket.as_chunks_mut().0;
        // These bits are nearly independent of the choice of the bucket. 0 stands for an empty place, and
        // small numbers are counts.
        let fingerprint = ((hash >> 12) as u32).max(WORDS as u32);
        // Without an early exit, so that it compiles to a few vector comparisons.
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

    /// The bytes of the table for layers of so many nodes.
    pub(super) const fn bytes(width: usize) -> u64 {
        (buckets(width) * size_of::<Bucket>()) as u64
    }
}

/// The number of buckets for layers of so many nodes.
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
