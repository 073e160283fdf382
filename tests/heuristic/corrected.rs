use loyd::heuristic::Correction::{self, CornerTiles, LastMoves, LinearConflict};
use loyd::heuristic::HeuristicKind;
use loyd::puzzle::Problem;

use crate::support::problem;

/// Returns what corrections add to the Manhattan distance.
fn added(corrections: &[Correction], problem: &Problem) -> u32 {
    HeuristicKind::corrected(corrections).lower_bound(problem)
        - HeuristicKind::Manhattan.lower_bound(problem)
}

#[test]
fn tiles_beside_a_wrong_corner_step_aside() {
    // 11 stands in the corner of 1; 2 and 5 are at home beside it.
    let board = [11, 2, 3, 4, 5, 1, 7, 8, 9, 10, 6, 12, 13, 14, 15, 0];
    assert_eq!(added(&[CornerTiles], &problem(4, 4, &board)), 4);
    // The blank stands there; 1 has to come in past 2 or 5, and the other lets the blank in.
    let board = [0, 2, 3, 4, 5, 1, 7, 8, 9, 10, 11, 12, 13, 14, 15, 6];
    assert_eq!(added(&[CornerTiles], &problem(4, 4, &board)), 4);
    // 1 stands beside the blank in its corner and slides in; 5 may stay.
    let board = [0, 1, 3, 4, 5, 2, 7, 8, 9, 6, 11, 12, 13, 14, 15, 10];
    assert_eq!(added(&[CornerTiles], &problem(4, 4, &board)), 0);
}

#[test]
fn a_tile_between_two_wrong_corners_pays_once() {
    // The corners of 1, 3 and 7 are wrong; 2 and 4 are beside two of them, 6 and 8 beside one and
    // beside the blank's home.
    let board = problem(3, 3, &[3, 2, 7, 4, 5, 6, 1, 8, 0]);
    assert_eq!(added(&[CornerTiles], &board), 8);
    // 2 clashes with 3, and 4 with 1; 6 and 8 clash with none.
    assert_eq!(added(&[LinearConflict], &board), 4);
    assert_eq!(added(&[LinearConflict, CornerTiles], &board), 4 + 4);
}

#[test]
fn a_tile_that_clashes_in_its_line_does_not_pay_for_the_corner() {
    // 2 and 5 are beside the corner of 1. Two of 3 2 1 step out, and one of 15 14.
    let board = [3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 0];
    let board = problem(4, 4, &board);
    assert_eq!(added(&[CornerTiles], &board), 4);
    assert_eq!(added(&[LinearConflict], &board), 6);
    assert_eq!(added(&[LinearConflict, CornerTiles], &board), 6 + 2);
}

#[test]
fn the_last_two_moves_take_tiles_past_their_homes() {
    // 12 or 15 moves last, and 8, 11 or 14 before it; none is on the right side.
    let board = [11, 2, 3, 4, 5, 1, 7, 8, 9, 10, 6, 12, 13, 14, 15, 0];
    assert_eq!(added(&[LastMoves], &problem(4, 4, &board)), 4);
    // 12 and 8 are.
    let board = [1, 2, 3, 4, 5, 6, 7, 0, 9, 10, 11, 8, 13, 14, 15, 12];
    assert_eq!(added(&[LastMoves], &problem(4, 4, &board)), 0);
    // One move from the goal there is no move before the last.
    let board = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 13, 14, 15, 12];
    assert_eq!(added(&[LastMoves], &problem(4, 4, &board)), 0);
}

#[test]
fn a_tile_that_steps_out_of_its_column_can_come_back_by_the_last_move() {
    // 11 is ready to move before 15, which is not ready to move last: but it stands above 11.
    let board = [2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 15, 12, 13, 14, 11, 0];
    let board = problem(4, 4, &board);
    assert_eq!(added(&[LastMoves], &board), 2);
    assert_eq!(added(&[LinearConflict], &board), 4);
    assert_eq!(added(&[LinearConflict, LastMoves], &board), 4);
}

#[test]
fn a_tile_that_lets_another_into_the_corner_can_come_back_by_the_last_move() {
    // 2, 4 and 8 are beside the wrong corners of 1 and 7. 8 moves last, 7 before it.
    let board = problem(3, 3, &[5, 2, 3, 4, 7, 6, 1, 8, 0]);
    assert_eq!(added(&[CornerTiles], &board), 6);
    assert_eq!(added(&[LastMoves], &board), 2);
    assert_eq!(added(&[CornerTiles, LastMoves], &board), 6);
    // 4 clashes with 1.
    assert_eq!(added(&[LinearConflict], &board), 2);
    let all = [LinearConflict, CornerTiles, LastMoves];
    assert_eq!(added(&all, &board), 2 + 4);
}

#[test]
fn corrections_are_a_set() {
    for kind in HeuristicKind::ALL {
        let Some(mut corrections) = kind.corrections() else {
            continue;
        };
        corrections.reverse();
        corrections.extend(corrections.clone());
        assert_eq!(HeuristicKind::corrected(&corrections), kind);
    }
    let bare = HeuristicKind::ALL.map(|kind| kind.corrections().is_none());
    assert_eq!(bare.into_iter().filter(|&bare| bare).count(), 3);
}
