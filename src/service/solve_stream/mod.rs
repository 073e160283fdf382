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
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_stream::Stream;
use tonic::{Request, Status};

use super::call::Call;
use super::caught::caught;
use super::convert::{self, ReadStream};
use super::{Puzzles, proto, solve, status, timeout};
use crate::engine::{Failure, Limits, Work, expected_moves, until};
use crate::search::constructive::Variant;
use crate::search::plan::{Objective, Stage};
use crate::telemetry;

/// Messages that wait for the transport.
const WAITING_EVENTS: usize = 4;

type Item = Result<proto::SolveStreamResponse, Status>;

/// The events of a stream, ended by a status where there is no summary.
pub struct Events {
    events: mpsc::Receiver<Item>,
    /// What to end with: a full channel must not keep it from the client.
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
        // The call is over, and is logged next: a task whose client has gone has yet to see that.
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
    /// With this status.
    Status(Status),
    /// The client has gone.
    Gone,
}

impl Ending {
    /// A failure, of which the log is to tell.
    fn failed(call: &Call, failure: Failure) -> Self {
        call.note(|record| record.outcome = Some(failure.name()));
        Self::Status(status::failed(&failure))
    }
}

pub(super) fn solve_stream(
    puzzles: &Puzzles,
    request: &Request<proto::SolveStreamRequest>,
) -> Result<Events, Status> {
    let call = Call::of(request);
    let timeout = timeout::of(request);
    let deadline = timeout.as_ref().ok().copied().flatten();
    let deadline = deadline.and_then(|timeout| call.arrived.checked_add(timeout));
    let solve = request.get_ref().solve.as_ref();
    solve::note_board(&call, solve.and_then(|solve| solve.board.as_ref()));
    let read = convert::read_stream(request.get_ref(), puzzles.max_side)?;
    let limits = solve::note_begin(puzzles, &call, timeout, &read.solve, sending(&read))?;
    let piped = sends_while_solving(puzzles, &read);
    // Until the last of it is sent, all of the solution is held, also when the search is over.
    let held = match piped {
        Some(_) => 0,
        None => expected_moves(read.solve.start.shape()),
    };
    let limits = Limits {
        answer: waiting_bytes(&read) + held,
        ..limits
    };
    solve::reserve(puzzles, &call, limits.answer)?;

    let client = puzzles.client(request);
    let client = client.as_ref();
    let (sender, events) = mpsc::channel(WAITING_EVENTS);
    let work: Box<dyn Work + Send + Sync>;
    let run = if let Some(variant) = piped {
        let pipe = puzzles
            .engine
            .pipe(client, &read.solve.question.problem, variant, &limits)
            .map_err(|refused| status::refused(&refused))?;
        work = Box::new(pipe.glance());
        let cap = call.arrived.checked_add(puzzles.engine.config().caps.time);
        let by = Stage::Constructive(variant);
        let forward = forward::forward(call.clone(), read, pipe, by, sender.clone());
        let call = call.clone();
        async move {
            tokio::select! {
                ended = forward => ended,
                // However slowly it is read, a search may hold its place for so long only.
                () = until(cap) => {
                    telemetry::limit_stop("time");
                    call.note(|record| record.outcome = Some("time_limit"));
                    Err(Ending::Status(status::read_too_slowly()))
                },
            }
        }
        .boxed()
    } else {
        let solving = solve::begin(puzzles, client, &read.solve, limits)?;
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
            ended = caught("handler", run) => ended
                .unwrap_or_else(|| Err(Ending::Status(status::defect()))),
            // A reader too slow for its own deadline.
            () = until(deadline) => {
                telemetry::limit_stop("deadline");
                Err(Ending::failed(&call, Failure::DeadlineExceeded))
            },
            // Nor is a reader waited for whose search is long over.
            () = drained => Err(Ending::failed(&call, Failure::Draining)),
        };
        if let Err(Ending::Status(status)) = ended {
            *told.lock().unwrap_or_else(PoisonError::into_inner) = Some(status);
        }
        // Closes the channel, and not before the status is there to end with.
        drop(sender);
    });
    Ok(events)
}

/// About the bytes of the messages that wait to be sent.
fn waiting_bytes(read: &ReadStream) -> u64 {
    WAITING_EVENTS as u64 * message_bytes(read)
}

/// About how long it takes to send all of a solution: at the end of a search all of it may have to be sent, as it is
/// new.
fn sending(read: &ReadStream) -> Duration {
    const MESSAGE: u64 = 20_000;
    const BYTE: u64 = 2;
    if read.solve.question.objective == Objective::Fast && !read.final_only {
        return Duration::ZERO;
    }
    let moves = expected_moves(read.solve.start.shape());
    let messages = moves.div_ceil(read.moves_per_message.max(1) as u64);
    Duration::from_nanos(messages * (MESSAGE + BYTE * message_bytes(read)))
}

/// About the bytes of a message: a number takes four, and one or two more when it is encoded.
fn message_bytes(read: &ReadStream) -> u64 {
    let mut numbers = 2 * read.moves_per_message;
    if read.solve.include_boards {
        numbers += read.moves_per_message * (read.solve.start.shape().cells() + 16);
    }
    6 * numbers as u64
}

/// The constructive solver to be used if the first solution is all that is wanted, and can be
/// sent before it is whole.
fn sends_while_solving(puzzles: &Puzzles, read: &ReadStream) -> Option<Variant> {
    if read.solve.question.objective != Objective::Fast || read.final_only {
        return None;
    }
    match puzzles.engine.plan(&read.solve.question).ok()?[..] {
        [Stage::Constructive(variant)] => Some(variant),
        _ => None,
    }
}

/// Ticks whenever progress is due.
fn ticks(read: &ReadStream) -> Interval {
    let interval = read.progress_interval;
    let mut ticks = interval_at(Instant::now() + interval, interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}
