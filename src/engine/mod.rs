//! Runs searches for requests: workers, limits, cancellation, and one search shared by equal questions.
//!
//! Uses `search` and the layers beneath it, and knows nothing of gRPC. Everything that waits is
//! asynchronous; everything that computes is a [`pool::Task`], of which only `easy` ones run where they
//! were asked for.

mod admission;
mod ask;
pub mod askers;
pub mod average;
pub mod backlog;
mod best;
mod cache;
mod due;
mod easy;
mod ending;
pub mod guide_builder;
pub mod job;
mod lent_parts;
pub mod limits;
pub mod memory;
pub mod pace;
pub mod pipe;
pub mod pool;
pub mod rank;
pub mod share;
mod solving;
pub mod standing_line;
pub mod table_store;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::heuristic::pattern_database::Store;
use crate::heuristic::{HeuristicKind, limit_tables};
use crate::puzzle::{Board, Metric, Problem, Shape};
use crate::search::Search;
use crate::search::chain::optimal_solver;
use crate::search::constructive::{Constructive, Variant};
use crate::search::generate::batch::Batch;
use crate::search::generate::difficulty::{Difficulty, Generated};
use crate::search::generate::lengths::Range;
use crate::search::plan::{Method, Objective, PlanError, Ready, Stage, plan};
use crate::telemetry;

pub use admission::{Lack, Refused, in_time};
pub use best::Best;
pub use ending::{Failure, StopReason};
pub use limits::{Caps, FOREVER, Limits, Wanted, until};
pub use memory::{Reservation, expected_moves};
pub use pipe::Pipe;
pub use pool::Client;
pub use solving::{Glance, News, Outcome, Solving, Waiting, Work};

use average::Average;
use backlog::Backlog;
use cache::Cache;
use guide_builder::GuideBuilder;
use job::Job;
use memory::Memory;
use pool::{Full, Pool, Task, Ticket};
use rank::{Rank, Ranked};
use share::Shared;
use standing_line::StandingLine;
use table_store::{IDLE, TableStore};

/// The settings of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineConfig {
    /// The number of worker threads.
    pub workers: usize,
    /// The most searches in the pool at once, running and waiting.
    pub capacity: usize,
    /// The caps on what one request may spend.
    pub caps: Caps,
    /// Bytes for all searches and answers together.
    pub memory: u64,
    /// Bytes for the cache of proven answers.
    pub cache_memory: u64,
    /// Bytes for tables. The small ones built at startup, some tens of KB, are not counted.
    pub table_memory: u64,
    /// Bytes for the heuristics' own tables, which all engines of the process share.
    pub heuristic_memory: u64,
    /// The most bytes that building one table may take. Tables read from files need none.
    pub build_memory: u64,
    /// The most of these for a pattern database, which can take seconds to build.
    pub database_build_memory: u64,
    /// Where pattern databases are stored. `None` keeps them in memory only.
    pub store: Option<Store>,
}

/// What to solve, and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Question {
    /// The problem.
    pub problem: Problem,
    /// What counts as one move.
    pub metric: Metric,
    /// The kind of solution wanted.
    pub objective: Objective,
    /// The asker's choice of search, heuristic and so on.
    pub method: Method,
}

/// Everything that runs searches in a process.
#[derive(Debug)]
pub struct Engine {
    pool: Pool,
    cache: Cache,
    store: TableStore,
    memory: Arc<Memory>,
    /// Moving averages of the service that searches took: to a first answer where any will do, and
    /// to a proof.
    first_answers: Ranked<Arc<Average>>,
    proofs: Ranked<Arc<Average>>,
    backlog: Arc<Backlog>,
    line: StandingLine,
    draining: CancellationToken,
    config: EngineConfig,
}

