//! Sends what a search finds as it is found and as fast as the client reads.

use std::sync::Arc;

use tokio::sync::mpsc;

use super::writer::Writer;
use super::{Ending, Item, ticks};
use crate::engine::{Best, Failure, News, Outcome, Solving, Work};
use crate::search::chain::Answer;
use crate::service::call::{Call, Noted};
use crate::service::convert::{self, ReadStream};
use crate::service::proto::SolveStreamResponse;
use crate::service::proto::solve_stream_response::Event;
use crate::service::solve;

/// A search and what is known of it.
struct Followed {
    call: Call,
    writer: Writer,
    newest: Best,
    progress_is_due: bool,
    /// Set when the search is over for this call.
    ended: Option<(Outcome<Best>, Arc<Answer>)>,
}

/// Sends what the search finds until it ends, and then the rest.
///
/// The search is watched throughout, however slowly the client reads. It ends in time, and a
/// solution that has been superseded by a better one is not sent to its end.
pub(super) async fn follow(
    call: Call,
    read: ReadStream,
    solving: Solving,
    sender: mpsc::Sender<Item>,
) -> Result<(), Ending> {
    let mut ticks = ticks(&read);
    // Others may have started the search long ago.
    let (progress, iterations) = (solving.progress(), solving.iterations());
    let writer = Writer::new(read, &progress, &iterations, call.arrived.elapsed());
    let mut solving = Some(Noted::new(solving, call.clone()));
    let mut followed = Followed {
        call,
        writer,
        newest: Best::default(),
        progress_is_due: false,
        ended: None,
    };
    loop {
        let is_due = followed.is_due();
        tokio::select! {
            biased;
            () = sender.closed() => return Err(Ending::Gone),
            // First, while there is room: findings are sent before the end that they led to.
            place = sender.reserve(), if is_due => {
                let Ok(place) = place else {
                    return Err(Ending::Gone);
                };
                let Some(event) = followed.next(solving.as_deref()) else {
                    continue;
                };
                if matches!(event, Event::Progress(_)) {
                    // Counted from when it is sent, however long it had to wait.
                    ticks.reset();
                }
                let is_last = matches!(event, Event::Summary(_));
                if is_last {
                    followed.note_answer();
                }
                place.send(Ok(SolveStreamResponse { event: Some(event) }));
                if is_last {
                    return Ok(());
                }
            },
            news = news(&mut solving) => match news {
                News::Found => {
                    if let Some(solving) = &solving {
                        followed.newest = solving.found();
                    }
                }
                News::Over(over) => {
                    // The search is no longer needed, though its answer has yet to be sent.
                    solving = None;
                    followed.end(over)?;
                }
            },
            _ = ticks.tick(), if solving.is_some() => followed.progress_is_due = true,
        }
    }
}

async fn news(solving: &mut Option<Noted<Solving>>) -> News<Best> {
    match solving {
        Some(solving) => solving.news().await,
        None => std::future::pending().await,
    }
}

impl Followed {
    fn end(&mut self, over: Result<Outcome<Best>, Failure>) -> Result<(), Ending> {
        let (outcome, answer) = solve::end(&self.call, over).map_err(Ending::Status)?;
        self.newest = outcome.found.clone();
        self.ended = Some((outcome, answer));
        Ok(())
    }

    /// Records the answer once it has been sent whole: until then the call may still be cut short.
    fn note_answer(&self) {
        if let Some((outcome, answer)) = &self.ended {
            solve::note_answer(&self.call, outcome, answer);
        }
    }

    /// Whether there is an event to send.
    fn is_due(&self) -> bool {
        self.ended.is_some()
            || self.progress_is_due
            || self.newest.revision > self.writer.revision()
            || self.unsent().is_some()
    }

    /// The moves of the current solution that are to be sent now.
    fn unsent(&self) -> Option<&Arc<Answer>> {
        let wanted = !self.writer.read().final_only || self.ended.is_some();
        self.newest
            .answer
            .as_ref()
            .filter(|answer| wanted && self.writer.sent() < answer.solution.len())
    }

    fn next(&mut self, solving: Option<&Solving>) -> Option<Event> {
        if let (true, Some(solving)) = (std::mem::take(&mut self.progress_is_due), solving) {
            let best = self.newest.answer.as_ref();
            let length = best.map_or(0, |answer| answer.length);
            let elapsed = self.call.arrived.elapsed();
            let progress = solving.progress();
            let iterations = solving.iterations();
            return Some(
                self.writer
                    .progress(&progress, &iterations, length, elapsed),
            );
        }
        if self.newest.revision > self.writer.revision() {
            let length = self.newest.answer.as_ref()?.length;
            let bound = match (&self.ended, solving) {
                (Some((outcome, _)), _) => outcome.progress.lower_bound,
                (None, Some(solving)) => solving.progress().lower_bound,
                (None, None) => 0,
            };
            let revision = self.newest.revision;
            return Some(self.writer.improvement(revision, length, bound));
        }
        if let Some(answer) = self.unsent().cloned() {
            let moves = &answer.solution.moves()[self.writer.sent()..];
            return Some(self.writer.moves(moves));
        }
        let (outcome, answer) = self.ended.as_ref()?;
        let progress = &outcome.progress;
        let elapsed = self.call.arrived.elapsed();
        let statistics = convert::statistics(
            progress,
            &outcome.iterations,
            answer.by,
            outcome.queued,
            elapsed,
        );
        let length = answer.length;
        let reason = outcome.reason;
        Some(
            self.writer
                .summary(length, progress.lower_bound, statistics, reason),
        )
    }
}
