//! The bytes of a connection: begun by HTTP/2's preface, its frames counted as they pass.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};

use super::frames::Frames;

/// What every HTTP/2 connection begins with.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The kind of error with which reading ends when a peer floods us.
pub const FLOOD: io::ErrorKind = io::ErrorKind::QuotaExceeded;

/// A connection whose peer speaks HTTP/2.
#[derive(Debug)]
pub struct Transport<T> {
    stream: T,
    /// What has been read of the preface by those who think it is still to come.
    preface: usize,
    frames: Frames,
}

impl<T: AsyncRead + Unpin> Transport<T> {
    /// Waits for the preface.
    ///
    /// # Errors
    /// When something else comes, or nothing more.
    pub async fn begin(mut stream: T) -> io::Result<Self> {
        let mut preface = [0; PREFACE.len()];
        stream.read_exact(&mut preface).await?;
        if preface != *PREFACE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self {
            stream,
            preface: 0,
            frames: Frames::new(Instant::now()),
        })
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Transport<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let rest = &PREFACE[self.preface..];
        if !rest.is_empty() {
            let part = rest.len().min(buffer.remaining());
            buffer.put_slice(&rest[..part]);
            self.preface += part;
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        let received = &buffer.filled()[before..];
        let counted = self.frames.received(received, Instant::now());
        Poll::Ready(counted.map_err(|_flood| FLOOD.into()))
    }
}

impl<T: AsyncWrite + Unpin> Transport<T> {
    fn sent(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if let Poll::Ready(Ok(bytes)) = written {
            self.frames.sent(bytes);
        }
        written
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Transport<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.sent(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.sent(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
