//! Listens, serves connections, and drains.
//!
//! Connections are served by hyper directly: tonic's own server answers a passed deadline with
//! CANCELLED, and can neither bound a drain nor the number of connections.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tonic::body::Body;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;
use tower::util::BoxCloneSyncService;

use super::observe::Observe;
use super::peer::Peer;
use super::proto::puzzle_service_server::{PuzzleServiceServer, SERVICE_NAME};
use super::{MAX_RESPONSE_BYTES, Puzzles, Settings, proto};
use crate::config::ServeConfig;
use crate::engine::Engine;
use crate::telemetry;

/// The preface that every HTTP/2 connection begins with, in bytes.
const PREFACE: usize = 24;

/// Header lists above this are refused.
const MAX_HEADER_LIST: u32 = 16 * 1024;

/// The last part of the grace in which calls that have not ended are told UNAVAILABLE.
const FAREWELL: Duration = Duration::from_secs(1);

/// The name under which health tells whether all tables that are wanted are there: until then calls
/// are served by lesser ones.
const TABLES: &str = "loyd.tables";

/// How often to look.
const TABLES_LOOK: Duration = Duration::from_millis(250);

/// Why the service did not start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The gRPC address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another address with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the operating system says.
        source: std::io::Error,
    },
    /// The workers cannot be started.
    #[error("cannot start the worker threads: {0}; choose fewer with --workers")]
    Workers(std::io::Error),
    /// Reflection cannot read its own descriptors.
    #[error("the service's own descriptors cannot be read: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A service that is ready to run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    engine: Arc<Engine>,
    service: Observe<Routes>,
    health: HealthReporter,
    config: ServeConfig,
}

impl Server {
    /// Starts the engine and listens.
    ///
    /// # Errors
    /// When the address is taken or there are no threads to be had.
    pub async fn start(config: ServeConfig) -> Result<Self, ServeError> {
        let listen = |source| ServeError::Listen {
            address: config.listen,
            source,
        };
        let listener = TcpListener::bind(config.listen).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let engine = Engine::start(config.engine.config()).map_err(ServeError::Workers)?;
        engine.prepare();
        let engine = Arc::new(engine);

        let (health, health_service) = tonic_health::server::health_reporter();
        health
            .set_service_status(SERVICE_NAME, ServingStatus::Serving)
            .await;
        health
            .set_service_status(TABLES, ServingStatus::NotServing)
            .await;
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let settings = Settings {
            max_side: usize::from(config.max_side),
        };
        let puzzles = PuzzleServiceServer::new(Puzzles::new(Arc::clone(&engine), settings))
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(
                usize::try_from(config.max_request_bytes).unwrap_or(usize::MAX),
            )
            .max_encoding_message_size(MAX_RESPONSE_BYTES);
        let routes = Routes::new(puzzles)
            .add_service(health_service.accept_compressed(CompressionEncoding::Gzip))
            .add_service(
                reflection()
                    .build_v1()?
                    .accept_compressed(CompressionEncoding::Gzip),
            )
            .add_service(
                reflection()
                    .build_v1alpha()?
                    .accept_compressed(CompressionEncoding::Gzip),
            )
            .prepare();
        Ok(Self {
            listener,
            address,
            engine,
            service: Observe::new(routes, config.max_calls),
            health,
            config,
        })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many tables of exact distances are ready.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.engine.tables()
    }

    /// The service without its connections, health and reflection included: what calls come to
    /// once they have arrived.
    #[must_use]
    pub fn calls(&self) -> BoxCloneSyncService<Request<Body>, Response<Body>, Infallible> {
        BoxCloneSyncService::new(self.service.clone())
    }

    /// Serves until `shutdown`, then drains: within the grace, whatever the clients do.
    pub async fn run(mut self, shutdown: impl Future<Output = ()>) {
        let connections = Connections {
            service: self.service,
            config: Arc::new(self.config),
            tasks: TaskTracker::new(),
            goaway: CancellationToken::new(),
            close: CancellationToken::new(),
        };
        let config = Arc::clone(&connections.config);
        let mut accept = Box::pin(connections.accept(self.listener));
        tokio::select! {
            () = &mut accept => {}
            () = tell_of_tables(&self.engine, &self.health) => {}
            () = shutdown => {}
        }

        tracing::info!(
            delay = ?config.drain_delay,
            grace = ?config.drain_grace,
            "draining: health says NOT_SERVING"
        );
        // The process lives; it is the service that takes its leave.
        self.health
            .set_service_status(SERVICE_NAME, ServingStatus::NotServing)
            .await;
        tokio::select! {
            () = &mut accept => {}
            () = tokio::time::sleep(config.drain_delay) => {}
        }
        // Closes the listener: who comes now is refused at once and tries another replica.
        drop(accept);
        // Ends the streams of those who watch: they have heard, and would keep the drain waiting.
        self.health.clear_service_status(SERVICE_NAME).await;
        self.health.clear_service_status(TABLES).await;
        self.health.clear_service_status("").await;
        connections.drain(&self.engine).await;
    }
}

