//! Logs and metrics: every metric of the process is named, described and recorded here. `traces`
//! joins calls to their callers' traces; `spans` exports these.

#[cfg(feature = "otlp")]
mod spans;
mod trace_context;
mod traces;

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Duration;

use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};
use tracing_subscriber::EnvFilter;

pub use trace_context::{TraceContext, TraceId};
pub use traces::{TracesError, flush_traces, install_traces};

pub(crate) use traces::{Ended, Trace};

/// How log lines look.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// What a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A distribution.
    Histogram,
}

/// Every metric, with its help text.
pub const METRICS: &[(Kind, &str, &str)] = &[
    (Kind::Gauge, "loyd_build_info", "1, with the version."),
    (
        Kind::Counter,
        "loyd_requests_started_total",
        "Calls that arrived, by method.",
    ),
    (
        Kind::Counter,
        "loyd_requests_handled_total",
        "Calls that ended, by method and gRPC code.",
    ),
    (
        Kind::Histogram,
        "loyd_request_seconds",
        "Time from a call's arrival to its end, by method.",
    ),
    (
        Kind::Gauge,
        "loyd_requests_in_flight",
        "Calls that have arrived and not ended, by method.",
    ),
    (Kind::Gauge, "loyd_connections", "Open connections."),
    (Kind::Gauge, "loyd_workers", "Worker threads."),
    (
        Kind::Gauge,
        "loyd_pool_capacity",
        "Searches that the pool holds at the most.",
    ),
    (
        Kind::Gauge,
        "loyd_queue_depth",
        "Searches that wait for a worker.",
    ),
    (
        Kind::Gauge,
        "loyd_searches_running",
        "Searches that a worker is on.",
    ),
    (
        Kind::Gauge,
        "loyd_searches_parked",
        "Searches that wait for a slow reader.",
    ),
    (
        Kind::Gauge,
        "loyd_workers_helping",
        "Workers that help with a search that another worker is on, because none waits.",
    ),
    (
        Kind::Gauge,
        "loyd_memory_bytes",
        "Bytes held by all searches and answers, of --memory.",
    ),
    (
        Kind::Histogram,
        "loyd_queue_seconds",
        "Time that a search waited for its first slice.",
    ),
    (
        Kind::Histogram,
        "loyd_slice_seconds",
        "Time that a search kept a worker: a slice. Its count is the number of slices.",
    ),
    (
        Kind::Counter,
        "loyd_nodes_total",
        "Node generations, by the algorithm that made them.",
    ),
    (
        Kind::Histogram,
        "loyd_solve_seconds",
        "Time from arrival to the answer, by size class and objective.",
    ),
    (
        Kind::Histogram,
        "loyd_solution_moves",
        "Lengths of the solutions sent, by size class.",
    ),
    (
        Kind::Counter,
        "loyd_limit_stops_total",
        "Answers and refusals for which a limit was the reason, by limit.",
    ),
    (
        Kind::Counter,
        "loyd_searches_abandoned_total",
        "Searches given up because nobody waited for them any more.",
    ),
    (
        Kind::Counter,
        "loyd_overloaded_total",
        "Requests refused because the pool, the memory or the calls were at their bound.",
    ),
    (
        Kind::Counter,
        "loyd_cache_hits_total",
        "Requests answered by a search that another one began.",
    ),
    (
        Kind::Counter,
        "loyd_cache_misses_total",
        "Requests for which a search was begun.",
    ),
    (
        Kind::Counter,
        "loyd_stalled_connections_total",
        "Connections closed because their peer did not read what it had asked for.",
    ),
    (
        Kind::Counter,
        "loyd_panics_total",
        "Panics, each a defect that cost one request, by place.",
    ),
    (
        Kind::Counter,
        "loyd_spans_total",
        "Spans of traces by what became of them: exported, failed or dropped.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_building",
        "1 while a table is being built, else 0.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_build_ratio",
        "The part of its boards that the build under way has reached.",
    ),
    (
        Kind::Counter,
        "loyd_tables_evicted_total",
        "Tables that made room for others, because of --table-memory.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_ready",
        "Tables of exact distances that are ready.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_bytes",
        "Bytes of the tables that are ready.",
    ),
    (
        Kind::Gauge,
        "loyd_pattern_databases_bytes",
        "Bytes of the pattern databases that are ready.",
    ),
    (
        Kind::Gauge,
        "loyd_pattern_databases",
        "1 for the pattern databases in use, by size and blank's home and by the tiles of their patterns.",
    ),
    (
        Kind::Counter,
        "loyd_table_files_total",
        "Files of pattern databases by what became of them: loaded, saved, refused or not_saved.",
    ),
    (
        Kind::Gauge,
        "loyd_heuristic_tables_bytes",
        "Bytes of the walking distance's tables, built when first asked for.",
    ),
];

