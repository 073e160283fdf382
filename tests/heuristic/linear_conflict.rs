use loyd::heuristic::HeuristicKind;

use crate::support::problem;

/// Returns what linear conflict adds to the Manhattan distance.
fn added(rows: usize, columns: usize, tiles: &[u32]) -> u32 {
    let problem = problem(rows, columns, tiles);
    let bound = |kind: HeuristicKind| kind.lower_bound(&problem);
    bound(HeuristicKind::LinearConflict) - bound(HeuristicKind::Manhattan)
}

#[test]
fn two_tiles_the_wrong_way_round_cost_two_moves() {
    assert_eq!(added(3, 3, &[2, 1, 3, 4, 7, 6, 5, 8, 0]), 2);
}

#[test]
fn the_fewest_tiles_step_out_not_one_per_pair() {
    // 4 3 2 1 has six pairs in conflict, but the fourth tile is free once three have stepped out.
    let row = [4, 3, 2, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0];
    assert_eq!(added(4, 4, &row), 6);
    // 4 1 2 3 has three such pairs, and one tile to step out; 14 and 15 make the board solvable.
    let row = [4, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 0];
    assert_eq!(added(4, 4, &row), 2 + 2);
}

#[test]
fn columns_count_as_rows_do() {
    let board = [1, 6, 3, 4, 5, 2, 7, 8, 9, 14, 11, 12, 13, 10, 15, 0];
    assert_eq!(added(4, 4, &board), 4);
}

#[test]
fn tiles_of_other_lines_and_the_blank_are_in_nobodys_way() {
    assert_eq!(added(3, 3, &[3, 4, 1, 2, 5, 6, 7, 8, 0]), 2);
    assert_eq!(added(3, 3, &[1, 2, 3, 4, 5, 6, 0, 7, 8]), 0);
}
