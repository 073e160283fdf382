//! Gathers what is written to a connection while it is at work, so that answers to calls that came
//! together leave together. A system call for each would cost as much as most answers do.

use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The most bytes that are gathered.
const MOST: usize = 16 << 10;

/// A connection whose writes wait until it is told to send them. Its clones are the same connection.
#[derive(Debug)]
pub struct Gather<T>(Arc<Mutex<Gathered<T>>>);

#[derive(Debug)]
struct Gathered<T> {
    stream: T,
    /// The bytes that have been written; the first `sent` of them have been sent.
    written: Vec<u8>,
    sent: usize,
    /// Whether bytes were sent that have not been flushed.
    unflushed: bool,
    /// Since when the peer takes none of the bytes that are ready to be sent.
    blocked: Option<Instant>,
}

impl<T> Clone for Gather<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Gather<T> {
    /// Gathers what will be written to `stream`.
    pub fn new(stream: T) -> Self {
        Self(Arc::new(Mutex::new(Gathered {
            stream,
            written: Vec::new(),
            sent: 0,
            unflushed: false,
            blocked: None,
        })))
    }

    /// How long the peer has taken nothing although there was something to take.
    pub fn blocked_for(&self) -> Duration {
        let blocked = self.lock().blocked;
        blocked.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Does something with the stream.
    pub fn with<R>(&self, act: impl FnOnce(&mut T) -> R) -> R {
        act(&mut self.lock().stream)
    }

    fn lock(&self) -> MutexGuard<'_, Gathered<T>> {
        // One task holds all clones.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: AsyncWrite + Unpin> Gather<T> {
    /// Polls `work`, and after each poll sends what it has written.
    ///
    /// # Errors
    /// When the peer has gone before the work was done.
    pub async fn send_after<W: Future + Unpin>(&self, mut work: W) -> io::Result<W::Output> {
        poll_fn(|cx| {
            let done = Pin::new(&mut work).poll(cx);
            match (done, self.poll_send(cx)) {
                (Poll::Ready(done), _) => Poll::Ready(Ok(done)),
                (Poll::Pending, Poll::Ready(Err(gone))) => Poll::Ready(Err(gone)),
                (Poll::Pending, _) => Poll::Pending,
            }
        })
        .await
    }

    /// Sends what was written.
    ///
    /// # Errors
    /// When the peer has gone.
    pub fn poll_send(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lock().poll_send(cx)
    }
}

impl<T: AsyncWrite + Unpin> Gathered<T> {
    /// Records whether the peer takes anything.
    fn noted(&mut self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.blocked = None;
        } else {
            self.blocked.get_or_insert_with(Instant::now);
        }
        written
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.written.len() {
            let rest = &self.written[self.sent..];
            let written = Pin::new(&mut self.stream).poll_write(cx, rest);
            match ready!(self.noted(written))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                bytes => self.sent += bytes,
            }
            self.unflushed = true;
        }
        // A silent connection holds no memory.
        self.written = Vec::new();
        self.sent = 0;
        if self.unflushed {
            ready!(Pin::new(&mut self.stream).poll_flush(cx))?;
            self.unflushed = false;
        }
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Gather<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stream).poll_read(cx, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Gather<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut this = self.lock();
        let length = bytes.iter().map(|slice| slice.len()).sum();
        if this.written.len() + length > MOST {
            ready!(this.poll_send(cx))?;
        }
        if length > MOST {
            this.unflushed = true;
            let written = Pin::new(&mut this.stream).poll_write_vectored(cx, bytes);
            return this.noted(written);
        }
        for slice in bytes {
            this.written.extend_from_slice(slice);
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Does nothing: bytes are flushed when they are sent.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut this = self.lock();
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.stream).poll_shutdown(cx)
    }
}
