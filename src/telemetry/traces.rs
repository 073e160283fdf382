//! Calls as parts of their callers' traces. Their trace ids are logged; with the feature `otlp`
//! their spans are exported.

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
    /// The endpoint is not one.
    #[error(
        "cannot export traces to {endpoint}: {cause}; --otlp-endpoint takes an address such as http://127.0.0.1:4317"
    )]
    Endpoint {
        /// What was given.
        endpoint: String,
        /// What is wrong with it.
        cause: String,
    },
}

/// Where a call stands in its caller's trace.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    parent: Option<TraceContext>,
    /// `tracestate`, handed on as it came.
    #[cfg_attr(
        not(feature = "otlp"),
        expect(dead_code, reason = "only exporters hand it on")
    )]
    state: Option<HeaderValue>,
}

/// What there is to tell of a call that has ended.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "what spans tell"))]
pub(crate) struct Ended<'a> {
    pub(crate) method: &'static str,
    /// Its gRPC code by number.
    pub(crate) code: i32,
    pub(crate) outcome: &'static str,
    pub(crate) request_id: &'a str,
    pub(crate) shape: Option<Shape>,
    pub(crate) objective: Option<&'static str>,
    pub(crate) length: Option<usize>,
    pub(crate) nodes: u64,
    /// From arrival to the end.
    pub(crate) elapsed: Duration,
    /// From arrival to the first slice of the search, and to where the search was left; none
    /// where there was no search.
    pub(crate) searched: Option<(Duration, Duration)>,
}

impl Trace {
    /// The trace that a call's metadata names, if they do.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let parent = headers.get("traceparent");
        let parent = parent.and_then(|value| TraceContext::read(value.as_bytes()));
        // Without its companion the state means nothing.
        let state = parent.and_then(|_| headers.get("tracestate").cloned());
        Self { parent, state }
    }

    /// Exports the spans of a call that has just ended, if it is to be traced. The id of its
    /// trace is for the log.
    #[cfg(feature = "otlp")]
    pub(crate) fn end(&self, ended: &Ended<'_>) -> Option<TraceId> {
        let caller = self.parent.map(|parent| parent.trace);
        super::spans::export(self.parent, self.state.as_ref(), ended).or(caller)
    }

    /// The id of a call's trace, for the log.
    #[cfg(not(feature = "otlp"))]
    pub(crate) fn end(&self, _: &Ended<'_>) -> Option<TraceId> {
        self.parent.map(|parent| parent.trace)
    }
}

/// Begins to export spans to a collector by OTLP over gRPC. Must be called within a tokio
/// runtime, once in a process. `ratio` is the part of the traces that begin here to be recorded;
/// those that a caller began are recorded if the caller does so.
///
/// # Errors
/// When the endpoint is not an address, or the exporter is not part of this binary.
pub fn install_traces(endpoint: &str, ratio: f64) -> Result<(), TracesError> {
    #[cfg(feature = "otlp")]
    return super::spans::install(endpoint, ratio);
    #[cfg(not(feature = "otlp"))]
    {
        let _ = (endpoint, ratio);
        Err(TracesError::NotBuilt)
    }
}

/// Sends what is left, for two seconds at the most.
pub fn flush_traces() {
    #[cfg(feature = "otlp")]
    super::spans::flush();
}
