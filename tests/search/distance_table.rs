//! Every distance of every board with a table, against counts made by others.

use std::sync::Arc;
use std::thread;

use loyd::puzzle::{Dice, Problem, Shape};
use loyd::search::distance_table::{Class, DistanceTable};
use loyd::search::tables::Tables;

use crate::support::{goal, random_problem, shape};

const DEPTH_COUNTS: &str = include_str!("depth_counts.tsv");

/// Shape, home and number of boards at each distance.
fn depth_counts() -> Vec<(Shape, usize, Vec<usize>)> {
    let number = |text: &str| text.parse::<usize>().expect("a number");
    DEPTH_COUNTS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (
                shape(number(fields[0]), number(fields[1])),
                number(fields[2]),
                fields[3].split(',').map(number).collect(),
            )
        })
        .collect()
}

#[test]
fn as_many_boards_at_each_distance_as_exhaustive_searches_found() {
    let tables = Tables::new();
    let counts = depth_counts();
    assert_eq!(counts.len(), 43);
    for (shape, home, expected) in counts {
        let table = tables.build(Class::new(shape, home).expect("small enough"));
        let mut found = vec![0; 256];
        for &distance in table.distances() {
            found[usize::from(distance)] += 1;
        }
        assert_eq!(found[..expected.len()], expected, "{shape} home {home}");
        let total: usize = (3..=shape.cells()).product();
        assert_eq!(table.distances().len(), total);
        assert_eq!(expected.iter().sum::<usize>(), total);
    }
}

#[test]
fn there_are_eleven_classes_and_the_smallest_come_first() {
    let classes = Class::all();
    let names: Vec<String> = classes
        .iter()
        .map(|class| format!("{} {}", class.shape(), class.home()))
        .collect();
    assert_eq!(
        names,
        [
            "2×2 3", "2×3 4", "2×3 5", "2×4 6", "2×4 7", "3×3 4", "3×3 7", "3×3 8", "2×5 7",
            "2×5 8", "2×5 9"
        ]
    );
}

#[test]
fn boards_of_more_than_ten_cells_have_no_class() {
    assert_eq!(Class::new(shape(3, 4), 11), None);
    assert_eq!(Class::new(shape(2, 6), 0), None);
    assert_eq!(Class::new(shape(3, 3), 9), None);
}

#[test]
fn every_board_of_an_index_has_the_distance_of_that_index() {
    for class in Class::all()
        .into_iter()
        .filter(|class| class.boards() < 200_000)
    {
        let table = DistanceTable::new(class);
        let goal = goal(class.shape(), class.home());
        for (index, &distance) in table.distances().iter().enumerate() {
            let board = table.board(index).expect("an index in range");
            let problem = Problem::new(&board, &goal).expect("solvable");
            assert_eq!(
                table.distance(&problem),
                Some(u32::from(distance)),
                "{board}"
            );
        }
        assert_eq!(table.board(class.boards()), None);
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
    let tables = Tables::new();
    let class = Class::new(shape(3, 3), 8).expect("small enough");
    assert!(tables.ready(class).is_none());
    let built: Vec<Arc<DistanceTable>> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| tables.build(class)))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().expect("no panic"))
            .collect()
    });
    assert!(built.iter().all(|table| Arc::ptr_eq(table, &built[0])));
    let ready = tables.ready(class).expect("built");
    assert!(Arc::ptr_eq(&ready, &built[0]));
    assert_eq!(tables.bytes(), 181_440);
}
