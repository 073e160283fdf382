//! Logs, metrics and traces. Every metric of the process is recorded here, those of calls in `calls`. `catalogue` names and
//! describes the metrics, `logs` is the log, `traces` joins calls to their callers' traces, and
//! `spans` exports them.

mod calls;
mod catalogue;
mod ended;
mod endpoint;
mod format;
mod lines;
mod logs;
mod rate_limited;
#[cfg(feature = "otlp")]
mod spans;
mod trace_context;
mod traces;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use metrics::{
    Counter, Gauge, Histogram, counter, describe_counter, describe_gauge, describe_histogram,
    gauge, histogram,
};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};
use thiserror::Error;

pub use catalogue::{Kind, METRICS};
pub use format::LogFormat;
pub use lines::Log;
pub use logs::{install_logs, log_filter};
pub use trace_context::{TraceContext, TraceId};
pub use traces::{TracesError, flush_traces, install_traces};

pub(crate) use calls::Method;
pub(crate) use ended::Ended;
pub(crate) use traces::Trace;

use catalogue::{GAUGES, LABELLED, MOVES, SECONDS, SLICE_SECONDS, UNLABELLED};
use endpoint::Endpoint;
use rate_limited::RateLimited;

use crate::few::Few;
use crate::heuristic::TableCounts;

// Metrics that are recorded several times in a call are looked up once, when they are first
// recorded. The recorder must be installed by then.
static QUEUED: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_queue_depth"));
static RUNNING: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_searches_running"));
static PARKED: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_searches_parked"));
static HELPING: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_workers_helping"));
static CLIENTS: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_clients"));
static MEMORY: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_memory_bytes"));
static HEURISTIC_TABLES: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_heuristic_tables_bytes"));
static REFUSED_TABLES: LazyLock<Gauge> = LazyLock::new(|| gauge!("loyd_heuristic_tables_refused"));
static EVICTED_TABLES: LazyLock<Counter> =
    LazyLock::new(|| counter!("loyd_heuristic_tables_evicted_total"));
