//! Jobs, which are searches with limits, advanced by hand.

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::average::Average;
use loyd::engine::backlog::{Backlog, Until};
use loyd::engine::job::{CHUNKS, End, Job, Outlet, Refusal};
use loyd::engine::memory::Memory;
use loyd::engine::pool::{Next, SLICE, Task, Turn};
use loyd::heuristic::HeuristicKind;
use loyd::puzzle::{Metric, Problem};
use loyd::search::chain::{Answer, Chain};
use loyd::search::plan::{Objective, Ratio, Stage};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Iteration, Progress, Search, Step, Stop};

use crate::fake::{Scripted, hopeless};

/// What an outlet was told, and what it answers.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) found: Vec<usize>,
    pub(crate) progress: Progress,
    /// The nodes of the last iteration, each time that iterations were listed.
    pub(crate) listed: Vec<u64>,
    pub(crate) end: Option<End>,
    /// Whether nobody waits any more.
    abandoned: bool,
    /// Whether limits wait for an answer.
    answer_first: bool,
    /// The number of findings for which there is no room.
    no_room_for: usize,
    defect: bool,
    /// When the results will be taken.
    pub(crate) due: Option<Instant>,
}

#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Mutex<Told>>);

impl Outbox {
    pub(crate) fn told<T>(&self, read: impl FnOnce(&mut Told) -> T) -> T {
        read(&mut self.0.lock().unwrap())
    }
}

/// Reduces a finding to a number.
pub(crate) trait Number: Send {
    fn number(&self) -> usize;
}

impl Number for usize {
    fn number(&self) -> usize {
        *self
    }
}

impl Number for loyd::puzzle::Solution {
    fn number(&self) -> usize {
        self.len()
    }
}

impl Number for Answer {
    fn number(&self) -> usize {
        self.length
    }
}

/// An [`Outbox`] for findings of a type.
pub(crate) struct Typed<F>(Outbox, std::marker::PhantomData<fn() -> F>);

impl<F: Number> Outlet for Typed<F> {
    type Found = F;

    fn offer(&mut self, found: F) -> Result<(), Refusal<F>> {
        self.0.told(|told| {
            if told.defect {
                return Err(Refusal::Defect);
            }
            if told.no_room_for > 0 {
                told.no_room_for -= 1;
                return Err(Refusal::Later(found));
            }
            told.found.push(found.number());
            Ok(())
        })
    }

    fn report(&mut self, progress: &Progress) {
        self.0.told(|told| told.progress = *progress);
    }

    fn list(&mut self, iterations: Vec<Iteration>) {
        let last = iterations.last().map(|last| last.generated);
        self.0.told(|told| told.listed.extend(last));
    }

    fn close(&mut self, end: End) {
        self.0.told(|told| {
            assert_eq!(told.end, None, "a job ends once");
            told.end = Some(end);
        });
    }

    fn abandoned(&self) -> bool {
        self.0.told(|told| told.abandoned)
    }

    fn due(&self, now: Instant) -> Option<Instant> {
        self.0.told(|told| told.due.filter(|&due| due > now))
    }

    fn limited(&self) -> bool {
        self.0
            .told(|told| !told.answer_first || !told.found.is_empty())
    }
}

pub(crate) fn job<S>(
    search: S,
    max_nodes: u64,
    max_memory: u64,
) -> (Job<S, Typed<S::Found>>, Outbox)
where
    S: Search,
    S::Found: Number,
{
    sharing(search, max_nodes, max_memory, &memory(u64::MAX, 1))
}

fn sharing<S>(
    search: S,
    max_nodes: u64,
    max_memory: u64,
    memory: &Arc<Memory>,
) -> (Job<S, Typed<S::Found>>, Outbox)
where
    S: Search,
    S::Found: Number,
{
    let outbox = Outbox::default();
    let typed = Typed(outbox.clone(), std::marker::PhantomData);
    let reservation = memory.reserve(0).unwrap();
    (
        Job::new(search, typed, max_nodes, max_memory, reservation),
        outbox,
    )
}

/// No other task waits for the worker.
static NOBODY_ELSE: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn memory(total: u64, workers: usize) -> Arc<Memory> {
    Arc::new(Memory::new(total, workers))
}

