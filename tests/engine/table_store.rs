//! Tables that are built when they are wanted, and evicted when there is no room.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use loyd::engine::guide_builder::GuideBuilder;
use loyd::engine::table_store::{Build, TableStore};
use loyd::heuristic::HeuristicKind;
use loyd::heuristic::pattern_database::Store;
use loyd::puzzle::{Dice, Home, Metric, Problem};
use loyd::search::distance_table::{Class, DistanceTable};
use loyd::search::{Budget, Step, ida_star};

use crate::fake::{PATIENCE, counted, panics, receive};
use crate::support::{random_problem, shape};

const SINGLE: Metric = Metric::SingleTile;

/// A 2×5 board for each of its three classes, whose tables take 241,920 bytes each.
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
    while !store.ready(problem, SINGLE).distances {
        assert!(begun.elapsed() < PATIENCE, "the table was not built");
        std::thread::yield_now();
    }
}

fn built_by(most_bytes: u64, build: Box<Build>) -> TableStore {
    idle_after(Duration::ZERO, most_bytes, build)
}

/// A store whose tables make room for others so long after their last use.
fn idle_after(idle: Duration, most_bytes: u64, build: Box<Build>) -> TableStore {
    TableStore::built_by(
        most_bytes,
        u64::MAX,
        idle,
        NonZeroUsize::MIN,
        GuideBuilder::new(None, 0),
        build,
    )
}

/// Builds that take no time, and a count of them.
fn tallied() -> (Box<Build>, Arc<AtomicUsize>) {
    let built = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&built);
    let build = move |class, _: &dyn Fn(u64) -> bool| {
        count.fetch_add(1, Ordering::Relaxed);
        Some(DistanceTable::new(class))
    };
    (Box::new(build), built)
}

/// A store whose builds take no time, and a count of them.
fn store(most_bytes: u64) -> (TableStore, Arc<AtomicUsize>) {
    let (build, built) = tallied();
    (built_by(most_bytes, build), built)
}

#[test]
fn the_table_used_least_recently_makes_room() {
    let evicted = || counted("loyd_tables_evicted_total");
    let before = evicted();
    let (store, built) = store(500_000);
    let small = store.tables().bytes();
    let [first, second, third] = [9, 8, 7].map(of_class);
    wait_for(&store, &first);
    wait_for(&store, &second);
    assert_eq!(store.tables().bytes(), small + 2 * 241_920);
    let class = Class::of(&second).unwrap();
    let walked = store.tables().ready(class).unwrap();
    // The second is now the least recently used.
    assert!(store.ready(&first, SINGLE).distances);
    wait_for(&store, &third);
    assert_eq!(store.tables().bytes(), small + 2 * 241_920);
    assert!(is_there(&store, &first));
    assert!(!is_there(&store, &second));
    // A search that uses it keeps it.
    assert!(walked.distance(&second).is_some());
    wait_for(&store, &second);
    assert!(!is_there(&store, &first));
    assert!(is_there(&store, &third));
    assert_eq!(built.load(Ordering::Relaxed), 4);
    assert!(evicted() >= before + 2);
}

#[test]
fn tables_in_use_make_no_room_and_nothing_is_tried_in_vain_again_and_again() {
    let (build, built) = tallied();
    let store = idle_after(Duration::from_secs(3600), 500_000, build);
    let [first, second, third] = [9, 8, 7].map(of_class);
    wait_for(&store, &first);
    wait_for(&store, &second);
    for _ in 0..100 {
        assert!(!store.ready(&third, SINGLE).distances);
        settle(&store);
    }
    // By now no thread looks whether there is room.
    for _ in 0..100 {
        assert!(!store.ready(&third, SINGLE).distances);
        assert!(store.is_settled());
    }
    assert!(is_there(&store, &first) && is_there(&store, &second));
    assert_eq!(built.load(Ordering::Relaxed), 2);
}

