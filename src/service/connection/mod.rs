//! Connections: what a peer may do, and for how long.
//!
//! This file serves one connection, from its handshake to its end.

mod answers;
mod end;
mod frame_header;
mod frames;
mod gather;
mod leaving;
mod listener;
mod places;
mod transport;

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tower::{Service, ServiceExt};

use super::access::{Authenticate, Certificates, Identify, Identity, TlsStream, handshake};
use super::observe::Observe;
use super::peer::{Inline, Lack, Peer, UnderWay};
use crate::config::ServeConfig;
use crate::telemetry;

use leaving::{IN_SHORTAGE, Leaving, Stay};

pub use answers::Answers;
pub use end::End;
pub use frames::{Flood, Frames};
pub use gather::Gather;
pub use listener::Connections;
pub use places::Places;
pub use transport::Transport;

/// The most unread request bytes: of one call, and of all calls on the connection, or more if there may be so
/// many that each has this much.
const CALL_WINDOW: u32 = 64 << 10;
const CONNECTION_WINDOW: u32 = 256 << 10;
const STREAM_WINDOW: u32 = 1 << 10;

/// As many calls may be given up before they are accepted, even if `--max-streams` allows fewer at once: one that is
/// given up leaves its place to the next, so a client that gives up each can send any number in a row.
const LEAST_GIVEN_UP: u32 = 256;

/// The most bytes of an answer that wait to be sent, beside two pieces.
const SEND_BUFFER: usize = 64 << 10;

/// The largest frame that peers may send: the smallest limit that HTTP/2 allows.
const LARGEST_FRAME: u32 = 16 << 10;

/// The largest header list, in bytes.
const HEADER_LIST: u32 = 16 << 10;

/// How long the first bytes of the last connections may take once connections are told to go: they
/// are on their way.
const LAST_BYTES: Duration = Duration::from_millis(500);

/// How long a connection that is over for us stays open for its peer to close it. Whatever the peer sends to a closed
/// socket, if only the window update for the answer before the last, is answered with a reset, after which the last answer
/// may be lost to it.
const LAST_READ: Duration = Duration::from_millis(500);

/// What a call passes through before its handler: it is observed, its token is checked, and its
/// client is named.
pub type Calls = Observe<Authenticate<Identify<Routes>>>;

/// What all connections share.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Answers the calls.
    pub calls: Calls,
    /// Times and bounds.
    pub config: Arc<ServeConfig>,
    /// How to answer handshakes; `None` without TLS.
    pub certificates: Option<Arc<Certificates>>,
    /// Cancelled when no new calls are taken.
    pub goaway: CancellationToken,
    /// Cancelled after that, when no requests are waited for any longer.
    pub last_words: CancellationToken,
}

/// Serves a connection until it ends. Once it has been told to go, that is when its calls have ended.
pub async fn serve(stream: TcpStream, peer: SocketAddr, terms: Terms) -> End {
    // Answers are small, and somebody waits for them.
    drop(stream.set_nodelay(true));
    let begun = tokio::select! {
        begun = begin(stream, &terms) => begun,
        () = async {
            terms.goaway.cancelled().await;
            tokio::time::sleep(LAST_BYTES).await;
        } => return End::Drain,
    };
    match begun {
        Ok((stream, name)) => {
            let stream = Gather::new(stream);
            let (end, is_over) = converse(&stream, peer, name, &terms).await;
            // By now everything else of the connection is gone, such as calls that were given up.
            if is_over {
                outlast(stream).await;
            }
            end
        }
        Err(end) => end,
    }
}

type Stream = Transport<Either<TcpStream, TlsStream>>;

/// Completes TLS, if it is in use, and the HTTP/2 preface, within the handshake timeout. A drain
/// does not wait for peers that send nothing.
async fn begin(stream: TcpStream, terms: &Terms) -> Result<(Stream, Option<Identity>), End> {
    let deadline = tokio::time::Instant::now() + terms.config.handshake_timeout;
    let (stream, name) = match &terms.certificates {
        None => (Either::Left(stream), None),
        Some(certificates) => {
            let handshake = handshake(stream, certificates);
            let answered = tokio::time::timeout_at(deadline, handshake).await;
            let (stream, name) = answered.unwrap_or(Err("timeout")).map_err(|why| {
                telemetry::handshake_failed(why);
                End::Handshake
            })?;
            (Either::Right(stream), name)
        }
    };
    let max_calls = terms.config.max_streams as usize;
    let begun = tokio::time::timeout_at(deadline, Transport::begin(stream, max_calls)).await;
    match begun {
        Ok(Ok(stream)) => Ok((stream, name)),
        Ok(Err(_)) | Err(_) => Err(End::Handshake),
    }
}