/// Keeps health up to date, for as long as it is polled.
async fn tell_of_tables(engine: &Engine, health: &HealthReporter) {
    let mut were_there = false;
    loop {
        let are_there = engine.has_tables();
        if are_there != were_there {
            let status = if are_there {
                ServingStatus::Serving
            } else {
                ServingStatus::NotServing
            };
            health.set_service_status(TABLES, status).await;
            were_there = are_there;
        }
        tokio::time::sleep(TABLES_LOOK).await;
    }
}

/// The open connections.
struct Connections {
    service: Observe<Routes>,
    config: Arc<ServeConfig>,
    tasks: TaskTracker,
    /// Says to every connection: no new calls.
    goaway: CancellationToken,
    /// Says to every connection: the end.
    close: CancellationToken,
}

impl Connections {
    /// Accepts connections for as long as it is polled.
    async fn accept(&self, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(
            self.config.max_connections.min(Semaphore::MAX_PERMITS),
        ));
        loop {
            let stream = match listener.accept().await {
                Ok((stream, _)) => stream,
                Err(error) => {
                    // Most likely no file descriptors: what is open goes on, and some will close.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                tracing::debug!("connection refused: too many are open");
                continue;
            };
            let serve = serve(
                stream,
                self.service.clone(),
                Arc::clone(&self.config),
                self.goaway.clone(),
            );
            let close = self.close.clone();
            self.tasks.spawn(async move {
                telemetry::connections(true);
                let _place = place;
                tokio::select! {
                    () = serve => {}
                    () = close.cancelled() => {}
                }
                telemetry::connections(false);
            });
        }
    }

    /// Lets calls in flight end, tells those that do not UNAVAILABLE, and closes what is left.
    async fn drain(&self, engine: &Engine) {
        let begun = Instant::now();
        let grace = self.config.drain_grace;
        self.goaway.cancel();
        self.tasks.close();
        let farewell = FAREWELL.min(grace / 2);
        if !self.ended_within(grace - farewell).await {
            engine.drain();
            if !self.ended_within(farewell).await {
                tracing::warn!(connections = self.tasks.len(), "closing what has not ended");
                self.close.cancel();
                self.tasks.wait().await;
            }
        }
        tracing::info!(elapsed = ?begun.elapsed(), "drained");
    }

    async fn ended_within(&self, time: Duration) -> bool {
        tokio::time::timeout(time, self.tasks.wait()).await.is_ok()
    }
}

/// Serves one connection until it ends; after `goaway`, until its calls have ended.
async fn serve(
    stream: TcpStream,
    service: Observe<Routes>,
    config: Arc<ServeConfig>,
    goaway: CancellationToken,
) {
    // Answers are small and waited for.
    drop(stream.set_nodelay(true));
    tokio::select! {
        begun = tokio::time::timeout(config.keepalive_timeout, begins(&stream)) => {
            if !matches!(begun, Ok(true)) {
                return;
            }
        }
        () = goaway.cancelled() => return,
    }
    let peer = Arc::new(Peer::new());
    let service = service.for_peer(Arc::clone(&peer), config.stall_timeout);
    let mut http = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .max_concurrent_streams(config.max_streams)
        .max_header_list_size(MAX_HEADER_LIST)
        .keep_alive_interval(config.keepalive)
        .keep_alive_timeout(config.keepalive_timeout);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    tokio::pin!(connection);
    let mut leaving = false;
    let mut stalled = false;
    let mut looks = tokio::time::interval(config.stall_timeout / 4);
    let ended = loop {
        tokio::select! {
            ended = &mut connection => break ended,
            () = goaway.cancelled(), if !leaving => {
                leaving = true;
                connection.as_mut().graceful_shutdown();
            }
            _ = looks.tick() => {
                let since = peer.stalled_for();
                if since > config.stall_timeout && !stalled {
                    // What else goes on here may end, and new calls come by another connection.
                    stalled = true;
                    telemetry::connection_stalled();
                    connection.as_mut().graceful_shutdown();
                } else if since > 2 * config.stall_timeout {
                    // The only way to get back what waits to be sent.
                    tracing::debug!("connection closed: its peer does not read");
                    return;
                }
            }
        }
    };
    if let Err(error) = ended {
        // A client that vanished or broke the protocol: not our error.
        tracing::debug!(%error, "connection ended");
    }
}

/// Whether the peer begins to speak HTTP/2. A drain does not wait for those that say nothing.
async fn begins(stream: &TcpStream) -> bool {
    let mut preface = [0; PREFACE];
    loop {
        match stream.peek(&mut preface).await {
            Ok(PREFACE) => return true,
            Ok(0) | Err(_) => return false,
            // Bytes that have come stay readable: there is nothing to wait for but time.
            Ok(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}
