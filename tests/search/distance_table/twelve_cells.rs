//! The tables of 12 cells: all 239,500,800 boards of a shape and home.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use loyd::heuristic::HeuristicKind;
use loyd::puzzle::{Dice, Problem, Solution};
use loyd::search::distance_table::table_walk::TableWalk;
use loyd::search::distance_table::{Class, DistanceTable, Sweep};
use loyd::search::generate::lengths::greatest_length;
use loyd::search::ida_star;

use crate::driving::run;
use crate::support::{goal, neighbours, random_problem, shape, walk};

/// Sweeps over a class on two threads.
fn sweep(class: Class) -> DistanceTable {
    let threads = NonZeroUsize::new(2).unwrap();
    let mut sweep = Sweep::new(class);
    let mut reached = 1;
    loop {
        sweep = match sweep.advance(threads) {
            ControlFlow::Continue(sweep) => sweep,
            ControlFlow::Break(table) => return table,
        };
        assert!(sweep.reached() > reached, "every distance has boards");
        reached = sweep.reached();
    }
}

fn solve(table: &Arc<DistanceTable>, problem: &Problem) -> Solution {
    let walk = TableWalk::new(Arc::clone(table), problem).expect("of one class");
    run(Box::new(walk)).found.remove(0)
}

/// The greatest distance, the number of boards at it, and the sum of all distances.
fn summary(table: &DistanceTable) -> (usize, u64, u64) {
    let counts = table.counts();
    assert_eq!(counts.iter().sum::<u64>(), 239_500_800);
    assert_eq!(table.class().boards(), 239_500_800);
    let sum = (0..)
        .zip(counts)
        .map(|(distance, boards)| distance * boards);
    (counts.len() - 1, counts[counts.len() - 1], sum.sum())
}

/// Whether each neighbour of a board is one slide nearer or farther, and at least one is nearer.
fn is_between_its_neighbours(table: &DistanceTable, problem: &Problem) -> bool {
    let distance = table.distance(problem).expect("of one class");
    let goal = goal(problem.shape(), problem.home());
    let around: Vec<u32> = neighbours(problem.start())
        .map(|board| Problem::new(&board, &goal).unwrap())
        .map(|problem| table.distance(&problem).expect("of one class"))
        .collect();
    around.iter().all(|around| around.abs_diff(distance) == 1)
        && around.iter().any(|&around| around < distance)
}

/// Checks boards with all homes of the class's shape, in both orientations, that belong to the class.
fn sample(table: &Arc<DistanceTable>, dice: &mut Dice) {
    let lying = table.class().shape();
    let mut homes = 0;
    for shape in [lying, lying.transposed()] {
        for home in 0..shape.cells() {
            if Class::new(shape, home) != Some(table.class()) {
                continue;
            }
            homes += 1;
            assert_eq!(
                greatest_length(shape, home),
                Some(table.counts().len() as u32 - 1)
            );
            for _ in 0..50 {
                let problem = random_problem(shape, home, dice);
                let distance = table.distance(&problem).expect("of one class");
                assert_eq!(solve(table, &problem).len(), distance as usize);
                assert!(is_between_its_neighbours(table, &problem));
            }
            // IDA* takes long from random boards of 2×6.
            let steps = if lying.rows() == 2 { 100 } else { 400 };
            for _ in 0..3 {
                let problem = walk(shape, home, steps, dice);
                let by_search = run(ida_star::solver(&problem, HeuristicKind::LinearConflict));
                assert_eq!(solve(table, &problem).len(), by_search.found[0].len());
            }
        }
    }
    assert!(homes >= 4);
}

#[test]
fn all_boards_of_3_by_4() {
    let mut dice = Dice::new(34);
    for (home, expected) in [
        // A mean of 35.104, as published; the other homes are loyd's own counts.
        (11, (53, 18, 8_407_513_030)),
        (10, (53, 5, 8_333_351_350)),
        (7, (53, 3, 8_354_410_188)),
        (6, (53, 4, 8_285_079_970)),
    ] {
        let class = Class::new(shape(3, 4), home).expect("small enough");
        let table = Arc::new(sweep(class));
        assert_eq!(summary(&table), expected, "home {home}");
        assert_eq!(table.bytes(), 31_933_440);
        sample(&table, &mut dice);
    }
}

#[test]
fn all_boards_of_2_by_6() {
    let mut dice = Dice::new(26);
    for (home, expected) in [
        // A mean of 48.994, as published.
        (11, (80, 2, 11_734_163_390)),
        (10, (79, 8, 11_632_303_730)),
        (9, (79, 4, 11_608_699_850)),
    ] {
        let class = Class::new(shape(2, 6), home).expect("small enough");
        let table = Arc::new(sweep(class));
        assert_eq!(summary(&table), expected, "home {home}");
        sample(&table, &mut dice);
    }
}
