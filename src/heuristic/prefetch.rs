//! Prefetching of memory.

/// Asks the processor to fetch an item. Does nothing on architectures other than x86-64.
#[inline]
#[allow(
    unsafe_code,
    reason = "without it a node takes a quarter longer on 5×5, and half as long again on 4×4"
)]
pub(crate) fn prefetch<T>(items: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let item = items.as_ptr().wrapping_add(index);
        // SAFETY: a prefetch reads nothing and never faults, wherever it points. All processors of
        // this architecture support it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(item.cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (items, index);
}
