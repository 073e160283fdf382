//! The memory that all searches and answers share.

use std::sync::Arc;

use loyd::engine::memory::Memory;

const MB: u64 = 1 << 20;

#[test]
fn what_others_hold_is_not_what_there_is_too_little_of() {
    let memory = Arc::new(Memory::new(16 * MB, 1));
    let _all = memory.reserve(15 * MB).unwrap();
    for (bytes, own, has_room) in [
        (15 * MB, 0, true),
        (15 * MB + 1, 0, false),
        (14 * MB, MB, true),
        (14 * MB, MB + 1, false),
        (64 << 10, 16 * MB - (64 << 10), true),
        (64 << 10, 16 * MB, false),
        (u64::MAX, 1, false),
    ] {
        assert_eq!(
            memory.has_room(bytes, own),
            has_room,
            "{bytes} beside {own}"
        );
    }
}

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
    assert!(!growing.grow(u64::MAX));
    assert_eq!(memory.held(), 15 * MB);
    assert!(memory.reserve(1).is_some());
    drop(growing);
    assert!(memory.reserve(13 * MB).is_some());
}

#[test]
fn who_grows_is_told_that_others_are_in_the_way() {
    let memory = Arc::new(Memory::new(16 * MB, 2));
    let mut growing = memory.reserve(MB).unwrap();
    // Alone, it gets half of the 14 MB that are left, even though it asked for far more.
    assert!(!growing.grow(u64::MAX));
    assert_eq!(growing.bytes(), 8 * MB);
    growing.set(MB);
    let others = memory.reserve(3 * MB).unwrap();
    assert!(!growing.grow(u64::MAX));
    growing.set(MB);
    let more = memory.reserve(3 * MB).unwrap();
    assert!(growing.grow(u64::MAX));
    growing.set(MB);
    // Others do not cost it anything that it does not want.
    assert!(!growing.grow(2 * MB));
    drop((others, more));
}