/// Answers the calls of a connection until it ends. Also tells whether it was ended as HTTP/2 provides, so that its
/// peer may still read.
async fn converse(
    stream: &Gather<Stream>,
    address: SocketAddr,
    name: Option<Identity>,
    terms: &Terms,
) -> (End, bool) {
    let config = &*terms.config;
    let peer = Arc::new(Peer::new());
    let inline = Inline::default();
    let calls = terms
        .calls
        .clone()
        .for_peer(Arc::clone(&peer), inline.clone(), config.stall_timeout)
        .map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(address);
            if let Some(name) = &name {
                request.extensions_mut().insert(name.clone());
            }
            request
        });
    let mut under_way = UnderWay::of(inline.clone(), Arc::clone(&peer));
    let connection = http2::Builder::new(inline)
        .timer(TokioTimer::new())
        .max_concurrent_streams(config.max_streams)
        .max_header_list_size(HEADER_LIST)
        .max_frame_size(LARGEST_FRAME)
        .initial_stream_window_size(CALL_WINDOW)
        .initial_connection_window_size(connection_window(config.max_streams))
        .max_send_buf_size(SEND_BUFFER)
        // All calls of a connection may be cancelled at once, as when their deadline passes.
        .max_pending_accept_reset_streams(config.max_streams.max(LEAST_GIVEN_UP) as usize)
        // h2 would count them over the whole life of a connection, which many callers may share: a refused
        // call is reset once too often whenever its request comes late. `Frames` bounds them over time.
        .max_local_error_reset_streams(None)
        .keep_alive_interval(config.keepalive)
        .keep_alive_timeout(config.keepalive_timeout)
        .serve_connection(TokioIo::new(stream.clone()), AtOnce(calls));
    tokio::pin!(connection);

    let mut stay = Stay::new(config, &peer);
    let mut looks = tokio::time::interval(stay.interval());
    let mut leaving: Option<Leaving> = None;
    let mut waits_for_requests = true;
    loop {
        let work = poll_fn(|cx| {
            under_way.poll_turn(cx, |cx, have_read| {
                stream.with(|stream| stream.turn(have_read));
                connection.as_mut().poll(cx)
            })
        });
        let leave = tokio::select! {
            ended = stream.send_after(work) => {
                let is_over = matches!(ended, Ok(Ok(())));
                let told = leaving.map(|leaving| leaving.why);
                let end = told.unwrap_or(match ended {
                    Ok(Ok(())) => End::Peer,
                    Ok(Err(error)) => End::by(&error),
                    Err(_gone) => End::Lost,
                });
                return (end, is_over);
            }
            () = terms.goaway.cancelled(), if leaving.is_none() => Leaving::for_drain(),
            () = terms.last_words.cancelled(), if leaving.is_some() && waits_for_requests => {
                waits_for_requests = false;
                peer.refuse_requests(Lack::Time, Duration::ZERO);
                continue;
            }
            () = terms.calls.shortage_of_room().told() => {
                peer.refuse_requests(Lack::Room, IN_SHORTAGE);
                continue;
            }
            () = terms.calls.shortage().told() => {
                peer.refuse_requests(Lack::Places, IN_SHORTAGE);
                under_way.end(&peer.give_up(stay.patience_in_shortage()));
                continue;
            }
            _ = looks.tick() => {
                under_way.end(&peer.give_up(stay.patience()));
                match leaving {
                    // Closing is the only way to free what waits to be sent.
                    Some(leaving) if leaving.is_over() || stay.is_deserted(&leaving) => {
                        return (leaving.why, false);
                    }
                    Some(_) => continue,
                    None => match stay.look(stream) {
                        Some(leave) => leave,
                        None => continue,
                    },
                }
            }
        };
        // Calls in progress may finish; new calls use another connection.
        leaving = Some(leave);
        connection.as_mut().graceful_shutdown();
    }
}

/// The most unread request bytes of all calls on a connection. Half of it is also the most that h2 lets small
/// pieces of bodies cost, and an ordinary request may begin with one.
fn connection_window(max_streams: u32) -> u32 {
    let most = u32::MAX >> 1;
    CONNECTION_WINDOW.max(max_streams.saturating_mul(STREAM_WINDOW).min(most))
}

/// Waits for the peer to close a connection that is over, and discards what still comes.
async fn outlast(mut stream: Gather<Stream>) {
    let mut discarded = [0; 1024];
    let closed = async {
        loop {
            // There are no calls any more that have turns, and a stream that waits for one keeps its thread.
            stream.with(|stream| stream.turn(true));
            let Ok(1..) = stream.read(&mut discarded).await else {
                return;
            };
        }
    };
    drop(tokio::time::timeout(LAST_READ, closed).await);
}

/// A service that accepts a request when it arrives, not when its turn comes: a refused request is not
/// kept until then, and an accepted one has a place. Everything that calls go through is always ready.
#[derive(Clone, Debug)]
struct AtOnce<S>(S);

impl<S: Service<Request<Incoming>> + Clone> hyper::service::Service<Request<Incoming>>
    for AtOnce<S>
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn call(&self, request: Request<Incoming>) -> S::Future {
        self.0.clone().call(request)
    }
}
