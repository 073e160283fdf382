//! Lower bounds on pushes of lines of tiles.

use std::collections::VecDeque;

use loyd::heuristic::pushes::{self, Lines, Patterns, PushBound, PushKind};
use loyd::puzzle::{Board, Dice, Direction, Metric, Problem};
use loyd::search::distance_table::{Class, DistanceTable};
use rustc_hash::FxHashMap;

use crate::support::{any_cell, goal, random_problem, shape, slides};

/// Returns the bound of a whole board.
fn bound<B: PushBound>(bound: &B, board: &Board) -> u32 {
    let state = bound.root(board);
    let [across, vertical] = [false, true].map(|axis| bound.least(state, axis, u32::MAX));
    across.min(vertical)
}

/// Returns the patterns of a problem, with their tables built.
fn prepared(problem: &Problem) -> Option<Patterns> {
    while !pushes::prepare(problem, u64::MAX) {}
    Patterns::new(problem)
}

#[test]
fn no_bound_is_above_the_least_number_of_pushes() {
    for (rows, columns, home) in [(3, 3, 8), (3, 3, 7), (3, 3, 4), (2, 4, 7), (2, 5, 9)] {
        let shape = shape(rows, columns);
        let class = Class::new(shape, home).unwrap();
        let table = DistanceTable::new(class.counted_in(Metric::MultiTile).unwrap());
        let goal = goal(shape, home);
        let goal = Problem::new(&goal, &goal).unwrap();
        let lines = Lines::new(&goal);
        let patterns = prepared(&goal).unwrap();
        for (index, distance) in table.distances().enumerate() {
            let board = table.board(index).unwrap();
            let distance = u32::from(distance);
            let by_lines = bound(&lines, &board);
            let by_patterns = bound(&patterns, &board);
            assert!(by_lines <= distance, "{board}: {by_lines} of {distance}");
            assert!(
                by_patterns <= distance,
                "{board}: {by_patterns} of {distance}"
            );
        }
    }
}

/// Returns the least number of pushes from each board whose first push is along each axis, by
/// breadth-first search from the goal.
fn by_first_axis(goal: &Board) -> FxHashMap<(Board, bool), u32> {
    let mut distances = FxHashMap::default();
    let mut queue: VecDeque<_> = [false, true].map(|axis| (goal.clone(), axis)).into();
    for start in &queue {
        distances.insert(start.clone(), 0);
    }
    while let Some((board, axis)) = queue.pop_front() {
        let distance = distances[&(board.clone(), axis)] + 1;
        let across = |direction: &Direction| direction.is_vertical() != axis;
        for direction in Direction::ALL.into_iter().filter(across) {
            let mut before = board.clone();
            while before.slide(direction) {
                let before = (before.clone(), !axis);
                if !distances.contains_key(&before) {
                    distances.insert(before.clone(), distance);
                    queue.push_back(before);
                }
            }
        }
    }
    distances
}

#[test]
fn no_bound_by_the_axis_of_the_first_push_is_above_the_pushes_that_begin_so() {
    let all_homes = [(2, 2), (2, 3), (3, 2), (2, 4)]
        .into_iter()
        .flat_map(|(rows, columns)| (0..rows * columns).map(move |home| (rows, columns, home)));
    for (rows, columns, home) in all_homes.chain([(3, 3, 8), (3, 3, 4)]) {
        let goal = goal(shape(rows, columns), home);
        let solved = Problem::new(&goal, &goal).unwrap();
        let (lines, patterns) = (Lines::new(&solved), prepared(&solved).unwrap());
        for ((board, axis), pushes) in by_first_axis(&goal) {
            let by_lines = lines.least(lines.root(&board), axis, u32::MAX);
            let by_patterns = patterns.least(patterns.root(&board), axis, u32::MAX);
            assert!(by_lines <= pushes, "{board}: {by_lines} of {pushes}");
            assert!(by_patterns <= pushes, "{board}: {by_patterns} of {pushes}");
            assert_eq!(by_patterns == 0, board == goal, "{board}");
        }
    }
}

#[test]
fn the_bounds_of_the_goal_are_0_and_of_a_pushed_goal_1() {
    for (rows, columns) in [(2, 2), (2, 8), (4, 4), (3, 5), (6, 5)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            let goal = goal(shape, home);
            let solved = Problem::new(&goal, &goal).unwrap();
            assert_eq!(pushes::lower_bound(&solved), 0);
            for direction in Direction::ALL {
                let mut board = goal.clone();
                while board.slide(direction) {
                    assert_eq!(bound(&Lines::new(&solved), &board), 1);
                }
            }
        }
    }
    let goal = goal(shape(3, 3), 8);
    let patterns = prepared(&Problem::new(&goal, &goal).unwrap()).unwrap();
    assert_eq!(bound(&patterns, &goal), 0);
    for direction in Direction::ALL {
        let mut board = goal.clone();
        while board.slide(direction) {
            assert_eq!(bound(&patterns, &board), 1);
        }
    }
}

#[test]
fn patterns_are_for_boards_of_up_to_16_cells() {
    for (rows, columns, kind) in [
        (2, 2, PushKind::Patterns),
        (4, 4, PushKind::Patterns),
        (8, 2, PushKind::Patterns),
        (2, 9, PushKind::Lines),
        (5, 4, PushKind::Lines),
    ] {
        let shape = shape(rows, columns);
        assert_eq!(PushKind::of(shape), kind);
        let problem = random_problem(shape, 0, &mut Dice::new(1));
        if kind == PushKind::Lines {
            assert!(prepared(&problem).is_none());
            assert!(pushes::prepare(&problem, 0));
        }
    }
}

/// Checks that the updated state agrees with an evaluation of the whole board.
fn follow<B: PushBound>(carried: &B, problem: &Problem, dice: &mut Dice) {
    let mut state = carried.root(problem.start());
    for (_, slide, board) in slides(problem.start(), 100, dice) {
        state = carried.after_slide(state, slide);
        let root = carried.root(&board);
        for vertical in [false, true] {
            let least = carried.least(root, vertical, u32::MAX);
            assert_eq!(carried.least(state, vertical, u32::MAX), least);
            for enough in 0..least {
                let stopped = carried.least(state, vertical, enough);
                assert!(enough < stopped && stopped <= least);
            }
        }
    }
}

#[test]
fn states_follow_the_slides() {
    let mut dice = Dice::new(6);
    for (rows, columns) in [(3, 3), (2, 5), (5, 2), (3, 4), (6, 7)] {
        let shape = shape(rows, columns);
        for _ in 0..4 {
            let home = any_cell(shape, &mut dice);
            let problem = random_problem(shape, home, &mut dice);
            follow(&Lines::new(&problem), &problem, &mut dice);
            if let Some(patterns) = prepared(&problem) {
                follow(&patterns, &problem, &mut dice);
            }
        }
    }
}
