//! Learning: reproducible, and for the better.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use loyd::heuristic::learned::{Rows, Weights};
use loyd::puzzle::{Dice, Shape};
use loyd::training::{Course, Report, train};

fn course(threads: usize, generations: u32) -> Course {
    Course {
        from: Weights::manhattan(Shape::new(3, 4).unwrap()),
        seed: 7,
        threads,
        generations,
        solves: 600,
        width: 60,
        epochs: 2,
        rate: 2.5,
        trials: 100,
        trial_width: 20,
    }
}

/// The weights, and what was said on the way.
fn run(course: &Course) -> (Weights, Vec<Report>) {
    let mut reports = Vec::new();
    let weights = train(course, &mut |report| reports.push(report.clone()));
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
    // Shortest solutions have 35.1 moves in the mean; those by the Manhattan distance are longer.
    assert!(moves[0] > 50.0, "{moves:?}");
    assert!((35.0..40.0).contains(&best), "{moves:?}");
    assert_ne!(weights, course(1, 0).from);
}

#[test]
fn no_generation_changes_nothing() {
    let (weights, reports) = run(&course(1, 0));
    assert_eq!(weights, course(1, 0).from);
    assert_eq!(tried(&reports).len(), 1);
}

#[test]
fn a_course_says_how_far_it_is() {
    let (_, reports) = run(&course(1, 1));
    let solving = reports.iter().filter_map(|report| match report {
        Report::Solving { tried, of, .. } => Some((*tried, *of)),
        _ => None,
    });
    assert_eq!(solving.collect::<Vec<_>>(), [(512, 600), (600, 600)]);
}

/// A board with the blank at home, and its inverse: tile a stands on b's home if tile b stands on
/// a's in the other.
fn inverse_boards(cells: usize, dice: &mut Dice) -> [Vec<u8>; 2] {
    let mut tiles: Vec<u8> = (1..cells as u8).collect();
    for last in (1..tiles.len()).rev() {
        tiles.swap(last, dice.below(last as u32 + 1) as usize);
    }
    let mut inverse = vec![0; cells];
    for (cell, &tile) in tiles.iter().enumerate() {
        inverse[usize::from(tile) - 1] = cell as u8 + 1;
    }
    tiles.push(0);
    [tiles, inverse]
}

#[test]
fn boards_that_are_alike_are_estimated_alike() {
    let square = Course {
        from: Weights::manhattan(Shape::new(3, 3).unwrap()),
        ..course(2, 1)
    };
    let weights = run(&square).0;
    assert_ne!(weights, square.from);
    assert_eq!(weights, weights.transposed());
    let mut dice = Dice::new(1);
    for weights in [weights, run(&course(2, 1)).0] {
        for _ in 0..100 {
            let [board, inverse] = inverse_boards(weights.shape().cells(), &mut dice);
            let difference = weights.of(&board) - weights.of(&inverse);
            // Nothing but what the rounding of their weights comes to.
            assert!(difference.abs() <= Rows::UNIT, "{difference} {board:?}");
        }
    }
}
