//! IDA* in pushes of lines of tiles.

use loyd::puzzle::{Board, Dice, Direction, Metric, Problem};
use loyd::search::distance_table::{Class, DistanceTable};
use loyd::search::{Budget, Step, Stop, ida_star};
use rustc_hash::FxHashMap;

use crate::driving::{Run, run, run_sliced};
use crate::support::{any_cell, goal, problem, random_problem, shape, walk};

fn pushes(run: &Run) -> usize {
    assert_eq!(run.stop, Stop::Proven);
    let length = Metric::MultiTile.length(run.found[0].moves());
    assert_eq!(run.progress.lower_bound as usize, length);
    length
}

/// All boards within so many pushes of a board, by a search that uses neither axes nor bounds.
fn within(board: Board, most: usize) -> FxHashMap<Board, usize> {
    let mut distances = FxHashMap::from_iter([(board.clone(), 0)]);
    let mut layer = vec![board];
    for distance in 1..=most {
        let mut next = Vec::new();
        for board in layer {
            for direction in Direction::ALL {
                let mut pushed = board.clone();
                while pushed.slide(direction) {
                    if !distances.contains_key(&pushed) {
                        distances.insert(pushed.clone(), distance);
                        next.push(pushed.clone());
                    }
                }
            }
        }
        layer = next;
    }
    distances
}

#[test]
fn agrees_with_breadth_first_search_on_4x4() {
    let shape = shape(4, 4);
    for home in [15, 5, 1] {
        let goal = goal(shape, home);
        let distances = within(goal.clone(), 10);
        let mut boards: Vec<_> = distances.into_iter().collect();
        boards.sort_by_cached_key(|(board, distance)| (*distance, board.to_string()));
        for (board, distance) in boards.iter().step_by(101) {
            let problem = Problem::new(board, &goal).unwrap();
            assert_eq!(pushes(&run(ida_star::push_solver(&problem))), *distance);
        }
    }
}

#[test]
fn agrees_with_breadth_first_search_on_boards_without_patterns() {
    for (rows, columns, most) in [(5, 5, 5), (2, 9, 6), (6, 3, 6)] {
        let shape = shape(rows, columns);
        let goal = goal(shape, 7);
        let mut boards: Vec<_> = within(goal.clone(), most).into_iter().collect();
        boards.sort_by_cached_key(|(board, distance)| (*distance, board.to_string()));
        for (board, distance) in boards.iter().step_by(37) {
            let problem = Problem::new(board, &goal).unwrap();
            assert_eq!(pushes(&run(ida_star::push_solver(&problem))), *distance);
        }
    }
}

#[test]
fn agrees_with_the_tables_for_every_home() {
    let mut dice = Dice::new(8);
    for (rows, columns) in [(2, 2), (3, 3), (4, 2), (2, 5)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            let class = Class::new(shape, home).unwrap();
            let table = DistanceTable::new(class.counted_in(Metric::MultiTile).unwrap());
            for _ in 0..10 {
                let problem = random_problem(shape, home, &mut dice);
                let distance = table.distance(&problem).unwrap() as usize;
                assert_eq!(pushes(&run(ida_star::push_solver(&problem))), distance);
            }
        }
    }
}

#[test]
fn iterations_rise_and_add_up() {
    let problem = problem(3, 3, &[8, 6, 7, 2, 5, 4, 3, 0, 1]);
    let mut solver = ida_star::push_solver(&problem);
    assert!(matches!(solver.advance(Budget::UNLIMITED), Step::Found(_)));
    let iterations = solver.iterations();
    assert!(iterations.is_sorted_by(|a, b| a.threshold < b.threshold));
    let sum: u64 = iterations.iter().map(|iteration| iteration.generated).sum();
    assert_eq!(sum, solver.progress().generated);
    assert_eq!(iterations.len(), solver.progress().iterations as usize);
}

#[test]
fn runs_the_same_whatever_the_slices() {
    let mut dice = Dice::new(4);
    for (rows, columns, steps) in [(3, 3, 60), (2, 6, 80), (5, 6, 14)] {
        let shape = shape(rows, columns);
        let home = any_cell(shape, &mut dice);
        let problem = walk(shape, home, steps, &mut dice);
        let whole = run(ida_star::push_solver(&problem));
        for nodes in [1, 3, 100] {
            let sliced = run_sliced(ida_star::push_solver(&problem), Budget::nodes(nodes));
            assert_eq!(sliced.found, whole.found);
            assert_eq!(sliced.progress.generated, whole.progress.generated);
        }
    }
}

#[test]
fn the_goal_itself_needs_no_pushes() {
    for (rows, columns) in [(2, 2), (3, 4), (6, 6)] {
        let goal = goal(shape(rows, columns), 1);
        let problem = Problem::new(&goal, &goal).unwrap();
        let run = run(ida_star::push_solver(&problem));
        assert_eq!(pushes(&run), 0);
        assert_eq!(run.progress.generated, 0);
    }
}