impl Engine {
    /// Starts the workers and builds the small tables.
    ///
    /// # Errors
    /// When the operating system refuses a thread.
    pub fn start(config: EngineConfig) -> std::io::Result<Self> {
        limit_tables(usize::try_from(config.heuristic_memory).unwrap_or(usize::MAX));
        let for_guides = config.build_memory.min(config.database_build_memory);
        let guides = GuideBuilder::new(config.store.clone(), for_guides);
        // Half as many as the workers, but at least one, so that requests barely notice when a table
        // is built.
        let builders = NonZeroUsize::new(config.workers / 2).unwrap_or(NonZeroUsize::MIN);
        Ok(Self {
            pool: Pool::start(config.workers, config.capacity)?,
            cache: Cache::new(config.cache_memory),
            store: TableStore::new(
                config.table_memory,
                config.build_memory,
                IDLE,
                builders,
                guides,
            ),
            memory: Arc::new(Memory::new(config.memory, config.workers)),
            first_answers: Ranked::default(),
            proofs: Ranked::default(),
            backlog: Arc::default(),
            line: StandingLine::default(),
            draining: CancellationToken::new(),
            config,
        })
    }

    /// The settings that the engine was started with.
    #[must_use]
    pub const fn config(&self) -> &EngineConfig {
        &self.config
    }

    /// Builds the first pattern databases of the 15-puzzle, which takes a fraction of a second, and
    /// starts building the best that fit in memory in the background.
    pub fn prepare(&self) {
        let shape = Shape::new(4, 4).expect("sides in range");
        self.store.prepare(shape, shape.cells() - 1);
    }

    /// Whether no table is being built or waiting to be.
    #[must_use]
    pub fn has_tables(&self) -> bool {
        self.store.is_settled()
    }

    /// The number of exact distance tables that are ready.
    #[must_use]
    pub fn tables(&self) -> usize {
        self.store.tables().count()
    }

    /// The searches that would answer a question.
    ///
    /// # Errors
    /// When the method cannot meet the objective.
    pub fn plan(&self, question: &Question) -> Result<Vec<Stage>, PlanError> {
        Ok(self.plan_with(question)?.0)
    }

    /// Like [`Engine::plan`], but also returns which tables are ready.
    fn plan_with(&self, question: &Question) -> Result<(Vec<Stage>, Ready), PlanError> {
        // Do not build a table that the plan would not use.
        let by_databases = question.method.heuristic == Some(HeuristicKind::PatternDatabase);
        let by_any = question.method == Method::default();
        let (problem, metric) = (&question.problem, question.metric);
        let ready = match question.objective {
            Objective::Fast if by_any => self.store.ready_without_guide(problem, metric),
            _ if by_any || by_databases => self.store.ready(problem, metric),
            _ => Ready::default(),
        };
        let stages = plan(
            question.metric,
            question.problem.shape(),
            question.objective,
            question.method,
            ready,
        )?;
        Ok((stages, ready))
    }

    /// Starts to send a constructive solution while it is being worked out.
    ///
    /// # Errors
    /// When the request is refused.
    pub fn pipe(
        &self,
        client: Option<&Client>,
        problem: &Problem,
        variant: Variant,
        limits: &Limits,
    ) -> Result<Pipe, Refused> {
        self.admit()?;
        let rank = Rank::of_first_answer(problem.shape());
        // Its time limit does not end it, but the longest time that a request may take does.
        let cap = limits.arrived.checked_add(self.config.caps.time);
        let due = limits.deadline.into_iter().chain(cap).min();
        self.in_time(client, rank, Duration::ZERO, due)?;
        let bytes = problem.shape().cells() as u64 * 32;
        let reservation = self.reserve_above(bytes, limits.held)?;
        Pipe::start(problem, *limits, due, self.draining.clone(), |inlet| {
            let search = Constructive::new(Arc::clone(self.store.tables()), problem, variant);
            let job = Job::new(search, inlet, limits.nodes, limits.memory, reservation);
            self.submit(client, job.ranked(rank))
        })
    }

