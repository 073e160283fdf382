//! One search run for its askers: slices of nodes, limits, and what it publishes.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use crate::heuristic::{begin_period, table_counts};
use crate::search::{Budget, Iteration, Progress, Search, Step, Stop, UNNAMED};
use crate::telemetry;

use super::backlog::Promise;
use super::due::Due;
use super::lent_parts::{LentParts, Lost};
use super::memory::Reservation;
use super::pace::Pace;
use super::pool::{Next, Task, Turn};
use super::rank::Rank;
use super::table_store::IDLE;

pub use super::pace::CHUNKS;

/// With fewer node generations left to spend, no part of a search is handed out.
const LEAST_TO_LEND: u64 = 16 * *CHUNKS.end();

/// Bytes that a search may allocate in one chunk, however much it holds.
const ROOM: u64 = 16 << 20;

/// The start of the first [`IDLE`] period.
static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Freeing this many bytes takes less time than waking the thread that frees larger searches.
const SMALL: u64 = 2 << 20;

/// Why a job is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The search ended by itself.
    Stopped(Stop),
    /// The node limit came first.
    NodeLimit,
    /// There was no memory left for the search because others hold it.
    Shortage,
    /// The search panicked, or found something that is not a solution.
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

    /// Publishes how far the search has come.
    fn report(&mut self, progress: &Progress);

    /// Publishes the search's iterations, of which there can be hundreds; called once per slice. An
    /// outlet for searches without iterations need not implement it.
    fn list(&mut self, _: Vec<Iteration>) {}

    /// Publishes that the job is over. Those who wait for that may be [woken](Self::wake) later.
    fn close(&mut self, end: End);

    /// Wakes those who wait for the end, unless [`Self::close`] already has.
    fn wake(&mut self) {}

    /// Whether nobody waits for the job any more.
    fn abandoned(&self) -> bool;

    /// When the asker whose time counts will take the results: the first one to come of those whose time is
    /// not up `now`.
    fn due(&self, _now: Instant) -> Option<Instant> {
        None
    }

    /// Wakes those whose time is up `now`, each once.
    fn wake_due(&mut self, _now: Instant) {}

    /// Lets the next asker's time [count](Self::due), as there is nothing more to find for those who will take
    /// the results by `due`. Returns false when nobody has a later time; then nobody can join any more.
    fn pass_over(&mut self, _due: Option<Instant>) -> bool {
        false
    }

    /// Whether the node limit applies already: a request that must not fail needs a finding first.
    fn limited(&self) -> bool;
}

/// Why a finding was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal<F> {
    /// There is no room: offer it again after the reader has read.
    Later(F),
    /// It is not a solution.
    Defect,
}

/// A search with its limits and its outlet: what the pool runs.
pub struct Job<S: Search, O: Outlet<Found = S::Found>> {
    rank: Rank,
    /// The service it is owed until it has had it. Declared before `search` so that it ends before
    /// the search is freed, which can take long.
    promise: Option<Promise>,
    // Dropped before `reservation`: bytes are given back only once they are free.
    search: S,
    /// The parts that helpers work on. What they did is added to the search's progress when they are back.
    lent: LentParts,
    outlet: O,
    /// The time that the search and the lent parts go by.
    due: Due,
    pending: Option<S::Found>,
    pace: Pace,
    /// The search at work, and how many of its nodes the metrics have been told of.
    name: &'static str,
    counted: u64,
    max_nodes: u64,
    max_memory: u64,
    /// The least that is held: room for the solution, which outlives the search.
    reserved: u64,
    reservation: Reservation,
    /// Whether others left the search little memory when it was last advanced.
    is_short: bool,
}

impl<S: Search, O: Outlet<Found = S::Found>> Job<S, O> {
    /// A job that has not started, with the first rank.
    pub fn new(
        search: S,
        outlet: O,
        max_nodes: u64,
        max_memory: u64,
        reservation: Reservation,
    ) -> Self {
        Self {
            rank: Rank::FIRST,
            promise: None,
            search,
            lent: LentParts::default(),
            outlet,
            due: Due::default(),
            pending: None,
            pace: Pace::default(),
            name: UNNAMED,
            counted: 0,
            max_nodes,
            max_memory,
            reserved: reservation.bytes(),
            reservation,
            is_short: false,
        }
    }

    /// The same job with another rank among newcomers.
    #[must_use]
    pub fn ranked(self, rank: Rank) -> Self {
        Self { rank, ..self }
    }

    /// The same job with a promise of service.
    #[must_use]
    pub fn promised(self, promise: Promise) -> Self {
        Self {
            promise: Some(promise),
            ..self
        }
    }

    fn close(&mut self, end: End) -> Next {
        self.outlet.report(&self.progress());
        self.list();
        self.outlet.close(end);
        Next::Finished
    }

    /// The progress including helpers.
    fn progress(&self) -> Progress {
        let lent = self.lent.progress();
        let own = self.search.progress();
        Progress {
            expanded: own.expanded + lent.expanded,
            generated: own.generated + lent.generated,
            ..own
        }
    }

    fn list(&mut self) {
        let mut iterations = self.search.iterations();
        if let Some(present) = iterations.last_mut() {
            // An iteration is not over before all of its parts are back.
            present.generated += self.lent.of_the_iteration();
        }
        self.outlet.list(iterations);
    }

    /// Reserves the memory that a search that holds `held` may need next, and `more` on top. Returns how much
    /// it may hold.
    fn grow(&mut self, held: u64, more: u64) -> u64 {
        // A search that remembers boards may double what it holds, with the old and the new copy
        // side by side. What it cannot take in one chunk is left to others.
        let most = held.saturating_mul(4).saturating_add(ROOM);
        let most = most.saturating_add(more);
        // A search that holds half of its limit cannot double, whatever others hold.
        self.is_short =
            self.reservation.grow(self.max_memory.min(most)) && held <= self.max_memory / 2;
        self.reservation.bytes().min(self.max_memory)
    }

