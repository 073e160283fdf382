//! A search that can be helped, and what happens in it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use loyd::search::{Budget, Iteration, Part, Progress, Search, Step, Stop};

/// What happens in a [`Countable`] and its parts.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) threads: Mutex<Vec<ThreadId>>,
    /// The nodes that the search itself has generated, and those that parts have.
    by_itself: AtomicU64,
    pub(crate) by_parts: AtomicU64,
    pub(crate) handed_out: AtomicUsize,
    pub(crate) joined: AtomicUsize,
    /// Whether a part is to panic.
    pub(crate) panics: AtomicBool,
    pub(crate) dropped_parts: AtomicUsize,
    /// The time that was left when a part was last advanced.
    pub(crate) left: Mutex<Option<Duration>>,
}

impl Seen {
    fn note_thread(&self) {
        let mut threads = self.threads.lock().unwrap();
        let current = thread::current().id();
        if !threads.contains(&current) {
            threads.push(current);
        }
    }

    pub(crate) fn is_helped(&self) -> bool {
        self.by_parts.load(Ordering::Relaxed) > 0
    }

    /// The nodes that all have generated.
    pub(crate) fn nodes(&self) -> u64 {
        self.by_itself.load(Ordering::Relaxed) + self.by_parts.load(Ordering::Relaxed)
    }
}

/// A search through a number of nodes, of which it hands out halves. A node takes about 100 ns.
pub(crate) struct Countable {
    left: u64,
    out: usize,
    progress: Progress,
    found: bool,
    pub(crate) gains_by_help: bool,
    /// Whether its parts work on an iteration; if not, there is an iteration of one node beside them.
    pub(crate) works_by_iterations: bool,
    seen: Arc<Seen>,
}

pub(crate) fn countable(nodes: u64) -> (Countable, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let search = Countable {
        left: nodes,
        out: 0,
        progress: Progress::default(),
        found: false,
        gains_by_help: false,
        works_by_iterations: false,
        seen: Arc::clone(&seen),
    };
    (search, seen)
}

impl Search for Countable {
    type Found = usize;

    fn advance(&mut self, budget: Budget) -> Step<usize> {
        self.seen.note_thread();
        spend(&mut self.left, budget.nodes, &mut self.progress);
        let by_itself = &self.seen.by_itself;
        by_itself.fetch_add(budget.nodes, Ordering::Relaxed);
        if self.left > 0 || self.out > 0 {
            return Step::Working;
        }
        if std::mem::replace(&mut self.found, true) {
            return Step::Done(Stop::Proven);
        }
        Step::Found(7)
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn iterations(&self) -> Vec<Iteration> {
        vec![Iteration {
            threshold: 1,
            generated: 1,
        }]
    }

    fn gains_by_help(&self) -> bool {
        self.gains_by_help
    }

    fn split(&mut self, _: u64) -> Option<Box<dyn Part>> {
        if self.left < 2000 {
            return None;
        }
        let left = self.left / 2;
        self.left -= left;
        self.out += 1;
        self.seen.handed_out.fetch_add(1, Ordering::Relaxed);
        Some(Box::new(Half {
            left,
            progress: Progress::default(),
            is_of_an_iteration: self.works_by_iterations,
            seen: Arc::clone(&self.seen),
        }))
    }

    fn waits(&self) -> bool {
        self.left == 0 && self.out > 0
    }

    fn join(&mut self, part: Box<dyn Part>) {
        let part: Box<dyn std::any::Any> = part;
        let part = part.downcast::<Half>().unwrap();
        self.left += part.left;
        self.progress.generated += part.progress.generated;
        self.progress.expanded += part.progress.expanded;
        self.out -= 1;
        self.seen.joined.fetch_add(1, Ordering::Relaxed);
    }
}

struct Half {
    left: u64,
    progress: Progress,
    is_of_an_iteration: bool,
    seen: Arc<Seen>,
}

impl Part for Half {
    fn advance(&mut self, budget: Budget) -> bool {
        self.seen.note_thread();
        assert!(!self.seen.panics.load(Ordering::Relaxed), "as told");
        *self.seen.left.lock().unwrap() = budget.time;
        let nodes = budget.nodes;
        spend(&mut self.left, nodes, &mut self.progress);
        self.seen.by_parts.fetch_add(nodes, Ordering::Relaxed);
        self.left > 0
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn is_of_an_iteration(&self) -> bool {
        self.is_of_an_iteration
    }
}

impl Drop for Half {
    fn drop(&mut self) {
        self.seen.dropped_parts.fetch_add(1, Ordering::Relaxed);
    }
}

fn spend(left: &mut u64, nodes: u64, progress: &mut Progress) {
    let nodes = nodes.min(*left);
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_nanos(100 * nodes) {
        std::hint::spin_loop();
    }
    *left -= nodes;
    progress.generated += nodes;
    progress.expanded += nodes;
}

/// The number of nodes that take a second on one worker.
pub(crate) const SECOND: u64 = 10_000_000;

/// More nodes than any test has time for.
pub(crate) const ENDLESS: u64 = 1000 * SECOND;
