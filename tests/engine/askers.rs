//! Whose time a search goes by, and whose time is up.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use loyd::engine::askers::Askers;

/// Seconds after the start.
type Seconds = u64;

/// Those who have come in this order, with a clock that is set by hand.
fn come(dues: &[Seconds]) -> (Askers, impl Fn(Seconds) -> Instant) {
    let start = Instant::now();
    let at = move |seconds| start + Duration::from_secs(seconds);
    let mut askers = Askers::new(start);
    for &due in dues {
        askers.add(at(due));
    }
    (askers, at)
}

#[test]
fn the_time_of_the_first_to_come_counts_until_it_is_up_or_passed_over() {
    for (dues, passed_over, now, expected) in [
        (&[][..], None, 0, None),
        (&[30], None, 0, Some(30)),
        (&[30], None, 30, None),
        // The first to come, not the one with the least time or with the most.
        (&[30, 10, 40], None, 0, Some(30)),
        (&[30, 10, 40], None, 29, Some(30)),
        (&[30, 10, 40], None, 30, Some(40)),
        (&[10, 40, 30], None, 10, Some(40)),
        (&[10, 40, 30], None, 40, None),
        // Whoever has less time than the one passed over is passed over, too.
        (&[30, 10, 40], Some(30), 0, Some(40)),
        (&[30, 10, 30, 40], Some(30), 0, Some(40)),
        (&[30, 10, 40], Some(10), 0, Some(30)),
        (&[30, 10, 40], Some(10), 30, Some(40)),
        (&[30, 10, 40], Some(30), 40, None),
    ] {
        let (mut askers, at) = come(dues);
        assert!(passed_over.is_none_or(|due| askers.pass_over(Some(at(due)))));
        let case = (dues, passed_over, now);
        assert_eq!(askers.due(at(now)), expected.map(&at), "{case:?}");
    }
}

#[test]
fn the_time_of_one_who_leaves_counts_no_more() {
    let (mut askers, at) = come(&[]);
    let ups = [30, 10, 30].map(|due| askers.add(at(due)));
    for (up, expected) in ups.iter().zip([Some(10), Some(30), None]) {
        assert!(!askers.is_empty());
        askers.remove(up);
        assert_eq!(askers.due(at(0)), expected.map(&at));
    }
    assert!(askers.is_empty());
}

#[test]
fn a_search_is_closing_once_nobody_has_more_time_than_those_passed_over() {
    for (dues, passed_over, is_closing) in [
        (&[30, 10, 40][..], Some(30), false),
        (&[30, 10, 40], Some(40), true),
        (&[30, 30], Some(30), true),
        // All have left since the search was told a time.
        (&[], Some(30), true),
        // Nobody's time counted.
        (&[30], None, true),
    ] {
        let (mut askers, at) = come(dues);
        assert!(!askers.is_closing());
        let goes_on = askers.pass_over(passed_over.map(at));
        let expected = (!is_closing, is_closing);
        let case = (dues, passed_over);
        assert_eq!((goes_on, askers.is_closing()), expected, "{case:?}");
    }
}

#[test]
fn each_is_told_once_that_its_time_is_up() {
    let (mut askers, at) = come(&[]);
    // What is up at the start is known.
    let dues = [30, 10, 30, 20, 0];
    let ups = dues.map(|due| askers.add(at(due)));
    for (now, expected) in [
        (0, &[][..]),
        (9, &[]),
        (10, &[10]),
        (10, &[]),
        (29, &[20]),
        (30, &[30, 30]),
        (40, &[]),
    ] {
        let up = askers.take_due(at(now));
        up.iter().for_each(|up| up.notify_one());
        let told = dues.iter().zip(&ups);
        let told = told.filter(|(_, up)| up.notified().now_or_never().is_some());
        let told: Vec<_> = told.map(|(&due, _)| due).collect();
        assert_eq!(told, expected, "at {now} s");
    }
}
