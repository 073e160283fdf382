//! The settings of the service: the flag, variable, default and help of each, defined once.

mod access;
mod memory;

use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::Args;
use etcetera::BaseStrategy;
use http::header::AUTHORIZATION;
use humantime::format_duration;

pub use access::AccessArgs;

use crate::engine::{Caps, Client, EngineConfig, FOREVER};
use crate::heuristic::pattern_database::Store;
use crate::puzzle::Shape;
use crate::telemetry::{LogFormat, log_filter};

pub use memory::{MAX_MEMORY, MemoryArgs, Parts, Unusable};

/// The default addresses of gRPC and of the metrics.
const LISTEN: &str = "127.0.0.1:50051";
const METRICS_LISTEN: &str = "127.0.0.1:9464";

/// The default of the longest time a request may take.
const MAX_TIME: Duration = Duration::from_secs(60);

/// The default of the time that BEST takes.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// Settings of `loyd serve`.
#[derive(Args, Clone, Debug)]
pub struct ServeConfig {
    /// Where to serve gRPC. Port 0 picks any free port.
    #[arg(
        long,
        env = "LOYD_LISTEN",
        value_name = "ADDRESS",
        default_value = LISTEN,
        value_parser = address(LISTEN)
    )]
    pub listen: SocketAddr,

    /// Where to serve Prometheus metrics over HTTP, at /metrics, and to answer probes, at /livez and
    /// /readyz.
    #[arg(
        long,
        env = "LOYD_METRICS_LISTEN",
        value_name = "ADDRESS",
        default_value = METRICS_LISTEN,
        value_parser = address(METRICS_LISTEN)
    )]
    pub metrics_listen: SocketAddr,

    /// Settings that control who may call.
    #[command(flatten)]
    pub access: AccessArgs,
    /// Where to send traces by OTLP over gRPC, such as http://127.0.0.1:4317; default: what OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT says, else nowhere. Requires a loyd built with `--features otlp`.
    #[arg(long, env = "LOYD_OTLP_ENDPOINT", value_name = "URL")]
    pub otlp_endpoint: Option<String>,

    /// The fraction, 0 to 1, to trace of the calls that are not part of a caller's trace; default: 1. A call that is part of one is traced if the caller's part is.
    #[arg(long, env = "LOYD_OTLP_RATIO", value_name = "RATIO", value_parser = ratio)]
    pub otlp_ratio: Option<f64>,

    /// Settings of the searches.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// The longest side of a board, 2 to 128.
    #[arg(long, env = "LOYD_MAX_SIDE", value_name = "CELLS", default_value_t = Shape::MAX_SIDE as u8, value_parser = clap::value_parser!(u8).range(2..=128))]
    pub max_side: u8,

    /// The largest request accepted. The largest legal one, 128×128 with a goal board, takes 64K.
    #[arg(long, env = "LOYD_MAX_REQUEST_BYTES", value_name = "BYTES", default_value = "128K", value_parser = request_bytes)]
    pub max_request_bytes: u64,

    /// The most calls at once, including those whose answers are still being sent; further ones are refused. Of the last eighth of the places, a connection gets 8 at most. When there is no place, two kinds of calls make way: those whose request has stood still for a second (refused), and those whose answer nobody takes (reset). Health checks have as many places of their own, and so have health watches, of which a connection has at most 8; reflection has 32, 4 on one connection.
    #[arg(
        long,
        env = "LOYD_MAX_CALLS",
        value_name = "CALLS",
        default_value_t = 4096,
        value_parser = count
    )]
    pub max_calls: usize,

    /// The most calls at once on one connection.
    #[arg(
        long,
        env = "LOYD_MAX_STREAMS",
        value_name = "CALLS",
        default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub max_streams: u32,

    /// The most open connections; further ones are closed as they arrive. Of the last eighth of the places, a network (an IPv4 address, or a /64 of IPv6) gets 8 at most.
    #[arg(
        long,
        env = "LOYD_MAX_CONNECTIONS",
        value_name = "CONNECTIONS",
        default_value_t = 4096,
        value_parser = count
    )]
    pub max_connections: usize,

    /// How long a new connection may take for TLS and its first bytes.
    #[arg(long, env = "LOYD_HANDSHAKE_TIMEOUT", value_name = "TIME", default_value = "10s", value_parser = time)]
    pub handshake_timeout: Duration,

    /// How long a connection may have no call before it is told to go (GOAWAY); 0s: no limit.
    #[arg(long, env = "LOYD_MAX_CONNECTION_IDLE", value_name = "TIME", default_value = "15m", value_parser = time_or_zero)]
    pub max_connection_idle: Duration,

    /// The age at which a connection is told to go (GOAWAY), give or take a tenth, so that clients spread over new replicas. Its calls may then take --max-time plus --stall-timeout to end; after that it is closed. 0s: no limit.
    #[arg(long, env = "LOYD_MAX_CONNECTION_AGE", value_name = "TIME", default_value = "30m", value_parser = time_or_zero)]
    pub max_connection_age: Duration,

    /// How often to ping an idle connection; not 0s.
    #[arg(long, env = "LOYD_KEEPALIVE", value_name = "TIME", default_value = "60s", value_parser = time)]
    pub keepalive: Duration,

    /// How long to wait for the reply to a ping.
    #[arg(long, env = "LOYD_KEEPALIVE_TIMEOUT", value_name = "TIME", default_value = "20s", value_parser = time)]
    pub keepalive_timeout: Duration,

    /// How long a peer may take to send a whole request; then the call fails. Also how long it may take to read one piece of an answer and, with --max-time added, all pieces of it; then that call is reset (CANCELLED). If it takes nothing at all, its connection is told to go (GOAWAY), and is closed after another --stall-timeout.
    #[arg(long, env = "LOYD_STALL_TIMEOUT", value_name = "TIME", default_value = "30s", value_parser = time)]
    pub stall_timeout: Duration,

    /// On SIGTERM: how long to keep serving with health NOT_SERVING, so that the balancer notices.
    #[arg(long, env = "LOYD_DRAIN_DELAY", value_name = "TIME", default_value = "0s", value_parser = time_or_zero)]
    pub drain_delay: Duration,

    /// On SIGTERM: how long calls in flight may take to end after that.
    #[arg(long, env = "LOYD_DRAIN_GRACE", value_name = "TIME", default_value = "10s", value_parser = time_or_zero)]
    pub drain_grace: Duration,

    /// The weights of named clients, NAME=WEIGHT,…, 1 to 1000 each, which count when there is not enough for all. Clients that are not listed have the weight of their token's line, or 1. A client of weight 2 gets twice the service and twice the places of one of weight 1.
    #[arg(long, env = "LOYD_CLIENT_WEIGHTS", value_name = "WEIGHTS", value_delimiter = ',', value_parser = weight)]
    pub client_weights: Vec<(String, NonZeroU32)>,

    /// What to log, as LEVEL or TARGET=LEVEL,…
    #[arg(long, env = "LOYD_LOG", value_name = "FILTER", default_value = "info", value_parser = log_filter)]
    pub log: String,

    /// The format of the log.
    #[arg(long, env = "LOYD_LOG_FORMAT", value_name = "FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

