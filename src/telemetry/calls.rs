//! What is recorded of every call, by its method: looked up once, since each look takes as long as
//! ten recordings.

use std::sync::{LazyLock, OnceLock};

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// Everything that a call is counted as.
const METHODS: [&str; 7] = [
    "Solve",
    "SolveStream",
    "CheckSolvable",
    "Generate",
    "unknown",
    "health",
    "reflection",
];

/// gRPC has so many codes.
const CODES: usize = 17;

static ALL: LazyLock<[Calls; METHODS.len()]> = LazyLock::new(|| METHODS.map(Calls::new));

/// The metrics of the calls of one method.
pub(super) struct Calls {
    method: &'static str,
    pub(super) started: Counter,
    pub(super) in_flight: Gauge,
    pub(super) seconds: Histogram,
    handled: [OnceLock<Counter>; CODES],
}

/// The metrics of a method.
pub(super) fn of(method: &str) -> Option<&'static Calls> {
    ALL.iter().find(|calls| calls.method == method)
}

impl Calls {
    fn new(method: &'static str) -> Self {
        Self {
            method,
            started: counter!("loyd_requests_started_total", "method" => method),
            in_flight: gauge!("loyd_requests_in_flight", "method" => method),
            seconds: histogram!("loyd_request_seconds", "method" => method),
            handled: std::array::from_fn(|_| OnceLock::new()),
        }
    }

    /// Those that ended with a code, by its number and its name.
    pub(super) fn handled(&self, (number, code): (usize, &'static str)) -> &Counter {
        self.handled[number % CODES].get_or_init(
            || counter!("loyd_requests_handled_total", "method" => self.method, "code" => code),
        )
    }
}