    /// Gives back the memory that the search, which holds `held`, does not hold.
    fn shrink(&mut self, held: u64) {
        self.reservation.set(held.max(self.reserved));
    }

    fn advance(&mut self, nodes: u64, now: Instant) -> Step<S::Found> {
        let before = self.progress();
        let memory = self.grow(before.reserved(), 0);
        if self.due.set(self.outlet.due(now)) {
            self.lent.set_due(self.due);
        }
        self.outlet.wake_due(now);
        let budget = Budget {
            memory,
            ..Budget::nodes(nodes)
        };
        let budget = self.due.tell(budget, now);
        let name = self.search.name();
        let step = self.search.advance(budget);
        // A search that has only just started has a name by now.
        let name = if name == UNNAMED {
            self.search.name()
        } else {
            name
        };
        if name != self.name {
            self.count(before.generated);
            self.name = name;
        }
        let progress = self.progress();
        self.shrink(progress.reserved());
        self.outlet.report(&progress);
        step
    }

    /// Reports nodes to the metrics; `generated` is the total so far, with those of helpers: a part that is
    /// not back when the last asker leaves is never joined.
    fn count(&mut self, generated: u64) {
        if generated > self.counted {
            telemetry::nodes(self.name, generated - self.counted);
            self.counted = generated;
        }
    }

    /// The node generations that are allotted to nobody yet.
    fn left(&self) -> u64 {
        let spent = self.search.progress().generated;
        self.max_nodes
            .saturating_sub(spent)
            .saturating_sub(self.lent.most())
    }

    /// Takes back the parts that helpers are done with.
    fn collect(&mut self) -> Result<(), Lost> {
        while let Some(part) = self.lent.over()? {
            self.search.join(part);
        }
        Ok(())
    }

    /// Hands a part of the search to an idle worker, if the search can spare one.
    fn lend(&mut self, turn: &Turn<'_>) {
        let left = self.left();
        if left < LEAST_TO_LEND {
            return;
        }
        let held = self.search.progress().reserved();
        let memory = self.grow(held, self.search.part_memory());
        if let Some(part) = self.search.split(memory)
            && let Err(part) = self.lent.lend(part, left / 2, self.due, turn)
        {
            self.search.join(part);
        }
        self.shrink(self.search.progress().reserved());
    }

    /// Asks for a part back when the search can do nothing without it. Returns whether one is back.
    fn recall(&mut self) -> Result<bool, Lost> {
        let Some(part) = self.lent.recall()? else {
            return Ok(false);
        };
        self.search.join(part);
        Ok(true)
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
        begin_period(BEGINNING.elapsed().as_secs() / IDLE.as_secs());
        let next = self.slice(turn);
        if let Some(promise) = &mut self.promise {
            promise.served(turn.service());
        }
        self.count(self.progress().generated);
        self.reservation.report();
        telemetry::heuristic_tables(table_counts);
        next
    }

    fn panicked(&mut self) {
        self.outlet.close(End::Defect);
    }

    fn notify(&mut self) {
        self.outlet.wake();
    }

    fn rank(&self) -> Rank {
        self.rank
    }

    fn is_large(&self) -> bool {
        self.reservation.bytes() > SMALL || !self.lent.is_empty()
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
            let begun = turn.give_way();
            let was_alone = self.lent.is_empty();
            if self.outlet.abandoned() {
                return Next::Finished;
            }
            if self.collect().is_err() {
                return self.close(End::Defect);
            }
            if turn.has_helper() && (turn.is_late() || self.search.gains_by_help()) {
                self.lend(turn);
            }
            let mut nodes = self.pace.chunk();
            if self.outlet.limited() {
                nodes = nodes.min(self.left());
            }
            // To take parts back and to hand them out may take long.
            let begun = if was_alone && self.lent.is_empty() {
                begun
            } else {
                Instant::now()
            };
            let step = self.advance(nodes, begun);
            let ended = Instant::now();
            if nodes == self.pace.chunk() && matches!(step, Step::Working) {
                self.pace.adjust(ended - begun);
            }
            match step {
                // Helpers hold the rest of the node limit, or all of the open work.
                Step::Working if !self.lent.is_empty() && (nodes == 0 || self.search.waits()) => {
                    match self.recall() {
                        Ok(true) => {}
                        Ok(false) => {
                            self.list();
                            return Next::Park;
                        }
                        Err(Lost) => return self.close(End::Defect),
                    }
                }
                // A search at its limit is advanced with no nodes only to see whether it is at its
                // end as well.
                Step::Working if nodes == 0 => return self.close(End::NodeLimit),
                Step::Working => {}
                Step::Found(found) => {
                    let is_kept = |promise: &mut Promise| promise.ends_with_a_finding();
                    if let Some(promise) = self.promise.take_if(is_kept) {
                        promise.keep(turn.service());
                    }
                    if let Some(next) = self.offer(found) {
                        return next;
                    }
                }
                // It may be too late for one asker only.
                Step::Done(Stop::Time) if self.outlet.pass_over(self.due.at()) => {}
                Step::Done(stop) => {
                    if let Some(promise) = self.promise.take()
                        && stop == Stop::Proven
                    {
                        promise.keep(turn.service());
                    }
                    return self.close(match stop {
                        Stop::Memory if self.is_short => End::Shortage,
                        _ => End::Stopped(stop),
                    });
                }
            }
            let owed = self.promise.as_ref().map_or(Duration::ZERO, Promise::owed);
            if turn.is_over_but_for(owed, ended) {
                self.list();
                return Next::Again;
            }
        }
    }
}
