//! The end of a server, within the grace period, whatever the clients do.

use std::time::{Duration, Instant};

use super::connection::Connections;
use super::line::Line;
use crate::engine::Engine;

/// The last part of the grace period, in which calls that have not ended are answered UNAVAILABLE.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Lets calls in flight end, answers the rest UNAVAILABLE, and closes the connections that are left.
pub async fn drain(connections: &Connections, engine: &Engine, line: &Line, grace: Duration) {
    let begun = Instant::now();
    let last_words = LAST_WORDS.min(grace / 2);
    connections.tell_to_go();
    if !connections.ended_within(grace - last_words).await {
        engine.drain();
        line.close();
        connections.refuse_requests();
        if !connections.ended_within(last_words).await {
            let connections_left = connections.open();
            tracing::warn!(
                connections = connections_left,
                "closing the remaining connections"
            );
            connections.close().await;
        }
    }
    let elapsed_us = begun.elapsed().as_micros() as u64;
    tracing::info!(elapsed_us, "drained");
}