/// Runs slices until the job is over.
fn finish(job: &mut impl Task) {
    while job.run(&Turn::new(SLICE, &NOBODY_ELSE)) != Next::Finished {}
}

/// Runs a slice of exactly one chunk.
fn one_chunk(job: &mut impl Task) -> Next {
    job.run(&Turn::new(Duration::ZERO, &NOBODY_ELSE))
}

/// A search that spends whatever it is given, without end.
fn endless() -> impl Search<Found = usize> {
    Scripted::new(|budget: Budget, progress| {
        progress.generated += budget.nodes;
        Step::Working
    })
}

#[test]
fn the_clock_the_askers_and_the_limits_are_looked_at_once_in_a_chunk() {
    let (mut job, outbox) = job(endless(), u64::MAX, u64::MAX);
    let mut before = 0;
    for _ in 0..20 {
        assert_eq!(one_chunk(&mut job), Next::Again);
        let generated = outbox.told(|told| told.progress.generated);
        assert!(CHUNKS.contains(&(generated - before)));
        before = generated;
    }
    outbox.told(|told| told.abandoned = true);
    assert_eq!(one_chunk(&mut job), Next::Finished);
    outbox.told(|told| {
        assert_eq!(told.progress.generated, before);
        // Nobody is there to be told of an end.
        assert_eq!(told.end, None);
    });
}

#[test]
fn chunks_that_end_with_a_finding_tell_nothing_of_the_pace() {
    let seen = Arc::<Mutex<Vec<u64>>>::default();
    let chunks = Arc::clone(&seen);
    let search = Scripted::new(move |budget: Budget, progress: &mut Progress| {
        let mut chunks = chunks.lock().unwrap();
        chunks.push(budget.nodes);
        progress.generated += 1;
        if chunks.len() < 20 {
            Step::Found(100 - chunks.len())
        } else {
            Step::Done(Stop::Proven)
        }
    });
    let (mut job, _outbox) = job(search, u64::MAX, u64::MAX);
    finish(&mut job);
    assert_eq!(*seen.lock().unwrap(), [*CHUNKS.start(); 20]);
}

#[test]
fn newcomers_wait_for_the_first_answer_of_the_one_before() {
    let newcomers = AtomicUsize::new(1);
    let found_after = |service: Duration| {
        let begun = Instant::now();
        let mut is_found = false;
        Scripted::new(move |budget: Budget, progress: &mut Progress| {
            progress.generated += budget.nodes;
            if begun.elapsed() < service || std::mem::replace(&mut is_found, true) {
                return Step::Working;
            }
            Step::Found(7_usize)
        })
    };
    let slice = || Turn::new(Duration::from_secs(3600), &newcomers);
    let backlog = Arc::<Backlog>::default();
    let to_first = || backlog.promise(Until::Found, &Arc::default());
    let (soon, never) = (Duration::from_millis(20), Duration::from_secs(3600));
    // A task on the way to a first answer continues; once the answer is there, others have their turn.
    let (search, outbox) = job(found_after(soon), u64::MAX, u64::MAX);
    let mut first = search.promised(to_first());
    assert_eq!(first.run(&slice()), Next::Again);
    assert_eq!(outbox.told(|told| told.found.clone()), [7]);
    // A task on the way to a proof yields at once.
    let (mut proof, outbox) = job(found_after(never), u64::MAX, u64::MAX);
    assert_eq!(proof.run(&slice()), Next::Again);
    assert_eq!(outbox.told(|told| told.found.len()), 0);
    // No promise makes a slice longer.
    let (search, outbox) = job(found_after(never), u64::MAX, u64::MAX);
    let mut large = search.promised(to_first());
    assert_eq!(large.run(&Turn::new(SLICE, &newcomers)), Next::Again);
    assert_eq!(outbox.told(|told| told.found.len()), 0);
}

#[test]
fn what_a_search_has_had_before_it_waits_for_its_reader_is_owed_no_longer() {
    let search = Scripted::new(|_: Budget, _: &mut Progress| {
        thread::sleep(Duration::from_millis(5));
        Step::Found(7_usize)
    });
    let (search, outbox) = job(search, u64::MAX, u64::MAX);
    outbox.told(|told| told.no_room_for = 1);
    let (backlog, average) = (Arc::<Backlog>::default(), Arc::<Average>::default());
    average.learn(Duration::from_millis(100));
    let promise = backlog.promise(Until::Proven, &average);
    let owed = backlog.before(Duration::MAX);
    let mut job = search.promised(promise);
    assert_eq!(one_chunk(&mut job), Next::Park);
    assert!(backlog.before(Duration::MAX) <= owed - Duration::from_millis(5));
}

