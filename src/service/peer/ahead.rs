//! Requests that are read although the answers before them are not taken.

use std::io;

use futures_util::{FutureExt, TryStreamExt};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, StreamBody};
use hyper::rt::Executor;
use tokio::io::{AsyncWriteExt, duplex};
use tokio_util::io::ReaderStream;
use tonic::codegen::Bytes;

use super::inline::Inline;

/// The most bytes that wait to be answered.
const MOST: usize = 16 << 10;

/// Reads a body of many messages with the calls of the connection, as it comes: h2 ends connections on which
/// too many small pieces wait to be read. If the peer asks for far more than it takes answers, the rest is
/// discarded, and the body ends early.
pub fn ahead<B>(body: B, inline: &Inline) -> impl Body<Data = Bytes, Error = io::Error> + use<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Send,
{
    let (come, to_come) = duplex(MOST);
    inline.execute(read(body, to_come));
    StreamBody::new(ReaderStream::new(come).map_ok(Frame::data))
}

async fn read<B: Body<Data = Bytes> + Unpin>(mut body: B, reader: tokio::io::DuplexStream) {
    let mut reader = Some(reader);
    while let Some(Ok(frame)) = body.frame().await {
        if let (Some(to), Some(data)) = (&mut reader, frame.data_ref()) {
            let has_room = matches!(to.write_all(data).now_or_never(), Some(Ok(())));
            reader = reader.filter(|_| has_room);
        }
    }
}
