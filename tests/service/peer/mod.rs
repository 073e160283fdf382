//! What the calls of a connection share.

mod ahead;
mod inline;
mod rest;

use std::thread::sleep;
use std::time::{Duration, Instant};

use loyd::service::Peer;

/// So many bytes count as progress.
const PROGRESS: usize = 4 << 10;

const LONG: Duration = Duration::from_millis(50);

#[test]
fn a_peer_waits_for_an_answer_once_it_has_begun() {
    let peer = Peer::new();
    let answer = peer.sending();
    sleep(LONG);
    assert_eq!(peer.in_the_making(Duration::ZERO), 0);
    answer.begins();
    sleep(LONG);
    assert_eq!(peer.in_the_making(Duration::ZERO), 1);
}

#[test]
fn next_to_nothing_after_progress_is_no_progress() {
    let peer = Peer::new();
    let answer = peer.sending();
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
        let answer = peer.sending();
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
        let answer = peer.sending();
        peer.runs(call);
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
    assert!(peer.give_up(2 * LONG, Duration::MAX).is_empty());
    assert_eq!(peer.give_up(LONG / 2, Duration::MAX), [3]);
    assert!(left.is_given_up() && !begun.is_given_up() && !untouched.is_given_up());
    drop(untouched);
    assert_eq!(peer.deaf_for(), Duration::ZERO);
}

#[test]
fn answers_are_given_up_whose_pieces_have_waited_for_too_long_together() {
    let peer = Peer::new();
    let answer = peer.sending();
    peer.runs(7);
    for _ in 0..3 {
        answer.handed_out(1);
        sleep(LONG);
        answer.taken();
    }
    let (piece, all) = (Duration::MAX, 3 * LONG);
    assert!(peer.give_up(piece, 100 * all).is_empty());
    assert_eq!(peer.give_up(piece, all - LONG / 2), [7]);
}