/// Upper bounds in seconds, from the fastest answer to the longest deadline.
const SECONDS: &[f64] = &[
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 30.0, 60.0, 300.0,
];

/// Upper bounds in seconds of a slice, which should take 2 ms.
const SLICE_SECONDS: &[f64] = &[
    0.000_1, 0.000_5, 0.001, 0.002, 0.003, 0.005, 0.01, 0.05, 0.25,
];

/// Upper bounds in moves, from a 2×2 board to a 128×128 one.
const MOVES: &[f64] = &[
    10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0, 200.0, 400.0, 1e3, 3e3, 1e4, 1e5, 1e6,
    1e7,
];

/// Sends the log to standard error.
///
/// `filter` is a list of `target=level` as in `info` or `loyd=debug,h2=warn`; what cannot be read
/// of it is left out.
pub fn install_logs(format: LogFormat, filter: &str) {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::builder().parse_lossy(filter))
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false);
    // A second subscriber in one process is a test's; the first one stays.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}

/// Installs the recorder and serves the metrics over HTTP on `listen`. Must be called within a
/// tokio runtime, once in a process.
///
/// # Errors
/// When a recorder is installed already or `listen` is taken.
pub fn install_metrics(listen: SocketAddr) -> Result<(), BuildError> {
    PrometheusBuilder::new()
        .with_http_listener(listen)
        .set_buckets_for_metric(Matcher::Full("loyd_slice_seconds".into()), SLICE_SECONDS)?
        .set_buckets_for_metric(Matcher::Full("loyd_solution_moves".into()), MOVES)?
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), SECONDS)?
        .install()?;
    for &(kind, name, help) in METRICS {
        match kind {
            Kind::Counter => describe_counter!(name, help),
            Kind::Gauge => describe_gauge!(name, help),
            Kind::Histogram => describe_histogram!(name, help),
        }
    }
    gauge!("loyd_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
    // A rate needs the zero before the first event.
    for name in [
        "loyd_searches_abandoned_total",
        "loyd_overloaded_total",
        "loyd_cache_hits_total",
        "loyd_cache_misses_total",
        "loyd_stalled_connections_total",
        "loyd_tables_evicted_total",
    ] {
        counter!(name).absolute(0);
    }
    for place in ["search", "handler", "drop", "table"] {
        counter!("loyd_panics_total", "place" => place).absolute(0);
    }
    for outcome in ["loaded", "saved", "refused", "not_saved"] {
        counter!("loyd_table_files_total", "outcome" => outcome).absolute(0);
    }
    for outcome in ["exported", "failed", "dropped"] {
        count_spans(outcome, 0);
    }
    for limit in ["nodes", "time", "memory", "deadline"] {
        counter!("loyd_limit_stops_total", "limit" => limit).absolute(0);
    }
    Ok(())
}

/// The pool has been started.
pub(crate) fn pool_size(workers: usize, capacity: usize) {
    gauge!("loyd_workers").set(workers as f64);
    gauge!("loyd_pool_capacity").set(capacity as f64);
}

/// Where the pool's tasks are now.
pub(crate) fn pool(queued: usize, running: usize, parked: usize, helping: usize) {
    gauge!("loyd_queue_depth").set(queued as f64);
    gauge!("loyd_searches_running").set(running as f64);
    gauge!("loyd_searches_parked").set(parked as f64);
    gauge!("loyd_workers_helping").set(helping as f64);
}

/// A task has had a worker for this long.
pub(crate) fn slice(spent: Duration) {
    histogram!("loyd_slice_seconds").record(spent);
}

/// All searches and answers hold this many bytes.
pub(crate) fn memory(bytes: u64) {
    gauge!("loyd_memory_bytes").set(bytes as f64);
}

/// Something panicked and was caught.
pub(crate) fn panic(place: &'static str) {
    counter!("loyd_panics_total", "place" => place).increment(1);
}

/// Nobody waits for a search any more.
pub(crate) fn search_abandoned() {
    counter!("loyd_searches_abandoned_total").increment(1);
}

/// A request was refused because the pool was full.
pub(crate) fn overloaded() {
    counter!("loyd_overloaded_total").increment(1);
}

