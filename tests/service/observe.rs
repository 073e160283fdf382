//! What is true of a call whatever its handler does.

use std::convert::Infallible;

use http::Request;
use loyd::service::Observe;
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Service, service_fn};

use crate::harness::assert_reason;

#[tokio::test]
async fn a_panic_of_a_handler_is_a_defect_of_one_call() {
    let mut calls = 0;
    let handler = service_fn(move |_: Request<Body>| {
        calls += 1;
        let panics = calls == 1;
        async move {
            assert!(!panics, "as it is told to");
            Ok::<_, Infallible>(http::Response::new(Body::empty()))
        }
    });
    let mut service = Observe::new(handler, 1);
    let ask = || {
        Request::post("http://loyd/loyd.v1.PuzzleService/Solve")
            .body(Body::empty())
            .unwrap()
    };
    let refused = service.call(ask()).await.unwrap();
    let status = Status::from_header_map(refused.headers()).unwrap();
    assert_reason(&status, Code::Internal, "INTERNAL");
    // Its place is free again once the answer has been sent.
    drop(refused);
    let answered = service.call(ask()).await.unwrap();
    assert!(Status::from_header_map(answered.headers()).is_none());
}
