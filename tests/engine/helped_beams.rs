//! Beams that an idle worker runs beside a search by beams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use loyd::engine::pool::Pool;
use loyd::puzzle::Solution;
use loyd::search::anytime::widening::{Beams, Kind, Scale, Widening};
use loyd::search::beam::Pass;
use loyd::search::{Budget, Part, Progress, Search, Step, Stop};

use crate::fake::{PATIENCE, to_and_fro};
use crate::job::job;

/// Beams that take two milliseconds each, however wide they are.
struct Brief;

struct Beam {
    seed: u64,
    begun: Instant,
    has_found: bool,
    progress: Progress,
}

impl Beams for Brief {
    fn prepare(&self, _nodes: u64) -> bool {
        true
    }

    fn beam(&self, _scale: Scale, _most: usize, seed: u64) -> Option<Box<dyn Pass>> {
        Some(Box::new(Beam {
            seed,
            begun: Instant::now(),
            has_found: false,
            progress: Progress::default(),
        }))
    }

    fn pair_width(&self) -> Option<usize> {
        None
    }

    fn suit_two(&self) -> bool {
        true
    }

    fn narrowest(&self) -> usize {
        1
    }

    fn kind(&self, _width: usize, _is_paired: bool) -> Kind {
        Kind::Whole
    }

    fn bytes(&self, scale: Scale) -> u64 {
        scale.width as u64
    }

    fn layers(&self, _scale: Scale) -> u32 {
        100
    }

    fn cost(&self, _scale: Scale) -> f64 {
        100.0
    }
}

impl Pass for Beam {
    fn rest(&self, expected: u32) -> u32 {
        expected
    }

    fn is_stuck(&self) -> bool {
        false
    }

    fn set_width(&mut self, _width: usize) {}
}

impl Search for Beam {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.has_found {
            return Step::Done(Stop::FirstFound);
        }
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_nanos(100 * budget.nodes) {
            std::hint::spin_loop();
        }
        self.progress.expanded += budget.nodes;
        self.progress.generated += budget.nodes;
        if self.begun.elapsed() < Duration::from_millis(2) {
            return Step::Working;
        }
        self.has_found = true;
        // From the goal's end a shorter one is found.
        let times = if self.seed.is_multiple_of(2) { 5 } else { 2 };
        let (problem, round, last) = to_and_fro();
        let moves = round.repeat(times).into_iter().chain(last);
        Step::Found(problem.replay(moves.collect()).expect("a solution"))
    }

    fn progress(&self) -> Progress {
        self.progress
    }
}

/// A search by beams that counts how many of its findings came back with a part.
struct Watched {
    search: Widening,
    has_joined: bool,
    brought: Arc<AtomicUsize>,
}

impl Search for Watched {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        let step = self.search.advance(budget);
        if std::mem::take(&mut self.has_joined) && matches!(step, Step::Found(_)) {
            self.brought.fetch_add(1, Ordering::Relaxed);
        }
        step
    }

    fn progress(&self) -> Progress {
        self.search.progress()
    }

    fn gains_by_help(&self) -> bool {
        self.search.gains_by_help()
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        self.search.split(memory)
    }

    fn waits(&self) -> bool {
        self.search.waits()
    }

    fn join(&mut self, part: Box<dyn Part>) {
        self.search.join(part);
        self.has_joined = true;
    }
}

/// The lengths that a search finds within the given time on this many workers, and how many of them
/// a part brought.
fn found_by(workers: usize, given: Duration) -> (Vec<usize>, usize) {
    let pool = Pool::start(workers, 10).unwrap();
    let brought = Arc::default();
    let search = Watched {
        search: Widening::new(Box::new(Brief)),
        has_joined: false,
        brought: Arc::clone(&brought),
    };
    let (job, outbox) = job(search, u64::MAX, u64::MAX);
    let due = Instant::now() + given;
    outbox.told(|told| told.due = Some(due));
    let ticket = pool.submit(Box::new(job)).unwrap();
    while Instant::now() < due && outbox.told(|told| told.end.is_none()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    ticket.cancel();
    // Nobody works on it any more.
    drop(pool);
    let found = outbox.told(|told| told.found.clone());
    (found, brought.load(Ordering::Relaxed))
}

#[test]
fn an_idle_worker_brings_a_solution() {
    let begun = Instant::now();
    let mut given = Duration::from_millis(50);
    loop {
        // The other worker may not be there in time, or have too little of it for a wide beam, or so much that
        // the search itself finds nothing.
        let (found, brought) = found_by(2, given);
        given *= 2;
        if brought > 0 && found.contains(&5) && found.contains(&11) {
            return;
        }
        assert!(
            begun.elapsed() < PATIENCE,
            "nobody brings any, or only {found:?}"
        );
    }
}

#[test]
fn one_worker_alone_has_nobody_to_bring_it_any() {
    let (_, brought) = found_by(1, Duration::from_millis(50));
    assert_eq!(brought, 0);
}