    /// Starts to draw boards, using a search of the given rank.
    ///
    /// # Errors
    /// When the request is refused.
    pub fn draw<S>(
        &self,
        client: Option<&Client>,
        rank: Rank,
        search: S,
        limits: Limits,
    ) -> Result<Waiting<Vec<S::Found>>, Refused>
    where
        S: Search + 'static,
        S::Found: Clone + Send + Sync + 'static,
    {
        self.admit()?;
        let due = limits.time_up().0;
        self.in_time(client, rank, Duration::ZERO, Some(due))?;
        let held = self.reserve(0)?;
        let (asker, publisher) = Shared::begin(false, due);
        let job = Job::new(search, publisher, limits.nodes, limits.memory, held);
        asker
            .shared()
            .placed(self.submit(client, job.ranked(rank))?);
        let draining = self.draining.clone();
        Ok(Waiting::new(asker, limits, None, draining, None))
    }

    /// A search for `count` boards whose optimal lengths to `goal` lie in a range, each from its own seed.
    pub fn difficulty(
        &self,
        goal: Board,
        range: Range,
        seed: u64,
        count: u64,
    ) -> impl Search<Found = Generated> + use<> {
        let solved = Problem::new(&goal, &goal).expect("the goal is no moves from itself");
        // Requests the distance table. Boards measured once it is ready use it.
        self.store.ready(&solved, Metric::SingleTile);
        let tables = Arc::clone(self.store.tables());
        Batch::new(seed, count, move |seed| {
            let tables = Arc::clone(&tables);
            Difficulty::new(&goal, range, seed, move |problem| {
                optimal_solver(problem, &tables)
            })
        })
    }

    /// Reserves memory for an answer until the reservation is dropped.
    ///
    /// # Errors
    /// [`Refused::Overloaded`] when searches and answers hold too much of the memory at present,
    /// and [`Refused::Memory`] when there would never be enough.
    pub fn reserve(&self, bytes: u64) -> Result<Reservation, Refused> {
        self.reserve_above(bytes, 0)
    }

    /// Like [`Engine::reserve`], for a caller that already holds `own` bytes.
    fn reserve_above(&self, bytes: u64, own: u64) -> Result<Reservation, Refused> {
        let reserved = self.memory.reserve(bytes);
        reserved.ok_or_else(|| {
            if self.memory.has_room(bytes, own) {
                Refused::overloaded(Lack::Memory, None, self.pool.time_until_room())
            } else {
                telemetry::limit_stop("memory");
                Refused::Memory
            }
        })
    }

    /// Refuses new requests, and ends those in progress with [`Failure::Draining`].
    pub fn drain(&self) {
        self.draining.cancel();
        self.store.close();
    }

    /// Completes once [`Engine::drain`] has been called.
    pub fn drained(&self) -> impl Future<Output = ()> + Send + 'static {
        self.draining.clone().cancelled_owned()
    }

    fn admit(&self) -> Result<(), Refused> {
        if self.draining.is_cancelled() {
            return Err(Refused::Draining);
        }
        Ok(())
    }

    fn submit(&self, client: Option<&Client>, job: impl Task + 'static) -> Result<Ticket, Refused> {
        let submitted = self.pool.submit_for(client, Box::new(job));
        submitted.map_err(|full| {
            let lack = match full {
                Full::Pool => Lack::Places,
                Full::Share => Lack::Share,
            };
            Refused::overloaded(lack, client, self.pool.time_until_room())
        })
    }

    /// Refuses a request that could not be answered in time behind those that are already waiting.
    fn in_time(
        &self,
        client: Option<&Client>,
        rank: Rank,
        work: Duration,
        due: Option<Instant>,
    ) -> Result<(), Refused> {
        let left = due.map(|due| due.saturating_duration_since(Instant::now()));
        let line = self.pool.expected_wait(client, rank);
        // The backlog of others is no reason to refuse a client whose own calls do not wait, nor
        // anybody while a worker is free.
        let workers = self.config.workers.max(1);
        let counts = (client.is_none() || line.is_some()) && self.pool.tasks() >= workers;
        let backlog = counts
            .then(|| self.backlog.before(work) / u32::try_from(workers).unwrap_or(u32::MAX))
            .filter(|backlog| !backlog.is_zero());
        let wait = line.max(backlog);
        // A newcomer that overtakes the line does not end it.
        let stands = self.line.stands(wait.is_some() || self.pool.has_line());
        in_time(client, wait, stands, work, left)
    }
}