impl ServeConfig {
    /// Checks that settings do not contradict each other. A default contradicts what is set only if both are the same
    /// address.
    ///
    /// # Errors
    /// The first contradiction, naming both settings, and what to do.
    pub fn check(&self) -> Result<(), String> {
        self.check_addresses()?;
        self.engine.check()?;
        for (index, (name, weight)) in self.client_weights.iter().enumerate() {
            let mut before = self.client_weights[..index].iter();
            if let Some((_, other)) = before.find(|(other, _)| other == name) {
                return Err(format!(
                    "--client-weights gives {name} the weights {other} and {weight}: leave out one of them"
                ));
            }
        }
        if self.access.client_header == Some(AUTHORIZATION) {
            return Err(
                "--client-header authorization would write tokens to the log: choose a header that holds only a name"
                    .to_owned(),
            );
        }
        let access = &self.access;
        for (file, flag, known_by) in [
            (&access.tls_client_ca, "--tls-client-ca", "certificate"),
            (&access.token_file, "--token-file", "token"),
        ] {
            if access.client_header.is_some() && file.is_some() {
                return Err(format!(
                    "--client-header has no place beside {flag}, with which each client is known by its {known_by}: \
                     leave out one of them"
                ));
            }
        }
        if self.otlp_ratio.is_some() && cfg!(not(feature = "otlp")) {
            return Err(
                "--otlp-ratio has no effect, as this loyd cannot export traces: build it with `--features otlp`, or \
                 leave out --otlp-ratio"
                    .to_owned(),
            );
        }
        Ok(())
    }

