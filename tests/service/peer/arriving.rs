//! Whether a request arrives.

use std::task::Waker;
use std::thread::sleep;
use std::time::Instant;

use loyd::service::{Lack, Peer};

use super::{LONG, PROGRESS};

#[test]
fn requests_are_refused_that_have_been_arriving_for_long() {
    let peer = Peer::new();
    let (arriving, arrived) = (peer.exchange(true), peer.exchange(true));
    arrived.request().has_arrived();
    sleep(LONG);
    peer.refuse_requests(Lack::Places, 100 * LONG);
    let waits =
        || [&arriving, &arrived].map(|exchange| exchange.request().awaits(Waker::noop()).is_none());
    assert_eq!(waits(), [true, true]);
    // As long as enough of it comes, it is waited for.
    arriving.request().arrives(PROGRESS - 1);
    arriving.request().arrives(1);
    peer.refuse_requests(Lack::Places, 100 * LONG);
    assert_eq!(waits(), [true, true]);
    arriving.request().arrives(PROGRESS - 1);
    sleep(LONG);
    peer.refuse_requests(Lack::Places, LONG / 2);
    assert_eq!(waits(), [false, true]);
}

#[test]
fn a_request_that_makes_progress_is_waited_for() {
    // Unless the machine stalls, of which no peer is to blame.
    let is_waited_for = || {
        let peer = Peer::new();
        let arriving = peer.exchange(true);
        sleep(LONG);
        let begun = Instant::now();
        arriving.request().arrives(PROGRESS);
        peer.refuse_requests(Lack::Places, LONG / 2);
        let refused = arriving.request().awaits(Waker::noop());
        (begun.elapsed() < LONG / 2).then_some(refused.is_none())
    };
    assert_eq!((0..100).find_map(|_| is_waited_for()), Some(true));
}
