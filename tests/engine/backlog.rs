//! The service owed to searches, and which other searches wait for it.

use std::sync::Arc;
use std::time::Duration;

use loyd::engine::average::Average;
use loyd::engine::backlog::{Backlog, Until};
use loyd::engine::pool::LEAST_SLICE;

const MS: Duration = Duration::from_millis(1);

fn taking(time: Duration) -> Arc<Average> {
    let average = Arc::<Average>::default();
    average.learn(time);
    average
}

#[test]
fn a_search_waits_for_those_that_take_as_much_or_less() {
    let backlog = Arc::<Backlog>::default();
    let _small = backlog.promise(Until::Found, &taking(MS / 20));
    let _large = backlog.promise(Until::Found, &taking(40 * MS));
    assert_eq!(backlog.before(Duration::ZERO), MS / 10);
    assert_eq!(backlog.before(10 * MS), MS / 10);
    assert_eq!(backlog.before(80 * MS), 80 * MS + MS / 10);
    assert_eq!(backlog.before(Duration::MAX), 80 * MS + MS / 10);
}

#[test]
fn service_is_owed_until_it_was_had_or_is_of_no_use() {
    let backlog = Arc::<Backlog>::default();
    let mut first = backlog.promise(Until::Found, &taking(5 * MS));
    let second = backlog.promise(Until::Found, &taking(5 * MS));
    first.served(3 * MS);
    assert_eq!(backlog.before(10 * MS), 17 * MS);
    first.served(25 * MS);
    assert_eq!(backlog.before(10 * MS), 10 * MS);
    drop(second);
    assert_eq!(backlog.before(10 * MS), Duration::ZERO);
    first.keep(30 * MS);
    assert_eq!(backlog.before(10 * MS), Duration::ZERO);
}

#[test]
fn answers_teach_what_to_promise_and_proofs_no_more_than_is_ever_promised() {
    let backlog = Arc::<Backlog>::default();
    let average = Arc::<Average>::default();
    backlog.promise(Until::Found, &average).keep(30 * MS);
    assert_eq!(average.get(), 30 * MS);
    let proofs = Arc::<Average>::default();
    backlog.promise(Until::Proven, &proofs).keep(30 * MS);
    assert_eq!(proofs.get(), 2 * MS);
}

#[test]
fn who_was_left_half_done_teaches_that_it_takes_more() {
    let backlog = Arc::<Backlog>::default();
    let average = taking(8 * MS);
    let mut left = backlog.promise(Until::Found, &average);
    left.served(4 * MS);
    drop(left);
    assert_eq!(average.get(), 8 * MS);
    let mut left = backlog.promise(Until::Found, &average);
    left.served(16 * MS);
    drop(left);
    assert_eq!(average.get(), 9 * MS);
}

#[test]
fn a_search_waits_for_none_that_takes_several_times_as_much() {
    let backlog = Arc::<Backlog>::default();
    // It takes twice as much.
    let _other = backlog.promise(Until::Found, &taking(LEAST_SLICE));
    assert_eq!(backlog.before(LEAST_SLICE / 2), Duration::ZERO);
    assert_eq!(backlog.before(LEAST_SLICE), 2 * LEAST_SLICE);
}

#[test]
fn newcomers_leave_a_search_what_is_left_of_its_promise_or_all_until_it_has_found_something() {
    let backlog = Arc::<Backlog>::default();
    let mut first = backlog.promise(Until::Found, &taking(5 * MS));
    let mut proof = backlog.promise(Until::Proven, &taking(5 * MS));
    for (served, owed) in [(0, 10), (3, 7), (4, 6), (10, 0), (12, 0)] {
        first.served(served * MS);
        proof.served(served * MS);
        assert_eq!((first.owed(), proof.owed()), (Duration::MAX, owed * MS));
    }
}

#[test]
fn what_has_kept_a_promise_teaches_once() {
    let backlog = Arc::<Backlog>::default();
    let average = taking(8 * MS);
    let mut kept = backlog.promise(Until::Found, &average);
    kept.served(16 * MS);
    kept.keep(24 * MS);
    assert_eq!(average.get(), 10 * MS);
}
