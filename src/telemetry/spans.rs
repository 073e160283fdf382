//! The spans of calls, sent to a collector by OTLP.
//!
//! A call's spans are created when it has ended, from what was recorded about it; until then a
//! trace costs nothing. They wait in a bounded queue, and those that do not fit are dropped and
//! counted.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use http::HeaderValue;
use opentelemetry::trace::{
    Link, Span as _, SpanBuilder, SpanContext, SpanId, SpanKind, Status, TraceContextExt,
    TraceFlags, TraceId as OtelTraceId, TraceState, TracerProvider,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{ExporterBuildError, SpanExporter, WithExportConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SamplingDecision, SamplingResult, SdkTracer,
    SdkTracerProvider, ShouldSample, SpanData, SpanExporter as Export,
};

use super::count_spans;
use super::ended::Ended;
use super::trace_context::{TraceContext, TraceId};

/// The most calls whose spans wait for the collector.
const QUEUE: usize = 4096;

/// The most spans of one call: its own, and those of the wait and of the search.
const SPANS: usize = 3;

/// How long spans wait to be sent together with others.
const DELAY: Duration = Duration::from_secs(1);

/// How long an export may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long the end of the process may wait for the collector.
const FLUSH: Duration = Duration::from_secs(2);

/// What carries the calls, by OpenTelemetry's semantic conventions (1.45), whose names the attributes `rpc.*` have.
const SYSTEM: &str = "grpc";

/// The exporter, once installed.
static EXPORTER: OnceLock<(SdkTracerProvider, SdkTracer)> = OnceLock::new();

/// The number of spans that have been created but not sent.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// See [`super::install_traces`].
pub(super) fn install(endpoint: &str, ratio: f64) -> Result<(), ExporterBuildError> {
    let exporter = SpanExporter::builder()
        .with_tonic()
        .with_endpoint(endpoint)
        .with_timeout(TIMEOUT)
        .build()?;
    // The queue is bounded by WAITING, so that spans that do not fit can be counted.
    let batches = BatchConfigBuilder::default()
        .with_max_queue_size(SPANS * QUEUE + 1024)
        .with_scheduled_delay(DELAY)
        .build();
    let batches = BatchSpanProcessor::builder(Counted(exporter))
        .with_batch_config(batches)
        .build();
    let provider = SdkTracerProvider::builder()
        .with_span_processor(batches)
        .with_sampler(Bounded(Sampler::ParentBased(Box::new(
            Sampler::TraceIdRatioBased(ratio),
        ))))
        .with_resource(process())
        .build();
    let tracer = provider.tracer("loyd");
    // Only tests install a second exporter in one process. The first one stays.
    let _ = EXPORTER.set((provider, tracer));
    Ok(())
}

/// Returns what the spans tell of this process. What OpenTelemetry's own variables say of it comes first.
fn process() -> Resource {
    let own = [
        KeyValue::new("service.name", "loyd"),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
    ];
    // Each overrides those before it.
    let resource = Resource::builder_empty()
        .with_attributes(own)
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match std::env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.is_empty() => resource.with_service_name(name),
        _ => resource,
    }
    .build()
}

/// See [`super::flush_traces`].
pub(super) fn flush() {
    if let Some((provider, _)) = EXPORTER.get()
        && let Err(error) = provider.shutdown_with_timeout(FLUSH)
    {
        tracing::warn!(%error, "the last spans were not exported");
    }
}

/// Creates the spans of a call if its trace is to be recorded, and returns the id of its trace. Spans for which there is
/// no room are dropped; the id is for the log all the same.
pub(super) fn export(
    parent: Option<TraceContext>,
    state: Option<&HeaderValue>,
    ended: &Ended<'_>,
) -> Option<TraceId> {
    let (_, tracer) = EXPORTER.get()?;
    // What the caller does not record is not recorded here either.
    if parent.is_some_and(|parent| !TraceFlags::new(parent.flags).is_sampled()) {
        return None;
    }
    let around = parent.map_or_else(Context::new, |parent| {
        Context::new().with_remote_span_context(caller(parent, state))
    });
    #[expect(
        clippy::disallowed_methods,
        reason = "spans of many machines share a clock"
    )]
    let now = SystemTime::now();
    let arrived = now.checked_sub(ended.elapsed).unwrap_or(now);
    let spans = if ended.searched.is_some() { SPANS } else { 1 };
    let method = ended.method.full_name();
    let mut call = SpanBuilder::from_name(method.unwrap_or(SYSTEM))
        .with_kind(SpanKind::Server)
        .with_start_time(arrived)
        .start_with_context(tracer, &around.with_value(Spans(spans)));
    let context = call.span_context().clone();
    if call.is_recording() {
        call.set_attributes(attributes(ended));
        if is_our_fault(ended.code) {
            call.set_status(Status::error(ended.outcome));
        }
        if let Some((queued, left)) = ended.searched {
            let within = around.with_remote_span_context(context.clone());
            for (name, from, to) in [("queue", Duration::ZERO, queued), ("search", queued, left)] {
                let part = SpanBuilder::from_name(name).with_start_time(arrived + from);
                let mut part = part.start_with_context(tracer, &within);
                WAITING.fetch_add(1, Ordering::Relaxed);
                part.end_with_timestamp(arrived + to);
            }
        }
        WAITING.fetch_add(1, Ordering::Relaxed);
        call.end_with_timestamp(now);
    }
    let trace = u128::from_be_bytes(context.trace_id().to_bytes());
    Some(TraceId(trace))
}

