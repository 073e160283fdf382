//! Training is reproducible and improves weights.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod network;
mod ranks;
#[path = "../support/mod.rs"]
mod support;

use loyd::heuristic::learned::{Rows, Weights};
use loyd::puzzle::{Board, Dice, Shape};
use loyd::training::{Course, Report, train};

fn course(threads: usize, generations: u32) -> Course {
    Course {
        seed: 7,
        threads,
        generations,
        solves: 1200,
        width: 60,
        epochs: 2,
        rate: 2.5,
        trials: 100,
        trial_width: 20,
    }
}

fn manhattan(rows: usize, columns: usize) -> Weights {
    Weights::manhattan(Shape::new(rows, columns).unwrap())
}

/// Returns the weights that a course learns from the Manhattan distance, and its reports.
fn run(course: &Course) -> (Weights, Vec<Report>) {
    let mut reports = Vec::new();
    let weights = train(course, manhattan(3, 4), &mut |report| {
        reports.push(report.clone());
    });
    (weights, reports)
}

fn tried(reports: &[Report]) -> Vec<f64> {
    let tried = reports.iter().filter_map(|report| match report {
        Report::Tried { moves, .. } => Some(*moves),
        _ => None,
    });
    tried.collect()
}

#[test]
fn the_same_course_gives_the_same_weights_on_any_number_of_threads() {
    let (weights, reports) = run(&course(1, 2));
    for threads in [2, 3] {
        assert_eq!(run(&course(threads, 2)), (weights.clone(), reports.clone()));
    }
    let other = Course {
        seed: 8,
        ..course(2, 2)
    };
    assert_ne!(run(&other).0, weights);
}

#[test]
fn what_is_learned_makes_shorter_solutions() {
    let (weights, reports) = run(&course(2, 2));
    let moves = tried(&reports);
    let best = moves.iter().copied().fold(f64::INFINITY, f64::min);
    // Shortest solutions have a mean of 35.1 moves; those by the Manhattan distance are longer.
    assert!(moves[0] > 50.0, "{moves:?}");
    assert!((35.0..40.0).contains(&best), "{moves:?}");
    assert_ne!(weights, manhattan(3, 4));
}

#[test]
fn no_generation_changes_nothing() {
    let (weights, reports) = run(&course(1, 0));
    assert_eq!(weights, manhattan(3, 4));
    assert_eq!(tried(&reports).len(), 1);
}

#[test]
fn a_course_says_how_far_it_is() {
    let (_, reports) = run(&course(1, 1));
    let solving = reports.iter().filter_map(|report| match report {
        Report::Solving { tried, of, .. } => Some((*tried, *of)),
        _ => None,
    });
    let all = [(512, 1200), (1024, 1200), (1200, 1200)];
    assert_eq!(solving.collect::<Vec<_>>(), all);
}

/// Returns the inverse of a board with the blank at home: tile a stands on b's home if tile b stood
/// on a's.
fn inverse(tiles: &[u8]) -> Vec<u8> {
    let mut inverse = vec![0; tiles.len()];
    for (cell, &tile) in tiles[..tiles.len() - 1].iter().enumerate() {
        inverse[usize::from(tile) - 1] = cell as u8 + 1;
    }
    inverse
}

fn with_blank_at_home(cells: usize, dice: &mut Dice) -> Vec<u8> {
    let mut tiles: Vec<u8> = (1..cells as u8).collect();
    dice.shuffle(&mut tiles);
    tiles.push(0);
    tiles
}

#[test]
fn a_board_and_its_inverse_are_as_far_from_the_goal() {
    for (rows, columns) in [(3, 3), (2, 4)] {
        let shape = support::shape(rows, columns);
        let distances = support::all_distances(Board::solved(shape));
        let mut seen = 0;
        for (board, distance) in &distances {
            let tiles: Vec<u8> = board.tiles().map(|tile| tile as u8).collect();
            if tiles.last() == Some(&0) {
                let inverse: Vec<u32> = inverse(&tiles).into_iter().map(u32::from).collect();
                assert_eq!(distances[&Board::new(shape, &inverse).unwrap()], *distance);
                seen += 1;
            }
        }
        assert_eq!(seen, distances.len() / shape.cells());
    }
}

#[test]
fn boards_that_are_alike_are_estimated_alike() {
    let weights = train(&course(2, 1), manhattan(3, 3), &mut |_| {});
    assert_ne!(weights, manhattan(3, 3));
    assert_eq!(weights, weights.transposed());
    let mut dice = Dice::new(1);
    for weights in [weights, run(&course(2, 1)).0] {
        for _ in 0..100 {
            let board = with_blank_at_home(weights.shape().cells(), &mut dice);
            let difference = weights.of(&board) - weights.of(&inverse(&board));
            // The difference is at most what rounding the weights causes.
            assert!(difference.abs() <= Rows::UNIT, "{difference} {board:?}");
        }
    }
}
