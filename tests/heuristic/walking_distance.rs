use std::collections::{HashMap, VecDeque};

use loyd::heuristic::walking_distance::{self, WalkingDistance};
use loyd::heuristic::{HeuristicKind, table_counts};
use loyd::puzzle::{Dice, Problem};

use crate::support::{goal, problem, random_problem, shape};

fn bound(problem: &Problem) -> u32 {
    HeuristicKind::WalkingDistance.lower_bound(problem)
}

/// How many tiles of each home row stand in each row, and the blank's row.
type Walk = ([[u8; 4]; 4], usize);

/// Returns the distances of all walks of 4×4, by breadth-first search from the goal.
fn all_walks() -> HashMap<Walk, u32> {
    let goal: Walk = ([[4, 0, 0, 0], [0, 4, 0, 0], [0, 0, 4, 0], [0, 0, 0, 3]], 3);
    let mut distances = HashMap::from([(goal, 0)]);
    let mut queue = VecDeque::from([goal]);
    while let Some((rows, blank)) = queue.pop_front() {
        let distance = distances[&(rows, blank)] + 1;
        for from in [blank.wrapping_sub(1), blank + 1] {
            for home in 0..4 {
                if from > 3 || rows[from][home] == 0 {
                    continue;
                }
                let mut next = rows;
                next[from][home] -= 1;
                next[blank][home] += 1;
                distances.entry((next, from)).or_insert_with(|| {
                    queue.push_back((next, from));
                    distance
                });
            }
        }
    }
    distances
}

#[test]
fn it_is_the_sum_of_two_distances_of_the_smaller_puzzle() {
    let walks = all_walks();
    assert_eq!(walks.len(), 24_964);
    let shape = shape(4, 4);
    let mut dice = Dice::new(29);
    for _ in 0..2000 {
        let problem = random_problem(shape, 15, &mut dice);
        let board = problem.start();
        let mut rows = [[0; 4]; 4];
        let mut columns = [[0; 4]; 4];
        for cell in (0..16).filter(|&cell| cell != board.blank()) {
            let home = problem.goal_cell(board.tile(cell));
            rows[cell / 4][home / 4] += 1;
            columns[cell % 4][home % 4] += 1;
        }
        let (row, column) = (board.blank() / 4, board.blank() % 4);
        assert_eq!(
            bound(&problem),
            walks[&(rows, row)] + walks[&(columns, column)]
        );
    }
}

#[test]
fn the_tables_of_4x4_take_about_a_hundred_kilobytes() {
    let goal = goal(shape(4, 4), 15);
    let problem = Problem::new(&goal, &goal).unwrap();
    while !walking_distance::prepare(&problem, u64::MAX) {}
    assert!(table_counts().bytes >= 24_964 / 4);
}

#[test]
fn exchanged_rows_are_further_apart_than_their_tiles() {
    // The first two rows have changed places, and so have the tiles in each half of both: every
    // tile is two moves from home, and none is in its own line, where linear conflict would see it.
    let board = [6, 5, 8, 7, 2, 1, 4, 3, 9, 10, 11, 12, 13, 14, 15, 0];
    let problem = problem(4, 4, &board);
    assert_eq!(HeuristicKind::LinearConflict.lower_bound(&problem), 16);
    assert_eq!(bound(&problem), 24);
}

#[test]
fn mirrored_boards_have_mirrored_distances() {
    let mut dice = Dice::new(23);
    for (rows, columns) in [(3, 3), (3, 4), (4, 4), (4, 3), (2, 5)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            let problem = random_problem(shape, home, &mut dice);
            for symmetry in loyd::puzzle::Symmetry::all() {
                assert_eq!(bound(&problem.mirrored(symmetry)), bound(&problem));
            }
        }
    }
}

#[test]
fn larger_boards_have_none_and_the_default_stands_in() {
    for (rows, columns) in [(2, 8), (8, 2), (3, 7), (4, 6), (5, 6), (6, 6), (128, 128)] {
        let shape = shape(rows, columns);
        assert!(!HeuristicKind::WalkingDistance.supports(shape));
        let problem = random_problem(shape, 1, &mut Dice::new(5));
        assert!(WalkingDistance::new(&problem).is_none());
        assert!(walking_distance::prepare(&problem, 0));
        let default = HeuristicKind::default().lower_bound(&problem);
        assert_eq!(bound(&problem), default);
    }
}
