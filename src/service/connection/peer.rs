//! The other end of a connection: whether it reads what it has asked for, and finishes the requests
//! that it has begun.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http_body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep_until};
use tonic::codegen::Bytes;

use super::answers::LEAST_PROGRESS;
use crate::service::status;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A peer, and the answers that are being sent to it.
#[derive(Debug)]
pub struct Peer {
    since: Instant,
    /// When it was last seen to have a call, in microseconds since `since`.
    active: AtomicU64,
    sending: Mutex<Vec<Weak<Sending>>>,
}

/// An answer that is being sent.
#[derive(Debug)]
pub struct Sending {
    since: Instant,
    /// When a piece was handed to the transport that it has not taken yet, in microseconds; 0 when
    /// there is none.
    waiting: AtomicU64,
    /// How long all of its pieces before that one had to wait, in microseconds.
    waited: AtomicU64,
    /// When it began, or last had [`LEAST_PROGRESS`] more to send, in microseconds; 0 before that.
    begun: AtomicU64,
    /// The bytes that it has had to send since then.
    bytes: AtomicU64,
}

impl Peer {
    /// A peer that has just connected.
    #[must_use]
    pub fn new() -> Self {
        Self {
            since: Instant::now(),
            active: AtomicU64::new(0),
            sending: Mutex::default(),
        }
    }

    /// Starts to send an answer.
    pub fn sending(&self) -> Arc<Sending> {
        let answer = Arc::new(Sending {
            since: self.since,
            waiting: AtomicU64::new(0),
            waited: AtomicU64::new(0),
            begun: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        });
        self.note_active();
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        // The list is pruned here only when it is full, so each answer is looked at twice at most before it
        // goes.
        if sending.len() == sending.capacity() {
            sending.retain(|answer| answer.strong_count() > 0);
        }
        sending.push(Arc::downgrade(&answer));
        answer
    }

    /// Records that the peer has a call now.
    fn note_active(&self) {
        let now = self.since.elapsed().as_micros() as u64;
        self.active.store(now, Ordering::Relaxed);
    }

    /// How long the peer has had no call, as far as has been observed. A call that ended since the
    /// last check counts as having ended then.
    pub fn idle_for(&self) -> Duration {
        let sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        if sending.iter().any(|answer| answer.strong_count() > 0) {
            self.note_active();
        }
        let active = Duration::from_micros(self.active.load(Ordering::Relaxed));
        self.since.elapsed().saturating_sub(active)
    }

    /// The longest time that the peer has not taken the next piece of an answer.
    pub fn stalled_for(&self) -> Duration {
        self.longest(Sending::waiting_for)
    }

    /// The longest time that an answer has waited for the peer to take its pieces, all of them together.
    pub fn delayed_for(&self) -> Duration {
        self.longest(Sending::waited_for)
    }

    /// The longest time, in microseconds, of all answers.
    fn longest(&self, time: impl Fn(&Sending) -> u64) -> Duration {
        let mut sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        sending.retain(|answer| answer.strong_count() > 0);
        let answers = sending.iter().filter_map(Weak::upgrade);
        Duration::from_micros(answers.map(|answer| time(&answer)).max().unwrap_or(0))
    }

    /// The number of answers that have had next to nothing to send for longer than `time`, and have
    /// nothing now: for these the peer waits for us.
    pub fn waiting_for_us(&self, time: Duration) -> usize {
        let now = self.since.elapsed();
        let is_long_ago = |begun| now.saturating_sub(Duration::from_micros(begun)) > time;
        let sending = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = sending.iter().filter_map(Weak::upgrade);
        answers
            .filter(|answer| answer.waiting.load(Ordering::Relaxed) == 0)
            .map(|answer| answer.begun.load(Ordering::Relaxed))
            .filter(|&begun| begun > 0 && is_long_ago(begun))
            .count()
    }
}

impl Sending {
    /// Records that the head is about to be handed to the transport.
    pub fn begins(&self) {
        self.begun.store(self.now(), Ordering::Relaxed);
    }

    /// Records that a piece of `bytes` bytes has been handed to the transport.
    pub fn handed_out(&self, bytes: usize) {
        let bytes = self.bytes.load(Ordering::Relaxed) + bytes as u64;
        if bytes < LEAST_PROGRESS {
            self.bytes.store(bytes, Ordering::Relaxed);
        } else {
            self.bytes.store(0, Ordering::Relaxed);
            self.begun.store(self.now(), Ordering::Relaxed);
        }
        self.waiting.store(self.now(), Ordering::Relaxed);
    }

