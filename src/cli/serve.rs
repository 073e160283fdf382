//! `loyd serve`: runs the service, from the first log line to the last.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};

use super::{Exit, Failure};
use crate::config::{ServeConfig, cores};
use crate::service::Server;
use crate::telemetry;

pub(super) async fn serve(config: ServeConfig) -> Result<Exit, Failure> {
    let begun = Instant::now();
    config.check().map_err(Failure::Input)?;
    let _logs = telemetry::install_logs(config.log_format, &config.log);
    raise_file_limit();
    check_file_limit(config.max_connections);
    let metrics = telemetry::install_metrics(config.metrics_listen).map_err(|error| {
        Failure::Input(format!(
            "cannot serve metrics on {}: {error}; choose another address with --metrics-listen",
            config.metrics_listen
        ))
    })?;
    let traces = config.traces_endpoint();
    if let Some(endpoint) = &traces {
        telemetry::install_traces(endpoint, config.otlp_ratio.unwrap_or(1.0))
            .map_err(|error| Failure::Input(error.to_string()))?;
    }
    // Before the listener starts: the default action of these signals would kill the process.
    let shutdown = shutdown()
        .and_then(|shutdown| hang_up().map(|()| shutdown))
        .map_err(|error| Failure::Broken(format!("cannot wait for signals: {error}")))?;
    let server = Server::start(config)
        .await
        .map_err(|error| Failure::Input(error.to_string()))?;
    let engine = server.engine();
    tracing::info!(
        version = env!("CARGO_PKG_VERSION"),
        grpc = %server.address(),
        tls = server.has_tls(),
        metrics = %format_args!("http://{metrics}/metrics"),
        traces,
        workers = engine.workers,
        queue = engine.capacity,
        memory = engine.memory,
        cache_memory = engine.cache_memory,
        table_memory = engine.table_memory,
        heuristic_memory = engine.heuristic_memory,
        build_memory = engine.build_memory,
        tables = server.tables(),
        elapsed_us = begun.elapsed().as_micros() as u64,
        "ready"
    );
    server.run(shutdown).await;
    telemetry::flush_traces();
    Ok(Exit::Done)
}

/// The threads beside those of the runtime and the workers: one each for the log, the metrics, what is dropped and the
/// tables, and two for large answers.
const OTHER_THREADS: usize = 6;

/// Checks that the system has as many threads to give as the server will have. The runtime panics when it cannot start
/// all of its own, and waits for ever for those that it has started.
pub(super) fn check_threads(config: &ServeConfig) -> Result<(), Failure> {
    // Each of these has its files watched by one more.
    let watched = [&config.access.tls_cert, &config.access.token_file];
    let watching = watched.into_iter().flatten().count();
    let needed = cores().get() + config.engine.workers() + OTHER_THREADS + watching;
    let gate = Mutex::new(());
    let wait = || drop(gate.lock().unwrap_or_else(PoisonError::into_inner));
    thread::scope(|scope| {
        // They are all there until it is opened, which also happens when one cannot be started.
        let _closed = gate.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..needed {
            thread::Builder::new().spawn_scoped(scope, wait)?;
        }
        Ok(())
    })
    .map_err(|error: std::io::Error| {
        Failure::Input(format!(
            "cannot start {needed} threads: {error}; raise the limit of threads (ulimit -u, the container's pids), or \
             choose fewer with --workers"
        ))
    })
}

/// Raises the limit of file descriptors. Each connection takes one; processes usually start with a limit of 1,024
/// and may have many more if they ask.
fn raise_file_limit() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(%error, "cannot raise the limit of file descriptors");
    }
}

/// The file descriptors beside those of connections: the listener of the metrics takes up to 64, and the process
/// itself some 20.
const OTHER_FILES: u64 = 100;

/// Warns if there are too few file descriptors for as many connections as the settings allow. It is no reason not to
/// serve: fewer may come.
fn check_file_limit(max_connections: usize) {
    let Some(limit) = getrlimit(Resource::Nofile).current else {
        return;
    };
    let needed = (max_connections as u64).saturating_add(OTHER_FILES);
    if limit < needed {
        tracing::warn!(
            limit,
            needed,
            max_connections,
            "too few file descriptors for --max-connections: raise the limit of open files (ulimit -n) or lower --max-connections"
        );
    }
}

/// How long after the first signal another one still asks for the same end: `timeout`, for one, signals the process and
/// then its whole group.
const SAME: Duration = Duration::from_millis(200);

/// How long writing the last log line may take.
const LAST_LINE: Duration = Duration::from_millis(50);

/// Ignores SIGHUP, which tells other servers to reload their files: it must not end this one.
fn hang_up() -> std::io::Result<()> {
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hang_up.recv().await.is_some() {
            tracing::info!(
                "SIGHUP ignored: TLS and token files are reloaded automatically when they change"
            );
        }
    });
    Ok(())
}

/// Returns a future that completes at the first SIGTERM or SIGINT. A second one ends the process at once, unless it comes
/// with the first.
fn shutdown() -> std::io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut either = async move || {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    Ok(async move {
        either().await;
        tokio::spawn(async move {
            // What is pending counts as the same, however late it is looked at.
            let same = async {
                loop {
                    either().await;
                }
            };
            let _: Result<(), _> = tokio::time::timeout(SAME, same).await;
            either().await;
            tracing::warn!("second signal: exiting at once");
            // The log is written by another thread.
            tokio::time::sleep(LAST_LINE).await;
            std::process::exit(Exit::Interrupted as i32);
        });
    })
}
