//! Boards solved as the service solves them: by a pool of workers, which help each other.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use crate::engine::job::{End, Job, Outlet, Refusal};
use crate::engine::memory::Memory;
use crate::engine::pool::Pool;
use crate::puzzle::Solution;
use crate::search::chain::optimal_solver;
use crate::search::tables::Tables;
use crate::search::{Progress, Stop};

use super::{Case, CpuTime, Run, WrongLength, check};

/// So many workers that are on one board after the other.
#[derive(Debug)]
pub struct Workers(Pool);

impl Workers {
    /// Starts them.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn start(workers: usize) -> std::io::Result<Self> {
        // The board before may still be about to leave.
        Pool::start(workers, workers + 1).map(Self)
    }

    /// Solves one board to optimality, within a limit of time by the clock. The CPU time is that
    /// of the process.
    ///
    /// # Errors
    /// When a length is known and another one is proven.
    ///
    /// # Panics
    /// When the search does: a defect of it.
    pub fn run(
        &self,
        case: &Case,
        tables: &Arc<Tables>,
        limit: Duration,
    ) -> Result<Run, WrongLength> {
        let begun = Instant::now();
        let cpu_begun = CpuTime::of_process();
        let (sender, reports) = channel();
        let outlet = Reporter {
            report: Report::default(),
            sender: Some(sender),
        };
        let search = optimal_solver(case.problem.clone(), tables);
        let memory = Arc::new(Memory::new(u64::MAX, 1));
        let reservation = memory.reserve(0).expect("nothing is held yet");
        let job = Job::new(search, outlet, u64::MAX, u64::MAX, reservation);
        let ticket = self.0.submit(Box::new(job));
        let ticket = ticket.expect("there is a place for one more than there are workers");
        let mut report = reports.recv_timeout(limit);
        if report.is_err() {
            ticket.cancel();
            report = reports.recv_timeout(Duration::MAX);
        }
        let report = report.expect("an outlet reports when it is dropped, if not before");
        assert_ne!(report.end, Some(End::Defect), "a search has a defect");
        let is_proven = report.end == Some(End::Stopped(Stop::Proven));
        let run = Run {
            length: report.best.filter(|_| is_proven),
            time: cpu_begun.elapsed(),
            wall: begun.elapsed(),
            nodes: report.progress.generated,
            lower_bound: report.progress.lower_bound,
        };
        check(case, run)
    }
}

/// What became of a search.
#[derive(Default)]
struct Report {
    best: Option<usize>,
    progress: Progress,
    end: Option<End>,
}

/// Sends its report when the search ends, or is dropped.
struct Reporter {
    report: Report,
    sender: Option<Sender<Report>>,
}

impl Reporter {
    fn send(&mut self) {
        if let Some(sender) = self.sender.take() {
            // Whoever waits for it waits as long as it takes.
            drop(sender.send(std::mem::take(&mut self.report)));
        }
    }
}

impl Outlet for Reporter {
    type Found = Solution;

    fn offer(&mut self, found: Solution) -> Result<(), Refusal<Solution>> {
        self.report.best = Some(found.len());
        Ok(())
    }

    fn report(&mut self, progress: &Progress) {
        self.report.progress = *progress;
    }

    fn close(&mut self, end: End) {
        self.report.end = Some(end);
        self.send();
    }

    fn abandoned(&self) -> bool {
        false
    }

    fn limited(&self) -> bool {
        true
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.send();
    }
}
