use std::collections::VecDeque;
use std::fs;
use std::process::Command;
use std::sync::Arc;

use loyd::heuristic::pattern_database::{
    Additive, CellSet, Event, NotBuilt, Partition, Pattern, PatternDatabase, Store, Tables, Tier,
    Watch,
};
use loyd::puzzle::{Dice, Problem, Shape, Symmetry};
use rustc_hash::FxHashMap;

use crate::support::{all_distances, any_direction, goal, neighbours, random_problem, shape};

fn cells(cells: &[usize]) -> CellSet {
    cells.iter().copied().collect()
}

/// Returns a table built by two threads.
fn database(pattern: Pattern) -> PatternDatabase<u64> {
    let rows = PatternDatabase::rows(pattern.shape(), pattern.cells().len());
    PatternDatabase::new(pattern, rows, 2, &Watch::default()).unwrap()
}

fn additive(partitions: &[Partition]) -> Additive<u64> {
    let mut tables = Tables::new();
    tables.additive(partitions, 2, &Watch::default()).unwrap()
}

/// The cells of a pattern's tiles and of the blank.
type State = (Vec<usize>, usize);

/// Returns the distance of every state, with the blank on every cell, by a search in which the
/// moves of other tiles are free.
fn plain_distances(shape: Shape, home: usize, cells: CellSet) -> FxHashMap<State, u32> {
    let mut distances = FxHashMap::default();
    let mut queue = VecDeque::from([((cells.iter().collect::<Vec<_>>(), home), 0)]);
    while let Some(((tiles, blank), distance)) = queue.pop_front() {
        if distances.contains_key(&(tiles.clone(), blank)) {
            continue;
        }
        distances.insert((tiles.clone(), blank), distance);
        for next in (0..shape.cells()).filter(|&next| shape.distance(blank, next) == 1) {
            match tiles.iter().position(|&cell| cell == next) {
                None => queue.push_front(((tiles.clone(), next), distance)),
                Some(tile) => {
                    let mut tiles = tiles.clone();
                    tiles[tile] = blank;
                    queue.push_back(((tiles, next), distance + 1));
                }
            }
        }
    }
    distances
}