    /// Checks that gRPC and metrics do not want the same address.
    fn check_addresses(&self) -> Result<(), String> {
        let (grpc, metrics) = (self.listen, self.metrics_listen);
        // One that stands for all addresses of this machine takes the port on each of them.
        let is_same = grpc.ip() == metrics.ip()
            || grpc.is_ipv4() == metrics.is_ipv4()
                && (grpc.ip().is_unspecified() || metrics.ip().is_unspecified());
        if is_same && grpc.port() == metrics.port() && grpc.port() != 0 {
            return Err(format!(
                "--listen {grpc} and --metrics-listen {metrics} must differ: choose another port for one of them"
            ));
        }
        Ok(())
    }

    /// Returns where to send traces: `--otlp-endpoint`, else the endpoint in OpenTelemetry's own variables.
    ///
    /// Those variables address all programs of a machine, so a build without the `otlp` feature ignores them. So
    /// does any where `OTEL_SDK_DISABLED` or `OTEL_TRACES_EXPORTER` says that there is to be no export.
    #[must_use]
    pub fn traces_endpoint(&self) -> Option<String> {
        let said = |variable| std::env::var(variable).ok().filter(|said| !said.is_empty());
        let of_all = || {
            let is_off = said("OTEL_SDK_DISABLED")
                .is_some_and(|said| said.eq_ignore_ascii_case("true"))
                || said("OTEL_TRACES_EXPORTER").is_some_and(|said| said == "none");
            said("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
                .or_else(|| said("OTEL_EXPORTER_OTLP_ENDPOINT"))
                .filter(|_| cfg!(feature = "otlp") && !is_off)
        };
        let own = self.otlp_endpoint.clone();
        own.filter(|own| !own.is_empty()).or_else(of_all)
    }
}

/// Settings of the searches, shared by the service and the command line.
#[derive(Args, Clone, Debug)]
pub struct EngineArgs {
    /// The number of worker threads for searches, 1 to 1024; default: the cores this process may use.
    #[arg(long, env = "LOYD_WORKERS", value_name = "THREADS", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,

    /// The most searches at once, running and waiting; further requests are refused with OVERLOADED.
    #[arg(
        long,
        env = "LOYD_QUEUE",
        value_name = "SEARCHES",
        default_value_t = 1024,
        value_parser = count
    )]
    pub queue: usize,

    /// The most node generations a request may spend.
    #[arg(
        long,
        env = "LOYD_MAX_NODES",
        value_name = "NODES",
        default_value_t = 100_000_000_000,
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub max_nodes: u64,

    /// The longest time a request may take; default: 60s.
    #[arg(long, env = "LOYD_MAX_TIME", value_name = "TIME", value_parser = time)]
    pub max_time: Option<Duration>,

    /// The time BEST takes when a request sets no limit and has no deadline; default: 1s, or --max-time if that is less.
    #[arg(long, env = "LOYD_DEFAULT_TIME", value_name = "TIME", value_parser = time)]
    pub default_time: Option<Duration>,

    /// The memory settings.
    #[command(flatten)]
    pub memory: MemoryArgs,

    /// The folder of the tables.
    #[command(flatten)]
    pub tables: TableDirArg,
}

impl EngineArgs {
    /// Returns the longest time a request may take.
    #[must_use]
    pub fn max_time(&self) -> Duration {
        self.max_time.unwrap_or(MAX_TIME)
    }

