//! Shortest solutions read off a table.

use std::sync::Arc;

use loyd::puzzle::{Dice, Problem, Solution};
use loyd::search::distance_table::table_walk::TableWalk;
use loyd::search::distance_table::{Class, DistanceTable};
use loyd::search::{Budget, Search, Step, Stop};

use crate::support::{goal, random_problem, shape};

fn walk(table: &Arc<DistanceTable>, problem: &Problem) -> Solution {
    let mut walk = TableWalk::new(Arc::clone(table), problem).expect("of one class");
    let Step::Found(solution) = walk.advance(Budget::UNLIMITED) else {
        panic!("no solution of {}", problem.start());
    };
    assert_eq!(walk.advance(Budget::UNLIMITED), Step::Done(Stop::Proven));
    assert_eq!(walk.progress().lower_bound as usize, solution.len());
    solution
}

#[test]
fn all_boards_of_the_8_puzzle_are_solved_in_the_moves_the_table_says() {
    let class = Class::new(shape(3, 3), 8).expect("small enough");
    let table = Arc::new(DistanceTable::new(class));
    let goal = goal(class.shape(), class.home());
    let mut moves = 0;
    for (index, distance) in table.distances().enumerate() {
        let board = table.board(index).expect("an index in range");
        let problem = Problem::new(&board, &goal).expect("solvable");
        let solution = walk(&table, &problem);
        assert_eq!(solution.len(), usize::from(distance));
        moves += solution.len();
    }
    // Reinefeld (1993): 21.97 moves on average.
    assert_eq!(moves, 3_986_672);
}

#[test]
fn mirrored_boards_are_solved_as_they_stand() {
    let mut dice = Dice::new(3);
    for (rows, columns) in [(2, 2), (3, 2), (4, 2), (3, 3)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            let class = Class::new(shape, home).expect("small enough");
            let table = Arc::new(DistanceTable::new(class));
            let problem = random_problem(shape, home, &mut dice);
            let solution = walk(&table, &problem);
            assert_eq!(Some(solution.len() as u32), table.distance(&problem));
        }
    }
}

#[test]
fn a_small_budget_makes_more_steps_but_the_same_solution() {
    let problem = random_problem(shape(3, 3), 4, &mut Dice::new(4));
    let class = Class::of(&problem).expect("small enough");
    let table = Arc::new(DistanceTable::new(class));
    let whole = walk(&table, &problem);
    let mut sliced = TableWalk::new(table, &problem).expect("of one class");
    let mut working = 0;
    let solution = loop {
        match sliced.advance(Budget::nodes(1)) {
            Step::Working => working += 1,
            Step::Found(solution) => break solution,
            Step::Done(stop) => panic!("no solution: {stop:?}"),
        }
    };
    assert_eq!(solution, whole);
    assert_eq!(working, whole.len());
    let progress = sliced.progress();
    assert_eq!(progress.expanded as usize, whole.len());
    assert!(progress.generated >= progress.expanded);
}

#[test]
fn a_table_of_another_class_is_refused() {
    let table = DistanceTable::new(Class::new(shape(3, 3), 4).expect("small enough"));
    let problem = random_problem(shape(3, 3), 8, &mut Dice::new(5));
    assert!(TableWalk::new(Arc::new(table), &problem).is_none());
}
