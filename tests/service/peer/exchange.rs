//! Which requests are refused, and which calls given up, because others lack what they hold.

use std::task::Waker;
use std::thread::sleep;
use std::time::Duration;

use loyd::service::{Lack, Patience, Peer};

use super::{LONG, NO_END};

#[test]
fn for_the_places_of_calls_nothing_else_is_ended() {
    let peer = Peer::new();
    let [call, check] = [true, false].map(|is_call| peer.exchange(is_call));
    for (number, exchange) in [&call, &check].into_iter().enumerate() {
        peer.runs(1 + number as u64);
        exchange.starts();
        exchange.answer().handed_out(1);
    }
    sleep(LONG);
    peer.refuse_requests(Lack::Places, LONG / 2);
    let waits = [&call, &check].map(|exchange| exchange.request().awaits(Waker::noop()).is_none());
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
fn for_room_only_those_requests_are_refused_that_hold_some() {
    let peer = Peer::new();
    let (small, large) = (peer.exchange(true), peer.exchange(true));
    large.request().takes_room();
    sleep(LONG);
    peer.refuse_requests(Lack::Room, LONG / 2);
    let refusals = || [&small, &large].map(|exchange| exchange.request().awaits(Waker::noop()));
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
    all[2].request().has_arrived();
    sleep(LONG);
    peer.refuse_requests(Lack::Time, Duration::ZERO);
    let refusals = all.map(|exchange| exchange.request().awaits(Waker::noop()));
    assert_eq!(refusals, [Some(Lack::Time), Some(Lack::Time), None]);
}
