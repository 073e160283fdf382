//! The catalogue of metrics: names, help texts, label values and buckets.

/// The kind of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A distribution.
    Histogram,
}

/// Every metric: its kind, name and help text.
pub const METRICS: &[(Kind, &str, &str)] = &[
    (
        Kind::Gauge,
        "loyd_build_info",
        "1, with the version as a label.",
    ),
    (
        Kind::Gauge,
        "loyd_serving",
        "1 while new calls are welcome, 0 while the server starts or drains.",
    ),
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
        "Calls that have arrived and not yet ended, by method.",
    ),
    (Kind::Gauge, "loyd_connections", "Open connections."),
    (
        Kind::Counter,
        "loyd_connections_closed_total",
        "Connections that ended, by reason.",
    ),
    (
        Kind::Counter,
        "loyd_accept_errors_total",
        "Failed attempts to accept a connection, mostly because no file descriptor was left.",
    ),
    (
        Kind::Counter,
        "loyd_tls_handshakes_failed_total",
        "TLS handshakes that failed, by reason.",
    ),
    (
        Kind::Gauge,
        "loyd_certificate_expires_timestamp_seconds",
        "When the certificate of --tls-cert that expires first does so, in seconds since 1970.",
    ),
    (
        Kind::Counter,
        "loyd_unauthenticated_total",
        "Calls refused because their token was missing or wrong.",
    ),
    (
        Kind::Counter,
        "loyd_reloads_total",
        "Successful reads of certificates and tokens.",
    ),
    (
        Kind::Gauge,
        "loyd_reload_failed",
        "1 while the files of certificates or tokens cannot be used and what was loaded before stays in use, else 0.",
    ),
    (Kind::Gauge, "loyd_workers", "Worker threads."),
    (
        Kind::Gauge,
        "loyd_pool_capacity",
        "The most searches that the pool can hold.",
    ),
    (
        Kind::Gauge,
        "loyd_queue_depth",
        "Searches waiting for a worker.",
    ),
    (
        Kind::Gauge,
        "loyd_searches_running",
        "Searches that a worker is running.",
    ),
    (
        Kind::Gauge,
        "loyd_searches_parked",
        "Searches waiting for a slow reader or for their helpers.",
    ),
    (
        Kind::Gauge,
        "loyd_workers_helping",
        "Workers that help with a search that another worker runs, because no search waits.",
    ),
    (
        Kind::Gauge,
        "loyd_clients",
        "Named clients that have searches under way, or have recently had more than their share.",
    ),
    (
        Kind::Gauge,
        "loyd_large_answers_waiting",
        "Calls whose large answers wait for one of the threads that make them.",
    ),
    (
        Kind::Gauge,
        "loyd_limit",
        "What the settings allow, by what is limited: bytes of memory, table_memory and heuristic_memory, and the numbers of connections and calls.",
    ),
    (
        Kind::Gauge,
        "loyd_memory_bytes",
        "Bytes held by all searches and answers, of --memory.",
    ),
    (
        Kind::Histogram,
        "loyd_queue_seconds",
        "Time that a search waited for its first slice, or until it was given up without one.",
    ),
    (
        Kind::Histogram,
        "loyd_slice_seconds",
        "Duration of a slice: the time that a search kept a worker, or an easy one the thread on which its call arrived. The count is the number of slices.",
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
        "Answers and refusals caused by a limit, by limit.",
    ),
    (
        Kind::Counter,
        "loyd_searches_abandoned_total",
        "Searches given up because all callers left without an answer: they cancelled or disappeared.",
    ),
    (
        Kind::Counter,
        "loyd_solved_at_once_total",
        "Questions so easy that they were answered where they arrived, without a worker.",
    ),
    (
        Kind::Counter,
        "loyd_overloaded_total",
        "Requests refused because of overload, by what was lacking: places in the queue, the client's share of them, memory, calls, bytes of arriving requests, or time before the deadline or time limit.",
    ),
    (
        Kind::Counter,
        "loyd_cache_hits_total",
        "Requests answered by a search that another request began.",
    ),
    (
        Kind::Counter,
        "loyd_cache_misses_total",
        "Requests for which the workers began a new search.",
    ),
    (
        Kind::Counter,
        "loyd_stalled_calls_total",
        "Calls reset because their caller did not read the answer.",
    ),
    (
        Kind::Counter,
        "loyd_stalled_connections_total",
        "Connections closed because their peer did not read what it had asked for.",
    ),
    (
        Kind::Counter,
        "loyd_log_lines_lost_total",
        "Log lines lost because they were not read fast enough or could not be written.",
    ),
    (
        Kind::Counter,
        "loyd_panics_total",
        "Panics, each a defect that cost one request, connection or table, by place.",
    ),
    (
        Kind::Counter,
        "loyd_spans_total",
        "Trace spans by outcome: exported, failed or dropped.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_building",
        "1 while a table is being built, else 0.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_build_ratio",
        "The fraction of its boards that the build under way has reached.",
    ),
    (
        Kind::Counter,
        "loyd_tables_evicted_total",
        "Tables evicted to make room for others within --table-memory, because nobody had asked for them in the last minute.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_refused",
        "Tables for which --table-memory had no room beside those in use, or only for lesser ones, when they were last asked for.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_ready",
        "Tables of exact distances that are ready.",
    ),
    (
        Kind::Gauge,
        "loyd_tables_bytes",
        "Bytes of the tables of exact distances that are ready.",
    ),
    (
        Kind::Gauge,
        "loyd_pattern_databases_bytes",
        "Bytes of the pattern databases that are ready, and of evicted ones that searches still use.",
    ),
    (
        Kind::Gauge,
        "loyd_pattern_databases",
        "1 for the pattern databases in use, by size and blank's home and by the number of tiles in their patterns.",
    ),
    (
        Kind::Counter,
        "loyd_table_files_total",
        "Files of pattern databases by outcome: loaded, saved, refused, not_saved, or read_only if the folder of a table that was built is on a read-only file system.",
    ),
    (
        Kind::Gauge,
        "loyd_heuristic_tables_refused",
        "Tables of the walking distance, of pushes and of the learned estimate for which --heuristic-memory had no room when they were last asked for; of the learned estimate also those that only make solutions a little shorter.",
    ),
    (
        Kind::Counter,
        "loyd_heuristic_tables_evicted_total",
        "Tables of the walking distance, of pushes and of the learned estimate evicted to make room for others, because nobody had asked for them in the last minute, or because searches do nearly as well without.",
    ),
    (
        Kind::Gauge,
        "loyd_heuristic_tables_bytes",
        "Bytes of the tables of the walking distance, of pushes and of the learned estimate, built on first use.",
    ),
    (
        Kind::Gauge,
        "process_start_time_seconds",
        "When the process started, in seconds since 1970.",
    ),
    (
        Kind::Counter,
        "process_cpu_seconds_total",
        "CPU time of the process, in whole seconds.",
    ),
    (Kind::Gauge, "process_threads", "Threads of the process."),
    (
        Kind::Gauge,
        "process_resident_memory_bytes",
        "Bytes of the process that are in memory, including pages of table files.",
    ),
    (
        Kind::Gauge,
        "process_virtual_memory_bytes",
        "Bytes of the process's address space.",
    ),
    (
        Kind::Gauge,
        "process_virtual_memory_max_bytes",
        "The most bytes of the process's address space; 0 if there is no limit.",
    ),
    (Kind::Gauge, "process_open_fds", "Open file descriptors."),
    (
        Kind::Gauge,
        "process_max_fds",
        "The most open file descriptors; 0 if there is no limit.",
    ),
];