    /// Returns the number of worker threads.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.workers.map_or(cores().get(), usize::from)
    }

    /// Checks that settings do not contradict each other.
    fn check(&self) -> Result<(), String> {
        if let (Some(default), Some(most)) = (self.default_time, self.max_time)
            && default > most
        {
            return Err(format!(
                "--default-time {} is longer than --max-time {}, the longest time a request may take: lower the \
                 first or raise the second",
                format_duration(default),
                format_duration(most)
            ));
        }
        self.memory.check()
    }

    /// Returns the settings as the engine takes them.
    ///
    /// # Errors
    /// When the settings ask for more memory than there is, or for too little to serve with.
    pub fn config(&self) -> Result<EngineConfig, Unusable> {
        let memory = self.memory.parts()?;
        Ok(EngineConfig {
            workers: self.workers(),
            capacity: self.queue,
            caps: Caps {
                nodes: self.max_nodes,
                time: self.max_time(),
                memory: memory.search,
                default_time: self.default_time.unwrap_or(DEFAULT_TIME),
            },
            memory: memory.searches,
            cache_memory: memory.cache,
            table_memory: memory.tables,
            heuristic_memory: memory.heuristics,
            build_memory: memory.build,
            database_build_memory: memory.build,
            store: self.tables.path().map(Store::new),
        })
    }
}

/// The folder of the tables.
#[derive(Args, Clone, Debug, Default)]
pub struct TableDirArg {
    /// The folder of the pattern databases, which make optimal solving fast; default: loyd in the user's cache folder.
    #[arg(long, env = "LOYD_TABLE_DIR", value_name = "FOLDER", global = true)]
    pub table_dir: Option<PathBuf>,
}

impl TableDirArg {
    /// Returns the folder, or `None` when none was given and the user has no cache folder.
    #[must_use]
    pub fn path(&self) -> Option<PathBuf> {
        self.table_dir.clone().or_else(|| {
            let user = etcetera::choose_base_strategy().ok()?;
            Some(user.cache_dir().join("loyd"))
        })
    }
}

/// The number of cores that this process may use, which follows a container's CPU limit; 1 where that is unknown.
#[must_use]
pub fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Parses an address to listen on, such as the example. Names are not looked up: they may stand for several addresses.
fn address(
    example: &'static str,
) -> impl Fn(&str) -> Result<SocketAddr, String> + Clone + Send + Sync {
    move |text| {
        text.parse()
            .map_err(|_| format!("use IP:PORT, such as {example}"))
    }
}

/// Parses a number of at least one.
fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(count) => Ok(count),
        Err(_) => Err(format!("{text:?} is not a number")),
    }
}

/// Parses a time of more than zero.
///
/// # Errors
/// A description of what is wrong with the text.
pub fn time(text: &str) -> Result<Duration, String> {
    match time_or_zero(text) {
        Ok(Duration::ZERO) => Err("must be longer than zero, such as 1s".to_owned()),
        time => time,
    }
}

/// Parses a time. One that is longer than anybody waits is shortened: no clock could tell its end.
fn time_or_zero(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .map(|time| time.min(FOREVER))
        .map_err(|error| error.to_string())
}

/// Parses the largest size of a request: at least one byte.
fn request_bytes(text: &str) -> Result<u64, String> {
    let size = bytes(text)?;
    if size == 0 {
        return Err("must be at least 1 byte".to_owned());
    }
    Ok(size)
}

/// Parses a client's weight: `NAME=WEIGHT`.
///
/// # Errors
/// A description of what is wrong with the text.
pub fn weight(text: &str) -> Result<(String, NonZeroU32), String> {
    let (name, weight) = text
        .trim()
        .rsplit_once('=')
        .ok_or_else(|| format!("{text:?} is not NAME=WEIGHT"))?;
    if !Client::is_name(name) {
        return Err(format!(
            "{name:?} is not a client's name: use 1 to 253 printable characters of ASCII without spaces"
        ));
    }
    let weight = Client::read_weight(weight)
        .ok_or_else(|| format!("{weight:?} is not a weight: use a number from 1 to 1000"))?;
    Ok((name.to_owned(), weight))
}

/// Parses a number of bytes: `4096`, `64K`, `256M`, `1G` (powers of 1024).
///
/// # Errors
/// A description of what is wrong with the text.
pub fn bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit.trim().to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(format!("unknown unit {unit:?}: use K, M, G or T")),
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .ok_or_else(|| format!("{text:?} is not a number of bytes such as 64M"))
}

/// Parses a number from 0 to 1.
fn ratio(text: &str) -> Result<f64, String> {
    let ratio = text.parse().ok();
    ratio
        .filter(|ratio| (0.0..=1.0).contains(ratio))
        .ok_or_else(|| format!("{text:?} is not a number from 0 to 1"))
}
