//! Scripted tasks and searches.

use std::num::NonZeroU32;
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::pool::{Next, Task, Turn};
use loyd::engine::{Caps, Client, Engine, EngineConfig, FOREVER, Limits, Question, Wanted};
use loyd::puzzle::{Board, Direction, Metric, Problem};
use loyd::search::plan::{Method, Objective};
use loyd::search::{Budget, Progress, Search, Step};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// Longer than anything takes, even on a slow machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// How to solve a problem: in moves, with the default method.
pub(crate) fn question(problem: Problem, objective: Objective) -> Question {
    Question {
        problem,
        metric: Metric::SingleTile,
        objective,
        method: Method::default(),
    }
}

/// A client by its name and weight.
pub(crate) fn client(name: &str, weight: u32) -> Client {
    Client {
        name: name.into(),
        weight: NonZeroU32::new(weight).unwrap(),
    }
}

/// Receives a message within [`PATIENCE`].
pub(crate) fn receive<T>(receiver: &Receiver<T>) -> T {
    match receiver.recv_timeout(PATIENCE) {
        Ok(received) => received,
        Err(RecvTimeoutError::Timeout) => panic!("nothing came"),
        Err(RecvTimeoutError::Disconnected) => panic!("nothing can come any more"),
    }
}

/// Waits for what another thread does, for [`PATIENCE`] at most.
pub(crate) fn wait_until(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < PATIENCE, "it never came");
        // The other thread may need the processor.
        thread::sleep(Duration::from_micros(100));
    }
}

/// What a counter, named with its labels, has counted since the first call of this.
///
/// It counts on threads of their own, so for the whole process: other tests may add to it.
pub(crate) fn counted(counter: &str) -> u64 {
    static METRICS: LazyLock<PrometheusHandle> =
        LazyLock::new(|| PrometheusBuilder::new().install_recorder().unwrap());
    let told = METRICS.render();
    let mut lines = told.lines();
    let count = lines.find_map(|line| line.strip_prefix(counter)?.strip_prefix(' '));
    count.map_or(0, |count| count.parse().unwrap())
}

/// How many panics of a place have been counted.
pub(crate) fn panics(place: &str) -> u64 {
    counted(&format!("loyd_panics_total{{place=\"{place}\"}}"))
}

/// Sends its name when it is dropped.
pub(crate) struct Told<T: Clone>(pub(crate) Sender<T>, pub(crate) T);

impl<T: Clone> Drop for Told<T> {
    fn drop(&mut self) {
        // The test may be over.
        let _ = self.0.send(self.1.clone());
    }
}

/// A task made of one closure to run and another for a panic.
pub(crate) struct Fake<R, P> {
    pub(crate) run: R,
    pub(crate) panicked: P,
}

impl<R, P> Task for Fake<R, P>
where
    R: FnMut(&Turn<'_>) -> Next + Send,
    P: FnMut() + Send,
{
    fn run(&mut self, turn: &Turn<'_>) -> Next {
        (self.run)(turn)
    }

    fn panicked(&mut self) {
        (self.panicked)();
    }
}

/// A task that runs a closure in each of its slices.
pub(crate) fn task(run: impl FnMut(&Turn<'_>) -> Next + Send + 'static) -> Box<dyn Task> {
    Box::new(Fake {
        run,
        panicked: || {},
    })
}

/// A search made of a closure that takes a budget and the progress, which it updates, and returns a step.
pub(crate) struct Scripted<F, A> {
    advance: A,
    progress: Progress,
    found: std::marker::PhantomData<fn() -> F>,
}

impl<F, A: FnMut(Budget, &mut Progress) -> Step<F>> Scripted<F, A> {
    pub(crate) fn new(advance: A) -> Self {
        Self {
            advance,
            progress: Progress::default(),
            found: std::marker::PhantomData,
        }
    }
}

impl<F, A: FnMut(Budget, &mut Progress) -> Step<F> + Send> Search for Scripted<F, A> {
    type Found = F;

    fn advance(&mut self, budget: Budget) -> Step<F> {
        (self.advance)(budget, &mut self.progress)
    }

    fn progress(&self) -> Progress {
        self.progress
    }
}

pub(crate) const CAPS: Caps = Caps {
    nodes: u64::MAX,
    time: Duration::from_secs(60),
    memory: 256 << 20,
    default_time: Duration::from_secs(1),
};

pub(crate) fn engine(workers: usize, capacity: usize) -> Engine {
    Engine::start(EngineConfig {
        workers,
        capacity,
        caps: CAPS,
        memory: 1 << 30,
        cache_memory: 16 << 20,
        table_memory: 128 << 20,
        heuristic_memory: u64::MAX,
        build_memory: 32 << 20,
        database_build_memory: 4 << 20,
        store: None,
    })
    .unwrap()
}

/// The limits of a request that arrives now.
pub(crate) fn wanting(wanted: Wanted) -> Limits {
    Limits::new(Instant::now(), wanted, None, false, Duration::ZERO, &CAPS)
}

pub(crate) fn unlimited() -> Limits {
    wanting(Wanted::default())
}

/// The limits of a request that arrives now and has time for any line.
pub(crate) fn patient() -> Limits {
    Limits {
        time_limit: Instant::now() + FOREVER,
        ..unlimited()
    }
}

/// The limits of a request that arrives now, with this timeout.
pub(crate) fn due_in(timeout: Duration) -> Limits {
    Limits::new(
        Instant::now(),
        Wanted::default(),
        Some(timeout),
        false,
        Duration::ZERO,
        &CAPS,
    )
}

/// A 24-puzzle that no machine proves within a test, a different one for each number.
pub(crate) fn hopeless(number: u64) -> Problem {
    let dice = &mut loyd::puzzle::Dice::new(1_000 + number);
    crate::support::random_problem(crate::support::shape(5, 5), 24, dice)
}

/// A 2×2 problem, two moves that go back and forth, and the move to the goal.
pub(crate) fn to_and_fro() -> (Problem, [Direction; 2], [Direction; 1]) {
    let problem = crate::support::problem(2, 2, &[1, 2, 0, 3]);
    assert_eq!(problem.goal(), Board::solved(problem.shape()));
    (
        problem,
        [Direction::Left, Direction::Right],
        [Direction::Left],
    )
}
