//! A solution sent while it is still being worked out.

use tokio::sync::mpsc;

use super::writer::Writer;
use super::{Ending, Item, ticks};
use crate::engine::{Pipe, StopReason, Work};
use crate::puzzle::Measure;
use crate::search::Progress;
use crate::search::chain::lower_bound;
use crate::search::plan::Stage;
use crate::service::call::{Call, Noted};
use crate::service::convert::{self, ReadStream};
use crate::service::proto::SolveStreamResponse;
use crate::service::proto::solve_stream_response::Event;
use crate::service::solve;

/// Sends moves as they are worked out, no faster than the client reads: the search waits for the reader.
pub(super) async fn forward(
    call: Call,
    read: ReadStream,
    pipe: Pipe,
    by: Stage,
    sender: mpsc::Sender<Item>,
) -> Result<(), Ending> {
    let mut pipe = Noted::new(pipe, call.clone());
    let mut ticks = ticks(&read);
    let most = read.moves_per_message;
    let question = &read.solve.question;
    let bound = lower_bound(&question.problem, question.metric);
    let mut measure = Measure::new(question.metric);
    let mut writer = Writer::new(read, &Progress::default(), &[], call.arrived.elapsed());
    send(&sender, writer.improvement(1, 0, bound)).await?;
    loop {
        tokio::select! {
            biased;
            () = sender.closed() => return Err(Ending::Gone),
            run = pipe.next(most) => match run.map_err(|failure| Ending::failed(&call, failure))? {
                Some(run) => {
                    measure.add(&run);
                    let mut left = &run[..];
                    while !left.is_empty() {
                        let before = writer.sent();
                        let event = writer.moves(left);
                        left = &left[writer.sent() - before..];
                        send(&sender, event).await?;
                    }
                }
                None => break,
            },
            _ = ticks.tick() => {
                let progress = Progress {
                    lower_bound: bound,
                    ..pipe.progress()
                };
                let event = writer.progress(&progress, &[], 0, call.arrived.elapsed());
                send(&sender, event).await?;
                // Counted from when it is sent, however long it had to wait.
                ticks.reset();
            }
        }
    }

    let progress = Progress {
        lower_bound: bound,
        ..pipe.progress()
    };
    let length = measure.length();
    let elapsed = call.arrived.elapsed();
    let statistics = convert::statistics(&progress, &[], by, pipe.queued(), elapsed);
    let reason = if length as u64 <= u64::from(bound) {
        StopReason::Proven
    } else {
        StopReason::FirstFound
    };
    drop(pipe);
    let event = Some(writer.summary(length, bound, statistics, reason));
    let place = sender.reserve().await.map_err(|_| Ending::Gone)?;
    // Not until there is room for the last event: until then the call may still be cut short.
    let slides = writer.sent();
    solve::note_solved(&call, slides, length, bound);
    place.send(Ok(SolveStreamResponse { event }));
    Ok(())
}

async fn send(sender: &mpsc::Sender<Item>, event: Event) -> Result<(), Ending> {
    let item = Ok(SolveStreamResponse { event: Some(event) });
    sender.send(item).await.map_err(|_| Ending::Gone)
}