static HITS: LazyLock<Counter> = LazyLock::new(|| counter!("loyd_cache_hits_total"));
static MISSES: LazyLock<Counter> = LazyLock::new(|| counter!("loyd_cache_misses_total"));
static AT_ONCE: LazyLock<Counter> = LazyLock::new(|| counter!("loyd_solved_at_once_total"));
static SLICES: LazyLock<Histogram> = LazyLock::new(|| histogram!("loyd_slice_seconds"));
static QUEUE_SECONDS: LazyLock<Histogram> = LazyLock::new(|| histogram!("loyd_queue_seconds"));
/// Metrics by their labels, of which there are few values. Looking one up takes as long as ten
/// recordings.
type Labelled<const N: usize, M> = Few<[&'static str; N], M>;

/// An event by a label: the events of each are counted and logged apart.
type Events = Few<&'static str, RateLimited>;

static NODES: Labelled<1, Counter> =
    Few::new(|&[algorithm]| counter!("loyd_nodes_total", "algorithm" => algorithm));
static OVERLOADED: Labelled<1, Counter> =
    Few::new(|&[lack]| counter!("loyd_overloaded_total", "lack" => lack));
static SOLVE_SECONDS: Labelled<2, Histogram> = Few::new(
    |&[size, objective]| histogram!("loyd_solve_seconds", "size" => size, "objective" => objective),
);
static SOLUTION_MOVES: Labelled<1, Histogram> =
    Few::new(|&[size]| histogram!("loyd_solution_moves", "size" => size));

/// Whether new calls are welcome.
static SERVING: AtomicBool = AtomicBool::new(false);

/// Why metrics could not be installed.
#[derive(Debug, Error)]
pub enum MetricsError {
    /// Listening on the address or starting a thread failed.
    #[error(transparent)]
    Listen(#[from] std::io::Error),
    /// A recorder is already installed, or a histogram has no buckets.
    #[error(transparent)]
    Recorder(#[from] BuildError),
}

/// Installs the recorder, serves the metrics over HTTP on `listen` and returns the address, which
/// differs if the port was 0. Must be called once per process.
///
/// # Errors
/// If a recorder is already installed, `listen` is taken, or no thread can be started.
pub fn install_metrics(listen: SocketAddr) -> Result<SocketAddr, MetricsError> {
    let endpoint = Endpoint::bind(listen)?;
    let address = endpoint.address();
    let metrics = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Full("loyd_slice_seconds".into()), SLICE_SECONDS)?
        .set_buckets_for_metric(Matcher::Full("loyd_solution_moves".into()), MOVES)?
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), SECONDS)?
        .install_recorder()?;
    endpoint.start(metrics)?;
    for &(kind, name, help) in METRICS {
        match kind {
            Kind::Counter => describe_counter!(name, help),
            Kind::Gauge => describe_gauge!(name, help),
            Kind::Histogram => describe_histogram!(name, help),
        }
    }
    gauge!("loyd_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1);
    serving(false);
    for &name in GAUGES {
        gauge!(name).set(0);
    }
    // A rate needs the zero before the first event.
    for &name in UNLABELLED {
        counter!(name).absolute(0);
    }
    for &(name, label, values) in LABELLED {
        for &value in values {
            counter!(name, label => value).absolute(0);
        }
    }
    calls::count_no_failures();
    Ok(address)
}

/// Records the size of the pool.
pub(crate) fn pool_size(workers: usize, capacity: usize) {
    gauge!("loyd_workers").set(workers as f64);
    gauge!("loyd_pool_capacity").set(capacity as f64);
}

/// Records a limit that the settings set.
pub(crate) fn limit(what: &'static str, most: u64) {
    gauge!("loyd_limit", "what" => what).set(most as f64);
}

/// Records where the pool's tasks are.
pub(crate) fn pool(queued: usize, running: usize, parked: usize) {
    QUEUED.set(queued as f64);
    RUNNING.set(running as f64);
    PARKED.set(parked as f64);
}

/// Records how many workers help.
pub(crate) fn helping(workers: usize) {
    HELPING.set(workers as f64);
}

/// Records how many named clients are remembered.
pub(crate) fn clients(named: usize) {
    CLIENTS.set(named as f64);
}

/// Records how long a task has had a worker.
pub(crate) fn slice(spent: Duration) {
    SLICES.record(spent);
}

/// Records that searches and answers hold so many bytes more, or fewer. Changes add up in any order,
/// so that nobody's old total can stand.
pub(crate) fn memory(change: f64) {
    MEMORY.increment(change);
}

/// Counts a call that waits where large answers are made.
pub(crate) fn large_answer() -> Counted {
    Counted::by(gauge!("loyd_large_answers_waiting"))
}

/// Counts a panic that was caught.
pub(crate) fn panic(place: &'static str) {
    counter!("loyd_panics_total", "place" => place).increment(1);
}

/// Counts a search for which nobody waits any more.
pub(crate) fn search_abandoned() {
    counter!("loyd_searches_abandoned_total").increment(1);
}

/// Counts a request that was refused for lack of something, and names its client where that is known. Logs
/// each lack at most once per second, because a line for each request would be a load of its own.
pub(crate) fn overloaded(lack: &'static str, client: Option<&str>) {
    static LINES: Events = Few::new(|_| RateLimited::new());
    OVERLOADED.with([lack], |counter| counter.increment(1));
    if let Some((refused, since_s)) = LINES.with(lack, RateLimited::record) {
        let client = client.map(tracing::field::display);
        tracing::warn!(client, refused, since_s, lack, "overloaded: calls refused");
    }
}

/// Counts a question that was answered where it was asked, without waiting in the queue.
pub(crate) fn solved_at_once() {
    QUEUE_SECONDS.record(Duration::ZERO);
    AT_ONCE.increment(1);
}

/// Counts whether a request found its search in the cache or began one.
pub(crate) fn cache(hit: bool) {
    if hit {
        HITS.increment(1);
    } else {
        MISSES.increment(1);
    }
}

/// Records how much of a table is built, or that none is being built.
pub(crate) fn table_building(done: Option<f64>) {
    gauge!("loyd_tables_building").set(f64::from(u8::from(done.is_some())));
    gauge!("loyd_tables_build_ratio").set(done.unwrap_or_default());
}

/// Records whether new calls are welcome.
pub(crate) fn serving(welcome: bool) {
    SERVING.store(welcome, Ordering::Relaxed);
    gauge!("loyd_serving").set(u8::from(welcome));
}

/// Whether new calls are welcome.
fn is_serving() -> bool {
    SERVING.load(Ordering::Relaxed)
}

/// Counts a table that was evicted.
pub(crate) fn table_evicted() {
    counter!("loyd_tables_evicted_total").increment(1);
}

/// Records the tables that are ready, and how many have no room.
pub(crate) fn tables(ready: usize, bytes: u64, refused: usize) {
    gauge!("loyd_tables_ready").set(ready as f64);
    gauge!("loyd_tables_bytes").set(bytes as f64);
    gauge!("loyd_tables_refused").set(refused as f64);
}

/// Records that databases of patterns of these sizes guide problems from now on, or no longer do.
pub(crate) fn guide(home: &str, sizes: &str, in_use: bool) {
    let value = f64::from(u8::from(in_use));
    gauge!("loyd_pattern_databases", "home" => home.to_owned(), "patterns" => sizes.to_owned())
        .set(value);
    tracing::info!(home, patterns = sizes, in_use, "pattern databases");
}

/// Records the outcome for a file of pattern databases.
pub(crate) fn table_file(outcome: &'static str, what: &dyn std::fmt::Display) {
    counter!("loyd_table_files_total", "outcome" => outcome).increment(1);
    if matches!(outcome, "refused" | "not_saved") {
        tracing::warn!(outcome, %what, "table file");
    } else {
        tracing::debug!(outcome, %what, "table file");
    }
}

/// Records the counts of the heuristics' tables up to now. They are read in turn, so that nobody's old
/// counts can stand.
pub(crate) fn heuristic_tables(counts: impl FnOnce() -> TableCounts) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let counts = counts();
    HEURISTIC_TABLES.set(counts.bytes as f64);
    REFUSED_TABLES.set(counts.refused as f64);
    EVICTED_TABLES.absolute(counts.evicted as u64);
}

