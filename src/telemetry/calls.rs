//! What is recorded of every call, by its method. The metrics are looked up once, because each
//! look-up takes as long as ten recordings.

use std::sync::{LazyLock, OnceLock};

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// The method as which a call is counted. It is never the path, of which a client can make any
/// number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Solve,
    SolveStream,
    CheckSolvable,
    Generate,
    Health,
    Reflection,
    /// Any other path.
    Unknown,
}

impl Method {
    /// All methods, in the order of their numbers.
    const ALL: [Self; 7] = [
        Self::Solve,
        Self::SolveStream,
        Self::CheckSolvable,
        Self::Generate,
        Self::Health,
        Self::Reflection,
        Self::Unknown,
    ];

    /// The methods that clients call for their puzzles. Their names are those of the contract.
    pub(crate) const OURS: [Self; 4] = [
        Self::Solve,
        Self::SolveStream,
        Self::CheckSolvable,
        Self::Generate,
    ];

    /// Returns the name used in labels and in the log.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Solve => "Solve",
            Self::SolveStream => "SolveStream",
            Self::CheckSolvable => "CheckSolvable",
            Self::Generate => "Generate",
            Self::Health => "health",
            Self::Reflection => "reflection",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the name with which clients call it, if it is one of the contract.
    #[cfg(feature = "otlp")]
    pub(super) const fn full_name(self) -> Option<&'static str> {
        match self {
            Self::Solve => Some("loyd.v1.PuzzleService/Solve"),
            Self::SolveStream => Some("loyd.v1.PuzzleService/SolveStream"),
            Self::CheckSolvable => Some("loyd.v1.PuzzleService/CheckSolvable"),
            Self::Generate => Some("loyd.v1.PuzzleService/Generate"),
            Self::Health | Self::Reflection | Self::Unknown => None,
        }
    }
}

/// The codes of failures that are the server's.
const FAILURES: [&str; 3] = ["INTERNAL", "UNKNOWN", "UNAVAILABLE"];

/// Creates the counters of failures: a rate needs the zero before the first one.
pub(super) fn count_no_failures() {
    for method in Method::OURS {
        for code in FAILURES {
            counter!("loyd_requests_handled_total", "method" => method.name(), "code" => code)
                .absolute(0);
        }
    }
}

/// The number of gRPC codes.
const CODES: usize = 17;

static ALL: LazyLock<[Calls; Method::ALL.len()]> =
    LazyLock::new(|| Method::ALL.map(|method| Calls::new(method.name())));

/// The metrics of the calls of one method.
pub(super) struct Calls {
    method: &'static str,
    pub(super) started: Counter,
    pub(super) in_flight: Gauge,
    pub(super) seconds: Histogram,
    handled: [OnceLock<Counter>; CODES],
}

/// Returns the metrics of a method.
pub(super) fn of(method: Method) -> &'static Calls {
    &ALL[method as usize]
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

    /// Returns the counter of calls that ended with a code, given by its number and its name.
    pub(super) fn handled(&self, (number, code): (usize, &'static str)) -> &Counter {
        self.handled[number % CODES].get_or_init(
            || counter!("loyd_requests_handled_total", "method" => self.method, "code" => code),
        )
    }
}
