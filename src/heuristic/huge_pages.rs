//! Memory for tables that are read in random order.

use std::alloc::{Layout, handle_alloc_error};

use memmap2::MmapMut;

/// Allocates zeroed bytes, on huge pages where the system has them. With small pages, most random
/// reads of a large table wait for the translation of the address before they wait for the byte.
pub(crate) fn zeroed(bytes: usize) -> MmapMut {
    let layout = Layout::array::<u8>(bytes.max(1)).expect("a table fits into the address space");
    let map = MmapMut::map_anon(layout.size());
    let map = map.unwrap_or_else(|_| handle_alloc_error(layout));
    // If the advice is refused, small pages work too, but more slowly.
    #[cfg(target_os = "linux")]
    let _ = map.advise(memmap2::Advice::HugePage);
    map
}