#[test]
fn a_search_that_gives_up_early_does_not_teach_that_proofs_are_short() {
    let (backlog, average) = (Arc::<Backlog>::default(), Arc::<Average>::default());
    average.learn(Duration::from_secs(3600));
    let search = Scripted::<usize, _>::new(|_, _: &mut Progress| Step::Done(Stop::Memory));
    let (search, _outbox) = job(search, u64::MAX, u64::MAX);
    let mut job = search.promised(backlog.promise(Until::Proven, &average));
    assert_eq!(one_chunk(&mut job), Next::Finished);
    drop(job);
    assert_eq!(average.get(), Duration::from_secs(3600));
}

#[test]
fn an_abandoned_job_ends_within_the_chunk_though_its_slice_is_long() {
    let outbox = Outbox::default();
    let abandons = outbox.clone();
    let search = Scripted::<usize, _>::new(move |budget: Budget, progress: &mut Progress| {
        progress.generated += budget.nodes;
        let over = 5 * CHUNKS.end();
        abandons.told(|told| told.abandoned = progress.generated >= over);
        Step::Working
    });
    let typed = Typed(outbox.clone(), std::marker::PhantomData);
    let reservation = memory(u64::MAX, 1).reserve(0).unwrap();
    let mut job = Job::new(search, typed, u64::MAX, u64::MAX, reservation);
    let next = job.run(&Turn::new(Duration::from_secs(3600), &NOBODY_ELSE));
    assert_eq!(next, Next::Finished);
    let generated = outbox.told(|told| told.progress.generated);
    assert!((5 * CHUNKS.end()..6 * CHUNKS.end()).contains(&generated));
}

#[test]
fn a_search_stops_at_its_node_limit_to_the_node() {
    let (least, most) = CHUNKS.into_inner();
    for max_nodes in [1, least - 1, least, least + 1, most + 1, 1_000_000] {
        let (mut job, outbox) = job(endless(), max_nodes, u64::MAX);
        finish(&mut job);
        outbox.told(|told| {
            assert_eq!(told.end, Some(End::NodeLimit));
            assert_eq!(told.progress.generated, max_nodes);
        });
    }
}

/// A search by one method for a shortest solution.
fn proof(problem: &Problem, stage: Stage) -> Chain {
    let tables = Arc::new(Tables::new());
    let (metric, objective) = (Metric::SingleTile, Objective::Optimal);
    Chain::new(problem.clone(), metric, objective, vec![stage], tables)
}

#[test]
fn real_searches_stop_within_an_expansion_of_their_node_limit() {
    let linear = HeuristicKind::LinearConflict;
    for max_nodes in [1, 100, 5_000, 300_000] {
        let problem = hopeless(1);
        for stage in [Stage::AStar(linear, Ratio::ONE), Stage::IdaStar(linear)] {
            let (mut job, outbox) = job(proof(&problem, stage), max_nodes, u64::MAX);
            finish(&mut job);
            outbox.told(|told| {
                assert_eq!(told.end, Some(End::NodeLimit));
                // IDA* counts nodes that it generated ahead late: two for each move of the path.
                let generated = told.progress.generated;
                assert!((max_nodes..max_nodes + 300).contains(&generated));
            });
        }
    }
}

#[test]
fn a_search_that_ends_at_its_very_limit_has_ended_well() {
    for (max_nodes, end) in [(5_000, End::Stopped(Stop::Proven)), (4_999, End::NodeLimit)] {
        let mut found = false;
        let search = Scripted::new(move |budget: Budget, progress: &mut Progress| {
            progress.generated += budget.nodes.min(5_000 - progress.generated);
            if progress.generated < 5_000 {
                Step::Working
            } else if std::mem::replace(&mut found, true) {
                Step::Done(Stop::Proven)
            } else {
                Step::Found(7)
            }
        });
        let (mut job, outbox) = job(search, max_nodes, u64::MAX);
        finish(&mut job);
        outbox.told(|told| {
            assert_eq!(told.end, Some(end));
            assert_eq!(told.progress.generated, max_nodes);
            assert_eq!(told.found.len(), usize::from(max_nodes == 5_000));
        });
    }
}

