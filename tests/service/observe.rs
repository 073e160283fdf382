//! What holds for a call whatever its handler does.

use std::convert::Infallible;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use http::Request;
use http_body::Body as _;
use http_body_util::{BodyExt, Full};
use loyd::service::{Inline, Observe, proto};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::task::yield_now;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tonic::{Code, Status};
use tower::{Service, service_fn};

use crate::gated::Gated;
use crate::harness::{
    Service as Running, assert_for_ever, assert_reason, hopeless, in_time, retry_delay,
};
use crate::log::Log;
use crate::raw::{RawClient, frame, frame_bytes};

fn post(path: &str) -> Request<Body> {
    let request = Request::post(format!("http://loyd{path}"));
    let request = request.header("content-type", "application/grpc");
    request.body(Body::empty()).unwrap()
}

/// A handler that always answers.
async fn answer(_: Request<Body>) -> Result<http::Response<Body>, Infallible> {
    let body = Body::new(Full::new(Bytes::from_static(b"answer")));
    Ok(http::Response::new(body))
}

const SOLVE: &str = "/loyd.v1.PuzzleService/Solve";
const CHECK: &str = "/grpc.health.v1.Health/Check";
const WATCH: &str = "/grpc.health.v1.Health/Watch";
const REFLECT: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

#[tokio::test]
async fn calls_and_what_is_beside_them_are_bounded_apart() {
    let kinds = [SOLVE, CHECK, WATCH, REFLECT];
    // A connection has some of the places for what can last long.
    for (kind, places) in kinds.into_iter().zip([1, 64, 8, 4]) {
        let mut service = Observe::new(service_fn(answer), 1, 1 << 20);
        let mut answers = Vec::new();
        for _ in 0..places {
            // Its place is held until its answer has been sent.
            let answer = service.call(post(kind)).await.unwrap();
            assert!(Status::from_header_map(answer.headers()).is_none());
            answers.push(answer);
        }
        for path in kinds {
            let answer = service.call(post(path)).await.unwrap();
            let refusal = Status::from_header_map(answer.headers());
            assert_eq!(refusal.is_some(), kind == path, "{path} beside {kind}");
            match refusal {
                // Clients that watch the health make calls without that.
                Some(status) if path == WATCH => {
                    assert_reason(&status, Code::Unimplemented, "UNIMPLEMENTED");
                }
                Some(status) => assert_reason(&status, Code::ResourceExhausted, "OVERLOADED"),
                None => {}
            }
        }
    }
}

#[tokio::test]
async fn who_has_few_calls_finds_a_place_although_others_have_many() {
    for path in [SOLVE, CHECK] {
        let service = Observe::new(service_fn(answer), 160, 1 << 20);
        let mut held = Vec::new();
        // Of 20 places each connection gets 8 at most.
        for places in [140 + 8, 8, 4, 0] {
            let of_one = service.clone();
            let mut of_one = of_one.for_peer(Arc::default(), Inline::default(), Duration::MAX);
            for call in 1..=places + 1 {
                let answer = of_one.call(post(path)).await.unwrap();
                let status = Status::from_header_map(answer.headers());
                assert_eq!(status.is_some(), call > places, "{path} {call} of {places}");
                held.push(answer);
            }
        }
    }
}

#[tokio::test]
async fn connections_are_told_of_a_lack_of_places_for_calls_alone() {
    for (path, places) in [(SOLVE, 1), (CHECK, 64), (WATCH, 8), (REFLECT, 4)] {
        let mut service = Observe::new(service_fn(answer), 1, 1 << 20);
        let shortage = Arc::clone(service.shortage());
        let mut told = pin!(shortage.told());
        let mut held = Vec::new();
        for call in 1..=places + 1 {
            assert_eq!(told.as_mut().now_or_never(), None, "{path} {call}");
            held.push(service.call(post(path)).await.unwrap());
        }
        let is_told = told.now_or_never().is_some();
        assert_eq!(is_told, path == SOLVE, "{path}");
    }
}

#[tokio::test]
async fn many_connections_have_few_streams_of_reflection() {
    let service = Running::start().await;
    let ask = frame_bytes(b"\x3a\0");
    let mut held = Vec::new();
    for connection in 1..=9 {
        // Nothing of the answers is taken, so they do not end.
        let mut raw = RawClient::with_window(service.address, 0).await;
        for stream in 1..=5 {
            let answer = raw.open_path(REFLECT, &[], ask.clone()).await;
            let status = Status::from_header_map(answer.headers());
            let is_refused = connection > 8 || stream > 4;
            assert_eq!(status.is_some(), is_refused, "{stream} of {connection}");
            if let Some(status) = status {
                assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
            }
            held.push(answer);
        }
    }
}