#[test]
fn distances_are_those_of_a_plain_search() {
    // Columns, corners, scattered cells; homes at a corner, on an edge, locked in, in the middle.
    for (rows, columns, home, tiles) in [
        (3, 3, 8, vec![0, 1, 2]),
        (3, 3, 8, vec![5, 7, 0, 4]),
        (3, 3, 4, vec![0, 8, 3]),
        (4, 2, 7, vec![0, 1, 2, 3]),
        (4, 2, 1, vec![0, 3, 6]),
        (4, 3, 11, vec![8, 10, 4, 0]),
        (4, 3, 7, vec![1, 6, 10]),
        (4, 4, 15, vec![11, 14, 3]),
        (8, 2, 9, vec![3, 4, 15]),
    ] {
        let shape = shape(rows, columns);
        let pattern = Pattern::new(shape, home, cells(&tiles)).unwrap();
        let (image, symmetry) = pattern.canonical();
        let database = database(image);
        // The homes of the image come in another order.
        let homes: Vec<_> = pattern.cells().iter().collect();
        let image_of = |&cell: &usize| symmetry.cell(shape, cell);
        let mut order: Vec<_> = (0..homes.len()).collect();
        order.sort_by_key(|&tile| image_of(&homes[tile]));
        let distances = plain_distances(shape, home, pattern.cells());
        for ((tiles, blank), distance) in distances {
            let seen: Vec<_> = order.iter().map(|&tile| image_of(&tiles[tile])).collect();
            assert_eq!(database.distance(&seen, image_of(&blank)), distance);
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let pattern = Pattern::new(shape(4, 3), 11, cells(&[0, 1, 2, 3, 4])).unwrap();
    let pattern = pattern.canonical().0;
    let rows = PatternDatabase::<u64>::rows(shape(4, 3), 5);
    let tables = [1, 2, 3].map(|threads| {
        let rows = Arc::clone(&rows);
        PatternDatabase::new(pattern, rows, threads, &Watch::default()).unwrap()
    });
    let mut dice = Dice::new(3);
    for _ in 0..1000 {
        let mut free: Vec<_> = (0..12).collect();
        let mut draw = || free.swap_remove(dice.below(free.len() as u32) as usize);
        let tiles: Vec<_> = (0..5).map(|_| draw()).collect();
        let blank = draw();
        let distances = tables.each_ref().map(|one| one.distance(&tiles, blank));
        assert!(distances.iter().all(|&distance| distance == distances[0]));
    }
}

#[test]
fn where_no_thread_is_to_be_had_tables_are_built_without() {
    // In a child process, no thread gets the stack that it asks for.
    let this = std::env::current_exe().unwrap();
    let test = "pattern_database::the_number_of_threads_changes_nothing";
    let output = Command::new(this)
        .args(["--exact", test, "--test-threads=1"])
        .env("RUST_MIN_STACK", (1_u64 << 60).to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn sums_are_admissible_and_consistent_on_all_small_boards() {
    for (rows, columns, home, patterns) in [
        (3, 3, 8, [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]),
        (3, 3, 4, [vec![0, 1, 3], vec![2, 5, 6, 7, 8]]),
        (3, 3, 1, [vec![0, 2, 4], vec![3, 5, 6, 7, 8]]),
        (2, 4, 7, [vec![0, 1, 4], vec![2, 3, 5, 6]]),
        (2, 4, 2, [vec![0, 1, 3], vec![4, 5, 6, 7]]),
    ] {
        let shape = shape(rows, columns);
        let patterns = patterns.map(|pattern| cells(&pattern));
        let partition = Partition::new(shape, home, &patterns).unwrap();
        let additive = additive(&[partition]);
        let goal = goal(shape, home);
        let distances = all_distances(goal.clone());
        let bounds: FxHashMap<_, _> = distances
            .iter()
            .map(|(board, &distance)| {
                let bound = additive.lower_bound(&Problem::new(board, &goal).unwrap());
                assert!(bound <= distance && bound % 2 == distance % 2, "{board}");
                assert_eq!(bound == 0, distance == 0, "{board}");
                (board, bound)
            })
            .collect();
        for (board, &bound) in &bounds {
            let mut around = neighbours(board).map(|next| bounds[&next]);
            assert!(around.all(|other| other.abs_diff(bound) == 1), "{board}");
        }
    }
}

/// A pattern of all the tiles knows the true distance.
#[test]
fn one_pattern_of_all_tiles_is_exact() {
    for home in [8, 7, 4] {
        let shape = shape(3, 3);
        let all = CellSet::all(shape).bits() ^ 1 << home;
        let partition = Partition::new(shape, home, &[CellSet::from_bits(all)]).unwrap();
        let additive = additive(&[partition]);
        let distances = all_distances(goal(shape, home));
        let mut dice = Dice::new(1);
        for _ in 0..2000 {
            let problem = random_problem(shape, home, &mut dice);
            assert_eq!(additive.lower_bound(&problem), distances[problem.start()]);
        }
    }
}

#[test]
fn every_home_of_the_15_puzzle_has_both_its_sums() {
    let mut tables = Tables::<u64>::new();
    let mut dice = Dice::new(8);
    for home in [15, 14, 11, 10] {
        let partitions = Tier::SixSixThree.partitions(home).unwrap();
        let additive = tables.additive(&partitions, 2, &Watch::default()).unwrap();
        assert_eq!(additive.sums().len(), 2);
        // Along a walk the bound changes by one with every slide.
        let goal = goal(shape(4, 4), home);
        let mut board = goal.clone();
        let mut last = 0;
        for _ in 0..300 {
            if board.slide(any_direction(&mut dice)) {
                let bound = additive.lower_bound(&Problem::new(&board, &goal).unwrap());
                assert_eq!(bound.abs_diff(last), 1);
                last = bound;
            }
        }
        assert!(last > 10);
    }
    assert_eq!(Tier::SixSixThree.partitions(0), None);
    assert_eq!(Tier::SixSixThree.partitions(16), None);
}

/// The transposed sum is the sum of the transposed board.
#[test]
fn mirrored_sums_see_mirrored_boards() {
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    assert_eq!(partitions[0].image(Symmetry::TRANSPOSITION), partitions[1]);
    let mut tables = Tables::<u64>::new();
    let rows = tables
        .additive(&partitions[..1], 2, &Watch::default())
        .unwrap();
    let before = tables.bytes();
    let columns = tables
        .additive(&partitions[1..], 2, &Watch::default())
        .unwrap();
    assert_eq!(tables.bytes(), before);
    let mut dice = Dice::new(4);
    for _ in 0..100 {
        let problem = random_problem(shape(4, 4), 15, &mut dice);
        let mirrored = problem.mirrored(Symmetry::TRANSPOSITION);
        assert_eq!(rows.lower_bound(&problem), columns.lower_bound(&mirrored));
    }
}

#[test]
fn the_largest_tier_has_another_partition_of_tables_that_are_their_own_mirror_images() {
    for tier in Tier::ALL {
        let has_others = tier == Tier::SevenEightTwice;
        assert_eq!(tier.others(15).is_some(), has_others, "{}", tier.name());
        assert_eq!(tier.others(14), None);
        assert_eq!(tier.others(16), None);
    }
    let others = Tier::SevenEightTwice.others(15).unwrap();
    let mut tables = Tables::<u64>::new();
    let both = tables.bytes_of(&others);
    assert_eq!(both, tables.bytes_of(&others[..1]));
    let first = Tier::SevenEightTwice.partitions(15).unwrap();
    assert_eq!(Tier::SevenEight.partitions(15), Some(first.clone()));
    let (all, _) = tables.bytes_of(&[first, others].concat());
    assert!((380_000_000..400_000_000).contains(&all), "{all}");
}

#[test]
fn what_a_build_takes_beside_its_table_decides_whether_it_may_be_built() {
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    // Of six tiles, 16,412 rows. While there are levels each has twelve words in two arrays, a flag, and two numbers
    // of eight and four bytes. There is a word of four bytes for each move and two bytes for each way to reorder the
    // tiles. The table itself, of 1,480,320 bytes, is not there yet.
    let takes = 16_412 * (2 * 12 * 8 + 1 + 8 + 4) + 2 * 24 * 2_002 * 4 + 36 * 720 * 2 - 1_480_320;
    for (build_bytes, is_enough) in [(takes, true), (takes - 1, false)] {
        let mut tables = Tables::<u64>::new().built_within(build_bytes);
        assert_eq!(tables.can_make(&partitions), is_enough);
        let built = tables.additive(&partitions, 1, &Watch::default());
        assert_eq!(built.err(), (!is_enough).then_some(NotBuilt::TooLarge));
    }
    // Unless that is limited, all may be built.
    assert!(Tables::<u64>::default().can_make(&partitions));
}

#[test]
fn tables_take_as_much_as_was_said_and_nothing_once_they_are_gone() {
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let mut tables = Tables::<u64>::new();
    let (all, missing) = tables.bytes_of(&partitions);
    assert_eq!(all, missing);
    assert!(tables.can_make(&partitions));
    assert_eq!(tables.bytes(), 0, "nothing is built yet");
    let additive = tables.additive(&partitions, 1, &Watch::default());
    assert_eq!(tables.bytes(), all);
    assert_eq!(tables.bytes_of(&partitions), (all, 0));
    drop(additive);
    assert_eq!(tables.bytes(), 0);
    assert_eq!(tables.bytes_of(&partitions), (all, all));
}

#[test]
fn a_free_home_is_shared_and_a_locked_one_is_not() {
    let shape = shape(4, 4);
    let upper = CellSet::from_bits(0xFF);
    let corner = Pattern::new(shape, 15, upper).unwrap();
    assert_eq!(Pattern::new(shape, 9, upper), Some(corner));
    // The tiles of cells 11 and 14 lock the corner in.
    let locking = cells(&[11, 14]);
    assert_ne!(
        Pattern::new(shape, 15, locking),
        Pattern::new(shape, 0, locking)
    );
}

#[test]
fn refuses_what_is_no_pattern_or_no_partition() {
    let shape = shape(4, 4);
    let lower = CellSet::from_bits(0x7F00);
    assert_eq!(Pattern::new(shape, 15, CellSet::default()), None);
    assert_eq!(Pattern::new(shape, 8, lower), None);
    assert_eq!(Pattern::new(shape, 15, CellSet::from_bits(0x1FF)), None);
    assert_eq!(Pattern::new(shape, 16, lower), None);
    assert_eq!(Pattern::new(shape, 15, CellSet::from_bits(1 << 16)), None);
    // Seven tiles stand on 24 cells in fewer ways than on 25, but on 2×12 they leave more regions.
    for (rows, columns, most) in [
        (5, 5, 7),
        (4, 6, 7),
        (8, 3, 7),
        (2, 11, 7),
        (2, 12, 6),
        (12, 2, 6),
    ] {
        let shape = self::shape(rows, columns);
        let pattern = |tiles| Pattern::new(shape, shape.cells() - 1, (0..tiles).collect());
        assert!(
            pattern(most).is_some() && pattern(most + 1).is_none(),
            "{shape}"
        );
    }
    let upper = CellSet::from_bits(0xFF);
    assert!(Partition::new(shape, 15, &[upper, lower]).is_some());
    assert_eq!(Partition::new(shape, 15, &[upper]), None);
    assert_eq!(Partition::new(shape, 15, &[upper, upper]), None);
    let overlapping = CellSet::from_bits(0x7F80);
    assert_eq!(Partition::new(shape, 15, &[upper, overlapping]), None);
}

#[test]
fn a_cancelled_build_says_so() {
    let partitions = Tier::SevenEight.partitions(15).unwrap();
    let watch = Watch::default();
    watch.cancel();
    let mut tables = Tables::<u64>::new();
    assert_eq!(
        tables.additive(&partitions, 2, &watch).unwrap_err(),
        NotBuilt::Cancelled
    );
}

#[test]
fn a_build_can_be_cancelled_while_its_tables_come_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let stored = || Tables::<u64>::stored_in(Store::new(folder.path().to_owned()));
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let watch = Watch::default();
    stored().additive(&partitions, 1, &watch).unwrap();
    watch.cancel();
    let mut tables = stored();
    let built = tables.additive(&partitions, 1, &watch);
    assert_eq!(built.unwrap_err(), NotBuilt::Cancelled);
    assert!(tables.take_events().is_empty());
}

#[test]
fn what_comes_from_a_file_is_done_and_what_is_refused_is_told_of_once() {
    let folder = tempfile::tempdir().unwrap();
    let stored = || Tables::<u64>::stored_in(Store::new(folder.path().to_owned()));
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let make = |tables: &mut Tables<u64>| {
        let watch = Watch::default();
        tables.additive(&partitions, 1, &watch).unwrap();
        watch.fraction()
    };
    let mut tables = stored();
    make(&mut tables);
    let files = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(tables.take_events().len(), files, "each is built once");
    assert_eq!(make(&mut stored()), 1.0);

    let file = fs::read_dir(folder.path()).unwrap().next().unwrap();
    let path = file.unwrap().path();
    let mut bytes = fs::read(&path).unwrap();
    bytes[4000] ^= 1;
    fs::remove_file(&path).unwrap();
    fs::write(&path, bytes).unwrap();
    let mut tables = stored().built_within(0);
    assert!(!tables.can_make(&partitions) && !tables.can_make(&partitions));
    let events = tables.take_events();
    assert!(matches!(events[..], [Event::Refused(_)]), "{events:?}");

    // Once it is written anew, it is read again.
    let mut tables = stored();
    make(&mut tables);
    let is_saved = |event: &Event| matches!(event, Event::Saved(_));
    assert!(tables.take_events().iter().any(is_saved));
    make(&mut tables);
    assert!(!tables.take_events().iter().any(is_saved));
}

#[test]
fn a_build_says_how_far_it_is() {
    let partitions = Tier::SixSixThree.partitions(15).unwrap();
    let watch = Watch::default();
    assert_eq!(watch.fraction(), 0.0);
    Tables::<u64>::new()
        .additive(&partitions, 1, &watch)
        .unwrap();
    assert!(watch.fraction() > 0.9, "{}", watch.fraction());
}

#[test]
fn a_tier_takes_as_much_memory_as_it_says_and_a_little_more_with_the_tables_to_start_with() {
    const MB: f64 = 1e6;
    for (tier, own, on_the_way) in [
        (Tier::SixSixThree, 3.0, 3.0),
        (Tier::SevenSixTwo, 19.0, 21.0),
        (Tier::SevenSevenOne, 35.0, 38.0),
        (Tier::SevenEight, 196.0, 199.0),
        (Tier::SevenEightTwice, 392.0, 395.0),
    ] {
        let bytes = |partitions: &[Partition]| {
            let (bytes, missing) = Tables::<u64>::new().bytes_of(partitions);
            assert_eq!(bytes, missing);
            (bytes as f64 / MB).round()
        };
        let others = tier.others(15).into_iter().flatten();
        let all: Vec<_> = tier
            .partitions(15)
            .unwrap()
            .into_iter()
            .chain(others)
            .collect();
        let taken = (bytes(&all), bytes(&tier.on_the_way(15).unwrap()));
        assert_eq!(taken, (own, on_the_way), "{}", tier.name());
    }
    assert_eq!(Tier::SevenEightTwice.on_the_way(14), None);
}
