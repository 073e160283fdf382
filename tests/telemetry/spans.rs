//! Spans on their way to a collector.

use std::convert::Infallible;
use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Parser;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use loyd::config::ServeConfig;
use loyd::service::proto::puzzle_service_client::PuzzleServiceClient;
use loyd::service::{Server, proto};
use loyd::telemetry::{flush_traces, install_traces};
use prost::Message;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;

use crate::collector::{Collector, OneValue, Span};
use crate::here::told;
use crate::server;

/// The kind of a server's span.
const SERVER: i32 = 2;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    serve: ServeConfig,
}

type Calls = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// Solves the hardest board of 3×3 in the caller's trace.
async fn solve(calls: &Calls, traceparent: Option<&str>) {
    solve_with_state(calls, traceparent, "one=1").await;
}

async fn solve_with_state(calls: &Calls, traceparent: Option<&str>, state: &str) {
    let solve = proto::SolveRequest {
        board: Some(proto::Board {
            rows: 0,
            columns: 0,
            tiles: vec![8, 6, 7, 2, 5, 4, 3, 0, 1],
        }),
        ..proto::SolveRequest::default()
    };
    let trace = traceparent.map(|traceparent| (traceparent, state));
    let code = call(calls, "Solve", &solve.encode_to_vec(), trace).await;
    assert_eq!(code, "0");
}

/// Makes a call in the caller's trace with its state, and returns its code.
async fn call(calls: &Calls, method: &str, message: &[u8], trace: Option<(&str, &str)>) -> String {
    let mut body = vec![0, 0, 0, 0, message.len() as u8];
    body.extend(message);
    let mut request = Request::post(format!("/loyd.v1.PuzzleService/{method}"))
        .header("content-type", "application/grpc")
        .header("x-request-id", "it");
    if let Some((traceparent, state)) = trace {
        request = request
            .header("traceparent", traceparent)
            .header("tracestate", state);
    }
    let request = request.body(Body::new(Full::new(Bytes::from(body))));
    let Ok(response) = calls.clone().oneshot(request.unwrap()).await;
    let (head, body) = response.into_parts();
    let collected = body.collect().await.unwrap();
    // A call that fails at once has its code in the head.
    let headers = collected.trailers().unwrap_or(&head.headers);
    headers["grpc-status"].to_str().unwrap().to_owned()
}

fn spans_total(outcome: &str) -> f64 {
    told().sum("loyd_spans_total", &[("outcome", outcome)])
}

