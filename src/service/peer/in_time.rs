//! The requests that a peer has begun: whether they arrive in time, and whether there is room for them.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use http_body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep_until};
use tonic::codegen::Bytes;

use super::arriving::Lack;
use super::exchange::Exchange;
use super::permits::{Permit, Permits};
use super::shortage::Shortage;
use crate::service::status;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Requests up to this size are not counted, because a connection's buffers hold that much of each anyway.
const SMALL: usize = 4 << 10;

/// A request body that has to arrive in time, and for which there has to be room.
#[derive(Debug)]
pub struct InTime<B> {
    body: B,
    late: Option<Pin<Box<Sleep>>>,
    exchange: Arc<Exchange>,
    room: Option<Room>,
    /// The bytes that have arrived, and the room that they take, which is given back when the
    /// request has been read.
    arrived: usize,
    taken: Option<Permit>,
}

/// Memory for partly received requests.
#[derive(Clone, Debug)]
pub struct Room {
    /// One for each [`Self::UNIT`].
    permits: Permits,
    shortage: Arc<Shortage>,
}

impl Room {
    /// The bytes of a permit.
    const UNIT: usize = 1 << 10;

    /// One connection may take 1/`PARTS` of the room.
    const PARTS: usize = 4;

    /// Creates room for `bytes` bytes in all.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        let permits = usize::try_from(bytes).unwrap_or(usize::MAX) / Self::UNIT;
        Self {
            permits: Permits::new(permits, permits / Self::PARTS),
            shortage: Arc::default(),
        }
    }

    /// The same room for another connection.
    #[must_use]
    pub fn for_peer(&self) -> Self {
        Self {
            permits: self.permits.for_peer(),
            shortage: Arc::clone(&self.shortage),
        }
    }

    /// Takes room, if there is enough. It is told when there is not; but not when only this connection has had its
    /// part.
    fn take(&self, permits: u32) -> Option<Permit> {
        let taken = self.permits.take(permits);
        if taken.is_none() && self.permits.are_fewer_than(permits) {
            self.shortage.tell();
        }
        taken
    }

    /// Where it is told when there is none.
    pub const fn shortage(&self) -> &Arc<Shortage> {
        &self.shortage
    }
}

impl<B> InTime<B> {
    /// Wraps a body that has to be complete at the instant `by`, if any. `room` is for bodies that
    /// are a single message.
    pub fn new(body: B, by: Option<Instant>, exchange: Arc<Exchange>, room: Option<Room>) -> Self {
        Self {
            body,
            late: by.map(|by| Box::pin(sleep_until(by.into()))),
            exchange,
            room,
            arrived: 0,
            taken: None,
        }
    }

    /// Takes the room for more bytes. Returns false when there is none.
    fn take(&mut self, bytes: usize) -> bool {
        self.arrived += bytes;
        let Some(room) = self.room.as_ref().filter(|_| self.arrived > SMALL) else {
            return true;
        };
        let held = self.taken.as_ref().map_or(0, Permit::count);
        let wanted = self.arrived.div_ceil(Room::UNIT).saturating_sub(held);
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let Some(more) = room.take(wanted) else {
            return false;
        };
        self.exchange.request().takes_room();
        match &mut self.taken {
            Some(taken) => taken.merge(more),
            None => self.taken = Some(more),
        }
        true
    }
}

impl<B> Body for InTime<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            let data = frame
                .as_ref()
                .and_then(|frame| frame.as_ref().ok()?.data_ref());
            let bytes = data.map_or(0, Bytes::len);
            if frame.is_none() || self.body.is_end_stream() {
                self.exchange.request().has_arrived();
            } else {
                self.exchange.request().arrives(bytes);
            }
            if !self.take(bytes) {
                return Poll::Ready(Some(Err(status::no_room().into())));
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let late = self.late.as_mut().map(|late| late.as_mut().poll(cx));
        if late.is_some_and(|late| late.is_ready()) {
            return Poll::Ready(Some(Err(status::late().into())));
        }
        let refused = self.exchange.request().awaits(cx.waker());
        refused.map_or(Poll::Pending, |lack| {
            let status = match lack {
                Lack::Places => status::too_many_calls(),
                Lack::Room => status::no_room(),
                Lack::Time => status::draining(),
            };
            Poll::Ready(Some(Err(status.into())))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
