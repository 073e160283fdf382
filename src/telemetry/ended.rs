//! What is told of a call once it has ended.

use std::time::Duration;

use super::calls::Method;
use crate::puzzle::Shape;

/// What is reported of a call that has ended.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "otlp"), expect(dead_code, reason = "what spans tell"))]
pub(crate) struct Ended<'a> {
    pub(crate) method: Method,
    /// The name of its gRPC code.
    pub(crate) code: &'static str,
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
