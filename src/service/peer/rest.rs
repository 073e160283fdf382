//! What is left of requests that nobody reads to their end, as when their calls are refused.
//!
//! h2 charges a connection for small pieces of bodies until they are read, and never forgets those that
//! come for a call that we have reset. It would end the connection, with the calls of everybody who
//! shares it through a balancer. So the rest is read before the call is reset, within bounds: who sends
//! on although the answer has come loses the connection to itself.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::rt::Executor;
use tokio::time::timeout;
use tonic::codegen::Bytes;

use super::inline::Inline;

/// The most bytes that are read of a rest, and how long it may take to come: as long as an answer may take
/// to the peer, and what the peer sends until then to us.
const MOST: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(1);

/// A request body whose rest is read with the calls of the connection when it is dropped.
pub struct Rest<B: Body<Data = Bytes> + Send + Unpin + 'static> {
    /// `None` once it has ended.
    body: Option<B>,
    inline: Option<Inline>,
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Rest<B> {
    /// Wraps a body of the connection that has these calls. Without one there is nobody to read the rest.
    pub fn new(body: B, inline: Option<Inline>) -> Self {
        Self {
            body: Some(body),
            inline,
        }
    }
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Drop for Rest<B> {
    fn drop(&mut self) {
        let rest = self.body.take().filter(|body| !body.is_end_stream());
        if let (Some(body), Some(inline)) = (rest, &self.inline) {
            inline.execute(read(body));
        }
    }
}

/// Reads a body to its end, within bounds.
async fn read(mut body: impl Body<Data = Bytes> + Unpin) {
    let all = async {
        let mut bytes = 0;
        while bytes <= MOST
            && let Some(Ok(frame)) = body.frame().await
        {
            bytes += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    drop(timeout(PATIENCE, all).await);
}

impl<B: Body<Data = Bytes> + Send + Unpin + 'static> Body for Rest<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) {
            self.body = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        let body = self.body.as_ref();
        body.map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