/// The longest `tracestate`, in bytes, that every party has to propagate (W3C Trace Context, 2021).
const LONGEST_STATE: usize = 512;

/// Returns the caller's span.
fn caller(parent: TraceContext, state: Option<&HeaderValue>) -> SpanContext {
    // A state that cannot be parsed is left out, as the recommendation asks. So is one that is
    // longer than every party has to propagate, because it is kept until it is exported.
    let state = state
        .filter(|state| state.len() <= LONGEST_STATE)
        .and_then(|state| state.to_str().ok()?.parse::<TraceState>().ok())
        .unwrap_or_default();
    SpanContext::new(
        OtelTraceId::from(parent.trace.0),
        SpanId::from(parent.span),
        TraceFlags::new(parent.flags),
        true,
        state,
    )
}

fn attributes(ended: &Ended<'_>) -> Vec<KeyValue> {
    let number = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let mut attributes = vec![
        KeyValue::new("rpc.system.name", SYSTEM),
        KeyValue::new("rpc.method", ended.method.full_name().unwrap_or("_OTHER")),
        KeyValue::new("rpc.status_code", ended.code),
        KeyValue::new("loyd.outcome", ended.outcome),
        KeyValue::new("loyd.request_id", ended.request_id.to_owned()),
        KeyValue::new("loyd.nodes", number(ended.nodes)),
    ];
    if is_our_fault(ended.code) {
        attributes.push(KeyValue::new("error.type", ended.code));
    }
    if let Some(shape) = ended.shape {
        attributes.push(KeyValue::new("loyd.board", shape.to_string()));
    }
    if let Some(objective) = ended.objective {
        attributes.push(KeyValue::new("loyd.objective", objective));
    }
    if let Some(length) = ended.length {
        attributes.push(KeyValue::new("loyd.length", number(length as u64)));
    }
    attributes
}

/// Returns whether the code is a server error by OpenTelemetry's conventions for gRPC.
fn is_our_fault(code: &str) -> bool {
    matches!(
        code,
        "UNKNOWN"
            | "DEADLINE_EXCEEDED"
            | "UNIMPLEMENTED"
            | "INTERNAL"
            | "UNAVAILABLE"
            | "DATA_LOSS"
    )
}

/// How many spans a call has. They are sampled together.
struct Spans(usize);

/// A sampler that drops and counts the spans of calls for which the queue has no room.
#[derive(Clone, Debug)]
struct Bounded(Sampler);

impl ShouldSample for Bounded {
    fn should_sample(
        &self,
        around: Option<&Context>,
        trace: OtelTraceId,
        name: &str,
        kind: &SpanKind,
        attributes: &[KeyValue],
        links: &[Link],
    ) -> SamplingResult {
        let result = self
            .0
            .should_sample(around, trace, name, kind, attributes, links);
        let is_full = WAITING.load(Ordering::Relaxed) >= SPANS * QUEUE;
        match around.and_then(Context::get) {
            Some(Spans(spans))
                if is_full && result.decision == SamplingDecision::RecordAndSample =>
            {
                count_spans("dropped", *spans as u64);
                SamplingResult {
                    decision: SamplingDecision::Drop,
                    ..result
                }
            }
            _ => result,
        }
    }
}

/// An exporter that counts its spans.
#[derive(Debug)]
struct Counted(SpanExporter);

impl Export for Counted {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        let exported = self.0.export(batch).await;
        WAITING.fetch_sub(count, Ordering::Relaxed);
        match &exported {
            Ok(()) => count_spans("exported", count as u64),
            Err(error) => {
                count_spans("failed", count as u64);
                tracing::debug!(%error, spans = count, "spans were not exported");
            }
        }
        exported
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}
