//! The bits of a table, in memory of our own or in a file that is mapped into it.

use std::ops::Deref;

use memmap2::Mmap;

/// Whole words, wherever they are.
#[derive(Debug)]
pub(super) enum Words {
    /// Built by this process.
    Built(Box<[u64]>),
    /// In a file: mapped pages are shared with other processes, and read as they are needed.
    Mapped {
        /// The file.
        map: Mmap,
        /// Where in it the words begin, in bytes: a multiple of eight.
        begin: usize,
    },
}

impl Deref for Words {
    type Target = [u64];

    #[inline]
    fn deref(&self) -> &[u64] {
        match self {
            Self::Built(words) => words,
            Self::Mapped { map, begin } => bytemuck::cast_slice(&map[*begin..]),
        }
    }
}
