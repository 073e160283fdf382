//! The end of a server: within the grace, whatever the clients do.

use std::time::{Duration, Instant};

use super::health::Health;
use super::listener::Connections;
use crate::config::ServeConfig;
use crate::engine::Engine;

/// The last part of the grace in which calls that have not ended are told UNAVAILABLE.
const FAREWELL: Duration = Duration::from_secs(1);

/// Takes leave of the balancer, then of the clients. Connections are accepted for as long as
/// `accept` is there.
pub async fn drain(
    accept: impl Future<Output = ()>,
    connections: &Connections,
    health: &mut Health,
    engine: &Engine,
    config: &ServeConfig,
) {
    tracing::info!(
        delay = ?config.drain_delay,
        grace = ?config.drain_grace,
        "draining: health says NOT_SERVING"
    );
    health.take_leave().await;
    // Closes the listener in the end: who comes then is refused at once and tries another replica.
    let _over = tokio::time::timeout(config.drain_delay, accept).await;
    health.end().await;

    let begun = Instant::now();
    let grace = config.drain_grace;
    let farewell = FAREWELL.min(grace / 2);
    connections.tell_to_go();
    if !connections.ended_within(grace - farewell).await {
        engine.drain();
        if !connections.ended_within(farewell).await {
            let connections_left = connections.open();
            tracing::warn!(connections = connections_left, "closing what has not ended");
            connections.close().await;
        }
    }
    tracing::info!(elapsed = ?begun.elapsed(), "drained");
}
