//! What the engine tells of itself. Elsewhere it may have told other recorders.

use std::array::IntoIter;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use loyd::engine::Client;
use loyd::engine::guide_builder::GuideBuilder;
use loyd::engine::memory::Memory;
use loyd::engine::pool::{HelperWork, Next, Pool, Task, Turn};
use loyd::engine::table_store::{Build, TableStore};
use loyd::puzzle::{Board, Problem, Shape};
use loyd::search::distance_table::Class;

use crate::here::told;
use crate::server::wait_for;

/// One test at a time has tables built, as what they tell is the same.
fn turn() -> impl Sized {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One test at a time has a pool, for the same reason.
fn turn_of_pools() -> impl Sized {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A task whose turns end like this, one after the other.
struct Turns<const N: usize>(IntoIter<Next, N>);

impl<const N: usize> Task for Turns<N> {
    fn run(&mut self, _: &Turn<'_>) -> Next {
        self.0.next().unwrap_or(Next::Finished)
    }

    fn panicked(&mut self) {}
}

fn turns<const N: usize>(turns: [Next; N]) -> Box<Turns<N>> {
    Box::new(Turns(turns.into_iter()))
}

/// Has a task keep the one worker of a pool until the sender is dropped.
fn hold_worker(pool: &Pool) -> Sender<()> {
    let ((begin, begun), (release, released)) = (channel(), channel());
    let holds = Once(Some(move || {
        begin.send(()).unwrap();
        // The disconnection is what is waited for.
        let _ = released.recv();
    }));
    pool.submit(Box::new(holds)).unwrap();
    begun.recv().unwrap();
    release
}

/// A task that shares this once.
struct Shares(Option<Arc<dyn HelperWork>>);

impl Task for Shares {
    fn run(&mut self, turn: &Turn<'_>) -> Next {
        let Some(work) = &self.0 else {
            return Next::Finished;
        };
        // The other worker may not be idle yet.
        if !turn.offer(Arc::clone(work)) {
            return Next::Again;
        }
        self.0 = None;
        Next::Park
    }

    fn panicked(&mut self) {}
}

/// A task that runs this once.
struct Once<F>(Option<F>);

impl<F: FnOnce() + Send> Task for Once<F> {
    fn run(&mut self, _: &Turn<'_>) -> Next {
        self.0.take().into_iter().for_each(|run| run());
        Next::Finished
    }

    fn panicked(&mut self) {}
}

#[test]
fn who_waited_for_a_worker_in_vain_has_waited() {
    let _turn = turn_of_pools();
    let seconds = || told().sum("loyd_queue_seconds_sum", &[]);
    let before = seconds();
    let pool = Pool::start(1, 2).unwrap();
    let release = hold_worker(&pool);
    let waits = pool.submit(turns([])).unwrap();
    thread::sleep(Duration::from_millis(500));
    waits.cancel();
    assert!(seconds() >= before + 0.5);
    drop(release);
}

#[test]
fn who_waited_for_others_in_line_has_waited_since_it_came() {
    let _turn = turn_of_pools();
    let seconds = || told().sum("loyd_queue_seconds_sum", &[]);
    let before = seconds();
    let pool = Pool::start(1, 3).unwrap();
    let release = hold_worker(&pool);
    for _ in 0..2 {
        pool.submit(turns([])).unwrap();
    }
    thread::sleep(Duration::from_millis(200));
    drop(release);
    wait_for(|| (pool.tasks() == 0).then_some(()), "the tasks to end");
    assert!(seconds() >= before + 0.4);
}

#[test]
fn who_has_several_turns_has_waited_in_line_for_the_first() {
    let _turn = turn_of_pools();
    let waits = || told().sum("loyd_queue_seconds_count", &[]);
    let before = waits();
    let pool = Pool::start(1, 1).unwrap();
    let ticket = pool
        .submit(turns([Next::Again, Next::Park, Next::Again]))
        .unwrap();
    wait_for(
        || {
            ticket.wake();
            (pool.tasks() == 0).then_some(())
        },
        "the task to end",
    );
    assert_eq!(waits(), before + 1.0);
}

#[test]
fn what_the_tasks_of_a_pool_do_is_told_as_they_do_it() {
    let _turn = turn_of_pools();
    let does = || {
        let told = told();
        [
            "loyd_queue_depth",
            "loyd_searches_running",
            "loyd_searches_parked",
        ]
        .map(|state| told.sum(state, &[]))
    };
    let until = |state| wait_for(|| (does() == state).then_some(()), "what is told");
    does();
    let pool = Pool::start(1, 3).unwrap();
    let size = ["loyd_workers", "loyd_pool_capacity"].map(|size| told().sum(size, &[]));
    assert_eq!(size, [1.0, 3.0]);
    let parks = pool.submit(turns([Next::Park])).unwrap();
    until([0.0, 0.0, 1.0]);
    let release = hold_worker(&pool);
    assert_eq!(does(), [0.0, 1.0, 1.0]);
    let waits = pool.submit(turns([])).unwrap();
    assert_eq!(does(), [1.0, 1.0, 1.0]);
    parks.wake();
    assert_eq!(does(), [2.0, 1.0, 0.0]);
    waits.cancel();
    assert_eq!(does(), [1.0, 1.0, 0.0]);
    drop(release);
    until([0.0; 3]);
}

#[test]
fn who_is_charged_without_a_task_is_told_of_as_a_client() {
    let _turn = turn_of_pools();
    let clients = || told().sum("loyd_clients", &[]);
    clients();
    let pool = Pool::start(1, 2).unwrap();
    let release = hold_worker(&pool);
    let _waits = pool.submit(turns([])).unwrap();
    assert_eq!(clients(), 0.0);
    let client = Client {
        name: "client".into(),
        weight: NonZeroU32::MIN,
    };
    pool.begin_here(Some(&client), &mut *turns([]), Duration::ZERO);
    assert_eq!(clients(), 1.0);
    drop(release);
}

#[test]
fn a_worker_is_told_of_as_helping_for_as_long_as_it_does() {
    struct Help(Sender<()>, Mutex<Receiver<()>>);
    impl HelperWork for Help {
        fn run(&self, _: &Turn<'_>) -> bool {
            self.0.send(()).unwrap();
            // The disconnection is what is waited for.
            let _ = self.1.lock().unwrap().recv();
            false
        }
    }
    let _turn = turn_of_pools();
    let helping = || told().sum("loyd_workers_helping", &[]);
    helping();
    let pool = Pool::start(2, 1).unwrap();
    let ((begin, begun), (release, released)) = (channel(), channel());
    let help = Arc::new(Help(begin, Mutex::new(released)));
    pool.submit(Box::new(Shares(Some(help)))).unwrap();
    begun.recv().unwrap();
    assert_eq!(helping(), 1.0);
    drop(release);
    wait_for(|| (helping() == 0.0).then_some(()), "the help to end");
}

#[test]
fn a_build_that_has_panicked_is_no_longer_going_on() {
    let _turn = turn();
    let ratio = || told().sum("loyd_tables_build_ratio", &[]);
    ratio();
    let build: Box<Build> = Box::new(|class: Class, go_on: &dyn Fn(u64) -> bool| {
        go_on(class.boards() as u64 / 2);
        panic!("as it should, in a test");
    });
    let store = TableStore::built_by(
        u64::MAX,
        u64::MAX,
        Duration::ZERO,
        NonZeroUsize::MIN,
        GuideBuilder::new(None, 0),
        build,
    );
    store.want_all(Shape::new(2, 5).unwrap(), 9);
    settle(&store);
    assert_eq!(ratio(), 0.0);
}

#[test]
fn what_a_search_may_only_grow_by_is_not_told_of_as_held() {
    let held = || told().sum("loyd_memory_bytes", &[]);
    held();
    // As exact as the numbers that are told, whatever else this process does meanwhile.
    let memory = Arc::new(Memory::new(1 << 50, 1));
    let mut search = memory.reserve(1 << 40).unwrap();
    search.grow(u64::MAX);
    search.report();
    assert!(memory.held() > 1 << 49);
    assert!((2.0_f64.powi(40)..2.0_f64.powi(41)).contains(&held()));
    drop(search);
    assert!(held() < 2.0_f64.powi(40));
}

/// A store that builds everything, within so much memory.
fn store(most_bytes: u64, idle: Duration) -> TableStore {
    let guides = GuideBuilder::new(None, u64::MAX);
    TableStore::new(most_bytes, u64::MAX, idle, NonZeroUsize::MIN, guides)
}

fn settle(store: &TableStore) {
    wait_for(|| store.is_settled().then_some(()), "the builds to end");
}

#[test]
fn a_table_that_has_found_room_is_no_longer_told_of_as_refused() {
    let _turn = turn();
    let refused = || told().sum("loyd_tables_refused", &[]);
    refused();
    let want = |store: &TableStore, home| {
        store.want_all(Shape::new(2, 5).unwrap(), home);
        settle(store);
    };
    let (store, there) = wait_for(
        || {
            // Room for two of three tables, if nobody uses one of them.
            let store = store(500_000, Duration::from_secs(1));
            want(&store, 9);
            want(&store, 8);
            let there = (store.tables().count(), store.tables().bytes());
            want(&store, 7);
            // On a busy machine the first may have gone unused for long enough by then.
            (refused() > 0.0).then_some((store, there))
        },
        "a table to be refused",
    );
    let third = Class::new(Shape::new(2, 5).unwrap(), 7).unwrap();
    wait_for(
        || {
            want(&store, 7);
            store.tables().ready(third)
        },
        "the third table",
    );
    assert_eq!(refused(), 0.0);
    assert_eq!((store.tables().count(), store.tables().bytes()), there);
}

#[test]
fn databases_that_guide_no_longer_are_told_of_so() {
    let _turn = turn();
    let home = ("home", "4×4, blank at 15");
    let guides = || told().sum("loyd_pattern_databases", &[home]);
    assert_eq!(guides(), 0.0);
    let prepared = |most_bytes| {
        let store = store(most_bytes, Duration::ZERO);
        store.prepare(Shape::new(4, 4).unwrap(), 15);
        settle(&store);
        assert_eq!(guides(), 1.0);
        store
    };
    // No room for a table beside them.
    let small = prepared(3_300_000);
    small.want_all(Shape::new(2, 5).unwrap(), 9);
    settle(&small);
    assert_eq!(guides(), 0.0);
    // Better ones replace the smallest.
    let large = prepared(25_000_000);
    assert!(large.bytes() > 4_500_000);
}

#[test]
fn databases_are_told_of_until_the_last_search_that_uses_them_ends() {
    let _turn = turn();
    let bytes = || told().sum("loyd_pattern_databases_bytes", &[]);
    let shape = Shape::new(4, 4).unwrap();
    let goal = Board::solved(shape);
    let problem = Problem::new(&goal, &goal).unwrap();
    // No room for a table beside the smallest.
    let store = store(3_300_000, Duration::ZERO);
    store.prepare(shape, 15);
    settle(&store);
    let search = store.tables().guides().solver(&problem).unwrap();
    store.want_all(Shape::new(2, 5).unwrap(), 9);
    settle(&store);
    assert!(store.tables().guides().solver(&problem).is_none());
    let held = bytes();
    drop(search);
    assert!(bytes() + 3_000_000.0 < held, "{held}");
}