#[test]
fn limits_wait_for_the_first_answer_where_one_is_promised() {
    let mut found = false;
    let search = Scripted::new(move |budget: Budget, progress: &mut Progress| {
        progress.generated += budget.nodes.min(50_000 - progress.generated);
        if progress.generated < 50_000 || std::mem::replace(&mut found, true) {
            Step::Working
        } else {
            Step::Found(7)
        }
    });
    let (mut job, outbox) = job(search, 1, u64::MAX);
    outbox.told(|told| told.answer_first = true);
    finish(&mut job);
    outbox.told(|told| {
        assert_eq!(told.found, [7]);
        assert_eq!(told.end, Some(End::NodeLimit));
        assert_eq!(told.progress.generated, 50_000);
    });
}

#[test]
fn every_end_of_a_search_is_told_with_its_progress() {
    for stop in [
        Stop::Proven,
        Stop::FirstFound,
        Stop::Memory,
        Stop::Time,
        Stop::Exhausted,
    ] {
        let search = Scripted::<usize, _>::new(move |_, progress: &mut Progress| {
            progress.generated = 42;
            Step::Done(stop)
        });
        let (mut job, outbox) = job(search, u64::MAX, u64::MAX);
        assert_eq!(one_chunk(&mut job), Next::Finished);
        outbox.told(|told| {
            assert_eq!(told.end, Some(End::Stopped(stop)));
            assert_eq!(told.progress.generated, 42);
        });
    }
}

#[test]
fn a_finding_without_room_is_kept_and_offered_again() {
    let search = Scripted::new(|_, progress: &mut Progress| {
        progress.generated += 1;
        match progress.generated {
            nodes @ 1..=3 => Step::Found(nodes as usize),
            _ => Step::Done(Stop::FirstFound),
        }
    });
    let (mut job, outbox) = job(search, u64::MAX, u64::MAX);
    outbox.told(|told| told.no_room_for = 3);
    for _ in 0..3 {
        assert_eq!(one_chunk(&mut job), Next::Park);
        assert_eq!(outbox.told(|told| told.progress.generated), 1);
    }
    finish(&mut job);
    outbox.told(|told| {
        assert_eq!(told.found, [1, 2, 3]);
        assert_eq!(told.end, Some(End::Stopped(Stop::FirstFound)));
    });
}

#[test]
fn what_is_no_solution_ends_the_job_as_a_defect() {
    let search = Scripted::new(|_, _: &mut Progress| Step::Found(1));
    let (mut job, outbox) = job(search, u64::MAX, u64::MAX);
    outbox.told(|told| told.defect = true);
    assert_eq!(one_chunk(&mut job), Next::Finished);
    assert_eq!(outbox.told(|told| told.end), Some(End::Defect));
}

#[test]
fn a_panic_is_told_as_a_defect() {
    let (mut job, outbox) = job(endless(), u64::MAX, u64::MAX);
    job.panicked();
    assert_eq!(outbox.told(|told| told.end), Some(End::Defect));
}

/// A search that takes all the memory that it may, and stops when it may take no more.
fn greedy() -> Scripted<usize, impl FnMut(Budget, &mut Progress) -> Step<usize> + Send> {
    Scripted::new(|budget: Budget, progress: &mut Progress| {
        progress.generated += 1;
        if budget.memory <= progress.memory {
            return Step::Done(Stop::Memory);
        }
        progress.memory = budget.memory;
        progress.peak_memory = budget.memory;
        Step::Working
    })
}

#[test]
fn a_search_gets_as_much_memory_as_it_may_have_and_no_more() {
    let shared = memory(1 << 40, 1);
    let (mut job, outbox) = sharing(greedy(), u64::MAX, 1_000_000, &shared);
    assert_eq!(one_chunk(&mut job), Next::Again);
    assert_eq!(shared.held(), 1_000_000);
    assert_eq!(one_chunk(&mut job), Next::Finished);
    outbox.told(|told| {
        assert_eq!(told.end, Some(End::Stopped(Stop::Memory)));
        assert_eq!(told.progress.peak_memory, 1_000_000);
    });
    // Memory is given back with the job, not before.
    assert_eq!(shared.held(), 1_000_000);
    drop(job);
    assert_eq!(shared.held(), 0);
}

