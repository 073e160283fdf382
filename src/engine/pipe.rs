//! A solution sent while it is still being worked out, no faster than its reader reads.

use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;

use crate::puzzle::{Direction, Problem, Replay};
use crate::search::{Progress, Stop};
use crate::telemetry;

use super::ending::Failure;
use super::job::{End, Outlet, Refusal};
use super::limits::{Limits, until};
use super::pool::Ticket;
use super::share::Snapshot;
use super::solving::{Glance, Work};

/// The most runs of moves that wait for the reader. A run has a few thousand moves at most.
const WAITING_RUNS: usize = 4;

/// The end of the pipe that the job holds. It replays every move before letting it out.
#[derive(Debug)]
pub struct Inlet {
    runs: mpsc::Sender<Vec<Direction>>,
    reached: watch::Sender<Snapshot<()>>,
    replay: Replay,
}

impl Outlet for Inlet {
    type Found = Vec<Direction>;

    fn offer(&mut self, run: Vec<Direction>) -> Result<(), Refusal<Vec<Direction>>> {
        match self.runs.try_reserve() {
            Ok(place) => {
                self.replay.play(&run).map_err(|_| Refusal::Defect)?;
                place.send(run);
                Ok(())
            }
            Err(mpsc::error::TrySendError::Full(())) => Err(Refusal::Later(run)),
            // The reader has gone; the job will notice next.
            Err(mpsc::error::TrySendError::Closed(())) => Ok(()),
        }
    }

    fn report(&mut self, progress: &Progress) {
        self.reached.send_if_modified(|reached| {
            reached.progress = *progress;
            reached.begun.get_or_insert_with(Instant::now);
            false
        });
    }

    fn close(&mut self, end: End) {
        let end = match (end, self.replay.finish()) {
            (End::Stopped(Stop::FirstFound), Err(_)) => End::Defect,
            (end, _) => end,
        };
        self.reached.send_modify(|reached| reached.end = Some(end));
    }

    fn abandoned(&self) -> bool {
        self.runs.is_closed()
    }

    fn limited(&self) -> bool {
        false
    }
}

/// The reader's end. Dropping it takes the search out of the pool.
#[derive(Debug)]
pub struct Pipe {
    runs: mpsc::Receiver<Vec<Direction>>,
    glance: Glance<()>,
    ticket: Ticket,
    deadline: Option<Instant>,
    /// When the call ends at the latest, by its deadline or the longest time that it may take.
    due: Option<Instant>,
    draining: CancellationToken,
}

impl Pipe {
    /// Starts a search that sends the runs it finds, for a call that ends when `due`. `submit` makes a job of the
    /// inlet and submits it.
    ///
    /// # Errors
    /// Those of `submit`.
    pub fn start<E>(
        problem: &Problem,
        limits: Limits,
        due: Option<Instant>,
        draining: CancellationToken,
        submit: impl FnOnce(Inlet) -> Result<Ticket, E>,
    ) -> Result<Self, E> {
        let (run_sender, runs) = mpsc::channel(WAITING_RUNS);
        let (reached_sender, reached) = watch::channel(Snapshot::default());
        let ticket = submit(Inlet {
            runs: run_sender,
            reached: reached_sender,
            replay: Replay::new(problem),
        })?;
        Ok(Self {
            runs,
            glance: Glance::new(reached, limits.arrived),
            ticket,
            deadline: limits.deadline,
            due,
            draining,
        })
    }

    /// The next moves: a run, and the runs waiting behind it until `most` moves are reached. `None`
    /// when there are no more. Cancel-safe: it may be dropped and called again.
    ///
    /// # Errors
    /// When the call's deadline has passed, the engine drains, or the search had a defect. There is
    /// no other limit: the first solution never fails.
    pub async fn next(&mut self, most: usize) -> Result<Option<Vec<Direction>>, Failure> {
        let run = tokio::select! {
            biased;
            () = self.draining.cancelled() => return Err(Failure::Draining),
            run = self.runs.recv() => run,
            () = until(self.deadline) => {
                telemetry::limit_stop("deadline");
                return Err(Failure::DeadlineExceeded);
            }
        };
        let Some(mut run) = run else {
            return match self.glance.end() {
                Some(End::Stopped(Stop::FirstFound)) => Ok(None),
                _ => Err(Failure::Defect),
            };
        };
        while run.len() < most
            && let Ok(more) = self.runs.try_recv()
        {
            run.extend(more);
        }
        self.ticket.wake();
        Ok(Some(run))
    }

    /// A view of the progress for somebody who only looks on.
    #[must_use]
    pub fn glance(&self) -> Glance<()> {
        self.glance.clone()
    }
}

impl Work for Pipe {
    fn progress(&self) -> Progress {
        self.glance.progress()
    }

    fn queued(&self) -> Duration {
        self.glance.queued()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.runs.close();
        self.ticket.cancel();
        // A call that was drained or whose time is up has been told so, whatever its reader has read.
        let is_told =
            self.draining.is_cancelled() || self.due.is_some_and(|due| due <= Instant::now());
        if !is_told && self.glance.end().is_none() {
            telemetry::search_abandoned();
        }
    }
}