/// The gauges that are there from the start, though it may take long until anything raises them.
pub(super) const GAUGES: &[&str] = &[
    "loyd_connections",
    "loyd_queue_depth",
    "loyd_searches_running",
    "loyd_searches_parked",
    "loyd_workers_helping",
    "loyd_clients",
    "loyd_large_answers_waiting",
    "loyd_memory_bytes",
    "loyd_heuristic_tables_refused",
    "loyd_heuristic_tables_bytes",
];

/// The counters without labels that are there from the start.
pub(super) const UNLABELLED: &[&str] = &[
    "loyd_searches_abandoned_total",
    "loyd_solved_at_once_total",
    "loyd_cache_hits_total",
    "loyd_cache_misses_total",
    "loyd_stalled_calls_total",
    "loyd_stalled_connections_total",
    "loyd_accept_errors_total",
    "loyd_log_lines_lost_total",
    "loyd_tables_evicted_total",
    "loyd_heuristic_tables_evicted_total",
];

/// The counters with one label that are there from the start, for all values of the label.
pub(super) const LABELLED: &[(&str, &str, &[&str])] = &[
    (
        "loyd_connections_closed_total",
        "reason",
        &[
            "peer",
            "lost",
            "limit",
            "handshake",
            "protocol",
            "flood",
            "stalled",
            "idle",
            "age",
            "drain",
            "defect",
        ],
    ),
    (
        "loyd_tls_handshakes_failed_total",
        "reason",
        &[
            "timeout",
            "closed",
            "not_tls",
            "no_certificate",
            "certificate",
            "alert",
            "protocol",
        ],
    ),
    (
        "loyd_unauthenticated_total",
        "reason",
        &["missing", "wrong"],
    ),
    (
        "loyd_panics_total",
        "place",
        &["search", "handler", "call", "connection", "drop", "table"],
    ),
    (
        "loyd_table_files_total",
        "outcome",
        &["loaded", "saved", "refused", "not_saved", "read_only"],
    ),
    (
        "loyd_overloaded_total",
        "lack",
        &["queue", "share", "memory", "calls", "requests", "time"],
    ),
    (
        "loyd_spans_total",
        "outcome",
        &["exported", "failed", "dropped"],
    ),
    (
        "loyd_limit_stops_total",
        "limit",
        &["nodes", "time", "memory", "deadline"],
    ),
];

/// The upper bounds of buckets in seconds, from the fastest answer to the longest deadline.
pub(super) const SECONDS: &[f64] = &[
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
    5.0, 10.0, 30.0, 60.0, 300.0,
];

/// The upper bounds of buckets in seconds for a slice, which should take 2 ms.
pub(super) const SLICE_SECONDS: &[f64] = &[
    0.000_1, 0.000_5, 0.001, 0.002, 0.003, 0.005, 0.01, 0.05, 0.25,
];

/// The upper bounds of buckets in moves, from a 2×2 board to a 128×128 one.
pub(super) const MOVES: &[f64] = &[
    10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0, 200.0, 400.0, 1e3, 3e3, 1e4, 1e5, 1e6,
    1e7,
];
