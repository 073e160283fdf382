//! Tables that come when they are wanted, and go when there is no room.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use loyd::engine::table_store::TableStore;
use loyd::puzzle::{Dice, Metric, Problem};
use loyd::search::distance_table::{Class, DistanceTable};

use crate::fake::{PATIENCE, receive};
use crate::support::{random_problem, shape};

const SINGLE: Metric = Metric::SingleTile;

/// A board of 2×5 for each of its three classes, whose tables are 241,920 bytes each.
fn of_class(home: usize) -> Problem {
    random_problem(shape(2, 5), home, &mut Dice::new(home as u64))
}

fn is_there(store: &TableStore, problem: &Problem) -> bool {
    let class = Class::of(problem).unwrap();
    store.tables().ready(class).is_some()
}

/// Asks until the table is ready.
fn wait_for(store: &TableStore, problem: &Problem) {
    let begun = Instant::now();
    while !store.ready(problem, SINGLE) {
        assert!(begun.elapsed() < PATIENCE, "the table was not built");
        std::thread::yield_now();
    }
}

/// A store whose tables are built at once, and how many were.
fn store(most_bytes: u64) -> (TableStore, Arc<AtomicUsize>) {
    let built = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&built);
    let build = move |class, _: &dyn Fn(u64) -> bool| {
        count.fetch_add(1, Ordering::Relaxed);
        Some(DistanceTable::new(class))
    };
    (TableStore::built_by(most_bytes, Box::new(build)), built)
}

#[test]
fn the_table_used_least_recently_makes_room() {
    let (store, built) = store(500_000);
    let small = store.tables().bytes();
    let [first, second, third] = [9, 8, 7].map(of_class);
    wait_for(&store, &first);
    wait_for(&store, &second);
    assert_eq!(store.tables().bytes(), small + 2 * 241_920);
    let class = Class::of(&second).unwrap();
    let walked = store.tables().ready(class).unwrap();
    // The second one is now the one that was not used for longest.
    assert!(store.ready(&first, SINGLE));
    wait_for(&store, &third);
    assert_eq!(store.tables().bytes(), small + 2 * 241_920);
    assert!(is_there(&store, &first));
    assert!(!is_there(&store, &second));
    // Whoever walks it keeps it.
    assert!(walked.distance(&second).is_some());
    wait_for(&store, &second);
    assert!(!is_there(&store, &first));
    assert!(is_there(&store, &third));
    assert_eq!(built.load(Ordering::Relaxed), 4);
}

#[test]
fn a_table_for_which_there_is_no_room_at_all_is_never_built() {
    let (store, built) = store(241_919);
    for _ in 0..3 {
        assert!(!store.ready(&of_class(9), SINGLE));
    }
    assert!(store.ready(&random_problem(shape(3, 3), 8, &mut Dice::new(1)), SINGLE));
    drop(store);
    assert_eq!(built.load(Ordering::Relaxed), 0);
}

#[test]
fn one_table_is_built_at_a_time_whoever_asks() {
    let (begun, begins) = mpsc::channel();
    let (go, gone) = mpsc::channel();
    let gone = std::sync::Mutex::new(gone);
    let build = move |class, _: &dyn Fn(u64) -> bool| {
        begun.send(class).unwrap();
        receive(&gone.lock().unwrap());
        Some(DistanceTable::new(class))
    };
    let store = TableStore::built_by(1 << 20, Box::new(build));
    let problems = [9, 8, 9, 8].map(of_class);
    for problem in &problems {
        assert!(!store.ready(problem, SINGLE));
    }
    assert_eq!(receive(&begins), Class::of(&problems[0]).unwrap());
    assert!(begins.try_recv().is_err(), "two builds at once");
    go.send(()).unwrap();
    assert_eq!(receive(&begins), Class::of(&problems[1]).unwrap());
    assert!(store.ready(&problems[0], SINGLE));
    go.send(()).unwrap();
    wait_for(&store, &problems[1]);
    assert!(begins.try_recv().is_err(), "a table was built twice");
}

#[test]
fn a_panic_costs_one_table_and_no_other() {
    let doomed = Class::of(&of_class(9)).unwrap();
    let (tried, tries) = mpsc::channel();
    let build = move |class, _: &dyn Fn(u64) -> bool| {
        tried.send(class).unwrap();
        assert_ne!(class, doomed, "a defect");
        Some(DistanceTable::new(class))
    };
    let store = TableStore::built_by(1 << 20, Box::new(build));
    assert!(!store.ready(&of_class(9), SINGLE));
    assert_eq!(receive(&tries), doomed);
    wait_for(&store, &of_class(8));
    assert!(!store.ready(&of_class(9), SINGLE));
    wait_for(&store, &of_class(7));
    let others: Vec<Class> = tries.try_iter().collect();
    assert!(!others.contains(&doomed), "it was tried again");
}

#[test]
fn a_store_that_is_closed_gives_its_build_up() {
    let (begun, begins) = mpsc::channel();
    let (ended, ends) = mpsc::channel();
    let build = move |class: Class, go_on: &dyn Fn(u64) -> bool| {
        begun.send(()).unwrap();
        while go_on(class.boards() as u64 / 2) {
            std::thread::yield_now();
        }
        ended.send(()).unwrap();
        None
    };
    let store = TableStore::built_by(1 << 20, Box::new(build));
    assert!(!store.ready(&of_class(9), SINGLE));
    receive(&begins);
    drop(store);
    receive(&ends);
}

#[test]
fn a_build_of_12_cells_ends_between_two_distances() {
    // The real way to build, told to stop by a drop in the middle.
    let store = TableStore::new(128 << 20, std::num::NonZeroUsize::MIN);
    let problem = random_problem(shape(3, 4), 11, &mut Dice::new(12));
    assert!(!store.ready(&problem, SINGLE));
    let tables = Arc::clone(store.tables());
    drop(store);
    let begun = Instant::now();
    // Whoever builds holds the tables, too.
    while Arc::strong_count(&tables) > 1 {
        assert!(begun.elapsed() < PATIENCE, "the build goes on");
        std::thread::yield_now();
    }
    assert!(tables.ready(Class::of(&problem).unwrap()).is_none());
}
