//! Memory that is read all over the place.

use std::alloc::{Layout, handle_alloc_error};

use memmap2::MmapMut;

/// So many bytes, all 0, on huge pages where there are such: with small ones most reads all over a
/// large table wait for the page's address before they wait for the byte.
pub(crate) fn zeroed(bytes: usize) -> MmapMut {
    let layout = Layout::array::<u8>(bytes.max(1)).expect("a table fits into the address space");
    let map = MmapMut::map_anon(layout.size());
    let map = map.unwrap_or_else(|_| handle_alloc_error(layout));
    // Where it is refused, small pages do as well, only slower.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    map
}
