//! What is recorded of every call, by its method: looked up once, since each look takes as long as
//! ten recordings.

use std::sync::{LazyLock, OnceLock};

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};

/// What a call is counted as: never its path, of which a client can make any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Solve,
    SolveStream,
    CheckSolvable,
    Generate,
    Health,
    Reflection,
    /// Whatever else was called.
    Unknown,
}

impl Method {
    /// All, in the order of their numbers.
    const ALL: [Self; 7] = [
        Self::Solve,
        Self::SolveStream,
        Self::CheckSolvable,
        Self::Generate,
        Self::Health,
        Self::Reflection,
        Self::Unknown,
    ];

    /// In labels and in the log.
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
}

/// gRPC has so many codes.
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

/// The metrics of a method.
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

    /// Those that ended with a code, by its number and its name.
    pub(super) fn handled(&self, (number, code): (usize, &'static str)) -> &Counter {
        self.handled[number % CODES].get_or_init(
            || counter!("loyd_requests_handled_total", "method" => self.method, "code" => code),
        )
    }
}