/// Counts spans by their outcome.
#[cfg(feature = "otlp")]
fn count_spans(outcome: &'static str, count: u64) {
    counter!("loyd_spans_total", "outcome" => outcome).increment(count);
}

/// Counts a call that has arrived.
pub(crate) fn request_started(method: Method) {
    let calls = calls::of(method);
    calls.started.increment(1);
    calls.in_flight.increment(1);
}

/// Counts a call that has ended, with its code by number and name.
pub(crate) fn request_handled(method: Method, code: (usize, &'static str), elapsed: Duration) {
    let calls = calls::of(method);
    calls.handled(code).increment(1);
    calls.in_flight.decrement(1);
    calls.seconds.record(elapsed);
}

/// Records how long a request's search waited for its first slice, or until all its callers left.
pub(crate) fn queued(waited: Duration) {
    QUEUE_SECONDS.record(waited);
}

/// Counts the nodes that a search has generated.
pub(crate) fn nodes(algorithm: &'static str, generated: u64) {
    NODES.with([algorithm], |counter| counter.increment(generated));
}

/// Records a solution that was sent.
pub(crate) fn solved(cells: usize, objective: &'static str, moves: usize, elapsed: Duration) {
    let size = size_class(cells);
    SOLVE_SECONDS.with([size, objective], |histogram| histogram.record(elapsed));
    SOLUTION_MOVES.with([size], |histogram| histogram.record(moves as f64));
}

/// Counts a request that a limit ended.
pub(crate) fn limit_stop(limit: &'static str) {
    counter!("loyd_limit_stops_total", "limit" => limit).increment(1);
}

/// Counts a call whose caller has left its answer.
pub(crate) fn call_stalled() {
    counter!("loyd_stalled_calls_total").increment(1);
}

/// Counts a connection whose peer does not read.
pub(crate) fn connection_stalled() {
    counter!("loyd_stalled_connections_total").increment(1);
}

/// Counts a connection that has ended.
pub(crate) fn connection_closed(reason: &'static str) {
    counter!("loyd_connections_closed_total", "reason" => reason).increment(1);
}

/// Logs, at most once per second for each reason, a connection that has ended through a fault of its
/// peer, or for which there was no room.
pub(crate) fn faulty_peer(peer: SocketAddr, reason: &'static str) {
    static LINES: Events = Few::new(|_| RateLimited::new());
    if let Some((connections, since_s)) = LINES.with(reason, RateLimited::record) {
        tracing::info!(%peer, reason, connections, since_s, "connections closed");
    }
}

/// Counts a TLS handshake that failed.
pub(crate) fn handshake_failed(reason: &'static str) {
    counter!("loyd_tls_handshakes_failed_total", "reason" => reason).increment(1);
}

/// Records when the certificate that is served from now on expires, in seconds since 1970.
pub(crate) fn certificate_expires(seconds: i64) {
    gauge!("loyd_certificate_expires_timestamp_seconds").set(seconds as f64);
}

/// Counts a connection that could not be accepted, and logs it at most once per second.
pub(crate) fn not_accepted(error: &std::io::Error) {
    static LINES: RateLimited = RateLimited::new();
    counter!("loyd_accept_errors_total").increment(1);
    if let Some((times, since_s)) = LINES.record() {
        tracing::warn!(%error, times, since_s, "cannot accept a connection");
    }
}

/// Counts a call that was refused because of its token, and logs it at most once per second for each
/// reason.
pub(crate) fn unauthenticated(reason: &'static str, peer: Option<SocketAddr>) {
    static LINES: Events = Few::new(|_| RateLimited::new());
    counter!("loyd_unauthenticated_total", "reason" => reason).increment(1);
    if let Some((calls, since_s)) = LINES.with(reason, RateLimited::record) {
        let peer = peer.map(tracing::field::display);
        tracing::info!(
            peer,
            reason,
            calls,
            since_s,
            "unauthenticated calls refused"
        );
    }
}

/// Records whether files that were read again can be used.
pub(crate) fn reload(what: &'static str, outcome: Result<(), ()>) {
    if outcome.is_ok() {
        counter!("loyd_reloads_total", "what" => what).increment(1);
    }
    let failed = f64::from(u8::from(outcome.is_err()));
    gauge!("loyd_reload_failed", "what" => what).set(failed);
}

/// Counts an open connection.
pub(crate) fn connection() -> Counted {
    Counted::by(gauge!("loyd_connections"))
}

/// Is counted by a gauge until it is dropped.
#[must_use]
pub(crate) struct Counted(Gauge);

impl Counted {
    fn by(gauge: Gauge) -> Self {
        gauge.increment(1);
        Self(gauge)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.decrement(1);
    }
}

/// Returns a class of boards of similar difficulty. There are few enough to label metrics with.
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
