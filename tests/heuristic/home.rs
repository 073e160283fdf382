//! The learned estimate for goals with the blank's home elsewhere than in the last corner.

use loyd::heuristic::learned::near::{self, NearRanking};
use loyd::heuristic::learned::{Changes, Ranking, Rows, Weights};
use loyd::puzzle::{Board, Dice, Direction, Home, Shape};

use super::learned::tiles;
use crate::support::{any_cell, random_problem, shape, slides};

const SHIPPED: &[u8] = include_bytes!("../../weights/5x5.loyd");

/// The goal with this home of the blank, named by the goal that results when the blank goes right and
/// then down to the last corner.
fn goal(shape: Shape, home: usize) -> Vec<u8> {
    let mut board = Board::solved(shape);
    while shape.row(board.blank()) > shape.row(home) {
        board.slide(Direction::Down);
    }
    while shape.column(board.blank()) > shape.column(home) {
        board.slide(Direction::Right);
    }
    tiles(&board)
}

#[test]
fn by_distances_a_goal_is_as_far_as_its_blank_is_from_the_corners() {
    // All corners are as far from the middle.
    for (rows, columns, away) in [(5, 5, 4), (3, 7, 4), (5, 3, 3)] {
        let shape = shape(rows, columns);
        let home = shape.cells() / 2;
        let rows = Rows::at_home(Weights::manhattan(shape), home);
        assert_eq!(rows.of(&goal(shape, home)), away * Weights::UNIT);
    }
    // From others, some are nearer: a corner counts a seventh less with each slide.
    let shape = shape(4, 6);
    for home in 0..shape.cells() - 1 {
        let rows = Rows::at_home(Weights::manhattan(shape), home);
        let moves = f64::from(rows.of(&goal(shape, home))) / f64::from(Weights::UNIT);
        let [mut sum, mut shares] = [0.0; 2];
        for corner in [0, 5, 18, 23] {
            let away = shape.distance(home, corner) as i32;
            let share = (6.0_f64 / 7.0).powi(away);
            sum += share * f64::from(away);
            shares += share;
        }
        let expected = sum / shares;
        // Each weight is rounded to a part of a move.
        assert!(
            (moves - expected).abs() < 0.3,
            "{home}: {moves}, not {expected}"
        );
    }
}

#[test]
fn a_slide_changes_the_estimate_by_what_the_row_says_whatever_the_home() {
    fn check(ranking: &impl Ranking, dice: &mut Dice) {
        let shape = ranking.shape();
        let problem = random_problem(shape, shape.cells() - 1, dice);
        let mut value = ranking.of(&tiles(problem.start()));
        for (_, slide, after) in slides(problem.start(), 300, dice) {
            let after = tiles(&after);
            let rows = ranking.between(slide.to, slide.direction);
            value += rows.sign() * rows.sum(slide.tile, &after);
            assert_eq!(ranking.of(&after), value);
        }
    }
    let mut dice = Dice::new(1);
    for (rows, columns) in [(5, 5), (4, 5)] {
        let shape = shape(rows, columns);
        let weights = Weights::from_bytes(SHIPPED).unwrap().fit(shape);
        let home = any_cell(shape, &mut dice);
        check(&Rows::at_home(weights, home), &mut dice);
    }
    let shape = shape(3, 8);
    let weights = near::shipped_whole(shape).unwrap();
    check(&NearRanking::at_home(weights, 12), &mut dice);
}

#[test]
fn boards_for_which_lines_were_inserted_have_no_weights_for_other_homes() {
    for (rows, columns) in [(6, 10), (2, 12), (11, 11)] {
        let shape = shape(rows, columns);
        for home in Home::all(shape).filter(|home| !home.is_corner()) {
            assert!(near::prepare_whole(home, 1), "nothing to do");
            assert!(near::ready_whole(home).is_none());
        }
    }
    let middle = Home::new(shape(7, 7), 24);
    while !near::prepare_whole(middle, 1 << 20) {}
    assert!(near::ready_whole(middle).is_some());
}

#[test]
fn the_last_corner_has_the_weights_that_were_learned() {
    let weights = Weights::from_bytes(SHIPPED).unwrap();
    let (learned, at_home) = (
        Rows::new(weights.clone()),
        Rows::at_home(weights.clone(), 24),
    );
    let elsewhere = Rows::at_home(weights, 23);
    let mut dice = Dice::new(2);
    let mut differ = 0;
    for _ in 0..20 {
        let board = tiles(random_problem(shape(5, 5), 24, &mut dice).start());
        assert_eq!(at_home.of(&board), learned.of(&board));
        differ += i32::from(elsewhere.of(&board) != learned.of(&board));
    }
    assert!(differ > 10);
}
