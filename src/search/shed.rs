//! Giving memory back piece by piece, as dropping a gigabyte at once takes a fifth of a second.
//!
//! What sheds is told how many bytes are `left` to be freed now, and takes those that it frees off. It has
//! nothing more to free once any are left over.

/// The bytes that can be freed in the time of one node.
const BYTES_A_NODE: u64 = 2 << 10;

/// A list of at most so many bytes is freed at once, which takes two milliseconds at most. Besides, glibc's
/// allocator keeps blocks of up to this size for the next one who asks, who then need not wait for the system to
/// clear new memory; it learns that it should from blocks that are freed whole.
const AT_ONCE: u64 = 32 << 20;

/// The bytes that can be freed in the time of so many nodes; some in any case, so that what is left can be told.
pub(super) fn bytes(nodes: u64) -> u64 {
    nodes.max(1).saturating_mul(BYTES_A_NODE)
}

/// Frees a list, or only its end if it is long. What was in it is gone.
pub(super) fn list<T: Copy>(list: &mut Vec<T>, left: &mut u64) {
    if *left == 0 {
        return;
    }
    list.clear();
    let size = size_of::<T>() as u64;
    let room = list.capacity() as u64;
    let freed = if room * size <= AT_ONCE {
        room
    } else {
        room.min(left.div_ceil(size))
    };
    list.shrink_to((room - freed) as usize);
    *left = left.saturating_sub(freed * size);
}
