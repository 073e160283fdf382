//! Workers that help with another worker's task.

mod countable;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use loyd::engine::job::{CHUNKS, End, Job};
use loyd::engine::memory::Memory;
use loyd::engine::pool::{Next, Pool, SERVICE_BEFORE_HELP, SLICE, Task, Ticket, Turn};
use loyd::engine::share::Shared;
use loyd::search::{Budget, Part, Progress, Search, Step, Stop};

use crate::fake::{PATIENCE, panics, receive, task, wait_until};
use crate::job::{Outbox, job, memory};

use countable::{ENDLESS, SECOND, Seen, countable};

/// The nodes that take a slice, and a chunk more.
const OF_A_SLICE: u64 = SECOND / 1000 * SLICE.as_millis() as u64 + *CHUNKS.end();

struct Started {
    pool: Pool,
    ticket: Ticket,
    outbox: Outbox,
    seen: Arc<Seen>,
}

/// Starts a search of this many nodes on two workers.
fn start(nodes: u64, max_nodes: u64) -> Started {
    let pool = Pool::start(2, 10).unwrap();
    let (search, seen) = countable(nodes);
    let (job, outbox) = job(search, max_nodes, u64::MAX);
    let ticket = pool.submit(Box::new(job)).unwrap();
    Started {
        pool,
        ticket,
        outbox,
        seen,
    }
}

/// Runs searches of this many nodes to their end until one is helped: on a busy machine the other worker may come too late.
fn run_helped(nodes: u64, max_nodes: u64) -> (Outbox, Arc<Seen>) {
    let begun = Instant::now();
    loop {
        let Started {
            pool, outbox, seen, ..
        } = start(nodes, max_nodes);
        wait_until(|| outbox.told(|told| told.end.is_some()));
        drop(pool);
        if seen.is_helped() {
            return (outbox, seen);
        }
        assert!(begun.elapsed() < PATIENCE, "nobody helps");
    }
}

#[test]
fn both_workers_are_on_the_one_search() {
    let (outbox, seen) = run_helped(SECOND / 2, u64::MAX);
    outbox.told(|told| {
        assert_eq!(told.end, Some(End::Stopped(Stop::Proven)));
        assert_eq!(told.found, [7]);
        // Each node once, whoever generated it.
        assert_eq!(told.progress.generated, SECOND / 2);
        assert_eq!(told.progress.expanded, SECOND / 2);
    });
    assert_eq!(seen.threads.lock().unwrap().len(), 2);
    let counts = [&seen.handed_out, &seen.joined].map(|count| count.load(Ordering::Relaxed));
    assert_eq!(counts[0], counts[1]);
}

#[test]
fn progress_is_told_while_parts_are_out() {
    let Started {
        pool, outbox, seen, ..
    } = start(ENDLESS, u64::MAX);
    wait_until(|| seen.by_parts.load(Ordering::Relaxed) > SECOND / 20);
    let told = || outbox.told(|told| told.progress.generated);
    let reported = told();
    wait_until(|| told() > reported);
    let by_parts = seen.by_parts.load(Ordering::Relaxed);
    wait_until(|| told() > by_parts);
    drop(pool);
}

#[test]
fn an_iterations_nodes_are_those_of_its_own_parts() {
    for works_by_iterations in [true, false] {
        let pool = Pool::start(2, 10).unwrap();
        let (mut search, seen) = countable(ENDLESS);
        search.works_by_iterations = works_by_iterations;
        let (job, outbox) = job(search, u64::MAX, u64::MAX);
        let _ticket = pool.submit(Box::new(job)).unwrap();
        let most = || outbox.told(|told| told.listed.iter().copied().max());
        if works_by_iterations {
            wait_until(|| most() > Some(1));
        } else {
            wait_until(|| seen.is_helped());
            let listed = outbox.told(|told| told.listed.len());
            wait_until(|| outbox.told(|told| told.listed.len() > listed + 3));
            assert_eq!(most(), Some(1));
        }
        drop(pool);
    }
}

#[test]
fn a_search_that_is_soon_over_is_not_shared() {
    // A fiftieth of what would be shared.
    let nodes = SECOND / 1000 * SERVICE_BEFORE_HELP.as_millis() as u64 / 50;
    let first = Instant::now();
    loop {
        let begun = Instant::now();
        let Started {
            pool, outbox, seen, ..
        } = start(nodes, u64::MAX);
        wait_until(|| outbox.told(|told| told.end.is_some()));
        // On a busy machine it may have taken long.
        let is_soon_over = begun.elapsed() < SERVICE_BEFORE_HELP;
        drop(pool);
        if is_soon_over {
            assert_eq!(seen.handed_out.load(Ordering::Relaxed), 0);
            return;
        }
        assert!(first.elapsed() < PATIENCE, "the machine is never quiet");
    }
}

