//! A client that speaks HTTP/2 and nothing more: it has no timers and checks nothing.

use std::net::SocketAddr;

use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::Status;
use tonic::codegen::Bytes;

use crate::harness::in_time;

pub(crate) struct RawClient(SendRequest<Full<Bytes>>);

/// What came back.
pub(crate) struct RawAnswer {
    pub(crate) headers: HeaderMap,
    pub(crate) status: Status,
    /// Messages in their gRPC frames.
    pub(crate) body: Bytes,
}

/// The size of a gRPC frame header: the compression flag and the length.
const FRAME_HEADER: usize = 5;

/// Reads until the connection is closed, with or without a reset, and returns what came.
pub(crate) async fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = in_time(stream.read_to_end(&mut bytes)).await;
    bytes
}

/// A connection on which the client has sent the HTTP/2 preface.
pub(crate) async fn greet(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        .await
        .unwrap();
    stream
        .write_all(&http2_frame(SETTINGS, 0, 0, &[]))
        .await
        .unwrap();
    stream
}

/// Frame types.
pub(crate) const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
pub(crate) const RST_STREAM: u8 = 3;
pub(crate) const SETTINGS: u8 = 4;
pub(crate) const PING: u8 = 6;
pub(crate) const GOAWAY: u8 = 7;
pub(crate) const WINDOW_UPDATE: u8 = 8;
pub(crate) const CONTINUATION: u8 = 9;

/// Frame flags.
pub(crate) const ACK: u8 = 1;
pub(crate) const END_STREAM: u8 = 1;
pub(crate) const END_HEADERS: u8 = 4;

/// The answer to h2's PING on graceful shutdown.
pub(crate) fn goaway_pong() -> Vec<u8> {
    http2_frame(PING, ACK, 0, &GOAWAY_PING)
}

/// The payload of that PING.
pub(crate) const GOAWAY_PING: [u8; 8] = [0x0b, 0x7b, 0xa2, 0xf0, 0x8b, 0x9b, 0xfe, 0x54];

/// An HTTP/2 frame.
pub(crate) fn http2_frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

impl RawClient {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::with_window(address, 2 << 20).await
    }

    /// A client that takes this many bytes of each answer before it is read.
    pub(crate) async fn with_window(address: SocketAddr, bytes: u32) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .initial_stream_window_size(bytes)
            .handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(async {
            // However it ends, the test sees whether it got what it asked for.
            let _ = connection.await;
        });
        Self(sender)
    }

    /// Sends a body as it is, and waits only for the headers.
    pub(crate) async fn open(
        &mut self,
        method: &str,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> Response<Incoming> {
        self.open_path(&path(method), headers, body).await
    }

    /// The same for the call at any path.
    pub(crate) async fn open_path(
        &mut self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> Response<Incoming> {
        let mut request = Request::post(format!("http://loyd{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        for (name, value) in headers {
            request = request.header(*name, value.as_bytes());
        }
        self.send(request.body(Full::new(body)).unwrap()).await
    }

    /// Sends any request, and waits only for the headers.
    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        in_time(self.0.send_request(request)).await.unwrap()
    }

    /// Sends a body as it is, and waits for the end.
    pub(crate) async fn call(
        &mut self,
        method: &str,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> RawAnswer {
        self.call_path(&path(method), headers, body).await
    }

    /// [`Self::call`] at any path.
    pub(crate) async fn call_path(
        &mut self,
        path: &str,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> RawAnswer {
        let response = self.open_path(path, headers, body).await;
        assert_eq!(response.status(), 200);
        RawAnswer::of(response).await
    }
}

/// The path of a method of the service.
fn path(method: &str) -> String {
    format!("/loyd.v1.PuzzleService/{method}")
}

impl RawAnswer {
    /// Waits for the end of a response.
    pub(crate) async fn of(response: Response<Incoming>) -> Self {
        let (head, body) = response.into_parts();
        // A status in the headers ends an answer. Clients do not expect even an empty frame after it.
        let is_told = head.headers.contains_key(Status::GRPC_STATUS);
        assert_eq!(is_told, body.is_end_stream());
        let collected = in_time(body.collect()).await.unwrap();
        let trailers = collected.trailers().cloned().unwrap_or_default();
        let status = Status::from_header_map(&trailers)
            .or_else(|| Status::from_header_map(&head.headers))
            .expect("a status in trailers or headers");
        Self {
            headers: head.headers,
            status,
            body: collected.to_bytes(),
        }
    }

    /// The only message of the answer.
    pub(crate) fn message<M: prost::Message + Default>(&self) -> M {
        M::decode(self.body.slice(FRAME_HEADER..)).unwrap()
    }
}

/// A message in its gRPC frame.
pub(crate) fn frame(message: &impl prost::Message) -> Bytes {
    frame_bytes(&message.encode_to_vec())
}

/// Any bytes in a gRPC frame.
pub(crate) fn frame_bytes(bytes: &[u8]) -> Bytes {
    let mut frame = vec![0];
    frame.extend((bytes.len() as u32).to_be_bytes());
    frame.extend(bytes);
    frame.into()
}
