//! How far a search is advanced between two checks.

use std::thread::sleep;
use std::time::{Duration, Instant};

use loyd::engine::pace::{CHUNKS, Pace};

use crate::fake::PATIENCE;

#[test]
fn chunks_grow_while_they_are_done_soon_and_shrink_once_they_take_long() {
    let mut pace = Pace::default();
    assert_eq!(pace.chunk(), *CHUNKS.start());
    // On a busy machine even nothing may take long.
    let begun = Instant::now();
    while pace.chunk() < *CHUNKS.end() {
        pace.time(|| ());
        assert!(CHUNKS.contains(&pace.chunk()));
        assert!(begun.elapsed() < PATIENCE, "it never gets there");
    }
    for halved in 1..=10 {
        pace.time(|| sleep(Duration::from_micros(200)));
        let expected = (CHUNKS.end() >> halved).max(*CHUNKS.start());
        assert_eq!(pace.chunk(), expected);
    }
}
