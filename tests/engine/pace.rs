//! How far a search is advanced between two checks.

use std::time::Duration;

use loyd::engine::pace::{CHUNKS, LOOK, Pace};

const NANOSECOND: Duration = Duration::from_nanos(1);

#[test]
fn the_next_chunk_takes_as_long_as_it_should() {
    let mut pace = Pace::default();
    pace.adjust(LOOK / 4);
    let first = *CHUNKS.start();
    assert_eq!(pace.chunk(), 4 * first);
    pace.adjust(LOOK);
    assert_eq!(pace.chunk(), 4 * first);
    pace.adjust(2 * LOOK);
    assert_eq!(pace.chunk(), 2 * first);
}

#[test]
fn a_single_chunk_that_took_no_time_or_very_long_tells_little() {
    let mut pace = Pace::default();
    let mut expected = *CHUNKS.start();
    for _ in 0..2 {
        pace.adjust(Duration::ZERO);
        expected *= 8;
        assert_eq!(pace.chunk(), expected);
    }
    pace.adjust(Duration::MAX);
    assert_eq!(pace.chunk(), expected / 8);
}

#[test]
fn chunks_stay_within_their_bounds_whatever_the_speed() {
    let mut pace = Pace::default();
    assert_eq!(pace.chunk(), *CHUNKS.start());
    for (took, last) in [
        (NANOSECOND, *CHUNKS.end()),
        (1000 * LOOK, *CHUNKS.start()),
        (Duration::ZERO, *CHUNKS.end()),
        (Duration::MAX, *CHUNKS.start()),
    ] {
        for _ in 0..4 {
            pace.adjust(took);
            assert!(CHUNKS.contains(&pace.chunk()));
        }
        assert_eq!(pace.chunk(), last);
    }
}
