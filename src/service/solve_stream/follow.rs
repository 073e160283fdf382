//! Sends what a search finds as it is found and as fast as the client reads.

use std::future::pending;
use std::mem::take;
use std::sync::Arc;

use tokio::sync::mpsc;

use super::writer::Writer;
use super::{Ending, Item, ticks};
use crate::engine::{Best, News, Outcome, Solving, Work};
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
    search: Searched,
}

/// The search, and once that is over for this call, how it ended.
enum Searched {
    On(Noted<Solving>),
    Over(Outcome<Best>, Arc<Answer>),
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
    let search = Searched::On(Noted::new(solving, call.clone()));
    let mut followed = Followed {
        call,
        writer,
        newest: Best::default(),
        progress_is_due: false,
        search,
    };
    loop {
        tokio::select! {
            biased;
            () = sender.closed() => return Err(Ending::Gone),
            // First, while there is room: findings are sent before the end that they led to.
            place = sender.reserve(), if followed.is_due() => {
                let Ok(place) = place else {
                    return Err(Ending::Gone);
                };
                let Some(event) = followed.next() else {
                    continue;
                };
                if matches!(event, Event::Progress(_)) {
                    // Counted from when it is sent, however long it had to wait.
                    ticks.reset();
                }
                let is_last = matches!(event, Event::Summary(_));
                // Not before there is room for all of it: until then the call may still be cut short.
                if let (true, Searched::Over(outcome, answer)) = (is_last, &followed.search) {
                    solve::note_answer(&followed.call, outcome, answer);
                }
                place.send(Ok(SolveStreamResponse { event: Some(event) }));
                if is_last {
                    return Ok(());
                }
            },
            changed = followed.changed() => changed?,
            _ = ticks.tick(), if !followed.is_over() => followed.progress_is_due = true,
        }
    }
}

impl Followed {
    /// Waits until the search has found something or is over.
    async fn changed(&mut self) -> Result<(), Ending> {
        let Searched::On(solving) = &mut self.search else {
            return pending().await;
        };
        match solving.news().await {
            News::Found => self.newest = solving.found(),
            News::Over(over) => {
                let (outcome, answer) = solve::end(&self.call, over).map_err(Ending::Status)?;
                self.newest = outcome.found.clone();
                // The search is no longer needed, though its answer has yet to be sent.
                self.search = Searched::Over(outcome, answer);
            }
        }
        Ok(())
    }

    const fn is_over(&self) -> bool {
        matches!(self.search, Searched::Over(..))
    }

    /// Whether there is an event to send.
    fn is_due(&self) -> bool {
        self.is_over()
            || self.progress_is_due
            || self.newest.revision > self.writer.revision()
            || self.unsent().is_some()
    }

    /// The moves of the current solution that are to be sent now.
    fn unsent(&self) -> Option<&Arc<Answer>> {
        let wanted = !self.writer.read().final_only || self.is_over();
        self.newest
            .answer
            .as_ref()
            .filter(|answer| wanted && self.writer.sent() < answer.solution.len())
    }

    fn next(&mut self) -> Option<Event> {
        let is_due = take(&mut self.progress_is_due);
        if let (true, Searched::On(solving)) = (is_due, &self.search) {
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
            let bound = match &self.search {
                Searched::On(solving) => solving.progress().lower_bound,
                Searched::Over(outcome, _) => outcome.progress.lower_bound,
            };
            let revision = self.newest.revision;
            return Some(self.writer.improvement(revision, length, bound));
        }
        if let Some(answer) = self.unsent().cloned() {
            let moves = &answer.solution.moves()[self.writer.sent()..];
            return Some(self.writer.moves(moves));
        }
        let Searched::Over(outcome, answer) = &self.search else {
            return None;
        };
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
