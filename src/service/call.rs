//! What is known of a call besides its message: when it arrived, and what to log of it.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tonic::Request;

use super::access::Identity;
use super::line::Line;
use super::load::Load;
use crate::engine::{Reservation, Work};
use crate::puzzle::Shape;

/// A call, from its arrival to its end.
#[derive(Clone, Debug)]
pub struct Call {
    /// When it arrived.
    pub arrived: Instant,
    shared: Arc<Shared>,
}

/// What everybody shares who has to do with a call.
#[derive(Debug)]
struct Shared {
    record: Mutex<Record>,
    answer: Mutex<Option<Reservation>>,
    line: Line,
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
    /// How much its answer takes to write.
    pub load: Load,
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
    /// A call that has just arrived, whose work waits in `line` if there is much of it.
    #[must_use]
    pub fn new(line: Line) -> Self {
        Self {
            arrived: Instant::now(),
            shared: Arc::new(Shared {
                record: Mutex::default(),
                answer: Mutex::default(),
                line,
            }),
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
        *self.answer() = Some(reservation);
    }

    /// Gives back what is not needed of that memory once all that is left of the answer is a message
    /// of `bytes` bytes.
    pub fn encoded(&self, bytes: u64) {
        let mut answer = self.answer();
        if let Some(reservation) = answer.as_mut().filter(|answer| bytes < answer.bytes()) {
            reservation.set(bytes);
            reservation.report();
        }
    }

    /// Adds to the record that will be logged.
    pub fn note(&self, note: impl FnOnce(&mut Record)) {
        note(&mut self.locked());
    }

    /// How much its answer takes to write.
    pub fn load(&self) -> Load {
        self.locked().load
    }

    /// Where it waits to write that.
    pub fn line(&self) -> &Line {
        &self.shared.line
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
        let record = self.shared.record.lock();
        record.unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self) -> MutexGuard<'_, Option<Reservation>> {
        let answer = self.shared.answer.lock();
        answer.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Call {
    fn default() -> Self {
        Self::new(Line::new())
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
