//! What is read of a stream of requests whose answers are not taken.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{self, StreamExt};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use loyd::service::{Inline, Observe, Peer, UnderWay};
use tonic::body::Body;
use tonic::codegen::Bytes;
use tower::{Service, service_fn};

use crate::harness::in_time;

#[tokio::test]
async fn of_requests_that_nobody_answers_a_bounded_part_is_kept_and_then_no_more() {
    let echo = service_fn(async |request: Request<Body>| {
        Ok::<_, Infallible>(Response::new(request.into_body()))
    });
    let inline = Inline::default();
    let mut service = Observe::new(echo, 1, 1 << 20).for_peer(
        Arc::new(Peer::new()),
        inline.clone(),
        Duration::MAX,
    );
    let pieces = stream::repeat(Bytes::from_static(&[0; 1 << 10])).take(20);
    // More may always come.
    let frames = pieces.chain(stream::pending());
    let body = StreamBody::new(frames.map(|piece| Ok::<_, Infallible>(Frame::data(piece))));
    let request =
        Request::post("http://loyd/grpc.reflection.v1.ServerReflection/ServerReflectionInfo");
    let request = request.header("content-type", "application/grpc");
    let answer = service.call(request.body(body).unwrap()).await.unwrap();
    let mut under_way = UnderWay::of(inline, Arc::default());
    let silent = |_: &mut Context<'_>, _| Poll::<()>::Pending;
    poll_fn(|cx| Poll::Ready(under_way.poll_turn(cx, silent).is_pending())).await;
    let kept = in_time(answer.into_body().collect()).await.unwrap();
    assert_eq!(kept.to_bytes().len(), 16 << 10);
}
