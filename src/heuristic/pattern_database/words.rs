//! The bits of a table, in the process's own memory or in a mapped file.

use std::ops::Deref;

use memmap2::{Mmap, MmapMut};

use crate::heuristic::huge_pages;

/// The words of a table, wherever they are stored.
#[derive(Debug)]
pub(super) enum Words {
    /// Built by this process.
    Built(MmapMut),
    /// In a file. Mapped pages are shared with other processes and are read on demand.
    Mapped {
        /// The mapped file.
        map: Mmap,
        /// The offset of the words in the file, in bytes: a multiple of eight.
        begin: usize,
    },
}

impl Words {
    /// Allocates zeroed words and passes them to `fill`.
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