async fn wait_until(mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(30), "in vain");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_is_part_of_its_callers_trace_and_needs_no_collector() {
    assert_eq!(spans_total("exported"), 0.0);
    for endpoint in [
        "http://no address",
        "127.0.0.1:4317",
        "https://127.0.0.1:4317",
    ] {
        let refused = install_traces(endpoint, 0.0).unwrap_err().to_string();
        assert!(refused.contains(endpoint), "{refused}");
    }
    let refused = install_traces("http://me:secret@127.0.0.1:4317", 0.0).unwrap_err();
    assert!(!refused.to_string().contains("secret"), "{refused}");
    let collector = Collector::default();
    install_traces(&collector.start().await, 0.0).unwrap();
    // It has no databases, of which other tests ask what this process tells.
    let tables = tempfile::tempdir().unwrap();
    let arguments = Arguments::parse_from([
        "loyd",
        "--listen=127.0.0.1:0",
        "--workers=1",
        "--build-memory=1K",
        "--table-dir",
        tables.path().to_str().unwrap(),
    ]);
    let calls = Server::start(arguments.serve).await.unwrap().calls();

    // A collector that refuses spans loses them, but no call fails.
    collector.refuses.store(true, Ordering::Relaxed);
    let lost = "00-4bf92f3577b34da6a3ce929d0e0e4735-00f067aa0ba902b7-01";
    solve(&calls, Some(lost)).await;
    wait_until(|| spans_total("failed") == 3.0).await;
    collector.refuses.store(false, Ordering::Relaxed);

    // Of these only the first is recorded, because its caller records it.
    let recorded = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let not_recorded = "00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-00";
    for traceparent in [Some(recorded), Some(not_recorded), None] {
        solve(&calls, traceparent).await;
    }
    wait_until(|| spans_total("exported") == 3.0).await;
    let spans = std::mem::take(&mut *collector.spans.lock().unwrap());

    // While the collector does not answer, a bounded number of spans waits, and the rest are counted.
    let held = collector.gate.clone().lock_owned().await;
    let begun = Instant::now();
    let mut calls_made = 0;
    while spans_total("dropped") == 0.0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "all wait");
        for _ in 0..512 {
            solve(&calls, Some(recorded)).await;
        }
        calls_made += 512;
    }
    assert!(calls_made > 4096, "only {calls_made} calls were told of");
    // A call without a search has but one.
    let before = spans_total("dropped");
    let code = call(&calls, "CheckSolvable", &[], Some((recorded, ""))).await;
    assert_eq!((code.as_str(), spans_total("dropped")), ("3", before + 1.0));
    // None is lost of a call that would not have been recorded.
    let before = spans_total("dropped");
    solve(&calls, None).await;
    assert_eq!(spans_total("dropped"), before);
    drop(held);
    let sum = |outcomes: [&str; 3]| outcomes.map(spans_total).iter().sum::<f64>();
    let all = 3.0 * (2 + calls_made) as f64 + 1.0;
    wait_until(|| sum(["exported", "failed", "dropped"]) == all).await;
    collector.spans.lock().unwrap().clear();

    // A state that is longer than everybody has to hand on is left out.
    let states = [251, 252].map(|last| format!("a={},b={}", "x".repeat(256), "y".repeat(last)));
    assert_eq!(states[0].len(), 512);
    for state in &states {
        solve_with_state(&calls, Some(recorded), state).await;
    }
    for (method, code) in [("CheckSolvable", "3"), ("Nothing", "12")] {
        assert_eq!(
            call(&calls, method, &[], Some((recorded, "fails=1"))).await,
            code
        );
    }
    flush_traces();
    let mut last = collector.spans.lock().unwrap();
    let failed = last.extract_if(.., |span| span.trace_state == "fails=1");
    let [by_caller, by_server]: [Span; 2] = failed.collect::<Vec<_>>().try_into().unwrap();
    let text = |text: &str| Some(OneValue::Text(text.to_owned()));
    // What failed by the caller's fault is no error of the server.
    assert!(!by_caller.is_error());
    assert_eq!(
        by_caller.attribute("rpc.status_code"),
        text("INVALID_ARGUMENT")
    );
    assert_eq!(by_caller.attribute("error.type"), None);
    // A caller can make up any number of names.
    assert_eq!(by_server.name, "grpc");
    assert_eq!(by_server.attribute("rpc.method"), text("_OTHER"));
    assert!(by_server.is_error());
    assert_eq!(by_server.attribute("error.type"), text("UNIMPLEMENTED"));
    let with = |state: &str| last.iter().filter(|span| span.trace_state == state).count();
    assert_eq!((with(&states[0]), with(""), last.len()), (3, 3, 6));

    assert_eq!(spans.len(), 3);
    let trace = 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes();
    assert!(spans.iter().all(|span| span.trace_id == trace));
    assert!(spans.iter().all(|span| span.trace_state == "one=1"));
    let named = |name: &str| -> &Span { spans.iter().find(|span| span.name == name).unwrap() };

    let call = named("loyd.v1.PuzzleService/Solve");
    assert_eq!(call.parent_span_id, 0x00f0_67aa_0ba9_02b7_u64.to_be_bytes());
    assert_eq!(call.kind, SERVER);
    assert_eq!(call.attribute("rpc.system.name"), text("grpc"));
    assert_eq!(call.attribute("rpc.method"), text(&call.name));
    assert_eq!(call.attribute("rpc.status_code"), text("OK"));
    assert_eq!(call.attribute("error.type"), None);
    assert_eq!(call.attribute("loyd.board"), text("3×3"));
    assert_eq!(call.attribute("loyd.objective"), text("best"));
    assert_eq!(call.attribute("loyd.outcome"), text("optimal"));
    assert_eq!(call.attribute("loyd.request_id"), text("it"));
    assert_eq!(call.attribute("loyd.length"), Some(OneValue::Number(31)));

    let (queue, search) = (named("queue"), named("search"));
    for part in [queue, search] {
        assert_eq!(part.parent_span_id, call.span_id);
        assert!(call.start <= part.start && part.start <= part.end && part.end <= call.end);
    }
    assert_eq!(queue.end, search.start);
}

/// Has a server draw a board.
async fn generate(server: &server::Server) {
    let client = PuzzleServiceClient::connect(format!("http://{}", server.grpc));
    let request = proto::GenerateRequest {
        rows: 2,
        ..proto::GenerateRequest::default()
    };
    client.await.unwrap().generate(request).await.unwrap();
}

/// Returns the name and the version that spans have for a process with these variables.
async fn called(variables: &[(&str, &str)]) -> [Option<OneValue>; 2] {
    let collector = Collector::default();
    let endpoint = collector.start().await;
    let settings = [&[("LOYD_OTLP_ENDPOINT", &*endpoint)], variables].concat();
    let server = server::Server::with_settings(&settings, Stdio::null());
    generate(&server).await;
    wait_until(|| !collector.resources.lock().unwrap().is_empty()).await;
    let resources = collector.resources.lock().unwrap();
    ["service.name", "service.version"].map(|key| resources[0].attribute(key))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_opentelemetrys_variables_say_of_a_process_comes_first() {
    let said =
        |name: &str, version: &str| [name, version].map(|it| Some(OneValue::Text(it.into())));
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        called(&[("OTEL_SERVICE_NAME", "")]).await,
        said("loyd", version)
    );
    let attributes = (
        "OTEL_RESOURCE_ATTRIBUTES",
        "service.name=puzzles,service.version=7",
    );
    assert_eq!(called(&[attributes]).await, said("puzzles", "7"));
    let name = ("OTEL_SERVICE_NAME", "solver");
    assert_eq!(called(&[attributes, name]).await, said("solver", "7"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn opentelemetrys_variables_turn_off_what_they_turn_on() {
    // An endpoint that ends a process which is to use it.
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:4317");
    for off in [
        ("OTEL_SDK_DISABLED", "TRUE"),
        ("OTEL_TRACES_EXPORTER", "none"),
    ] {
        let server = server::Server::with_settings(&[endpoint, off], Stdio::null());
        generate(&server).await;
    }
}