    /// Records that the transport asks for the next piece.
    pub fn taken(&self) {
        self.waited.store(self.waited_for(), Ordering::Relaxed);
        self.waiting.store(0, Ordering::Relaxed);
    }

    /// How long its newest piece has waited, in microseconds, if it still does.
    fn waiting_for(&self) -> u64 {
        match self.waiting.load(Ordering::Relaxed) {
            0 => 0,
            since => self.now().saturating_sub(since),
        }
    }

    /// How long all of its pieces have waited, in microseconds.
    fn waited_for(&self) -> u64 {
        self.waited.load(Ordering::Relaxed) + self.waiting_for()
    }

    /// The time in microseconds, never 0.
    fn now(&self) -> u64 {
        (self.since.elapsed().as_micros() as u64).max(1)
    }
}

/// Requests up to this size are not counted, because a connection's buffers hold that much of each anyway.
const SMALL: usize = 4 << 10;

/// A request body that has to arrive in time, and for which there has to be room.
#[derive(Debug)]
pub struct InTime<B> {
    body: Pin<Box<B>>,
    late: Option<Pin<Box<Sleep>>>,
    room: Option<Room>,
    /// The bytes that have arrived, and the room that they take, which is given back when the
    /// request has been read.
    arrived: usize,
    taken: Vec<OwnedSemaphorePermit>,
}

/// Memory for partly received requests, with one permit for each [`Self::UNIT`].
#[derive(Clone, Debug)]
pub struct Room {
    all: Arc<Semaphore>,
    /// The part of it that one connection may use.
    own: Arc<Semaphore>,
    /// The permits of a connection that holds nothing.
    share: usize,
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
        let permits = permits.min(Semaphore::MAX_PERMITS);
        let share = permits / Self::PARTS;
        Self {
            all: Arc::new(Semaphore::new(permits)),
            own: Arc::new(Semaphore::new(share)),
            share,
        }
    }

    /// The same room for another connection.
    #[must_use]
    pub fn for_peer(&self) -> Self {
        Self {
            own: Arc::new(Semaphore::new(self.share)),
            ..self.clone()
        }
    }
}

impl<B> InTime<B> {
    /// Wraps a body that has to be complete at the instant `by`, if any. `room` is for bodies that
    /// are a single message.
    pub fn new(body: B, by: Option<Instant>, room: Option<Room>) -> Self {
        Self {
            body: Box::pin(body),
            late: by.map(|by| Box::pin(sleep_until(by.into()))),
            room,
            arrived: 0,
            taken: Vec::new(),
        }
    }

    /// Takes the room for more bytes. Returns false when there is none.
    fn take(&mut self, bytes: usize) -> bool {
        self.arrived += bytes;
        let Some(room) = self.room.as_ref().filter(|_| self.arrived > SMALL) else {
            return true;
        };
        let held = self
            .taken
            .first()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let wanted = self.arrived.div_ceil(Room::UNIT).saturating_sub(held);
        let wanted = u32::try_from(wanted).unwrap_or(u32::MAX);
        let take = |room: &Arc<Semaphore>| Arc::clone(room).try_acquire_many_owned(wanted);
        let (Ok(of_all), Ok(of_own)) = (take(&room.all), take(&room.own)) else {
            return false;
        };
        let more = [of_all, of_own];
        if self.taken.is_empty() {
            self.taken.extend(more);
        } else {
            self.taken
                .iter_mut()
                .zip(more)
                .for_each(|(taken, more)| taken.merge(more));
        }
        true
    }
}

impl<B> Body for InTime<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = self.body.as_mut().poll_frame(cx) {
            let data = frame
                .as_ref()
                .and_then(|frame| frame.as_ref().ok()?.data_ref());
            let bytes = data.map_or(0, Bytes::len);
            if !self.take(bytes) {
                return Poll::Ready(Some(Err(status::no_room().into())));
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let late = self.late.as_mut().map(|late| late.as_mut().poll(cx));
        if late.is_some_and(|late| late.is_ready()) {
            return Poll::Ready(Some(Err(status::late().into())));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
