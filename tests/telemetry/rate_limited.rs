//! Events of which there can be thousands a second.

use std::convert::Infallible;
use std::time::Duration;

use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use loyd::service::Observe;
use tonic::body::Body;
use tonic::codegen::Bytes;
use tower::{Service, service_fn};

use crate::log::Log;

fn post(bytes: usize) -> Request<Body> {
    let body = Body::new(Full::new(Bytes::from(vec![0; bytes])));
    Request::post("http://loyd/loyd.v1.PuzzleService/Solve")
        .header("content-type", "application/grpc")
        .body(body)
        .unwrap()
}

#[tokio::test]
async fn each_cause_has_lines_of_its_own() {
    let log = Log::default();
    let _listening = log.listen();
    let handler = service_fn(async |request: Request<Body>| {
        // It fails when there is no room for the request.
        let _read = request.into_body().collect().await;
        let answer = Body::new(Full::new(Bytes::from_static(b"answer")));
        Ok::<_, Infallible>(Response::new(answer))
    });
    // One place, and room for small requests only.
    let mut service = Observe::new(handler, 1, 0);
    // It keeps its place until its answer has been sent.
    let held = service.call(post(8 << 10)).await.unwrap();
    service.call(post(0)).await.unwrap();
    drop(held);
    let text = log.take();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let refusals = lines
        .iter()
        .map(|line| &line["fields"])
        .filter(|fields| fields["message"] == "overloaded: calls refused");
    let refusals: Vec<_> = refusals.map(|it| (&it["lack"], &it["refused"])).collect();
    assert_eq!(refusals.len(), 2, "{text}");
    for ((lack, refused), expected) in refusals.into_iter().zip(["requests", "calls"]) {
        assert_eq!(lack, expected);
        assert_eq!(refused, 1, "{text}");
    }
    for line in &lines {
        // There was no line before.
        assert_eq!(line["fields"].get("since_s"), None, "{text}");
    }
    // The next one tells of all since then.
    let _held = service.call(post(8 << 10)).await.unwrap();
    let mut refused = 0;
    let next = loop {
        service.call(post(0)).await.unwrap();
        refused += 1;
        let text = log.take();
        if let Some(line) = text.lines().find(|line| line.contains("\"calls\"")) {
            break serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert_eq!(next["fields"]["refused"], refused);
    assert!(next["fields"]["since_s"].as_f64() >= Some(1.0), "{next}");
}
