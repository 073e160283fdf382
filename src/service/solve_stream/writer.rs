//! The events of a stream, written one after the other.

use std::time::Duration;

use crate::engine::StopReason;
use crate::puzzle::{Board, Direction};
use crate::search::Progress;
use crate::service::convert::{self, ReadStream};
use crate::service::proto::solve_stream_response::Event;
use crate::service::proto::{self, Statistics};

/// Writes the events of one stream; remembers how much of the newest solution has been sent.
pub(super) struct Writer {
    read: ReadStream,
    /// The board after the moves sent.
    board: Board,
    revision: u32,
    sent: usize,
}

impl Writer {
    pub(super) fn new(read: ReadStream) -> Self {
        Self {
            board: read.solve.start.clone(),
            read,
            revision: 0,
            sent: 0,
        }
    }

    pub(super) const fn read(&self) -> &ReadStream {
        &self.read
    }

    /// The revision opened last.
    pub(super) const fn revision(&self) -> u32 {
        self.revision
    }

    /// The moves sent of it.
    pub(super) const fn sent(&self) -> usize {
        self.sent
    }

    pub(super) fn progress(
        &self,
        progress: &Progress,
        best_length: usize,
        elapsed: Duration,
    ) -> Event {
        Event::Progress(proto::Progress {
            lower_bound: progress.lower_bound,
            best_length: best_length as u32,
            nodes_generated: progress.generated,
            elapsed: Some(convert::duration(elapsed)),
        })
    }

    /// Opens a solution; a length of 0 is not known yet.
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

    /// As many of these moves, which follow those sent, as one message holds.
    pub(super) fn moves(&mut self, moves: &[Direction]) -> Event {
        let moves = &moves[..moves.len().min(self.read.moves_per_message)];
        let include = &self.read.solve;
        let (tiles, boards) = convert::tiles_and_boards(
            &mut self.board,
            moves,
            include.include_tiles,
            include.include_boards,
        );
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
