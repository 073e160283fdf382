//! Whether newcomers have had to wait for long.

use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::standing_line::StandingLine;

use crate::fake::PATIENCE;

const MS: Duration = Duration::from_millis(1);

#[test]
fn a_line_stands_once_nobody_has_come_through_for_long() {
    let line = StandingLine::default();
    let begun = Instant::now();
    // On a busy machine one may come so long after the last that another line begins.
    while !line.stands(true) {
        assert!(begun.elapsed() < PATIENCE, "it never stands");
        thread::sleep(5 * MS);
    }
    assert!(begun.elapsed() > 100 * MS, "{:?}", begun.elapsed());
    assert!(!line.stands(false));
    assert!(!line.stands(true));
}

#[test]
fn who_comes_long_after_the_others_begins_another_line() {
    let line = StandingLine::default();
    assert!(!line.stands(true));
    thread::sleep(110 * MS);
    assert!(!line.stands(true));
}
