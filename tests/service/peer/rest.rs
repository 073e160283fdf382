//! What is read of a request whose call is over.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::stream::{self, Stream, StreamExt};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use loyd::service::{Inline, Observe, Peer, UnderWay};
use tonic::body::Body;
use tonic::codegen::Bytes;
use tower::{Service, service_fn};

use crate::harness::in_time;

/// Has a request refused unread whose body comes in these pieces, and waits until its rest is no longer read.
async fn refuse(pieces: impl Stream<Item = Bytes> + Send + Unpin + 'static) {
    let held = Arc::new(());
    let holder = Arc::clone(&held);
    let pieces = pieces.map(move |piece| {
        let _body = &holder;
        Ok::<_, Infallible>(Frame::data(piece))
    });
    let refuse =
        service_fn(async |_: Request<Body>| Ok::<_, Infallible>(Response::new(Body::empty())));
    let inline = Inline::default();
    let mut service = Observe::new(refuse, 1, 1 << 20).for_peer(
        Arc::new(Peer::new()),
        inline.clone(),
        Duration::MAX,
    );
    let request = Request::post("http://loyd/loyd.v1.PuzzleService/Solve");
    let request = request.header("content-type", "application/grpc");
    let request = request.body(StreamBody::new(pieces)).unwrap();
    service.call(request).await.unwrap();
    let mut under_way = UnderWay::of(inline, Arc::default());
    let is_over = |_: &mut Context<'_>, _| match Arc::strong_count(&held) {
        1 => Poll::Ready(()),
        _ => Poll::Pending,
    };
    in_time(poll_fn(|cx| under_way.poll_turn(cx, is_over))).await;
}

#[tokio::test]
async fn of_a_long_rest_only_the_beginning_is_read() {
    let read = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&read);
    let pieces = stream::repeat(Bytes::from_static(&[0; 1 << 10])).take(1_000);
    let counted = move |_: &Bytes| {
        count.fetch_add(1, Ordering::Relaxed);
    };
    refuse(pieces.inspect(counted)).await;
    let kibibytes = read.load(Ordering::Relaxed);
    assert!((64..=65).contains(&kibibytes), "{kibibytes} KiB");
}

#[tokio::test]
async fn a_rest_that_does_not_come_is_not_waited_for() {
    refuse(stream::pending()).await;
}
