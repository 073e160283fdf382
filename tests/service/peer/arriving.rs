//! Whether a request arrives.

use std::task::Waker;
use std::thread::sleep;

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
