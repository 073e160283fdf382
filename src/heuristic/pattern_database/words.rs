//! The bits of a table, in memory of our own or in a file that is mapped into it.

use std::ops::Deref;

use memmap2::{Mmap, MmapMut};

use crate::heuristic::huge_pages;

/// Whole words, wherever they are.
#[derive(Debug)]
pub(super) enum Words {
    /// Built by this process.
    Built(MmapMut),
    /// In a file: mapped pages are shared with other processes, and read as they are needed.
    Mapped {
        /// The file.
        map: Mmap,
        /// Where in it the words begin, in bytes: a multiple of eight.
        begin: usize,
    },
}

impl Words {
    /// So many words of our own, all 0 until `fill` has been there.
    pub(super) fn built(length: usize, fill: impl FnOnce(&mut [u64])) -> Self {
        let mut map = huge_pages::zeroed(length.saturating_mul(size_of::<u64>()));
        fill(bytemuck::cast_slice_mut(&mut map));
        Self::Built(map)
    }
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Self::Built(map) => bytemuck::cast_slice(map),
            Self::Mapped { map, begin } => bytemuck::cast_slice(&map[*begin..]),
        }
    }
}
