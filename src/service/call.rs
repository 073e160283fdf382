//! What is known of a call besides its message: when it arrived, and what to log of it.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tonic::Request;

use super::access::Identity;
use crate::engine::{Reservation, Work};
use crate::puzzle::Shape;

/// A call, from its arrival to its end.
#[derive(Clone, Debug)]
pub struct Call {
    /// When it arrived.
    pub arrived: Instant,
    record: Arc<Mutex<Record>>,
    answer: Arc<Mutex<Option<Reservation>>>,
}

/// What a handler records of its call, for the log and for whoever sends its answer.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Who called.
    pub client: Option<Identity>,
    /// The size of the board.
    pub shape: Option<Shape>,
    /// The objective.
    pub objective: Option<&'static str>,
    /// How it failed, in one word.
    pub failure: Option<&'static str>,
    /// What it was answered, in one word. That is its outcome only once the answer has been sent.
    pub answer: Option<&'static str>,
    /// The solution that it was answered.
    pub solved: Option<Solved>,
    /// Whether a limit has ended its search, which is counted then.
    pub limited: bool,
    /// The length of the solution.
    pub length: Option<usize>,
    /// Whether its answer takes long to encode.
    pub is_large: bool,
    /// The nodes generated.
    pub nodes: u64,
    /// The time from arrival to the first slice.
    pub queued: Duration,
    /// The time from arrival to when the search was left, if there was a search.
    pub left: Option<Duration>,
}

/// A solution, for the metrics.
#[derive(Clone, Copy, Debug)]
pub struct Solved {
    /// The number of slides.
    pub slides: usize,
    /// The time from the call's arrival to the answer.
    pub elapsed: Duration,
}

impl Call {
    /// A call that has just arrived.
    #[must_use]
    pub fn new() -> Self {
        Self {
            arrived: Instant::now(),
            record: Arc::default(),
            answer: Arc::default(),
        }
    }

    /// The call of a request. Creates one for requests that did not come over the network.
    #[must_use]
    pub fn of<T>(request: &Request<T>) -> Self {
        request
            .extensions()
            .get::<Self>()
            .cloned()
            .unwrap_or_default()
    }

    /// Keeps the memory reserved for the answer until the answer has been sent: an answer that the
    /// client does not read must not make room for the next one.
    pub fn keep(&self, reservation: Reservation) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(reservation);
    }

    /// Gives back what is not needed of that memory once all that is left of the answer is a message
    /// of `bytes` bytes.
    pub fn encoded(&self, bytes: u64) {
        let mut answer = self.answer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reservation) = answer.as_mut().filter(|answer| bytes < answer.bytes()) {
            reservation.set(bytes);
            reservation.report();
        }
    }

    /// Adds to the record that will be logged.
    pub fn note(&self, note: impl FnOnce(&mut Record)) {
        note(&mut self.locked());
    }

    /// Whether its answer takes long to encode.
    pub fn is_large(&self) -> bool {
        self.locked().is_large
    }

    /// Records the work that has been done for the call.
    pub fn note_work(&self, work: &dyn Work) {
        self.note(|record| {
            record.nodes = work.progress().generated;
            record.queued = work.queued();
            record.left = Some(self.arrived.elapsed());
        });
    }

    /// What to log.
    #[must_use]
    pub fn record(&self) -> Record {
        self.locked().clone()
    }

    fn locked(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Call {
    fn default() -> Self {
        Self::new()
    }
}

/// Work for a call. When it is dropped, what it took is recorded, however the call ends.
#[derive(Debug)]
pub struct Noted<W: Work> {
    work: W,
    call: Call,
}

impl<W: Work> Noted<W> {
    /// Wraps work that is done for `call`.
    pub const fn new(work: W, call: Call) -> Self {
        Self { work, call }
    }
}

impl<W: Work> Deref for Noted<W> {
    type Target = W;

    fn deref(&self) -> &W {
        &self.work
    }
}

impl<W: Work> DerefMut for Noted<W> {
    fn deref_mut(&mut self) -> &mut W {
        &mut self.work
    }
}

impl<W: Work> Drop for Noted<W> {
    fn drop(&mut self) {
        self.call.note_work(&self.work);
    }
}