/// A request found its search already there, or began one.
pub(crate) fn cache(hit: bool) {
    if hit {
        counter!("loyd_cache_hits_total").increment(1);
    } else {
        counter!("loyd_cache_misses_total").increment(1);
    }
}

/// So much of a table is built, or none is being built.
pub(crate) fn table_building(done: Option<f64>) {
    gauge!("loyd_tables_building").set(f64::from(u8::from(done.is_some())));
    gauge!("loyd_tables_build_ratio").set(done.unwrap_or_default());
}

/// A table made room for another one.
pub(crate) fn table_evicted() {
    counter!("loyd_tables_evicted_total").increment(1);
}

/// These tables are ready.
pub(crate) fn tables(ready: usize, bytes: u64) {
    gauge!("loyd_tables_ready").set(ready as f64);
    gauge!("loyd_tables_bytes").set(bytes as f64);
}

/// The pattern databases hold this many bytes.
pub(crate) fn pattern_databases(bytes: u64) {
    gauge!("loyd_pattern_databases_bytes").set(bytes as f64);
}

/// Problems are guided by databases of patterns of these sizes from now on, or no longer.
pub(crate) fn guide(home: &str, sizes: &str, in_use: bool) {
    let value = f64::from(u8::from(in_use));
    gauge!("loyd_pattern_databases", "home" => home.to_owned(), "patterns" => sizes.to_owned())
        .set(value);
    tracing::info!(home, patterns = sizes, in_use, "pattern databases");
}

/// Something became of a file of pattern databases.
pub(crate) fn table_file(outcome: &'static str, what: &dyn std::fmt::Display) {
    counter!("loyd_table_files_total", "outcome" => outcome).increment(1);
    if matches!(outcome, "refused" | "not_saved") {
        tracing::warn!(outcome, %what, "table file");
    } else {
        tracing::debug!(outcome, %what, "table file");
    }
}

/// The tables of heuristics hold this many bytes.
pub(crate) fn heuristic_tables(bytes: usize) {
    gauge!("loyd_heuristic_tables_bytes").set(bytes as f64);
}

/// Something became of so many spans.
fn count_spans(outcome: &'static str, count: u64) {
    counter!("loyd_spans_total", "outcome" => outcome).increment(count);
}

/// A call has arrived.
pub(crate) fn request_started(method: &'static str) {
    counter!("loyd_requests_started_total", "method" => method).increment(1);
    gauge!("loyd_requests_in_flight", "method" => method).increment(1);
}

/// A call has ended.
pub(crate) fn request_handled(method: &'static str, code: &'static str, elapsed: Duration) {
    counter!("loyd_requests_handled_total", "method" => method, "code" => code).increment(1);
    gauge!("loyd_requests_in_flight", "method" => method).decrement(1);
    histogram!("loyd_request_seconds", "method" => method).record(elapsed);
}

/// A request's search got its first slice.
pub(crate) fn queued(waited: Duration) {
    histogram!("loyd_queue_seconds").record(waited);
}

/// A search has made this many more nodes.
pub(crate) fn nodes(algorithm: &'static str, generated: u64) {
    counter!("loyd_nodes_total", "algorithm" => algorithm).increment(generated);
}

/// A solution was sent.
pub(crate) fn solved(cells: usize, objective: &'static str, moves: usize, elapsed: Duration) {
    let size = size_class(cells);
    histogram!("loyd_solve_seconds", "size" => size, "objective" => objective).record(elapsed);
    histogram!("loyd_solution_moves", "size" => size).record(moves as f64);
}

/// A limit ended a request.
pub(crate) fn limit_stop(limit: &'static str) {
    counter!("loyd_limit_stops_total", "limit" => limit).increment(1);
}

/// A connection's peer does not read.
pub(crate) fn connection_stalled() {
    counter!("loyd_stalled_connections_total").increment(1);
}

/// A connection was opened or closed.
pub(crate) fn connections(open: bool) {
    let gauge = gauge!("loyd_connections");
    if open {
        gauge.increment(1);
    } else {
        gauge.decrement(1);
    }
}

/// Boards of about equal hardness, few enough to label metrics with.
const fn size_class(cells: usize) -> &'static str {
    match cells {
        ..=9 => "to_3x3",
        10..=16 => "to_4x4",
        17..=25 => "to_5x5",
        26..=49 => "to_7x7",
        50..=100 => "to_10x10",
        101..=1024 => "to_32x32",
        _ => "larger",
    }
}
