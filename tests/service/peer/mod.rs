//! What the calls of a connection share.

mod ahead;
mod arriving;
mod exchange;
mod inline;
mod rest;
mod sending;
mod shortage;

use std::sync::Arc;
use std::time::Duration;

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