#[tokio::test]
async fn each_connection_has_its_own_share_of_the_watches() {
    let service = Running::start().await;
    let mut held = Vec::new();
    for connection in 1..=3 {
        let mut raw = RawClient::connect(service.address).await;
        for stream in 1..=9 {
            let answer = raw.open_path(WATCH, &[], frame_bytes(b"")).await;
            let status = Status::from_header_map(answer.headers());
            assert_eq!(status.is_some(), stream > 8, "{stream} of {connection}");
            held.push(answer);
        }
    }
}

#[tokio::test]
async fn a_request_of_very_many_headers_is_refused_unread() {
    let handler = service_fn(async |request: Request<Body>| {
        assert!(request.headers().len() <= 64, "they get no further");
        Ok::<_, Infallible>(http::Response::new(Body::empty()))
    });
    let mut service = Observe::new(handler, 1, 1 << 20);
    for (headers, is_refused) in [(64, false), (65, true)] {
        let mut request = post(SOLVE);
        for number in request.headers().len()..headers {
            let name: http::HeaderName = format!("x-{number}").parse().unwrap();
            request.headers_mut().insert(name, "".parse().unwrap());
        }
        let answer = service.call(request).await.unwrap();
        let status = Status::from_header_map(answer.headers());
        assert_eq!(status.is_some(), is_refused, "{headers} headers");
        if let Some(status) = status {
            assert_for_ever(&status, "REQUEST_TOO_LARGE");
        }
    }
}