#[test]
fn a_table_that_had_no_room_is_tried_again_once_another_is_idle() {
    let (build, _) = tallied();
    let store = idle_after(Duration::from_millis(200), 500_000, build);
    let [first, second, third] = [9, 8, 7].map(of_class);
    wait_for(&store, &second);
    wait_for(&store, &first);
    let begun = Instant::now();
    while !store.ready(&third, SINGLE).distances {
        assert!(begun.elapsed() < PATIENCE, "it was not tried again");
        assert!(store.ready(&first, SINGLE).distances);
        std::thread::yield_now();
    }
    assert!(is_there(&store, &first) && !is_there(&store, &second));
}

#[test]
fn a_table_for_which_there_is_no_room_at_all_is_never_built() {
    let (store, built) = store(241_919);
    for _ in 0..3 {
        assert!(!store.ready(&of_class(9), SINGLE).distances);
    }
    assert!(
        store
            .ready(&random_problem(shape(3, 3), 8, &mut Dice::new(1)), SINGLE)
            .distances
    );
    drop(store);
    assert_eq!(built.load(Ordering::Relaxed), 0);
}

#[test]
fn exact_distances_whose_build_takes_more_than_it_may_are_never_built() {
    // The table's size once more.
    for (build_memory, is_built) in [(241_920, true), (241_919, false)] {
        let store = guided(1 << 20, None, build_memory);
        assert!(!store.ready(&of_class(9), SINGLE).distances);
        settle(&store);
        assert_eq!(store.ready(&of_class(9), SINGLE).distances, is_built);
    }
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
    let store = built_by(1 << 20, Box::new(build));
    let problems = [9, 8, 9, 8].map(of_class);
    for problem in &problems {
        assert!(!store.ready(problem, SINGLE).distances);
    }
    assert_eq!(receive(&begins), Class::of(&problems[0]).unwrap());
    assert!(begins.try_recv().is_err(), "two builds at once");
    go.send(()).unwrap();
    assert_eq!(receive(&begins), Class::of(&problems[1]).unwrap());
    assert!(store.ready(&problems[0], SINGLE).distances);
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
    let before = panics("table");
    let store = built_by(1 << 20, Box::new(build));
    assert!(!store.ready(&of_class(9), SINGLE).distances);
    assert_eq!(receive(&tries), doomed);
    wait_for(&store, &of_class(8));
    assert!(panics("table") > before);
    assert!(!store.ready(&of_class(9), SINGLE).distances);
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
    let store = built_by(1 << 20, Box::new(build));
    assert!(!store.ready(&of_class(9), SINGLE).distances);
    receive(&begins);
    drop(store);
    receive(&ends);
}

#[test]
fn a_build_of_12_cells_ends_between_two_distances() {
    // The real build, stopped by a drop in the middle.
    let store = TableStore::new(
        128 << 20,
        32 << 20,
        Duration::ZERO,
        NonZeroUsize::MIN,
        GuideBuilder::new(None, 0),
    );
    let problem = random_problem(shape(3, 4), 11, &mut Dice::new(12));
    assert!(!store.ready(&problem, SINGLE).distances);
    let tables = Arc::clone(store.tables());
    drop(store);
    let begun = Instant::now();
    // The building thread holds the tables too.
    while Arc::strong_count(&tables) > 1 {
        assert!(begun.elapsed() < PATIENCE, "the build goes on");
        std::thread::yield_now();
    }
    assert!(tables.ready(Class::of(&problem).unwrap()).is_none());
}

#[test]
fn tables_of_pushes_are_built_when_they_are_wanted() {
    let guides = GuideBuilder::new(None, 0);
    let store = TableStore::new(
        128 << 20,
        u64::MAX,
        Duration::ZERO,
        NonZeroUsize::MIN,
        guides,
    );
    let problem = of_class(9);
    let begun = Instant::now();
    while !store.ready(&problem, Metric::MultiTile).distances {
        assert!(begun.elapsed() < PATIENCE, "the table was not built");
        std::thread::yield_now();
    }
    let class = Class::of(&problem).unwrap();
    let class = class.counted_in(Metric::MultiTile).unwrap();
    let table = store.tables().ready(class).unwrap();
    assert_eq!(table.class(), class);
}

/// A 4×4 board with the blank's home on a cell.
fn fifteen(home: usize) -> Problem {
    random_problem(shape(4, 4), home, &mut Dice::new(home as u64))
}

