//! What the calls of a connection share.

mod ahead;
mod inline;
mod rest;
mod shortage;

use std::sync::Arc;
use std::task::Waker;
use std::thread::sleep;
use std::time::{Duration, Instant};

use loyd::service::{Exchange, Lack, Patience, Peer};

/// So many bytes count as progress.
const PROGRESS: usize = 4 << 10;

const LONG: Duration = Duration::from_millis(50);

const NO_END: Patience = Patience {
    first: Duration::MAX,
    next: Duration::MAX,
    all: Duration::MAX,
    calls_alone: false,
};

/// What a peer exchanges with its call of this number, which has started.
fn started(peer: &Peer, call: u64) -> Arc<Exchange> {
    let exchange = peer.exchange(true);
    peer.runs(call);
    exchange.starts();
    exchange
}

#[test]
fn a_peer_waits_for_an_answer_once_it_has_begun() {
    let peer = Peer::new();
    let answer = peer.exchange(true);
    sleep(LONG);
    assert_eq!(peer.in_the_making(Duration::ZERO), 0);
    answer.begins();
    sleep(LONG);
    assert_eq!(peer.in_the_making(Duration::ZERO), 1);
}

#[test]
fn next_to_nothing_after_progress_is_no_progress() {
    let peer = Peer::new();
    let answer = peer.exchange(true);
    answer.begins();
    for (bytes, time) in [
        (PROGRESS - 1, Duration::ZERO),
        (1, LONG),
        (1, Duration::ZERO),
    ] {
        answer.handed_out(bytes);
        answer.taken();
        sleep(time);
    }
    assert_eq!(peer.in_the_making(LONG / 2), 1);
}

#[test]
fn a_peer_does_not_wait_for_an_answer_that_makes_progress() {
    // Unless the machine stalls, of which no peer is to blame.
    let is_told = || {
        let peer = Peer::new();
        let answer = peer.exchange(true);
        answer.begins();
        sleep(LONG);
        let begun = Instant::now();
        answer.handed_out(PROGRESS - 1);
        answer.taken();
        assert_eq!(peer.in_the_making(LONG / 2), 1);
        answer.handed_out(1);
        answer.taken();
        let waiting = peer.in_the_making(LONG / 2);
        (begun.elapsed() < LONG / 2).then_some(waiting)
    };
    assert_eq!((0..100).find_map(|_| is_told()), Some(0));
}

#[test]
fn answers_are_given_up_that_were_begun_and_are_left() {
    let peer = Peer::new();
    let hand_out = |call| {
        let answer = started(&peer, call);
        answer.has_arrived();
        answer.handed_out(1);
        answer
    };
    let untouched = hand_out(1);
    let begun = hand_out(2);
    begun.taken();
    let left = hand_out(3);
    left.taken();
    left.handed_out(1);
    peer.runs(0);
    sleep(LONG);
    assert!(peer.deaf_for() >= LONG);
    let next = |next| Patience { next, ..NO_END };
    assert!(peer.give_up(next(100 * LONG)).is_empty());
    assert_eq!(peer.give_up(next(LONG / 2)), [3]);
    assert!(left.is_given_up() && !begun.is_given_up() && !untouched.is_given_up());
    drop(untouched);
    assert_eq!(peer.deaf_for(), Duration::ZERO);
}

#[test]
fn answers_are_given_up_whose_pieces_have_waited_for_too_long_together() {
    let peer = Peer::new();
    let answer = started(&peer, 7);
    for _ in 0..3 {
        answer.handed_out(1);
        sleep(LONG);
        answer.taken();
    }
    let all = |all| Patience { all, ..NO_END };
    assert!(peer.give_up(all(100 * LONG)).is_empty());
    assert_eq!(peer.give_up(all(2 * LONG)), [7]);
}

#[test]
fn answers_may_be_given_up_that_nobody_has_begun_to_take() {
    let peer = Peer::new();
    let untouched = started(&peer, 3);
    untouched.handed_out(1);
    sleep(LONG);
    let first = |first| Patience { first, ..NO_END };
    assert!(peer.give_up(first(100 * LONG)).is_empty());
    assert_eq!(peer.give_up(first(LONG / 2)), [3]);
    assert!(untouched.is_given_up());
}

#[test]
fn for_the_places_of_calls_nothing_else_is_ended() {
    let peer = Peer::new();
    let [call, check] = [true, false].map(|is_call| peer.exchange(is_call));
    for (number, exchange) in [&call, &check].into_iter().enumerate() {
        peer.runs(1 + number as u64);
        exchange.starts();
        exchange.handed_out(1);
    }
    sleep(LONG);
    peer.refuse_requests(Lack::Places, LONG / 2);
    let waits = [&call, &check].map(|exchange| exchange.awaits(Waker::noop()).is_none());
    assert_eq!(waits, [false, true]);
    let first = LONG / 2;
    let calls_alone = |calls_alone| Patience {
        first,
        calls_alone,
        ..NO_END
    };
    assert_eq!(peer.give_up(calls_alone(true)), [1]);
    assert_eq!(peer.give_up(calls_alone(false)), [1, 2]);
}

#[test]
fn requests_are_refused_that_have_been_arriving_for_long() {
    let peer = Peer::new();
    let (arriving, arrived) = (peer.exchange(true), peer.exchange(true));
    arrived.has_arrived();
    sleep(LONG);
    peer.refuse_requests(Lack::Places, 100 * LONG);
    let waits = || [&arriving, &arrived].map(|exchange| exchange.awaits(Waker::noop()).is_none());
    assert_eq!(waits(), [true, true]);
    // As long as enough of it comes, it is waited for.
    arriving.arrives(PROGRESS - 1);
    arriving.arrives(1);
    peer.refuse_requests(Lack::Places, 100 * LONG);
    assert_eq!(waits(), [true, true]);
    arriving.arrives(PROGRESS - 1);
    sleep(LONG);
    peer.refuse_requests(Lack::Places, LONG / 2);
    assert_eq!(waits(), [false, true]);
}

#[test]
fn for_room_only_those_requests_are_refused_that_hold_some() {
    let peer = Peer::new();
    let (small, large) = (peer.exchange(true), peer.exchange(true));
    large.takes_room();
    sleep(LONG);
    peer.refuse_requests(Lack::Room, LONG / 2);
    let refusals = || [&small, &large].map(|exchange| exchange.awaits(Waker::noop()));
    assert_eq!(refusals(), [None, Some(Lack::Room)]);
    // Why it was refused does not change.
    peer.refuse_requests(Lack::Places, LONG / 2);
    assert_eq!(refusals(), [Some(Lack::Places), Some(Lack::Room)]);
}

#[test]
fn at_the_end_all_requests_are_refused_that_are_arriving() {
    let peer = Peer::new();
    let all = [
        peer.exchange(true),
        peer.exchange(false),
        peer.exchange(true),
    ];
    all[2].has_arrived();
    sleep(LONG);
    peer.refuse_requests(Lack::Time, Duration::ZERO);
    let refusals = all.map(|exchange| exchange.awaits(Waker::noop()));
    assert_eq!(refusals, [Some(Lack::Time), Some(Lack::Time), None]);
}
