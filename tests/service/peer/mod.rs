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
    assert_eq!(peer.waiting_for_us(Duration::ZERO), 0);
    answer.begins();
    sleep(LONG);
    assert_eq!(peer.waiting_for_us(Duration::ZERO), 1);
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
    assert_eq!(peer.waiting_for_us(LONG / 2), 1);
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
        assert_eq!(peer.waiting_for_us(LONG / 2), 1);
        answer.handed_out(1);
        answer.taken();
        let waiting = peer.waiting_for_us(LONG / 2);
        (begun.elapsed() < LONG / 2).then_some(waiting)
    };
    assert_eq!((0..100).find_map(|_| is_told()), Some(0));
}
