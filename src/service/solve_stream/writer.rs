//! Writes the events of a stream, one after the other.

use std::time::Duration;

use crate::engine::StopReason;
use crate::puzzle::{Board, Direction};
use crate::search::{Forecast, Iteration, Progress};
use crate::service::convert::{self, ReadStream};
use crate::service::proto::solve_stream_response::Event;
use crate::service::proto::{self, Statistics};

/// Writes the events of one stream, and remembers how much of the newest solution has been sent.
pub(super) struct Writer {
    read: ReadStream,
    /// The board after the moves sent.
    board: Board,
    revision: u32,
    sent: usize,
    paced: Paced,
}

/// What had been done at the last progress event, from which the pace is computed.
#[derive(Clone, Copy, Debug)]
struct Paced {
    /// The nodes generated.
    nodes: u64,
    /// The nodes of IDA*'s iterations. Beams that run beside it generate many times as many.
    iterated: u64,
    elapsed: Duration,
}

impl Paced {
    fn new(progress: &Progress, iterations: &[Iteration], elapsed: Duration) -> Self {
        Self {
            nodes: progress.generated,
            iterated: iterations.iter().map(|each| each.generated).sum(),
            elapsed,
        }
    }

    /// The nodes per second since `then`: of all searches, and of the iterations.
    fn since(&self, then: &Self) -> (f64, f64) {
        let seconds = self.elapsed.saturating_sub(then.elapsed).as_secs_f64();
        let pace = |now: u64, then: u64| match now.saturating_sub(then) as f64 / seconds {
            pace if pace.is_finite() => pace,
            _ => 0.0,
        };
        (
            pace(self.nodes, then.nodes),
            pace(self.iterated, then.iterated),
        )
    }
}

impl Writer {
    /// A writer for a search that had made this much progress when the call joined it, `elapsed`
    /// after the call arrived.
    pub(super) fn new(
        read: ReadStream,
        progress: &Progress,
        iterations: &[Iteration],
        elapsed: Duration,
    ) -> Self {
        Self {
            board: read.solve.start.clone(),
            read,
            revision: 0,
            sent: 0,
            paced: Paced::new(progress, iterations, elapsed),
        }
    }

    pub(super) const fn read(&self) -> &ReadStream {
        &self.read
    }

    /// The revision of the current solution.
    pub(super) const fn revision(&self) -> u32 {
        self.revision
    }

    /// The number of its moves that have been sent.
    pub(super) const fn sent(&self) -> usize {
        self.sent
    }

    pub(super) fn progress(
        &mut self,
        progress: &Progress,
        iterations: &[Iteration],
        best_length: usize,
        elapsed: Duration,
    ) -> Event {
        let now = Paced::new(progress, iterations, elapsed);
        let (pace, iterated) = now.since(&std::mem::replace(&mut self.paced, now));
        let forecast = Forecast::of(iterations);
        let remaining = forecast.and_then(|forecast| forecast.present);
        Event::Progress(proto::Progress {
            lower_bound: progress.lower_bound,
            best_length: best_length as u32,
            nodes_generated: progress.generated,
            elapsed: Some(convert::duration(elapsed)),
            nodes_per_second: pace,
            iteration_remaining: remaining.and_then(|nodes| time_for(nodes, iterated)),
            next_iteration: forecast.and_then(|forecast| time_for(forecast.next, iterated)),
        })
    }

    /// Starts a new solution. A length of 0 means that the length is not known yet.
    pub(super) fn improvement(&mut self, revision: u32, length: usize, bound: u32) -> Event {
        self.revision = revision;
        self.sent = 0;
        self.board = self.read.solve.start.clone();
        let length = length as u32;
        Event::Improvement(proto::Improvement {
            revision,
            length,
            lower_bound: if length == 0 {
                bound
            } else {
                bound.min(length)
            },
        })
    }

    /// Writes the next moves, as many as fit in one message. `moves` follows what has been sent.
    pub(super) fn moves(&mut self, moves: &[Direction]) -> Event {
        let moves = &moves[..moves.len().min(self.read.moves_per_message)];
        let include = self.read.solve.include;
        let (tiles, boards) = convert::tiles_and_boards(&mut self.board, moves, include);
        let first = self.sent as u32;
        self.sent += moves.len();
        Event::Moves(proto::Moves {
            revision: self.revision,
            first,
            moves: convert::moves(moves),
            tiles,
            boards,
        })
    }

    pub(super) fn summary(
        &self,
        length: usize,
        bound: u32,
        statistics: Statistics,
        reason: StopReason,
    ) -> Event {
        Event::Summary(proto::Summary {
            solution: Some(convert::solution(length, bound)),
            statistics: Some(statistics),
            stop_reason: convert::stop_reason(reason).into(),
            revision: self.revision,
        })
    }
}

/// How long this many nodes take at a pace in nodes per second, or `None` when that exceeds
/// [`proto::LONGEST_DURATION`].
fn time_for(nodes: u64, pace: f64) -> Option<prost_types::Duration> {
    let seconds = nodes as f64 / pace;
    (seconds <= proto::LONGEST_DURATION.as_secs_f64())
        .then(|| convert::duration(Duration::from_secs_f64(seconds)))
}
