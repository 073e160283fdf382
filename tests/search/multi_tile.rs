//! The metric in which each push of a line of tiles counts as one move.

use loyd::puzzle::{Dice, Metric, Shape};
use loyd::search::distance_table::table_walk::TableWalk;
use loyd::search::distance_table::{Class, DistanceTable};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Search, Step};

use crate::support::random_problem;

#[test]
fn the_greatest_3x3_length_is_24_pushes_by_one_board() {
    let class = Class::new(Shape::new(3, 3).unwrap(), 8)
        .unwrap()
        .counted_in(Metric::MultiTile)
        .unwrap();
    let table = DistanceTable::new(class);
    assert_eq!(table.counts().len(), 1 + 24);
    assert_eq!(table.counts()[24], 1);
}

#[test]
fn a_walk_through_the_table_takes_as_many_pushes_as_the_table_says() {
    let tables = Tables::new();
    let mut dice = Dice::new(24);
    for (rows, columns) in [(3, 3), (2, 4), (4, 2), (2, 5)] {
        let shape = Shape::new(rows, columns).unwrap();
        for home in 0..shape.cells() {
            let problem = random_problem(shape, home, &mut dice);
            let class = Class::of(&problem).unwrap();
            let fewest_slides = tables.build(class).distance(&problem).unwrap();
            let table = tables.build(class.counted_in(Metric::MultiTile).unwrap());
            let fewest = table.distance(&problem).unwrap();
            let mut walk = TableWalk::new(table, &problem).unwrap();
            let Step::Found(solution) = walk.advance(Budget::UNLIMITED) else {
                panic!("a table leads to the goal");
            };
            let pushes = Metric::MultiTile.length(solution.moves());
            assert_eq!(pushes, fewest as usize);
            assert!(pushes <= fewest_slides as usize);
            assert!(solution.len() >= fewest_slides as usize);
        }
    }
}
