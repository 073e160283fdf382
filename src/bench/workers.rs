//! Solving as the service does it: by a pool of workers, which help each other.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use crate::config::MAX_MEMORY;
use crate::engine::job::{End, Job, Outlet, Refusal};
use crate::engine::memory::Memory;
use crate::engine::pool::Pool;
use crate::search::chain::{Answer, Chain};
use crate::search::plan::Objective;
use crate::search::tables::Tables;
use crate::search::{Progress, Stop};

use super::deadline::checked;
use super::{Case, CpuTime, Reached, Run, WrongLength, check};

/// Workers that solve one board after the other.
#[derive(Debug)]
pub struct Workers(Pool);

impl Workers {
    /// Starts the workers.
    ///
    /// # Errors
    /// If the operating system refuses a thread.
    pub fn start(workers: usize) -> std::io::Result<Self> {
        // The search for the board before may not have left the pool yet.
        Pool::start(workers, workers + 1).map(Self)
    }

    /// Solves one board to optimality, within a limit of wall-clock time. The CPU time is that of
    /// the process.
    ///
    /// # Errors
    /// If a length is known and another one is proven.
    ///
    /// # Panics
    /// If the search panics, which is a defect of the search.
    pub fn run(
        &self,
        case: &Case,
        tables: &Arc<Tables>,
        limit: Duration,
    ) -> Result<Run, WrongLength> {
        let begun = Instant::now();
        let cpu_begun = CpuTime::of_process();
        let report = self.report(case, Objective::Optimal, tables, begun, limit);
        let is_proven = report.end == Some(End::Stopped(Stop::Proven));
        let length = report.reached.map(|reached| reached.best.1);
        let run = Run {
            length: length.filter(|_| is_proven),
            time: cpu_begun.elapsed(),
            wall: begun.elapsed(),
            nodes: report.progress.generated,
            lower_bound: report.progress.lower_bound,
        };
        check(case, run)
    }

    /// Looks for the best solution within a wall-clock deadline, with the tables that are ready.
    /// Returns `None` if no solution is found in that time.
    ///
    /// # Errors
    /// If a length is known and a shorter solution is found.
    ///
    /// # Panics
    /// If the search panics, which is a defect of the search.
    pub fn best_by(
        &self,
        case: &Case,
        tables: &Arc<Tables>,
        deadline: Duration,
    ) -> Result<Option<Reached>, WrongLength> {
        let begun = Instant::now();
        let report = self.report(case, Objective::Best, tables, begun, deadline);
        let lower_bound = report.progress.lower_bound;
        let checked = report
            .reached
            .map(|reached| checked(case, reached, lower_bound));
        checked.transpose()
    }

    /// Solves one board up to a time limit since `begun`, and returns what became of it.
    fn report(
        &self,
        case: &Case,
        objective: Objective,
        tables: &Arc<Tables>,
        begun: Instant,
        limit: Duration,
    ) -> Report {
        let search = Chain::of_own_choice(case.problem.clone(), objective, tables);
        let (sender, reports) = channel();
        let outlet = Reporter {
            report: Report::default(),
            begun,
            limit,
            sender: Some(sender),
        };
        let memory = Arc::new(Memory::new(u64::MAX, 1));
        let reservation = memory.reserve(0).expect("nothing is held yet");
        let job = Job::new(search, outlet, u64::MAX, MAX_MEMORY, reservation);
        let ticket = self.0.submit(Box::new(job));
        let ticket = ticket.expect("there is a place for one more than there are workers");
        let in_time = reports.recv_timeout(limit.saturating_sub(begun.elapsed()));
        let report = in_time.or_else(|_late| {
            ticket.cancel();
            reports.recv()
        });
        let report = report.expect("an outlet reports when it is dropped, if not before");
        assert_ne!(report.end, Some(End::Defect), "a search has a defect");
        report
    }
}

/// What became of a search.
#[derive(Default)]
struct Report {
    reached: Option<Reached>,
    progress: Progress,
    end: Option<End>,
}

/// Sends its report when the search ends or is dropped.
struct Reporter {
    report: Report,
    begun: Instant,
    limit: Duration,
    sender: Option<Sender<Report>>,
}

impl Reporter {
    fn send(&mut self) {
        if let Some(sender) = self.sender.take() {
            // The receiver waits until the report arrives.
            drop(sender.send(std::mem::take(&mut self.report)));
        }
    }
}

impl Outlet for Reporter {
    type Found = Answer;

    fn offer(&mut self, answer: Answer) -> Result<(), Refusal<Answer>> {
        let found = (self.begun.elapsed(), answer.length);
        if found.0 <= self.limit {
            self.report.reached = Some(Reached::then(self.report.reached, found));
        }
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

    fn due(&self, now: Instant) -> Option<Instant> {
        let due = self.begun.checked_add(self.limit);
        due.filter(|&due| due > now)
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
