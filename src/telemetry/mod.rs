//! What operators see of the process: `metrics`, `logs`, and `traces`, which `spans` exports when
//! loyd is built with the feature `otlp`.

mod logs;
mod metrics;
#[cfg(feature = "otlp")]
mod spans;
mod trace_context;
mod traces;

pub use logs::{LogFormat, install_logs};
pub use metrics::{Kind, METRICS, install_metrics};
pub use trace_context::TraceContext;
pub use traces::{TracesError, flush_traces, install_traces};

pub(crate) use metrics::*;
pub(crate) use traces::{Ended, Trace};
