//! The memory that all share.

use std::sync::Arc;

use loyd::engine::memory::Memory;

const MB: u64 = 1 << 20;

#[test]
fn the_last_of_the_memory_is_for_those_who_take_little() {
    let memory = Arc::new(Memory::new(16 * MB, 1));
    let first = memory.reserve(14 * MB);
    assert!(first.is_some());
    assert!(memory.reserve(MB + 1).is_none());
    let _second = memory.reserve(MB).unwrap();
    assert!(memory.reserve(64 << 10 | 1).is_none());
    let _small: Vec<_> = (0..16).map(|_| memory.reserve(64 << 10).unwrap()).collect();
    assert_eq!(memory.held(), 16 * MB);
    assert!(memory.reserve(1).is_none());
    drop(first);
    let mut growing = memory.reserve(MB).unwrap();
    growing.grow(u64::MAX);
    assert_eq!(memory.held(), 15 * MB);
    assert!(memory.reserve(1).is_some());
    drop(growing);
    assert!(memory.reserve(13 * MB).is_some());
}
