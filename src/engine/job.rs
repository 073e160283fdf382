//! One search run for its askers: slices of nodes, limits, and what it publishes.

use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use crate::heuristic::{pushes, walking_distance};
use crate::search::{Budget, Iteration, Progress, Search, Step, Stop};
use crate::telemetry;

use super::memory::Reservation;
use super::pool::{Next, Task, Turn};

/// How long a search should go on between two looks at the limits, the askers and the clock: it
/// bounds how late a cancel or a newcomer is seen, and costs less than a hundredth.
const LOOK: Duration = Duration::from_micros(50);

/// The fewest and the most node generations between two looks, whatever the search's speed: a
/// search can change its speed a hundredfold from one look to the next.
pub const CHUNKS: RangeInclusive<u64> = 64..=4096;

/// Bytes that a search may take in one chunk, whatever it holds.
const ROOM: u64 = 16 << 20;

/// Why a job is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The search ended by itself.
    Stopped(Stop),
    /// The node limit came first.
    NodeLimit,
    /// The search panicked, or found something that is no solution.
    Defect,
}

/// Where a job's findings go.
pub trait Outlet: Send {
    /// What the search finds.
    type Found;

    /// Takes a finding, or gives it back when there is no room for it until the reader has read.
    ///
    /// # Errors
    /// The finding, or that it is not what it claims to be.
    fn offer(&mut self, found: Self::Found) -> Result<(), Refusal<Self::Found>>;

    /// Tells how far the search has come.
    fn report(&mut self, progress: &Progress);

    /// Tells the search's iterations, once a slice: there can be hundreds. An outlet for
    /// searches that have none need not listen.
    fn list(&mut self, _: Vec<Iteration>) {}

    /// Tells that the job is over.
    fn close(&mut self, end: End);

    /// Whether nobody waits for the job any more.
    fn abandoned(&self) -> bool;

    /// When the first of those who wait will take what there is, after now.
    fn due(&self, _now: Instant) -> Option<Instant> {
        None
    }

    /// Whether the node limit holds already: what must not fail has to find something first.
    fn limited(&self) -> bool;
}

/// Why a finding was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal<F> {
    /// No room: offer it again after the reader has read.
    Later(F),
    /// It is no solution.
    Defect,
}

/// A search with its limits and its outlet: what the pool runs.
pub struct Job<S: Search, O: Outlet<Found = S::Found>> {
    // Dropped before `reservation`: the bytes are given back after they are free.
    search: S,
    outlet: O,
    pending: Option<S::Found>,
    /// Node generations until the next look.
    chunk: u64,
    /// Until it has had its first slice: when it was submitted.
    submitted: Option<Instant>,
    /// The nodes that the metrics know of.
    counted: u64,
    max_nodes: u64,
    max_memory: u64,
    /// What is held at the least: the solution, which outlives the search.
    reserved: u64,
    reservation: Reservation,
}

impl<S: Search, O: Outlet<Found = S::Found>> Job<S, O> {
    /// A job that has not begun.
    pub fn new(
        search: S,
        outlet: O,
        max_nodes: u64,
        max_memory: u64,
        reservation: Reservation,
    ) -> Self {
        Self {
            search,
            outlet,
            pending: None,
            chunk: *CHUNKS.start(),
            submitted: Some(Instant::now()),
            counted: 0,
            max_nodes,
            max_memory,
            reserved: reservation.bytes(),
            reservation,
        }
    }

    fn close(&mut self, end: End) -> Next {
        self.outlet.report(&self.search.progress());
        self.outlet.list(self.search.iterations());
        self.outlet.close(end);
        Next::Finished
    }

    fn advance(&mut self, nodes: u64) -> Step<S::Found> {
        // A search that remembers boards may double what it holds, with the old and the new one
        // side by side; what it cannot take in a chunk others may have.
        let held = self.search.progress().memory;
        let most = held.saturating_mul(4).saturating_add(ROOM);
        self.reservation.grow(self.max_memory.min(most));
        let begun = Instant::now();
        let step = self.search.advance(Budget {
            nodes,
            memory: self.reservation.bytes().min(self.max_memory),
            time: self
                .outlet
                .due(begun)
                .map(|due| due.saturating_duration_since(begun)),
        });
        self.adapt(begun.elapsed());
        let progress = self.search.progress();
        self.reservation.set(progress.memory.max(self.reserved));
        self.outlet.report(&progress);
        step
    }

    /// Chooses the next chunk by how long the last one took.
    fn adapt(&mut self, took: Duration) {
        let chunk = if took > 2 * LOOK {
            self.chunk / 2
        } else if took < LOOK / 2 {
            self.chunk * 2
        } else {
            self.chunk
        };
        self.chunk = chunk.clamp(*CHUNKS.start(), *CHUNKS.end());
    }

    fn offer(&mut self, found: S::Found) -> Option<Next> {
        match self.outlet.offer(found) {
            Ok(()) => None,
            Err(Refusal::Later(found)) => {
                self.pending = Some(found);
                Some(Next::Park)
            }
            Err(Refusal::Defect) => Some(self.close(End::Defect)),
        }
    }
}

impl<S, O> Task for Job<S, O>
where
    S: Search,
    S::Found: Send,
    O: Outlet<Found = S::Found>,
{
    fn run(&mut self, turn: &Turn<'_>) -> Next {
        if let Some(submitted) = self.submitted.take() {
            telemetry::queued(submitted.elapsed());
        }
        let name = self.search.name();
        let next = self.slice(turn);
        let generated = self.search.progress().generated;
        telemetry::nodes(name, generated - self.counted);
        self.counted = generated;
        self.reservation.report();
        telemetry::heuristic_tables(walking_distance::bytes() + pushes::bytes());
        next
    }

    fn panicked(&mut self) {
        self.outlet.close(End::Defect);
    }
}

impl<S, O> Job<S, O>
where
    S: Search,
    O: Outlet<Found = S::Found>,
{
    fn slice(&mut self, turn: &Turn<'_>) -> Next {
        if let Some(found) = self.pending.take()
            && let Some(next) = self.offer(found)
        {
            return next;
        }
        loop {
            if self.outlet.abandoned() {
                return Next::Finished;
            }
            let mut nodes = self.chunk;
            if self.outlet.limited() {
                let left = self
                    .max_nodes
                    .saturating_sub(self.search.progress().generated);
                nodes = nodes.min(left);
            }
            match self.advance(nodes) {
                // A search at its limit is only asked whether it is at its end as well.
                Step::Working if nodes == 0 => return self.close(End::NodeLimit),
                Step::Working => {}
                Step::Found(found) => {
                    if let Some(next) = self.offer(found) {
                        return next;
                    }
                }
                Step::Done(stop) => return self.close(End::Stopped(stop)),
            }
            if turn.is_over() {
                self.outlet.list(self.search.iterations());
                return Next::Again;
            }
        }
    }
}