#[test]
fn a_search_that_gains_by_help_is_shared_at_once() {
    let pool = Pool::start(2, 10).unwrap();
    let begun = Instant::now();
    loop {
        // A tenth of what would be shared; the other worker may not be there yet.
        let nodes = SECOND / 1000 * SERVICE_BEFORE_HELP.as_millis() as u64 / 10;
        let (mut search, seen) = countable(nodes);
        search.gains_by_help = true;
        let (job, outbox) = job(search, u64::MAX, u64::MAX);
        let _ticket = pool.submit(Box::new(job)).unwrap();
        wait_until(|| outbox.told(|told| told.end.is_some()));
        assert_eq!(outbox.told(|told| told.progress.generated), nodes);
        if seen.is_helped() {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "nobody helps");
    }
}

/// Waits until one of two workers is idle.
fn wait_for_helper(pool: &Pool) {
    let (sender, said) = channel();
    let looks = task(move |turn| {
        wait_until(|| turn.has_helper());
        sender.send(()).unwrap();
        Next::Finished
    });
    pool.submit(looks).unwrap();
    receive(&said);
}

#[test]
fn a_search_with_few_nodes_left_to_spend_is_not_shared() {
    for (most, is_shared) in [(15, false), (1_000, true)] {
        let pool = Pool::start(2, 2).unwrap();
        wait_for_helper(&pool);
        let (mut search, seen) = countable(ENDLESS);
        search.gains_by_help = true;
        let (job, outbox) = job(search, most * CHUNKS.end(), u64::MAX);
        let _ticket = pool.submit(Box::new(job)).unwrap();
        wait_until(|| outbox.told(|told| told.end.is_some()));
        assert_eq!(outbox.told(|told| told.end), Some(End::NodeLimit));
        assert_eq!(seen.handed_out.load(Ordering::Relaxed) > 0, is_shared);
    }
}

/// Tells after each of its turns whether a job is large.
struct Watched<J>(J, Sender<bool>);

impl<J: Task> Task for Watched<J> {
    fn run(&mut self, turn: &Turn<'_>) -> Next {
        let next = self.0.run(turn);
        // Nobody listens to the end.
        let _ = self.1.send(self.0.is_large());
        next
    }

    fn panicked(&mut self) {
        self.0.panicked();
    }
}

#[test]
fn no_worker_waits_for_the_parts_of_a_job_that_is_over() {
    let pool = Pool::start(2, 2).unwrap();
    let (sender, is_large) = channel();
    let (mut search, seen) = countable(ENDLESS);
    search.gains_by_help = true;
    let (job, _outbox) = job(search, u64::MAX, u64::MAX);
    let ticket = pool.submit(Box::new(Watched(job, sender))).unwrap();
    wait_until(|| seen.is_helped());
    wait_until(|| is_large.try_iter().any(|is_large| is_large));
    ticket.cancel();
}

#[test]
fn parts_are_told_the_time_that_their_search_has() {
    let Started {
        pool, outbox, seen, ..
    } = start(ENDLESS, u64::MAX);
    let left = || *seen.left.lock().unwrap();
    wait_until(|| seen.is_helped() && left().is_none());
    for seconds in [3_000, 1_000, 2_000] {
        let time = Duration::from_secs(seconds);
        outbox.told(|told| told.due = Some(Instant::now() + time));
        wait_until(|| left().is_some_and(|left| left <= time && left > time - PATIENCE));
    }
    outbox.told(|told| told.due = None);
    wait_until(|| left().is_none());
    drop(pool);
}

#[test]
fn the_node_limit_is_one_for_all_who_work() {
    for max_nodes in [SECOND / 5, SECOND / 5 + 12_345] {
        let (outbox, _) = run_helped(ENDLESS, max_nodes);
        outbox.told(|told| {
            assert_eq!(told.end, Some(End::NodeLimit));
            assert_eq!(told.progress.generated, max_nodes);
        });
    }
}

#[test]
fn a_newcomer_gets_a_worker_within_a_slice() {
    let Started {
        pool, ticket, seen, ..
    } = start(ENDLESS, u64::MAX);
    wait_until(|| seen.is_helped());
    let (sender, said) = channel();
    let meanwhile = (0..100).map(|_| {
        thread::sleep(Duration::from_millis(1));
        let (sender, seen_by_it) = (sender.clone(), Arc::clone(&seen));
        let newcomer = task(move |_| {
            sender.send(seen_by_it.nodes()).unwrap();
            Next::Finished
        });
        pool.submit(newcomer).unwrap();
        let before = seen.nodes();
        receive(&said).saturating_sub(before)
    });
    let mut meanwhile: Vec<u64> = meanwhile.collect();
    meanwhile.sort();
    // The search ends its turn, and may have one more that it is owed. Its part makes way at once. On a busy machine
    // a newcomer may be stopped once it has a worker.
    assert!(meanwhile[50] <= 3 * OF_A_SLICE, "{meanwhile:?}");
    // Afterwards the helper is back.
    let before = seen.by_parts.load(Ordering::Relaxed);
    wait_until(|| seen.by_parts.load(Ordering::Relaxed) > before);
    ticket.cancel();
}