fn settle(store: &TableStore) {
    let begun = Instant::now();
    while !store.is_settled() {
        assert!(begun.elapsed() < PATIENCE, "the tables were not built");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A store of pattern databases as large as this much memory allows.
fn guided(most_bytes: u64, folder: Option<&Path>, build_memory: u64) -> TableStore {
    let folder = folder.map(|folder| Store::new(folder.to_owned()));
    let guides = GuideBuilder::new(folder, build_memory);
    guided_by(guides, most_bytes, build_memory, Duration::ZERO)
}

fn guided_by(
    guides: GuideBuilder,
    most_bytes: u64,
    build_memory: u64,
    idle: Duration,
) -> TableStore {
    TableStore::new(most_bytes, build_memory, idle, NonZeroUsize::MIN, guides)
}

#[test]
fn the_smallest_guide_is_there_at_once_and_the_best_one_later() {
    let store = guided(25_000_000, None, u64::MAX);
    store.prepare(shape(4, 4), 15);
    let problem = fifteen(15);
    assert!(store.ready(&problem, SINGLE).guide);
    settle(&store);
    // 7-6-2 for the usual home, and smaller ones for the others in what is left.
    assert!(store.bytes() > 19_000_000 && store.bytes() <= 25_000_000);
    let mut solver = store.tables().guides().solver(&problem).unwrap();
    let Step::Found(solution) = solver.advance(Budget::UNLIMITED) else {
        panic!("without a limit it runs to the solution");
    };
    let mut other = ida_star::solver(&problem, HeuristicKind::default());
    let Step::Found(same) = other.advance(Budget::UNLIMITED) else {
        panic!("without a limit it runs to the solution");
    };
    assert_eq!(solution.len(), same.len());
    // Pushes have other bounds.
    assert!(!store.ready(&problem, Metric::MultiTile).guide);
}

#[test]
fn another_homes_guide_is_built_when_it_is_asked_for() {
    // Those for 7 take most, but include tables of all the others.
    for (most_bytes, homes, have_room_together) in [
        (4_700_000, &[0, 5, 7, 15][..], true),
        (4_500_000, &[0, 5, 15], false),
    ] {
        let store = guided(most_bytes, None, u64::MAX);
        for &home in homes {
            let problem = fifteen(home);
            store.ready(&problem, SINGLE);
            settle(&store);
            assert!(store.ready(&problem, SINGLE).guide);
            assert!(store.tables().guides().solver(&problem).is_some());
            assert!(store.bytes() as u64 <= most_bytes, "{}", store.bytes());
        }
        assert_eq!(store.ready(&fifteen(5), SINGLE).guide, have_room_together);
    }
}

#[test]
fn what_a_search_holds_costs_no_other_table_its_place() {
    let store = guided(4_500_000, None, u64::MAX);
    let first = fifteen(15);
    store.prepare(shape(4, 4), 15);
    settle(&store);
    let searches = store.tables().guides().solver(&first).unwrap();
    let small = of_class(9);
    wait_for(&store, &small);
    let second = fifteen(5);
    store.ready(&second, SINGLE);
    settle(&store);
    assert!(store.ready(&second, SINGLE).guide);
    assert!(is_there(&store, &small));
    assert!(store.tables().guides().solver(&first).is_none());
    // It is gone with the last search that uses it.
    assert!(store.bytes() > 4_500_000);
    drop(searches);
    assert!(store.bytes() <= 4_500_000, "{}", store.bytes());
}

#[test]
fn a_spare_guide_makes_way_for_the_best_one_once_its_home_is_asked_for() {
    // Room for 7-6-2 of the first home, and for a lesser guide of the other.
    let store = guided(25_000_000, None, u64::MAX);
    settle_prepared(&store);
    let other = fifteen(5);
    let solver = store.tables().guides().solver(&other);
    assert!(solver.is_some(), "searches from the other end have none");
    drop(solver);
    let before = store.bytes();
    assert!(store.ready(&other, SINGLE).guide);
    settle(&store);
    assert!(store.ready(&other, SINGLE).guide);
    // There is room for the best guide of one of the two homes.
    assert!(!store.ready(&fifteen(15), SINGLE).guide);
    assert_ne!(store.bytes(), before);
}

#[test]
fn a_guide_that_nobody_has_asked_for_makes_room_at_once() {
    let most_bytes = 4_700_000;
    let builder = GuideBuilder::new(None, u64::MAX);
    let store = guided_by(builder, most_bytes, u64::MAX, Duration::from_secs(3600));
    settle_prepared(&store);
    let before = store.bytes() as u64;
    assert!(before + 241_920 > most_bytes, "{before}");
    wait_for(&store, &of_class(9));
    assert!(store.ready(&fifteen(15), SINGLE).guide);
}

#[test]
fn the_first_guide_that_had_no_room_beside_tables_in_use_is_made_once_they_are_idle() {
    let builder = GuideBuilder::new(None, u64::MAX);
    let idle = Duration::from_millis(200);
    let store = guided_by(builder, 3_300_000, u64::MAX, idle);
    wait_for(&store, &of_class(9));
    let begun = Instant::now();
    while !store.ready(&fifteen(15), SINGLE).guide {
        assert!(begun.elapsed() < PATIENCE, "it was not tried again");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(store.bytes() + 241_920 > 3_300_000);
}

#[test]
fn beside_a_guide_in_use_the_best_that_fits_is_made_and_the_best_of_all_once_it_is_idle() {
    let idle = Duration::from_secs(2);
    let store = guided_by(
        GuideBuilder::new(None, u64::MAX),
        25_000_000,
        u64::MAX,
        idle,
    );
    settle_prepared(&store);
    let (first, other) = (fifteen(15), fifteen(5));
    let mut begun = Instant::now();
    // Both keep theirs, although only one of them can have the best.
    while begun.elapsed() < 2 * idle {
        assert!(store.ready(&first, SINGLE).guide);
        assert!(store.ready(&other, SINGLE).guide);
        std::thread::sleep(Duration::from_millis(1));
    }
    begun = Instant::now();
    while store.tables().guides().solver(&first).is_some() {
        assert!(begun.elapsed() < PATIENCE, "the one in use gets no better");
        assert!(store.ready(&other, SINGLE).guide);
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_damaged_file_does_not_stand_in_the_way_of_a_lesser_one_that_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    // What a search with the guide of the usual home generates.
    let nodes = |store: &TableStore| {
        settle_prepared(store);
        let mut solver = store.tables().guides().solver(&fifteen(15)).unwrap();
        let found = solver.advance(Budget::UNLIMITED);
        assert!(matches!(found, Step::Found(_)));
        solver.progress().generated
    };
    let files = || -> Vec<PathBuf> {
        let files = Store::new(folder.path().to_owned()).list().unwrap();
        files.into_iter().map(|file| file.path).collect()
    };
    let lesser = nodes(&guided(25_000_000, Some(folder.path()), u64::MAX));
    let of_lesser = files();
    let best = nodes(&guided(45_000_000, Some(folder.path()), u64::MAX));
    assert_ne!(lesser, best);
    let mut of_best = files();
    of_best.retain(|path| !of_lesser.contains(path));
    assert!(!of_best.is_empty(), "they have the same tables");
    for path in of_best {
        let mut bytes = fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        fs::remove_file(&path).unwrap();
        fs::write(&path, &bytes).unwrap();
    }
    let damaged = guided(45_000_000, Some(folder.path()), 0);
    assert_eq!(nodes(&damaged), lesser);
}

#[test]
fn what_there_is_no_memory_for_is_not_tried_again() {
    for store in [
        guided(1_000_000, None, u64::MAX),
        guided(25_000_000, None, 1_000_000),
    ] {
        store.prepare(shape(4, 4), 15);
        settle(&store);
        for _ in 0..100 {
            assert!(!store.ready(&fifteen(15), SINGLE).guide);
        }
        assert!(store.is_settled());
        assert_eq!(store.bytes(), 0);
    }
}

#[test]
fn sizes_whose_tables_have_no_room_cost_nothing() {
    let most_bytes = 3_500_000;
    let store = guided(most_bytes, None, u64::MAX);
    settle_prepared(&store);
    let prepared = store.bytes();
    for (rows, columns) in [(5, 5), (3, 5), (4, 5), (3, 6), (2, 7), (2, 8)] {
        let home = rows * columns - 1;
        let problem = random_problem(shape(rows, columns), home, &mut Dice::new(5));
        assert!(!store.ready(&problem, SINGLE).guide);
        settle(&store);
        assert!(!store.ready(&problem, SINGLE).guide, "{rows}×{columns}");
        assert_eq!(store.bytes(), prepared, "{rows}×{columns}");
    }
    assert!(prepared > 0 && prepared as u64 <= most_bytes);
}

#[test]
fn tables_that_are_stored_need_no_memory_to_build() {
    let folder = tempfile::tempdir().unwrap();
    settle_prepared(&guided(25_000_000, Some(folder.path()), u64::MAX));
    let files = Store::new(folder.path().to_owned()).list().unwrap();
    assert!(files.len() >= 3);
    let mapped = guided(25_000_000, Some(folder.path()), 0);
    settle_prepared(&mapped);
    assert!(mapped.ready(&fifteen(15), SINGLE).guide);
    assert!(mapped.bytes() > 19_000_000);

    // A damaged file is refused, and rebuilt where that is possible.
    let largest = files.iter().max_by_key(|file| file.bytes).unwrap();
    let mut bytes = fs::read(&largest.path).unwrap();
    bytes[10_000] ^= 1;
    fs::remove_file(&largest.path).unwrap();
    fs::write(&largest.path, &bytes).unwrap();
    let unable = guided(25_000_000, Some(folder.path()), 0);
    settle_prepared(&unable);
    // The smaller tables that are there are used instead.
    assert!(unable.ready(&fifteen(15), SINGLE).guide);
    assert!(unable.bytes() < 19_000_000, "{}", unable.bytes());
    assert_eq!(fs::read(&largest.path).unwrap(), bytes);
    settle_prepared(&guided(25_000_000, Some(folder.path()), u64::MAX));
    bytes[10_000] ^= 1;
    assert_eq!(fs::read(&largest.path).unwrap(), bytes);
}

#[test]
fn a_file_that_is_of_no_use_does_not_stand_for_its_table() {
    let folder = tempfile::tempdir().unwrap();
    settle_prepared(&guided(4_500_000, Some(folder.path()), u64::MAX));
    let home = Home::new(shape(4, 4), 15);
    let smallest = &GuideBuilder::choices(home)[0];
    let can_build = || {
        let store = Store::new(folder.path().to_owned());
        GuideBuilder::new(Some(store), 0).can_build(smallest)
    };
    assert!(can_build());
    let files = Store::new(folder.path().to_owned()).list().unwrap();
    let largest = files.iter().max_by_key(|file| file.bytes).unwrap();
    let whole = fs::read(&largest.path).unwrap();
    let write = |bytes: &[u8]| {
        fs::remove_file(&largest.path).unwrap();
        fs::write(&largest.path, bytes).unwrap();
    };
    // Cut off, and from another release.
    write(&whole[..whole.len() - 8]);
    assert!(!can_build());
    let mut foreign = whole.clone();
    foreign[8] ^= 0x40;
    write(&foreign);
    assert!(!can_build());
    let store = guided(4_500_000, Some(folder.path()), 0);
    settle_prepared(&store);
    assert!(!store.ready(&fifteen(15), SINGLE).guide);
    write(&whole);
    assert!(can_build());
}

fn settle_prepared(store: &TableStore) {
    store.prepare(shape(4, 4), 15);
    settle(store);
}

#[test]
fn a_build_of_pattern_databases_is_given_up_with_the_store() {
    // Before it has begun, and in the middle.
    for pause in [0, 100] {
        let store = guided(256_000_000, None, u64::MAX);
        store.prepare(shape(4, 4), 15);
        std::thread::sleep(Duration::from_millis(pause));
        store.close();
        settle(&store);
        // Those that would have been built take more.
        assert!(store.bytes() < 20_000_000);
        assert!(store.ready(&fifteen(15), SINGLE).guide);
    }
}
