//! The body of a response, watched until it has been sent.

use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Sleep, sleep_until};
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::Bytes;

use super::{Watch, code};
use crate::engine::Failure;
use crate::service::apart::apart;
use crate::service::call::Call;
use crate::service::status;
use crate::telemetry::Method;

/// The most bytes handed to the transport at once.
const PIECE: usize = 64 * 1024;

/// The last byte of more than this is a piece by itself. The transport takes a piece only when the peer has room for
/// all before it, so until then the call is there to be ended alone if its caller leaves the answer.
const SMALL: usize = 1024;

/// A response body that looks for the status in the trailers, and hands out its data in pieces, so
/// that at most two wait in the transport for a peer that does not read.
pub(super) struct Watched {
    /// The first frame of a large answer and what comes after it, until they are there.
    encoding: Option<BoxFuture<'static, Result<(Body, NextFrame), Status>>>,
    body: Body,
    rest: Bytes,
    /// The deadline of a stream whose handler does not keep it.
    late: Option<Pin<Box<Sleep>>>,
    watch: Watch,
}

/// The next frame of a body, as far as it is there.
type NextFrame = Poll<Option<Result<Frame<Bytes>, Status>>>;

/// The end of a stream by a status. As an error it would reset the stream: the peer would not learn why.
fn told(status: &Status) -> NextFrame {
    let mut trailers = HeaderMap::new();
    status.add_header(&mut trailers)?;
    Poll::Ready(Some(Ok(Frame::trailers(trailers))))
}

/// Makes the first frame of a large answer, a whole message, where that keeps nobody waiting.
async fn encoded(call: Call, mut body: Body) -> Result<(Body, NextFrame), Status> {
    apart(&call, move || {
        let mut context = Context::from_waker(Waker::noop());
        let first = Pin::new(&mut body).poll_frame(&mut context);
        (body, first)
    })
    .await
}

impl Watched {
    /// The body of a call's response.
    pub(super) fn new(body: Body, watch: Watch) -> Self {
        let (body, encoding) = if watch.call.load().is_large() && !body.is_end_stream() {
            let encoding = encoded(watch.call.clone(), body);
            (Body::empty(), Some(encoding.boxed()))
        } else {
            (body, None)
        };
        Self {
            encoding,
            body,
            rest: Bytes::new(),
            late: watch.deadline.map(|at| Box::pin(sleep_until(at.into()))),
            watch,
        }
    }

    /// The next frame as the handler has made it.
    fn poll_whole(&mut self, cx: &mut Context<'_>) -> NextFrame {
        if let Some(encoding) = &mut self.encoding {
            let ended = ready!(encoding.as_mut().poll(cx));
            self.encoding = None;
            match ended {
                Ok((body, first)) => {
                    self.body = body;
                    if first.is_ready() {
                        return first;
                    }
                }
                Err(status) => return told(&status),
            }
        }
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if frame.is_pending()
            && let Some(late) = &mut self.late
        {
            ready!(late.as_mut().poll(cx));
            self.body = Body::empty();
            return told(&status::failed(&Failure::DeadlineExceeded));
        }
        frame
    }

    fn piece(&mut self) -> Frame<Bytes> {
        let whole = self.rest.len();
        let most = if whole > SMALL { whole - 1 } else { whole };
        let piece = self.rest.split_to(most.min(PIECE));
        if let Some(exchange) = &self.watch.exchange {
            exchange.answer().handed_out(piece.len());
        }
        Frame::data(piece)
    }
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> NextFrame {
        if let Some(exchange) = &self.watch.exchange {
            exchange.answer().taken();
        }
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.piece())));
        }
        let frame = match ready!(self.poll_whole(cx)) {
            Some(Ok(frame)) => frame,
            end => return Poll::Ready(end),
        };
        if let Some(code) = frame.trailers_ref().and_then(code) {
            self.watch.code = code;
        }
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) => {
                // All other answers are one message, and nothing but that is left of them.
                if self.watch.method != Method::SolveStream {
                    self.watch.call.encoded(data.len() as u64);
                }
                self.rest = data;
                self.piece()
            }
            Err(trailers) => trailers,
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.encoding.is_none() && self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
