//! Calls as parts of their callers' traces. Trace ids are logged; with the feature `otlp`, spans
//! are exported.

use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use thiserror::Error;

use super::trace_context::{TraceContext, TraceId};
use crate::puzzle::Shape;

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

/// What is reported of a call that has ended.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "what spans tell"))]
pub(crate) struct Ended<'a> {
    pub(crate) method: &'static str,
    /// The number of its gRPC code.
    pub(crate) code: i32,
    pub(crate) outcome: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) shape: Option<Shape>,
    pub(crate) objective: Option<&'static str>,
    pub(crate) length: Option<usize>,
    pub(crate) nodes: u64,
    /// The time from arrival to the end.
    pub(crate) elapsed: Duration,
    /// The times from arrival to the first slice of the search, and to when the call left the
    /// search; `None` if there was no search.
    pub(crate) searched: Option<(Duration, Duration)>,
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
    return super::spans::install(endpoint, ratio);
    #[cfg(not(feature = "otlp"))]
    {
        let _ = (endpoint, ratio);
        Err(TracesError::NotBuilt)
    }
}

/// Sends the remaining spans, for at most two seconds.
pub fn flush_traces() {
    #[cfg(feature = "otlp")]
    super::spans::flush();
}
