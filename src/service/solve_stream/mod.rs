//! `SolveStream`: progress, better solutions, moves in chunks, and the summary.

mod follow;
mod forward;
mod writer;

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::Stream;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tonic::{Request, Status};

use super::call::Call;
use super::caught::caught;
use super::convert::{self, ReadStream};
use super::{Puzzles, proto, solve, status};
use crate::engine::{Failure, Limits, Work, expected_moves, until};
use crate::search::constructive::Variant;
use crate::search::plan::{Objective, Stage};
use crate::telemetry;

/// The most messages that wait for the transport.
const WAITING_EVENTS: usize = 4;

type Item = Result<proto::SolveStreamResponse, Status>;

/// The events of a stream. A stream without a summary ends with a status.
pub struct Events {
    events: mpsc::Receiver<Item>,
    /// The final status, kept apart because a full channel must not keep it from the client.
    ending: Arc<Mutex<Option<Status>>>,
    call: Call,
    work: Box<dyn Work + Send + Sync>,
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").finish_non_exhaustive()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        // The call is logged next. If the client has gone, the task may not have noticed yet.
        if self.call.record().left.is_none() {
            self.call.note_work(&*self.work);
        }
    }
}

impl Stream for Events {
    type Item = Item;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Item>> {
        self.events.poll_recv(cx).map(|event| {
            event.or_else(|| {
                let mut ending = self.ending.lock().unwrap_or_else(PoisonError::into_inner);
                ending.take().map(Err)
            })
        })
    }
}

/// Why a stream ends without a summary.
enum Ending {
    /// It ends with this status.
    Status(Status),
    /// The client has gone.
    Gone,
}

impl Ending {
    /// A failure, which it records for the log.
    fn failed(call: &Call, failure: Failure) -> Self {
        call.note(|record| record.failure = Some(failure.name()));
        Self::Status(status::failed(&failure))
    }

    /// The longest time for a solution that is sent while it is worked out, which it records for the log and
    /// the metrics. The reader is to blame only if messages wait for it.
    fn capped(call: &Call, waits_for_reader: bool) -> Self {
        let (outcome, status) = if waits_for_reader {
            telemetry::limit_stop("time");
            ("time_limit", status::read_too_slowly())
        } else {
            telemetry::overloaded("time", None);
            ("overloaded", status::worked_out_too_slowly())
        };
        call.note(|record| record.failure = Some(outcome));
        Self::Status(status)
    }
}

pub(super) fn solve_stream(
    puzzles: &Puzzles,
    request: &Request<proto::SolveStreamRequest>,
) -> Result<Events, Status> {
    let call = Call::of(request);
    let solve = request.get_ref().solve.as_ref();
    solve::note_board(&call, solve.and_then(|solve| solve.board.as_ref()));
    let read = convert::read_stream(request, puzzles.max_side)?;
    let timeout = read.solve.timeout;
    let deadline = timeout.and_then(|timeout| call.arrived.checked_add(timeout));
    let limits = solve::note_begin(puzzles, &call, &read.solve, sending(&read));
    let piped = sends_while_solving(puzzles, &read);
    // Beside the messages that wait, the whole solution is held until the last of it is sent, even after the
    // search is over.
    let held = match piped {
        Some(_) => 0,
        None => expected_moves(read.solve.start.shape()),
    };
    let limits = Limits {
        held: WAITING_EVENTS as u64 * message_bytes(&read) + held,
        ..limits
    };
    solve::reserve(puzzles, &call, limits.held)?;

    let client = puzzles.client(request);
    let client = client.as_ref();
    let (sender, events) = mpsc::channel(WAITING_EVENTS);
    let work: Box<dyn Work + Send + Sync>;
    let run = if let Some(variant) = piped {
        let problem = &read.solve.question.problem;
        let pipe = puzzles.engine.pipe(client, problem, variant, &limits)?;
        work = Box::new(pipe.glance());
        let cap = call.arrived.checked_add(puzzles.engine.config().caps.time);
        let by = Stage::Constructive(variant);
        let forward = forward::forward(call.clone(), read, pipe, by, sender.clone());
        let call = call.clone();
        let sender = sender.clone();
        async move {
            tokio::select! {
                ended = forward => ended,
                // However slowly it is read, a search may hold its place only for so long.
                () = until(cap) => Err(Ending::capped(&call, sender.capacity() == 0)),
            }
        }
        .boxed()
    } else {
        let question = read.solve.question.clone();
        let solving = puzzles.engine.solve(client, question, limits)?;
        work = Box::new(solving.glance());
        follow::follow(call.clone(), read, solving, sender.clone()).boxed()
    };

    let drained = puzzles.engine.drained();
    let ending = Arc::new(Mutex::new(None));
    let told = Arc::clone(&ending);
    let events = Events {
        events,
        ending,
        call: call.clone(),
        work,
    };
    tokio::spawn(async move {
        let ended = tokio::select! {
            // An answer that is there is sent, even if its deadline has just come as well.
            biased;
            ended = caught("handler", run) => ended
                .unwrap_or_else(|| Err(Ending::Status(status::defect()))),
            // The reader is too slow for its own deadline.
            () = until(deadline) => {
                if !call.record().limited {
                    telemetry::limit_stop("deadline");
                }
                Err(Ending::failed(&call, Failure::DeadlineExceeded))
            },
            // A drain does not wait for a reader either, even if its search is long over.
            () = drained => Err(Ending::failed(&call, Failure::Draining)),
        };
        if let Err(Ending::Status(status)) = ended {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
        }
        // Closes the channel, which must come after the final status is set.
        drop(sender);
    });
    Ok(events)
}

/// Roughly how long it takes to send a whole solution. A new one may have to be sent from start to
/// end when the search ends. A message takes the server less than 10 µs, but a client in Python 36 to 51.
/// A message full of boards takes clients in Python and Java 1.4 to 3.5 ms: 3.5 to 8 ns for each of its bytes.
fn sending(read: &ReadStream) -> Duration {
    const MESSAGE: u64 = 50_000;
    let byte = if read.solve.include.boards { 8 } else { 2 };
    if read.solve.question.objective == Objective::Fast && !read.final_only {
        return Duration::ZERO;
    }
    let moves = expected_moves(read.solve.start.shape());
    let messages = moves.div_ceil(read.moves_per_message as u64);
    Duration::from_nanos(messages * (MESSAGE + byte * message_bytes(read)))
}

/// The approximate bytes of a message: a number takes four, and one or two more when encoded.
fn message_bytes(read: &ReadStream) -> u64 {
    let shape = read.solve.start.shape();
    let moves = expected_moves(shape).min(read.moves_per_message as u64);
    let mut numbers = 2 * moves;
    if read.solve.include.boards {
        numbers += moves * (shape.cells() as u64 + 16);
    }
    6 * numbers
}

/// The constructive solver to use if only a first solution is wanted, which can be sent before it
/// is complete.
fn sends_while_solving(puzzles: &Puzzles, read: &ReadStream) -> Option<Variant> {
    if read.solve.question.objective != Objective::Fast || read.final_only {
        return None;
    }
    match puzzles.engine.plan(&read.solve.question).ok()?[..] {
        [Stage::Constructive(variant)] => Some(variant),
        _ => None,
    }
}

/// An interval that ticks whenever progress is due.
fn ticks(read: &ReadStream) -> Interval {
    let interval = read.progress_interval;
    let mut ticks = interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
