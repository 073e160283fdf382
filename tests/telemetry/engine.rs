//! What the engine tells of itself. Elsewhere it may have told other recorders.

use std::num::NonZeroUsize;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use loyd::engine::guide_builder::GuideBuilder;
use loyd::engine::memory::Memory;
use loyd::engine::pool::{Next, Pool, Task, Turn};
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
    let seconds = || told().sum("loyd_queue_seconds_sum", &[]);
    let before = seconds();
    let pool = Pool::start(1, 2).unwrap();
    let ((begin, begun), (release, released)) = (channel(), channel::<()>());
    let holds = Once(Some(move || {
        begin.send(()).unwrap();
        // The disconnection is what is waited for.
        let _ = released.recv();
    }));
    pool.submit_for(None, Box::new(holds)).unwrap();
    begun.recv().unwrap();
    let waits = pool.submit_for(None, Box::new(Once(Some(|| ())))).unwrap();
    thread::sleep(Duration::from_millis(500));
    waits.cancel();
    assert!(seconds() >= before + 0.5);
    drop(release);
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