#[test]
fn a_search_that_holds_half_of_its_limit_ends_by_that_whatever_others_hold() {
    const MB: u64 = 1 << 20;
    for (held, end) in [
        (MB, End::Shortage),
        (5 * MB / 2, End::Stopped(Stop::Memory)),
    ] {
        let shared = memory(16 * MB, 1);
        let search = Scripted::<usize, _>::new(move |_: Budget, progress: &mut Progress| {
            if progress.memory > 0 {
                return Step::Done(Stop::Memory);
            }
            progress.memory = held;
            Step::Working
        });
        let (mut job, outbox) = sharing(search, u64::MAX, 4 * MB, &shared);
        assert_eq!(one_chunk(&mut job), Next::Again);
        let _others = shared.reserve(15 * MB - held).unwrap();
        assert_eq!(one_chunk(&mut job), Next::Finished);
        assert_eq!(outbox.told(|told| told.end), Some(end));
    }
}

#[test]
fn what_was_reserved_for_the_solution_is_held_until_the_job_is_dropped() {
    let shared = memory(1 << 30, 1);
    let typed = Typed(Outbox::default(), std::marker::PhantomData);
    let reservation = shared.reserve(1 << 20).unwrap();
    let mut job = Job::new(endless(), typed, u64::MAX, u64::MAX, reservation);
    // The search itself holds nothing.
    assert_eq!(one_chunk(&mut job), Next::Again);
    assert_eq!(shared.held(), 1 << 20);
    drop(job);
    assert_eq!(shared.held(), 0);
}

#[test]
fn a_real_search_keeps_within_its_memory() {
    let stage = Stage::AStar(HeuristicKind::LinearConflict, Ratio::ONE);
    let (mut job, outbox) = job(proof(&hopeless(2), stage), u64::MAX, 4 << 20);
    finish(&mut job);
    outbox.told(|told| {
        assert_eq!(told.end, Some(End::Stopped(Stop::Memory)));
        let peak = told.progress.peak_memory;
        assert!((2 << 20..=4 << 20).contains(&peak), "{peak}");
    });
}

#[test]
fn all_jobs_together_keep_within_the_memory_they_share() {
    const TOTAL: u64 = 1_000_000;
    let shared = memory(TOTAL, 2);
    let mut jobs: Vec<_> = (0..5)
        .map(|_| sharing(greedy(), u64::MAX, u64::MAX, &shared))
        .collect();
    for _ in 0..100 {
        for (job, outbox) in &mut jobs {
            if outbox.told(|told| told.end.is_none()) {
                one_chunk(job);
            }
            assert!(shared.held() <= TOTAL);
        }
    }
    // Each took its share of what was left, until only the part reserved for small requests was free.
    let most = TOTAL - TOTAL / 16;
    assert!((most - 10..=most).contains(&shared.held()));
    // Their own limits were not the reason.
    for (_, outbox) in &jobs {
        assert_eq!(outbox.told(|told| told.end), Some(End::Shortage));
    }
    drop(jobs);
    assert_eq!(shared.held(), 0);
}

#[test]
fn a_job_in_the_middle_of_a_chunk_is_not_robbed_of_what_it_may_take() {
    const TOTAL: u64 = 1_000_000;
    let shared = memory(TOTAL, 2);
    let others = Arc::clone(&shared);
    // While this one runs its first chunk, another worker runs many chunks of another job.
    let search = Scripted::<usize, _>::new(move |budget: Budget, progress: &mut Progress| {
        let (mut other, _) = sharing(greedy(), u64::MAX, u64::MAX, &others);
        finish(&mut other);
        progress.memory = budget.memory;
        assert!(others.held() <= TOTAL, "{} are held", others.held());
        Step::Done(Stop::Memory)
    });
    let (mut job, outbox) = sharing(search, u64::MAX, u64::MAX, &shared);
    finish(&mut job);
    assert_eq!(
        outbox.told(|told| told.end),
        Some(End::Stopped(Stop::Memory))
    );
    assert_eq!(shared.held(), (TOTAL - TOTAL / 16) / 2);
}
