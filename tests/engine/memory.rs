//! The memory that all searches and answers share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

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

#[test]
fn what_a_search_may_grow_by_is_there_for_those_who_come_meanwhile() {
    let memory = Arc::new(Memory::new(16 * MB, 1));
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let (begun, begins) = mpsc::channel();
        let (search, is_over) = (Arc::clone(&memory), &is_over);
        scope.spawn(move || {
            let mut growing = search.reserve(MB).unwrap();
            while !is_over.load(Ordering::Relaxed) {
                growing.grow(u64::MAX);
                let _ = begun.send(());
                thread::sleep(Duration::from_micros(50));
                growing.set(MB);
            }
        });
        begins.recv().unwrap();
        // On a busy machine the search may take longer than it is waited for.
        let reserved = (0..1_000).find_map(|_| memory.reserve(12 * MB));
        // What the search holds in earnest nobody else can have.
        let too_much = reserved.as_ref().and_then(|_| memory.reserve(3 * MB));
        is_over.store(true, Ordering::Relaxed);
        assert!(reserved.is_some());
        assert!(too_much.is_none());
    });
    assert_eq!(memory.held(), 0);
}

#[test]
fn who_waits_in_vain_for_what_others_may_grow_by_gets_nothing() {
    let memory = Arc::new(Memory::new(16 * MB, 1));
    let mut growing = memory.reserve(MB).unwrap();
    assert!(!growing.grow(u64::MAX));
    assert!(memory.reserve(2 * MB).is_none());
    assert_eq!(memory.held(), 15 * MB);
    growing.set(MB);
    assert!(memory.reserve(2 * MB).is_some());
    // Nothing is left to one who waits no more.
    assert!(!growing.grow(u64::MAX));
    assert_eq!(growing.bytes(), 15 * MB);
}
