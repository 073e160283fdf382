//! What glibc's allocator keeps of the memory that is freed.
//!
//! Left to itself, it comes to keep freed blocks of up to 32 MB for the next one who asks, in up to eight arenas for each
//! core, so that the process takes a multiple of what it uses. Where memory is short, that is what a container is killed
//! for. Other allocators are left alone.

pub(crate) use kept::{suit, trim};

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(
    unsafe_code,
    reason = "the standard library has no way to tell the allocator how much to keep"
)]
mod kept {
    use std::ffi::c_int;

    /// The bytes from which on a process has memory to spare: there it pays to keep what was freed.
    const ENOUGH: u64 = 512 << 20;

    /// The bytes of a process for each of its arenas.
    const ARENA: u64 = 16 << 20;

    /// The size that glibc begins with, in bytes, of blocks that are mapped, and unmapped when they are freed.
    const MAPPED: u64 = 128 << 10;

    // The numbers of settings in malloc.h.
    const M_MMAP_THRESHOLD: c_int = -3;
    const M_ARENA_MAX: c_int = -8;

    unsafe extern "C" {
        safe fn mallopt(setting: c_int, value: c_int) -> c_int;
        safe fn malloc_trim(pad: usize) -> c_int;
    }

    /// Has little kept in a process that may use so many bytes. Must be called before there is a second thread: the first
    /// one that needs an arena of its own settles how many there may be.
    pub(crate) fn suit(bytes: u64) {
        if bytes < ENOUGH {
            // If glibc refuses, all remains as it was. A threshold that is set no longer grows. From 256 MB on, the memory
            // of a search by pattern databases stays below it: to map it for each search costs a tenth of an easy one.
            let _ = mallopt(M_MMAP_THRESHOLD, MAPPED.max(bytes / 128) as c_int);
            let _ = mallopt(M_ARENA_MAX, (bytes / ARENA).max(1) as c_int);
        }
    }

    /// Returns to the system what was freed until now.
    pub(crate) fn trim() {
        // The result only says whether there was anything.
        let _ = malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod kept {
    pub(crate) fn suit(_bytes: u64) {}

    pub(crate) fn trim() {}
}
