//! Every distance of every board with a table, compared with independent counts.

mod table_walk;
mod twelve_cells;

use std::sync::{Arc, Barrier};
use std::thread;

use loyd::puzzle::{Dice, Metric, Problem};
use loyd::search::distance_table::{Class, DistanceTable};
use loyd::search::tables::Tables;

use crate::support::{all_distances, goal, random_problem, shape};

#[test]
fn the_eight_puzzle_has_as_many_boards_at_each_distance_as_are_known() {
    // Reinefeld, IJCAI (1993); the On-Line Encyclopedia of Integer Sequences, A089473.
    let known = [
        1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1_024, 1_893, 2_512, 4_485, 5_638,
        9_529, 10_878, 16_993, 17_110, 23_952, 20_224, 24_047, 15_578, 14_560, 6_274, 3_910, 760,
        221, 2,
    ];
    let class = Class::new(shape(3, 3), 8).expect("small enough");
    assert_eq!(DistanceTable::new(class).counts(), known);
}

#[test]
fn with_the_blank_at_home_in_a_corner_as_few_boards_are_farthest_as_are_known() {
    for (rows, columns, farthest, boards) in [
        (2, 2, 6, 1),
        (2, 3, 21, 1),
        (2, 4, 36, 1),
        (3, 3, 31, 2),
        (2, 5, 55, 2),
    ] {
        let shape = shape(rows, columns);
        for home in [0, columns - 1, shape.cells() - columns, shape.cells() - 1] {
            let table = DistanceTable::new(Class::new(shape, home).expect("small enough"));
            let counts = table.counts();
            assert_eq!((counts.len(), counts.last()), (farthest + 1, Some(&boards)));
            let all: u64 = (3..=shape.cells() as u64).product();
            assert_eq!(counts.iter().sum::<u64>(), all);
        }
    }
}

#[test]
fn there_are_18_classes_and_the_smallest_come_first() {
    let classes = Class::all();
    let names: Vec<String> = classes
        .iter()
        .map(|class| format!("{} {}", class.shape(), class.home()))
        .collect();
    assert_eq!(
        names,
        [
            "2×2 3", "2×3 4", "2×3 5", "2×4 6", "2×4 7", "3×3 4", "3×3 7", "3×3 8", "2×5 7",
            "2×5 8", "2×5 9", "2×6 9", "2×6 10", "2×6 11", "3×4 6", "3×4 7", "3×4 10", "3×4 11"
        ]
    );
}

#[test]
fn boards_of_more_than_twelve_cells_have_no_class_nor_those_of_more_than_ten_where_lines_are_pushed()
 {
    assert_eq!(Class::new(shape(2, 7), 13), None);
    assert_eq!(Class::new(shape(3, 5), 0), None);
    assert_eq!(Class::new(shape(3, 3), 9), None);
    let pushed = |rows, columns| {
        let class = Class::new(shape(rows, columns), 0).expect("small enough");
        class.counted_in(Metric::MultiTile).is_some()
    };
    assert!(pushed(2, 5) && pushed(3, 3));
    assert!(!pushed(2, 6) && !pushed(3, 4));
}

#[test]
fn every_board_of_an_index_has_the_distance_of_that_index() {
    for class in Class::all()
        .into_iter()
        .filter(|class| class.boards() < 200_000)
    {
        for metric in Metric::ALL {
            let table = DistanceTable::new(class.counted_in(metric).expect("small enough"));
            let goal = goal(class.shape(), class.home());
            let mut counts = vec![0; table.counts().len()];
            for (index, distance) in table.distances().enumerate() {
                let board = table.board(index).expect("an index in range");
                let problem = Problem::new(&board, &goal).expect("solvable");
                assert_eq!(
                    table.distance(&problem),
                    Some(u32::from(distance)),
                    "{board}"
                );
                counts[usize::from(distance)] += 1;
            }
            assert_eq!(table.counts(), counts);
            assert_eq!(table.board(class.boards()), None);
        }
    }
}

#[test]
fn every_distance_is_that_of_a_search_with_a_hash_table() {
    for (rows, columns) in [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3), (5, 2)] {
        let shape = shape(rows, columns);
        // With ten cells, one home in the middle is enough.
        let homes = if rows == 5 { 4..5 } else { 0..shape.cells() };
        for home in homes {
            let goal = goal(shape, home);
            let class = Class::new(shape, home).expect("small enough");
            let table = DistanceTable::new(class);
            for (board, distance) in all_distances(goal.clone()) {
                let problem = Problem::new(&board, &goal).expect("solvable");
                assert_eq!(table.distance(&problem), Some(distance), "{board}");
            }
        }
    }
}

#[test]
fn mirror_images_have_one_distance() {
    let tables = Tables::new();
    let mut dice = Dice::new(1);
    for (rows, columns) in [(3, 3), (2, 3), (4, 2), (2, 5), (5, 2)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            let problem = random_problem(shape, home, &mut dice);
            let table = tables.build(Class::of(&problem).expect("small enough"));
            let distance = table.distance(&problem);
            assert!(distance.is_some());
            for symmetry in loyd::puzzle::Symmetry::all() {
                assert_eq!(table.distance(&problem.mirrored(symmetry)), distance);
            }
        }
    }
}

#[test]
fn a_table_of_another_class_knows_no_distance() {
    let table = DistanceTable::new(Class::new(shape(3, 3), 4).expect("small enough"));
    let problem = random_problem(shape(3, 3), 8, &mut Dice::new(2));
    assert_eq!(table.distance(&problem), None);
}

#[test]
fn threads_that_ask_at_once_get_the_same_table() {
    // Not each time do all of them come before the first one is done.
    for _ in 0..20 {
        let tables = Tables::new();
        let class = Class::new(shape(3, 3), 8).expect("small enough");
        assert!(tables.ready(class).is_none());
        let all_are_there = Barrier::new(4);
        let built: Vec<Arc<DistanceTable>> = thread::scope(|scope| {
            let ask = || {
                all_are_there.wait();
                tables.build(class)
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .collect()
        });
        assert!(built.iter().all(|table| Arc::ptr_eq(table, &built[0])));
        let ready = tables.ready(class).expect("built");
        assert!(Arc::ptr_eq(&ready, &built[0]));
        assert_eq!((tables.count(), tables.bytes()), (1, 9 * 336 * 8));
    }
}