#[test]
fn two_searches_have_a_worker_each_and_no_helper() {
    let Started {
        pool, ticket, seen, ..
    } = start(ENDLESS, u64::MAX);
    wait_until(|| seen.is_helped());
    let (search, other_seen) = countable(ENDLESS);
    let (other, _outbox) = job(search, u64::MAX, u64::MAX);
    let other = pool.submit(Box::new(other)).unwrap();
    wait_until(|| !other_seen.threads.lock().unwrap().is_empty());
    let by_parts = || seen.by_parts.load(Ordering::Relaxed);
    // The helper leaves as soon as the machine lets it, and does not come back.
    wait_until(|| {
        let before = by_parts();
        thread::sleep(Duration::from_millis(200));
        by_parts() == before
    });
    assert!(!other_seen.is_helped());
    ticket.cancel();
    // The remaining task is helped once it has had enough service for that.
    wait_until(|| other_seen.is_helped());
    other.cancel();
}

#[test]
fn help_is_counted_as_service() {
    let Started {
        pool, ticket, seen, ..
    } = start(ENDLESS, u64::MAX);
    wait_until(|| seen.by_parts.load(Ordering::Relaxed) > SECOND / 10);
    // The task has had more than a fifth of a second of service, nearly half of it from a helper. A newcomer gets
    // both workers until it has had as much: here more than a tenth of a second.
    let (search, other_seen) = countable(ENDLESS);
    let (other, outbox) = job(search, u64::MAX, u64::MAX);
    let other = pool.submit(Box::new(other)).unwrap();
    wait_until(|| outbox.told(|told| told.progress.generated) > SECOND / 20);
    assert!(!other_seen.is_helped(), "the first has a worker of its own");
    drop((ticket, other));
}

#[test]
fn cancelled_searches_leave_both_workers_soon() {
    let mut done = Vec::new();
    for _ in 0..10 {
        let Started {
            pool, ticket, seen, ..
        } = start(ENDLESS, u64::MAX);
        wait_until(|| seen.is_helped());
        ticket.cancel();
        let before = seen.nodes();
        // All parts are gone: those that came back, and the one that was out.
        let out =
            || seen.handed_out.load(Ordering::Relaxed) - seen.dropped_parts.load(Ordering::Relaxed);
        wait_until(|| out() == 0);
        done.push(seen.nodes() - before);
        drop(pool);
    }
    done.sort();
    // A slice of each. While one waits for the processor, the other goes on.
    assert!(done[5] < 25 * 2 * OF_A_SLICE, "{done:?}");
}

#[test]
fn a_helper_leaves_a_cancelled_search_though_it_is_not_dropped_yet() {
    struct Slow(Receiver<()>);
    impl Drop for Slow {
        fn drop(&mut self) {
            // The disconnection is what is waited for.
            let _ = self.0.recv_timeout(PATIENCE);
        }
    }
    let Started {
        pool, ticket, seen, ..
    } = start(ENDLESS, u64::MAX);
    // Finished tasks are dropped after this one.
    let (release, released) = channel::<()>();
    let slow = Slow(released);
    let (sender, said) = channel();
    let lasting = task(move |_| {
        let _slow = &slow;
        sender.send(()).unwrap();
        Next::Finished
    });
    wait_until(|| seen.is_helped());
    pool.submit(lasting).unwrap();
    receive(&said);
    let before = seen.by_parts.load(Ordering::Relaxed);
    wait_until(|| seen.by_parts.load(Ordering::Relaxed) > before);
    ticket.cancel();
    wait_until(|| pool.tasks() == 0);
    let before = seen.by_parts.load(Ordering::Relaxed);
    thread::sleep(Duration::from_millis(100));
    // It ends the turn that it was in.
    let after = seen.by_parts.load(Ordering::Relaxed) - before;
    assert!(after <= OF_A_SLICE, "{after} nodes");
    drop(release);
}

/// A search with a part of this many bytes, which works until it is recalled, or panics if it is of none.
struct Lender {
    bytes: u64,
    memory: Arc<Memory>,
    is_out: bool,
    /// What was held when the part was freed.
    held: Sender<u64>,
}

struct Lent {
    bytes: u64,
    memory: Arc<Memory>,
    held: Sender<u64>,
}

impl Search for Lender {
    type Found = u8;

    fn advance(&mut self, _: Budget) -> Step<u8> {
        Step::Working
    }

