//! The server: assembles everything that answers calls.
//!
//! Connections are served by hyper directly. tonic's own server answers a passed deadline with
//! CANCELLED, and can bound neither a drain nor the number of connections.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use http::{Request, Response};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;
use tower::util::BoxCloneSyncService;

use super::access::{Authenticate, Certificates, Identify, certificates, tokens::Tokens};
use super::connection::{Calls, Connections, Terms};
use super::drain::drain;
use super::health::Health;
use super::observe::Observe;
use super::proto::puzzle_service_server::PuzzleServiceServer;
use super::{MAX_RESPONSE_BYTES, Puzzles, proto};
use crate::config::{ServeConfig, Unusable};
use crate::engine::{Engine, EngineConfig};
use crate::telemetry;

/// The largest health or reflection request, in bytes: the name of a service, a file or a type.
const MAX_NAME_BYTES: usize = 4 << 10;

/// At least this many requests of the largest size may arrive at once.
const LEAST_LARGE: u64 = 16;

/// Why the service did not start.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The gRPC address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another address with --listen")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The gRPC address can be reached by others, who could read and change what is sent.
    #[error(
        "other machines can reach {address}, and without TLS all calls can be read and changed in \
         transit: serve TLS with --tls-cert and --tls-key; or listen on 127.0.0.1; or, in a \
         trusted network or behind a proxy that terminates TLS, pass --insecure"
    )]
    Exposed {
        /// The address.
        address: SocketAddr,
    },
    /// The certificates cannot be used.
    #[error("cannot serve TLS: {0}")]
    Certificates(String),
    /// The tokens cannot be used.
    #[error("cannot use the tokens: {0}")]
    Tokens(String),
    /// The workers cannot be started.
    #[error("cannot start the worker threads: {0}; choose fewer with --workers")]
    Workers(std::io::Error),
    /// The settings ask for more memory than there is, or for too little.
    #[error(transparent)]
    Memory(#[from] Unusable),
    /// Reflection cannot read its own descriptors.
    #[error("the service's own descriptors cannot be read: {0}")]
    Reflection(#[from] tonic_reflection::server::Error),
}

/// A service that is ready to run.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    certificates: Option<Arc<Certificates>>,
    engine: Arc<Engine>,
    calls: Calls,
    health: Health,
    config: ServeConfig,
}

impl Server {
    /// Starts the engine and listens.
    ///
    /// # Errors
    /// When the address is taken or must not be listened on, a file cannot be used, or threads
    /// cannot be started.
    pub async fn start(config: ServeConfig) -> Result<Self, ServeError> {
        let access = &config.access;
        let certificates = certificates(access).map_err(ServeError::Certificates)?;
        let tokens = access.token_file.as_deref().map(Tokens::open).transpose();
        let tokens = tokens.map_err(ServeError::Tokens)?;
        let address = config.listen;
        // An IPv6 address may stand for an IPv4 one.
        let is_local = address.ip().to_canonical().is_loopback();
        if certificates.is_none() && !access.insecure && !is_local {
            return Err(ServeError::Exposed { address });
        }
        let listen = |source| ServeError::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(listen)?;
        let address = listener.local_addr().map_err(listen)?;
        let engine = Engine::start(config.engine.config()?).map_err(ServeError::Workers)?;
        report_limits(&config, engine.config());
        engine.prepare();
        let engine = Arc::new(engine);

        let (health, health_service) = Health::new().await;
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                // Without the types of errors' details, tools that know the service by reflection show bytes.
                .register_encoded_file_descriptor_set(tonic_types::pb::FILE_DESCRIPTOR_SET)
        };
        let puzzles = Puzzles::new(Arc::clone(&engine), usize::from(config.max_side))
            .weighing(config.client_weights.iter().cloned());
        let puzzles = PuzzleServiceServer::new(puzzles)
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(
                usize::try_from(config.max_request_bytes).unwrap_or(usize::MAX),
            )
            .max_encoding_message_size(MAX_RESPONSE_BYTES);
        let routes = Routes::new(puzzles)
            .add_service(
                health_service
                    .accept_compressed(CompressionEncoding::Gzip)
                    .max_decoding_message_size(MAX_NAME_BYTES),
            )
            .add_service(
                reflection()
                    .build_v1()?
                    .accept_compressed(CompressionEncoding::Gzip)
                    .max_decoding_message_size(MAX_NAME_BYTES),
            )
            .add_service(
                reflection()
                    .build_v1alpha()?
                    .accept_compressed(CompressionEncoding::Gzip)
                    .max_decoding_message_size(MAX_NAME_BYTES),
            )
            .prepare();
        // Leave room for some of the largest allowed requests, however little memory there is.
        let least = config.max_request_bytes.saturating_mul(LEAST_LARGE);
        let most_bytes = config.engine.memory.for_requests().max(least);
        let named = Identify::new(routes, access.client_header.clone());
        let calls = Observe::new(
            Authenticate::new(named, tokens),
            config.max_calls,
            most_bytes,
        );
        calls.line().start().map_err(ServeError::Workers)?;
        Ok(Self {
            listener,
            address,
            certificates,
            engine,
            calls,
            health,
            config,
        })
    }

    /// The address that it listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it serves TLS.
    #[must_use]
    pub const fn has_tls(&self) -> bool {
        self.certificates.is_some()
    }

    /// The settings of its engine.
    #[must_use]
    pub fn engine(&self) -> &EngineConfig {
        self.engine.config()
    }

    /// The number of exact distance tables that are ready.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.engine.tables()
    }

    /// The service without connections: what calls reach once they have arrived. Includes health
    /// and reflection.
    #[must_use]
    pub fn calls(&self) -> BoxCloneSyncService<Request<Body>, Response<Body>, Infallible> {
        BoxCloneSyncService::new(self.calls.clone())
    }

    /// Serves until `shutdown`, then drains within the grace period, whatever the clients do.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let config = Arc::new(self.config);
        let line = self.calls.line().clone();
        let connections = Connections::new(Terms {
            calls: self.calls,
            config: Arc::clone(&config),
            certificates: self.certificates,
            goaway: CancellationToken::new(),
            last_words: CancellationToken::new(),
        });
        let mut accept = Box::pin(connections.accept(&self.listener));
        telemetry::serving(true);
        tokio::select! {
            () = &mut accept => {}
            () = self.health.follow_tables(|| self.engine.has_tables()) => {}
            () = shutdown => {}
        }
        tracing::info!(
            delay_s = config.drain_delay.as_secs_f64(),
            grace_s = config.drain_grace.as_secs_f64(),
            "draining: health status is NOT_SERVING"
        );
        self.health.take_leave().await;
        telemetry::serving(false);
        let _over = tokio::time::timeout(config.drain_delay, accept).await;
        // Closes the listener, so that later clients are refused at once and try another replica.
        connections.accept_last(self.listener);
        self.health.end();
        drain(&connections, &self.engine, &line, config.drain_grace).await;
    }
}

/// Reports to the metrics what the settings allow.
fn report_limits(config: &ServeConfig, engine: &EngineConfig) {
    for (what, most) in [
        ("memory", engine.memory),
        ("table_memory", engine.table_memory),
        ("heuristic_memory", engine.heuristic_memory),
        ("connections", config.max_connections as u64),
        ("calls", config.max_calls as u64),
    ] {
        telemetry::limit(what, most);
    }
}
