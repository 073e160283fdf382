//! Accepts connections up to a limit, and knows which are open.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::end::End;
use super::places::Places;
use super::{Terms, serve};
use crate::telemetry;

/// The most connections accepted at last: as many as wait where nobody accepts any (tokio's listener lets no more).
const MOST_AT_LAST: usize = 1024;

/// How long to wait when a connection cannot be accepted.
const BREATH: Duration = Duration::from_millis(50);

/// The open connections.
#[derive(Debug)]
pub struct Connections {
    terms: Terms,
    places: Arc<Places>,
    tasks: TaskTracker,
    /// Cancelled when every connection is to be closed.
    close: CancellationToken,
}

impl Connections {
    /// The connections of a server that has none yet.
    #[must_use]
    pub fn new(terms: Terms) -> Self {
        let places = Arc::new(Places::new(terms.config.max_connections));
        Self {
            terms,
            places,
            tasks: TaskTracker::new(),
            close: CancellationToken::new(),
        }
    }

    /// Accepts connections for as long as it is polled.
    pub async fn accept(&self, listener: &TcpListener) {
        loop {
            match listener.accept().await {
                Ok((stream, peer)) => {
                    self.admit(stream, peer);
                }
                Err(error) => {
                    // Most likely there are no file descriptors left. Open connections continue,
                    // and some will close.
                    telemetry::not_accepted(&error);
                    tokio::time::sleep(BREATH).await;
                }
            }
        }
    }

    /// Accepts the connections that are already established, then closes the listener. Closing it
    /// first would reset them, together with the calls that they have sent.
    pub fn accept_last(&self, listener: TcpListener) {
        let Ok(listener) = listener.into_std() else {
            return;
        };
        for _ in 0..MOST_AT_LAST {
            let Ok((stream, peer)) = listener.accept() else {
                return;
            };
            let stream = stream
                .set_nonblocking(true)
                .and_then(|()| TcpStream::from_std(stream));
            // Where there is no place for one, there may be for another.
            if let Ok(stream) = stream {
                self.admit(stream, peer);
            }
        }
    }

    /// Starts to serve a connection, if there is a place for it.
    fn admit(&self, stream: TcpStream, peer: SocketAddr) {
        let Some(place) = self.places.take(peer.ip()) else {
            return End::Limit.tell(peer);
        };
        let serve = serve(stream, peer, self.terms.clone());
        let close = self.close.clone();
        self.tasks.spawn(async move {
            let _open = telemetry::connection();
            let _place = place;
            let end = tokio::select! {
                end = End::of(serve) => end,
                () = close.cancelled() => End::Drain,
            };
            end.tell(peer);
        });
    }

    /// The number of open connections.
    #[must_use]
    pub fn open(&self) -> usize {
        self.tasks.len()
    }

    /// Tells all connections to take no new calls.
    pub fn tell_to_go(&self) {
        self.terms.goaway.cancel();
        self.tasks.close();
    }

    /// Has calls refused after [`Self::tell_to_go`] whose requests have not arrived.
    pub fn refuse_requests(&self) {
        self.terms.last_words.cancel();
    }

    /// Waits until all connections have ended after [`Self::tell_to_go`]. Returns false when that
    /// takes longer than `time`.
    pub async fn ended_within(&self, time: Duration) -> bool {
        tokio::time::timeout(time, self.tasks.wait()).await.is_ok()
    }

    /// Closes the connections that are left.
    pub async fn close(&self) {
        self.close.cancel();
        self.tasks.wait().await;
    }
}
