//! How connections end.

use std::net::SocketAddr;

use super::transport::FLOOD;
use crate::service::caught::caught;
use crate::telemetry;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The peer was done with it.
    Peer,
    /// The peer, or the network between, vanished.
    Lost,
    /// There was no room for it.
    Limit,
    /// It never got to a first call: no TLS, no HTTP/2, or not in time.
    Handshake,
    /// The peer broke the rules of HTTP/2.
    Protocol,
    /// The peer sent more than its share of frames that ask for nothing.
    Flood,
    /// The peer did not read what it had asked for.
    Stalled,
    /// Nothing was asked for a long time.
    Idle,
    /// It had reached its maximum age.
    Age,
    /// The server shuts down.
    Drain,
    /// The code that served it panicked.
    Defect,
}

impl End {
    /// The label in metrics.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Peer => "peer",
            Self::Lost => "lost",
            Self::Limit => "limit",
            Self::Handshake => "handshake",
            Self::Protocol => "protocol",
            Self::Flood => "flood",
            Self::Stalled => "stalled",
            Self::Idle => "idle",
            Self::Age => "age",
            Self::Drain => "drain",
            Self::Defect => "defect",
        }
    }

    /// Counts it, and logs the peer if an operator would want to know who that was.
    pub fn tell(self, peer: SocketAddr) {
        let label = self.label();
        telemetry::connection_closed(label);
        if matches!(
            self,
            Self::Limit | Self::Handshake | Self::Protocol | Self::Flood | Self::Stalled
        ) {
            telemetry::faulty_peer(peer, label);
        }
    }

    /// Serves a connection to its end. A panic is counted, and costs only this connection.
    pub async fn of(serving: impl Future<Output = Self>) -> Self {
        caught("connection", serving).await.unwrap_or(Self::Defect)
    }

    /// How a connection ended on which hyper gave up.
    #[must_use]
    pub fn by(error: &hyper::Error) -> Self {
        // A client that vanished or broke the protocol is not an error of ours.
        tracing::debug!(%error, "connection ended");
        let cause = std::error::Error::source(error);
        if let Some(error) = cause.and_then(|cause| cause.downcast_ref::<std::io::Error>()) {
            return if error.kind() == FLOOD {
                Self::Flood
            } else {
                Self::Lost
            };
        }
        match cause.and_then(|cause| cause.downcast_ref::<h2::Error>()) {
            // For example, a PING was not answered.
            None => Self::Lost,
            Some(cause) if cause.is_remote() => Self::Peer,
            Some(cause) if cause.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM) => Self::Flood,
            Some(_) => Self::Protocol,
        }
    }
}
