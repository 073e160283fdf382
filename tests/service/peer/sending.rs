//! Whether the peer takes an answer.

use std::thread::sleep;
use std::time::{Duration, Instant};

use loyd::service::{Patience, Peer};

use super::{LONG, NO_END, PROGRESS, started};

#[test]
fn a_peer_waits_for_an_answer_once_it_has_begun() {
    let peer = Peer::new();
    let call = peer.exchange(true);
    sleep(LONG);
    assert_eq!(peer.in_the_making(Duration::ZERO), 0);
    call.answer().begins();
    sleep(LONG);
    assert_eq!(peer.in_the_making(Duration::ZERO), 1);
}

#[test]
fn next_to_nothing_after_progress_is_no_progress() {
    let peer = Peer::new();
    let call = peer.exchange(true);
    call.answer().begins();
    for (bytes, time) in [
        (PROGRESS - 1, Duration::ZERO),
        (1, LONG),
        (1, Duration::ZERO),
    ] {
        call.answer().handed_out(bytes);
        call.answer().taken();
        sleep(time);
    }
    assert_eq!(peer.in_the_making(LONG / 2), 1);
}

#[test]
fn a_peer_does_not_wait_for_an_answer_that_makes_progress() {
    // Unless the machine stalls, of which no peer is to blame.
    let is_told = || {
        let peer = Peer::new();
        let call = peer.exchange(true);
        call.answer().begins();
        sleep(LONG);
        let begun = Instant::now();
        call.answer().handed_out(PROGRESS - 1);
        call.answer().taken();
        assert_eq!(peer.in_the_making(LONG / 2), 1);
        call.answer().handed_out(1);
        call.answer().taken();
        let waiting = peer.in_the_making(LONG / 2);
        (begun.elapsed() < LONG / 2).then_some(waiting)
    };
    assert_eq!((0..100).find_map(|_| is_told()), Some(0));
}

#[test]
fn answers_are_given_up_that_were_begun_and_are_left() {
    let peer = Peer::new();
    let hand_out = |number| {
        let call = started(&peer, number);
        call.request().has_arrived();
        call.answer().handed_out(1);
        call
    };
    let untouched = hand_out(1);
    let begun = hand_out(2);
    begun.answer().taken();
    let left = hand_out(3);
    left.answer().taken();
    left.answer().handed_out(1);
    peer.runs(0);
    sleep(LONG);
    assert!(peer.deaf_for() >= LONG);
    let next = |next| Patience { next, ..NO_END };
    assert!(peer.give_up(next(100 * LONG)).is_empty());
    assert_eq!(peer.give_up(next(LONG / 2)), [3]);
    let given_up = [&untouched, &begun, &left].map(|call| call.answer().is_given_up());
    assert_eq!(given_up, [false, false, true]);
    drop(untouched);
    assert_eq!(peer.deaf_for(), Duration::ZERO);
}

#[test]
fn answers_are_given_up_whose_pieces_have_waited_for_too_long_together() {
    let peer = Peer::new();
    let call = started(&peer, 7);
    for is_taken in [true, true, false] {
        call.answer().handed_out(1);
        sleep(LONG);
        if is_taken {
            call.answer().taken();
        }
    }
    let all = |all| Patience { all, ..NO_END };
    assert!(peer.give_up(all(100 * LONG)).is_empty());
    assert_eq!(peer.give_up(all(LONG * 5 / 2)), [7]);
}

#[test]
fn answers_may_be_given_up_that_nobody_has_begun_to_take() {
    let peer = Peer::new();
    let untouched = started(&peer, 3);
    untouched.answer().handed_out(1);
    sleep(LONG);
    let first = |first| Patience { first, ..NO_END };
    assert!(peer.give_up(first(100 * LONG)).is_empty());
    assert_eq!(peer.give_up(first(LONG / 2)), [3]);
    // It stays so, and is told once.
    assert!(peer.give_up(first(100 * LONG)).is_empty());
    assert!(untouched.answer().is_given_up());
}