#[tokio::test]
async fn a_deadline_that_no_handler_keeps_is_kept_and_counted() {
    let handler = service_fn(async |_: Request<Body>| {
        pending::<()>().await;
        Ok::<_, Infallible>(http::Response::new(Body::empty()))
    });
    let recorder = PrometheusBuilder::new().build_recorder();
    // Everything happens on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let mut service = Observe::new(handler, 1, 1 << 20);
    for timeouts in [["10m", "1H"], ["1H", "10m"]] {
        let mut request = post(SOLVE);
        for timeout in timeouts {
            let timeout = timeout.parse().unwrap();
            request.headers_mut().append("grpc-timeout", timeout);
        }
        let answer = in_time(service.call(request)).await.unwrap();
        let status = Status::from_header_map(answer.headers()).unwrap();
        assert_reason(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    }
    let told = recorder.handle().render();
    let stops = r#"loyd_limit_stops_total{limit="deadline"} 2"#;
    assert!(told.lines().any(|line| line == stops), "{told}");
}

#[tokio::test]
async fn a_deadline_that_ended_the_search_is_not_counted_again_when_its_answer_is_late() {
    let recorder = PrometheusBuilder::new().build_recorder();
    // All but the search is on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let mut gated = Gated::start();
    gated.fill().await;
    assert_eq!(gated.best_in_time(16).await, Code::DeadlineExceeded);
    let told = recorder.handle().render();
    let stops = r#"loyd_limit_stops_total{limit="deadline"} 1"#;
    assert!(told.lines().any(|line| line == stops), "{told}");
}

#[tokio::test]
async fn an_answer_that_has_said_all_there_is_to_say_is_not_stalled() {
    let service = Running::with(&["--stall-timeout", "200ms"]).await;
    let mut raw = RawClient::connect(service.address).await;
    let deadline = [("grpc-timeout", "2000m")];
    let answer = raw.call_path(WATCH, &deadline, frame_bytes(b"")).await;
    assert_reason(&answer.status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
}

#[tokio::test]
async fn a_refusal_has_a_line_of_its_own_unless_it_is_for_an_overload() {
    let log = Log::default();
    let _listening = log.listen();
    let has_line = || log.take().contains(r#""message":"request""#);
    let mut service = Observe::new(service_fn(answer), 1, 1 << 20);
    let held = service.call(post(SOLVE)).await.unwrap();
    drop(service.call(post(SOLVE)).await.unwrap());
    assert!(!has_line(), "it is counted in another");
    drop(held);
    assert!(has_line());
    let mut request = post(SOLVE);
    for number in 0..65 {
        let name: http::HeaderName = format!("x-{number}").parse().unwrap();
        request.headers_mut().insert(name, "".parse().unwrap());
    }
    drop(service.call(request).await.unwrap());
    assert!(has_line());
}

#[tokio::test]
async fn the_line_of_a_call_says_how_it_failed() {
    let log = Log::default();
    // All of the service except its searches is on this thread.
    let _listening = log.listen();
    let service = Running::start().await;
    let mut request = hopeless(1);
    request.limits.get_or_insert_default().max_nodes = Some(1000);
    let status = service.client().await.solve(request).await.unwrap_err();
    assert_reason(&status, Code::ResourceExhausted, "NODE_LIMIT");
    let mut told = String::new();
    in_time(async {
        while !told.contains(r#""message":"request""#) {
            told.push_str(&log.take());
            yield_now().await;
        }
    })
    .await;
    assert!(told.contains(r#""outcome":"node_limit""#), "{told}");
}

#[tokio::test]
async fn large_requests_of_one_connection_take_no_more_than_a_quarter_of_the_room() {
    let handler = service_fn(async |request: Request<Body>| {
        let read = request.into_body().collect().await;
        Ok::<_, Infallible>(match read {
            Ok(_) => http::Response::new(Body::empty()),
            Err(status) => status.into_http(),
        })
    });
    for (room, bytes, is_refused) in [
        (40 << 10, 10 << 10, false),
        (40 << 10, (10 << 10) + 1, true),
        // Small ones need none.
        (0, 4 << 10, false),
        (0, (4 << 10) + 1, true),
    ] {
        let mut service = Observe::new(handler, 1, room);
        // What one has taken is there for the next.
        for _ in 0..3 {
            let body = Body::new(Full::new(Bytes::from(vec![0; bytes])));
            let answer = service.call(post(SOLVE).map(|_| body)).await.unwrap();
            let status = Status::from_header_map(answer.headers());
            assert_eq!(status.is_some(), is_refused, "{bytes} of {room}");
            if let Some(status) = status {
                assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
                assert!(!retry_delay(&status).is_zero());
            }
        }
    }
}

#[tokio::test]
async fn a_panic_of_a_handler_is_a_defect_of_one_call() {
    let calls = Arc::new(AtomicUsize::new(0));
    let handler = service_fn(move |_: Request<Body>| {
        let panics = calls.fetch_add(1, Ordering::Relaxed) == 0;
        async move {
            assert!(!panics, "as it is told to");
            Ok::<_, Infallible>(http::Response::new(Body::empty()))
        }
    });
    let recorder = PrometheusBuilder::new().build_recorder();
    // Everything happens on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let mut service = Observe::new(handler, 1, 1 << 20);
    let refused = service.call(post(SOLVE)).await.unwrap();
    let status = Status::from_header_map(refused.headers()).unwrap();
    assert_reason(&status, Code::Internal, "INTERNAL");
    let told = recorder.handle().render();
    let panics = r#"loyd_panics_total{place="handler"} 1"#;
    assert!(told.contains(panics), "{told}");
    // Its place is free again once the answer has been sent.
    drop(refused);
    let answered = service.call(post(SOLVE)).await.unwrap();
    assert!(Status::from_header_map(answered.headers()).is_none());
}

#[tokio::test]
async fn an_answer_is_handed_out_in_pieces_and_ends_with_the_last() {
    const PIECE: usize = 64 << 10;
    let bytes: Vec<u8> = (0..=250).cycle().take(3 * PIECE + 1).collect();
    let sent = Bytes::from(bytes);
    let whole = sent.clone();
    let handler = service_fn(move |_: Request<Body>| {
        let body = Body::new(Full::new(whole.clone()));
        async { Ok::<_, Infallible>(http::Response::new(body)) }
    });
    let mut service = Observe::new(handler, 1, 1 << 20);
    let mut answer = service.call(post(SOLVE)).await.unwrap();
    for piece in sent.chunks(PIECE) {
        assert!(!answer.body().is_end_stream());
        let frame = answer.body_mut().frame().await.unwrap().unwrap();
        assert_eq!(frame.into_data().unwrap(), piece);
    }
    assert!(answer.body().is_end_stream());
    assert!(answer.body_mut().frame().await.is_none());
}

#[tokio::test]
async fn an_answer_that_is_not_read_holds_no_more_memory_than_it_takes() {
    // While it is made, such an answer takes 16 MB, and 2 MB once it is.
    let service = Running::with(&["--memory", "24M"]).await;
    let request = frame(&proto::GenerateRequest {
        rows: 100,
        count: 100,
        ..proto::GenerateRequest::default()
    });
    let mut raw = RawClient::with_window(service.address, 64 << 10).await;
    let mut unread = Vec::new();
    for _ in 0..3 {
        let mut answer = raw.open("Generate", &[], request.clone()).await;
        let first = in_time(answer.body_mut().frame()).await.unwrap().unwrap();
        assert!(first.is_data(), "{first:?}");
        unread.push(answer);
    }
}