    fn progress(&self) -> Progress {
        Progress {
            claimed: if self.is_out { self.bytes } else { 0 },
            ..Progress::default()
        }
    }

    fn gains_by_help(&self) -> bool {
        !self.is_out
    }

    fn part_memory(&self) -> u64 {
        self.bytes
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        if self.is_out || memory < self.bytes {
            return None;
        }
        self.is_out = true;
        Some(Box::new(Lent {
            bytes: self.bytes,
            memory: Arc::clone(&self.memory),
            held: self.held.clone(),
        }))
    }

    fn join(&mut self, _: Box<dyn Part>) {
        self.is_out = false;
    }
}

impl Part for Lent {
    fn advance(&mut self, _: Budget) -> bool {
        assert_ne!(self.bytes, 0, "as it should, in a test");
        thread::sleep(Duration::from_millis(5));
        true
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // The test may be over.
        let _ = self.held.send(self.memory.held());
    }
}

#[test]
fn a_parts_memory_is_given_back_after_it_is_freed() {
    let bytes = 64 << 20;
    let memory = memory(1 << 30, 2);
    let (held, freed) = channel();
    let search = Lender {
        bytes,
        memory: Arc::clone(&memory),
        is_out: false,
        held,
    };
    let pool = Pool::start(2, 2).unwrap();
    let due = Instant::now() + PATIENCE;
    let (asker, publisher) = Shared::<Vec<u8>>::begin(false, due);
    let reservation = memory.reserve(1 << 10).unwrap();
    let job = Job::new(search, publisher, u64::MAX, u64::MAX, reservation);
    asker.shared().placed(pool.submit(Box::new(job)).unwrap());
    wait_until(|| memory.held() >= bytes);
    // By now a helper is on it.
    thread::sleep(Duration::from_millis(20));
    drop(asker);
    assert!(receive(&freed) >= bytes);
    wait_until(|| memory.held() == 0);
}

#[test]
fn a_panic_in_a_part_costs_its_search_alone() {
    let Started {
        pool, outbox, seen, ..
    } = start(ENDLESS, u64::MAX);
    wait_until(|| seen.is_helped());
    seen.panics.store(true, Ordering::Relaxed);
    wait_until(|| outbox.told(|told| told.end.is_some()));
    assert_eq!(outbox.told(|told| told.end), Some(End::Defect));
    // Both workers are still there, and the task's place is free.
    let (sender, said) = channel();
    let (barrier, both) = (Arc::new(std::sync::Barrier::new(2)), Arc::new(()));
    for _ in 0..2 {
        let (barrier, sender, both) = (Arc::clone(&barrier), sender.clone(), Arc::clone(&both));
        let meet = task(move |_| {
            let _both = &both;
            barrier.wait();
            sender.send(Instant::now()).unwrap();
            Next::Finished
        });
        pool.submit(meet).unwrap();
    }
    receive(&said);
    receive(&said);
}

#[test]
fn a_search_that_could_go_on_ends_when_a_part_panics() {
    let memory = memory(1 << 30, 2);
    let (held, _freed) = channel();
    let search = Lender {
        bytes: 0,
        memory: Arc::clone(&memory),
        is_out: false,
        held,
    };
    let before = panics("search");
    let pool = Pool::start(2, 2).unwrap();
    let due = Instant::now() + PATIENCE;
    let (asker, publisher) = Shared::<Vec<u8>>::begin(false, due);
    let reservation = memory.reserve(0).unwrap();
    let job = Job::new(search, publisher, u64::MAX, u64::MAX, reservation);
    asker.shared().placed(pool.submit(Box::new(job)).unwrap());
    wait_until(|| asker.snapshot().end.is_some());
    assert_eq!(asker.snapshot().end, Some(End::Defect));
    // Its worker counts it once it has unwound, which the search does not wait for.
    wait_until(|| panics("search") > before);
}

#[test]
fn a_pool_that_is_dropped_takes_parts_along() {
    let Started {
        pool, outbox, seen, ..
    } = start(ENDLESS, u64::MAX);
    wait_until(|| seen.is_helped());
    drop(pool);
    wait_until(|| {
        seen.handed_out.load(Ordering::Relaxed) == seen.dropped_parts.load(Ordering::Relaxed)
    });
    assert_eq!(outbox.told(|told| told.end), None);
}

#[test]
fn without_a_pool_nobody_comes() {
    let fresh = AtomicUsize::new(0);
    let turn = Turn::new(PATIENCE, &fresh);
    assert!(!turn.has_helper());
    let (search, seen) = countable(100_000);
    let (mut job, outbox): (Job<_, _>, _) = job(search, u64::MAX, u64::MAX);
    assert_eq!(job.run(&turn), Next::Finished);
    assert_eq!(outbox.told(|told| told.progress.generated), 100_000);
    assert_eq!(seen.handed_out.load(Ordering::Relaxed), 0);
}
