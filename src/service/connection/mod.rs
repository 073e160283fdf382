//! Connections: what a peer may do, and for how long.
//!
//! This file serves one connection, from its handshake to its end.

mod answers;
mod end;
mod frame_header;
mod frames;
mod gather;
mod listener;
mod places;
mod transport;

use std::future::poll_fn;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
use super::peer::{Inline, Patience, Peer, UnderWay};
use crate::config::ServeConfig;
use crate::telemetry;

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

/// How long a call waits for the next [`LEAST_PROGRESS`](super::peer::LEAST_PROGRESS) of its request, and for its peer to
/// begin to take the answer, while others find no place. Either follows at once.
const IN_SHORTAGE: Duration = Duration::from_secs(1);

/// How long it waits then for its peer to take another piece of the answer, of 64 KiB mostly. Some peers are slow.
const PIECE_IN_SHORTAGE: Duration = Duration::from_secs(10);

/// The relative variation of connection ages, in both directions, so that clients that connected
/// together do not reconnect together.
const JITTER: f64 = 0.1;

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
        .max_pending_accept_reset_streams(config.max_streams as usize)
        // h2 would count them over the whole life of a connection, which many callers may share: a refused
        // call is reset once too often whenever its request comes late. `Frames` bounds them over time.
        .max_local_error_reset_streams(None)
        .keep_alive_interval(config.keepalive)
        .keep_alive_timeout(config.keepalive_timeout)
        .serve_connection(TokioIo::new(stream.clone()), AtOnce(calls));
    tokio::pin!(connection);

    let mut watch = Watch::new(config, &peer);
    let mut looks = tokio::time::interval(watch.interval());
    let mut leaving: Option<Leaving> = None;
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
            () = terms.goaway.cancelled(), if leaving.is_none() => Leaving {
                why: End::Drain,
                told: Instant::now(),
                close: None,
            },
            () = terms.calls.shortage_of_room().told() => {
                peer.refuse_requests(IN_SHORTAGE);
                continue;
            }
            () = terms.calls.shortage().told() => {
                peer.refuse_requests(IN_SHORTAGE);
                under_way.end(&peer.give_up(watch.patience_in_shortage()));
                continue;
            }
            _ = looks.tick() => {
                under_way.end(&peer.give_up(watch.patience()));
                match leaving {
                    // Closing is the only way to free what waits to be sent.
                    Some(leaving) if leaving.is_over() || watch.is_deserted(&leaving) => {
                        return (leaving.why, false);
                    }
                    Some(_) => continue,
                    None => match watch.look(stream) {
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

/// Why a connection was told to go, and when it is closed if it has not gone. In a drain, `close`
/// is `None`: whoever drains closes it.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    why: End,
    told: Instant,
    close: Option<Instant>,
}

impl Leaving {
    fn is_over(&self) -> bool {
        self.close.is_some_and(|close| close <= Instant::now())
    }
}

/// Checks from time to time whether a connection should continue.
struct Watch<'c> {
    config: &'c ServeConfig,
    peer: &'c Peer,
    /// When the connection reaches its maximum age.
    old: Option<Instant>,
    /// Since when answers that are over for us have waited on the wire.
    overdue: Option<Instant>,
}

impl<'c> Watch<'c> {
    fn new(config: &'c ServeConfig, peer: &'c Peer) -> Self {
        let age = config.max_connection_age;
        let chance = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        let age = age.mul_f64(1.0 + JITTER * (2.0 * chance - 1.0));
        Self {
            config,
            peer,
            old: Instant::now().checked_add(age).filter(|_| !age.is_zero()),
            overdue: None,
        }
    }

    /// Often enough to keep each of the times to within a quarter.
    fn interval(&self) -> Duration {
        let config = self.config;
        [
            config.stall_timeout,
            config.max_connection_age,
            config.max_connection_idle,
        ]
        .into_iter()
        .filter(|time| !time.is_zero())
        .min()
        .map_or(Duration::from_secs(1), |time| time / 4)
        .max(Duration::from_millis(1))
    }

    /// How long the calls of a connection that is told to go have to end: as long as a search may
    /// take, and some time to read the answer. Watches of the health have no end, and can be started
    /// again elsewhere.
    fn time_to_end(&self) -> Duration {
        let config = self.config;
        config
            .engine
            .max_time()
            .saturating_add(config.stall_timeout)
    }

    /// How long answers wait for the peer: until it leaves one that it has begun to take, or takes it so late that all
    /// of it takes longer than a call. Only its call is ended then: others may share the connection.
    fn patience(&self) -> Patience {
        Patience {
            first: Duration::MAX,
            next: self.config.stall_timeout,
            all: self.time_to_end(),
            calls_alone: false,
        }
    }

    /// The same while others find no place.
    fn patience_in_shortage(&self) -> Patience {
        let usual = self.patience();
        Patience {
            first: IN_SHORTAGE,
            next: PIECE_IN_SHORTAGE.min(usual.next),
            calls_alone: true,
            ..usual
        }
    }

    /// Whether the peer fails to take answers: it takes nothing of one, or does not take the rest of one that
    /// is over for us, or takes nothing at all.
    fn is_stalled(&mut self, stream: &Gather<Stream>) -> bool {
        let patience = self.config.stall_timeout;
        let silent = stream.with(|stream| stream.silent_for(patience));
        if silent <= self.peer.in_the_making(patience) {
            self.overdue = None;
        } else {
            self.overdue.get_or_insert_with(Instant::now);
        }
        // A stream that has sent little for long may be about to end.
        let is_overdue = |since: Instant| since.elapsed() > patience;
        self.peer.deaf_for() > patience
            || stream.blocked_for() > patience
            || self.overdue.is_some_and(is_overdue)
    }

    fn look(&mut self, stream: &Gather<Stream>) -> Option<Leaving> {
        let config = self.config;
        let leave = |why, grace: Duration| Leaving {
            why,
            told: Instant::now(),
            close: Instant::now().checked_add(grace),
        };
        let calls = self.time_to_end();
        let idle = config.max_connection_idle;
        if self.is_stalled(stream) {
            telemetry::connection_stalled();
            Some(leave(End::Stalled, config.stall_timeout))
        } else if !idle.is_zero() && self.peer.idle_for() > idle {
            Some(leave(End::Idle, calls))
        } else if self.old.is_some_and(|old| old <= Instant::now()) {
            Some(leave(End::Age, calls))
        } else {
            None
        }
    }

    /// Whether an idle peer has been told to go and has neither gone nor asked for anything. A call
    /// that was on its way at the time still gets a chance.
    fn is_deserted(&self, leaving: &Leaving) -> bool {
        let patience = self.config.keepalive_timeout;
        leaving.why == End::Idle
            && leaving.told.elapsed() > patience
            && self.peer.idle_for() > patience
    }
}
