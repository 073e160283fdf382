//! What the calls of a connection share.

mod ahead;
mod arriving;
mod exchange;
mod inline;
mod rest;
mod sending;
mod shortage;

use std::sync::Arc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use loyd::service::{Exchange, Patience, Peer};

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
fn a_peer_is_idle_since_its_last_call_was_seen() {
    let peer = Peer::new();
    let call = peer.exchange(true);
    sleep(LONG);
    let looked = Instant::now();
    assert!(peer.idle_for() <= looked.elapsed());
    drop(call);
    sleep(LONG);
    let idle = peer.idle_for();
    assert!(LONG <= idle && idle <= looked.elapsed(), "{idle:?}");
}

#[test]
fn what_is_over_is_forgotten() {
    let peer = Peer::new();
    let kept = || format!("{peer:?}").matches("(Weak)").count();
    for _ in 0..1000 {
        drop(peer.exchange(true));
    }
    assert!(kept() < 10, "{}", kept());
    let at_once: Vec<_> = (0..1000).map(|_| peer.exchange(true)).collect();
    assert!(kept() >= 1000);
    drop(at_once);
    peer.idle_for();
    assert_eq!(kept(), 0);
}
