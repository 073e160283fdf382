//! Calls as parts of their callers' traces. Trace ids are logged; with the feature `otlp`, spans
//! are exported.

use http::{HeaderMap, HeaderValue};
use thiserror::Error;

use super::ended::Ended;
use super::trace_context::{TraceContext, TraceId};

/// Why spans cannot be exported.
#[derive(Debug, Error)]
pub enum TracesError {
    /// The exporter is not part of this binary.
    #[error(
        "this loyd cannot export traces: build it with `--features otlp`, or leave out \
         --otlp-endpoint"
    )]
    NotBuilt,
    /// The endpoint is not valid.
    #[error(
        "cannot export traces to {endpoint}: {cause}; --otlp-endpoint takes an address such as http://127.0.0.1:4317"
    )]
    Endpoint {
        /// The given endpoint.
        endpoint: String,
        /// What is wrong with it.
        cause: String,
    },
}

/// The place of a call in its caller's trace.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    parent: Option<TraceContext>,
    /// `tracestate`, passed on unchanged.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(dead_code, reason = "only exporters hand it on")
    )]
    state: Option<HeaderValue>,
}

impl Trace {
    /// Reads the trace that a call's metadata names, if any.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let parent = headers.get("traceparent");
        let parent = parent.and_then(|value| TraceContext::read(value.as_bytes()));
        // The state means nothing without its parent.
        let state = parent.and_then(|_| headers.get("tracestate").cloned());
        Self { parent, state }
    }

    /// Exports the spans of a call that has just ended, if it is to be traced. Returns the id of
    /// its trace, for the log.
    #[cfg(feature = "otlp")]
    pub(crate) fn end(&self, ended: &Ended<'_>) -> Option<TraceId> {
        let caller = self.parent.map(|parent| parent.trace);
        super::spans::export(self.parent, self.state.as_ref(), ended).or(caller)
    }

    /// Returns the id of a call's trace, for the log.
    #[cfg(not(feature = "otlp"))]
    pub(crate) fn end(&self, _: &Ended<'_>) -> Option<TraceId> {
        self.parent.map(|parent| parent.trace)
    }
}

/// Starts exporting spans to a collector by OTLP over gRPC. Must be called within a tokio runtime,
/// once per process. `ratio` is the fraction to record of the traces that begin here; traces that a
/// caller began are recorded if the caller records them.
///
/// # Errors
/// If the endpoint is not an address, or the exporter is not part of this binary.
pub fn install_traces(endpoint: &str, ratio: f64) -> Result<(), TracesError> {
    #[cfg(feature = "otlp")]
    return match endpoint.rsplit_once('@') {
        // Without the name, which may come with a password.
        Some((_, address)) => Err(unusable(
            address,
            "a name before @ would not be used: OTEL_EXPORTER_OTLP_HEADERS holds what a collector asks for",
        )),
        // The library would take others, too: some to fail at each export.
        None if !endpoint.starts_with("http://") => Err(unusable(
            endpoint,
            "collectors are reached by http:// alone, without TLS",
        )),
        None => super::spans::install(endpoint, ratio).map_err(|error| unusable(endpoint, error)),
    };
    #[cfg(not(feature = "otlp"))]
    {
        let _ = (endpoint, ratio);
        Err(TracesError::NotBuilt)
    }
}

/// The error for an endpoint.
#[cfg(feature = "otlp")]
fn unusable(endpoint: &str, cause: impl ToString) -> TracesError {
    TracesError::Endpoint {
        endpoint: endpoint.to_owned(),
        cause: cause.to_string(),
    }
}

/// Sends the remaining spans, for at most two seconds.
pub fn flush_traces() {
    #[cfg(feature = "otlp")]
    super::spans::flush();
}
