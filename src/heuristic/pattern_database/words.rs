//! The bits of a table, in memory of our own or in a file that is mapped into it.

use std::alloc::{Layout, handle_alloc_error};
use std::ops::Deref;

use memmap2::{Mmap, MmapMut};

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
    ///
    /// They stand on huge pages where there are such: look-ups go all over a table, and with small
    /// ones most of them wait for the page's address before they wait for the word.
    pub(super) fn built(length: usize, fill: impl FnOnce(&mut [u64])) -> Self {
        let layout = Layout::array::<u64>(length).expect("a table fits into the address space");
        let map = MmapMut::map_anon(layout.size());
        let mut map = map.unwrap_or_else(|_| handle_alloc_error(layout));
        // Where it is refused, small pages do as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
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
