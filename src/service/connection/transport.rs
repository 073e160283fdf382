//! The bytes of a connection: it checks HTTP/2's preface, counts frames as they pass, and delays
//! the answer to the PING of a graceful shutdown a little.
//!
//! On graceful shutdown, a peer answers h2's PING, after which h2 takes no more calls. But clients
//! write that answer before calls that they had already begun at that moment: gRPC's own C core
//! does. Those calls would never be answered, and a window update on one of their streams would be
//! taken for a protocol error that ends all calls of the connection.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use super::answers::Answers;
use super::frames::{Frames, GOAWAY_PONG_BYTES};

/// What every HTTP/2 connection begins with.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The kind of error that ends reading when a peer floods us.
pub const FLOOD: io::ErrorKind = io::ErrorKind::QuotaExceeded;

/// How long the answer to the shutdown PING is delayed. The calls that a client had begun when it
/// wrote the answer arrive in the meantime.
const LATER: Duration = Duration::from_millis(50);

/// A connection whose peer speaks HTTP/2.
#[derive(Debug)]
pub struct Transport<T> {
    stream: T,
    /// How much of the preface has been passed on to the reader, which still expects it.
    preface: usize,
    frames: Frames,
    answers: Answers,
    /// The rest of the delayed answer to the shutdown PING, and when it passes.
    goaway_pong: Option<(Pin<Box<Sleep>>, Vec<u8>)>,
    /// What has come and may not pass in this turn.
    held: Vec<u8>,
}

impl<T: AsyncRead + Unpin> Transport<T> {
    /// Waits for the preface. The connection may have `max_calls` calls at once.
    ///
    /// # Errors
    /// When something else comes, or nothing more.
    pub async fn begin(mut stream: T, max_calls: usize) -> io::Result<Self> {
        let mut preface = [0; PREFACE.len()];
        stream.read_exact(&mut preface).await?;
        if preface != *PREFACE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(Self {
            stream,
            preface: 0,
            frames: Frames::new(Instant::now()),
            answers: Answers::new(max_calls),
            goaway_pong: None,
            held: Vec::new(),
        })
    }

    /// The number of answers that have begun, have not ended, and of which next to nothing has been
    /// sent for longer than `time`.
    pub fn silent_for(&self, time: Duration) -> usize {
        self.answers.silent_for(time, Instant::now())
    }

    /// Records that the calls have had a turn, in which they `have_read` everything or not.
    pub const fn turn(&mut self, have_read: bool) {
        self.frames.turn(have_read);
    }

    /// Reads what was held, or what the peer has sent.
    fn poll_next(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.held.is_empty() {
            return Pin::new(&mut self.stream).poll_read(cx, buffer);
        }
        let part = self.held.len().min(buffer.remaining());
        buffer.put_slice(&self.held[..part]);
        if part == self.held.len() {
            self.held = Vec::new();
        } else {
            self.held.drain(..part);
        }
        Poll::Ready(Ok(()))
    }

    /// Passes on the answer to the shutdown PING, or a part of it, if it is time. Returns whether it
    /// did.
    fn pass_goaway_pong(&mut self, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> bool {
        let Some((time, bytes)) = &mut self.goaway_pong else {
            return false;
        };
        // Once begun, it is passed on to the end. The timer is polled first so that the reader is
        // woken when it is time.
        let has_begun = bytes.len() < GOAWAY_PONG_BYTES;
        let is_early = time.as_mut().poll(cx).is_pending() || !self.frames.is_between();
        if is_early && !has_begun {
            return false;
        }
        let part = bytes.len().min(buffer.remaining());
        buffer.put_slice(&bytes[..part]);
        bytes.drain(..part);
        if bytes.is_empty() {
            self.goaway_pong = None;
        }
        true
    }

    /// Takes the answer to the shutdown PING out of what came after the first `before` bytes of the
    /// buffer. An answer that is split, by the network or by the end of the reader's buffer (one in
    /// 500), is left in place.
    fn keep_goaway_pong(&mut self, before: usize, buffer: &mut ReadBuf<'_>) {
        let Some(first) = self
            .frames
            .goaway_pong()
            .filter(|_| self.goaway_pong.is_none())
        else {
            return;
        };
        let received = &mut buffer.filled_mut()[before..];
        let bytes = received[first..first + GOAWAY_PONG_BYTES].to_vec();
        received.copy_within(first + GOAWAY_PONG_BYTES.., first);
        let rest = received.len() - GOAWAY_PONG_BYTES;
        buffer.set_filled(before + rest);
        self.goaway_pong = Some((Box::pin(sleep(LATER)), bytes));
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
        if self.frames.is_full() {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        loop {
            if self.pass_goaway_pong(cx, buffer) {
                return Poll::Ready(Ok(()));
            }
            ready!(self.poll_next(cx, buffer))?;
            let received = &buffer.filled()[before..];
            let is_over = received.is_empty();
            let Self {
                frames,
                answers,
                held,
                ..
            } = &mut *self;
            let counted = frames.received(received, Instant::now());
            let passed = counted.map_err(|_flood| FLOOD)?;
            if passed < received.len() {
                held.splice(..0, received[passed..].iter().copied());
                buffer.set_filled(before + passed);
            }
            answers.given_up(frames.given_up());
            self.keep_goaway_pong(before, buffer);
            // Returning no bytes would signal the end.
            if is_over || buffer.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<T> Transport<T> {
    /// Records the bytes that have been sent: the first `written` of `bytes`.
    fn sent(&mut self, mut bytes: &[IoSlice<'_>], written: &Poll<io::Result<usize>>) {
        let Poll::Ready(Ok(written)) = *written else {
            return;
        };
        self.frames.sent(written);
        let (mut left, now) = (written, Instant::now());
        while let Some((slice, rest)) = bytes.split_first().filter(|_| left > 0) {
            let part = slice.len().min(left);
            let resets = self.answers.sent(&slice[..part], now);
            self.frames.sent_resets(resets);
            left -= part;
            bytes = rest;
        }
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Transport<T> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bytes);
        self.sent(bytes, &written);
        written
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
