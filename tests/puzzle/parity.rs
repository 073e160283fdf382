//! Half of all boards can be solved, and two proofs agree on which.

use std::collections::HashSet;

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, Direction, GoalLayout, Parity, Problem, inversions_by_tile};
use proptest::prelude::*;

use crate::{board, for_all_boards, goals, shape, shuffle, solved};

/// Returns the number of solvable boards, after checking that both proofs agree on each board.
fn solvable(rows: usize, columns: usize, goal: &Board) -> usize {
    let mut count = 0;
    for_all_boards(shape(rows, columns), |board| {
        let parity = Parity::of(board, goal);
        assert_eq!(
            parity.solvable_by_inversions(),
            parity.solvable_by_interchanges(),
            "{board:?} to {goal:?}"
        );
        assert_eq!(parity.solvable(), parity.solvable_by_interchanges());
        assert_eq!(Problem::new(board, goal).is_ok(), parity.solvable());
        count += usize::from(parity.solvable());
    });
    count
}

#[test]
fn both_proofs_agree_and_half_of_all_small_boards_can_be_solved() {
    for (rows, columns, half) in [(2, 2, 12), (2, 3, 360), (3, 2, 360), (2, 4, 20_160)] {
        for goal in goals(shape(rows, columns)) {
            assert_eq!(solvable(rows, columns, &goal), half);
        }
    }
}

#[test]
fn both_proofs_agree_and_half_of_all_8_puzzles_can_be_solved() {
    for goal in goals(shape(3, 3)) {
        assert_eq!(solvable(3, 3, &goal), 181_440);
    }
}

#[test]
fn the_solvable_boards_are_those_that_moves_reach() {
    for (rows, columns) in [(2, 2), (2, 3), (3, 2), (2, 4), (4, 2)] {
        for goal in goals(shape(rows, columns)) {
            let mut reached = HashSet::from([goal.clone()]);
            let mut stack = vec![goal.clone()];
            while let Some(board) = stack.pop() {
                for direction in Direction::ALL {
                    let mut next = board.clone();
                    if next.slide(direction) && reached.insert(next.clone()) {
                        stack.push(next);
                    }
                }
            }
            for_all_boards(shape(rows, columns), |board| {
                assert_eq!(Parity::of(board, &goal).solvable(), reached.contains(board));
            });
        }
    }
}

#[test]
fn the_evidence_is_what_a_hand_would_count() {
    // 3 1 2 have two inversions, 8 and 7 have one; 0 is left out.
    let parity = Parity::of(&board("3 1 2 / 4 5 6 / 0 8 7"), &solved(3, 3));
    assert_eq!(parity.inversions, 3);
    assert_eq!(parity.blank_row_from_bottom, 1);
    assert_eq!(parity.goal_blank_row_from_bottom, 1);
    // Each number stands where the next one belongs: 0 stands on 7's cell, 7 on 0's.
    assert_eq!(parity.cycles, [vec![0, 7], vec![1, 2, 3]]);
    assert_eq!(parity.interchanges, 3);
    assert_eq!(parity.blank_distance, 2);
    assert_eq!(parity.exchange.cells, (0, 1));
    assert_eq!(parity.exchange.tiles, (3, 1));
    assert!(!parity.solvable());
}

#[test]
fn the_blank_in_the_first_row_puts_the_exchange_into_the_second() {
    let parity = Parity::of(&board("1 0 2 / 3 4 5"), &solved(2, 3));
    assert_eq!(parity.exchange.cells, (3, 4));
    assert_eq!(parity.exchange.tiles, (3, 4));
    assert_eq!(parity.blank_row_from_bottom, 2);
}

#[test]
fn the_exchange_turns_the_answer_round() {
    for goal in goals(shape(2, 3)) {
        for_all_boards(shape(2, 3), |board| {
            let parity = Parity::of(board, &goal);
            let repaired = Parity::of(&exchanged(board, &parity), &goal);
            assert_ne!(parity.solvable(), repaired.solvable());
            // A second exchange undoes the first.
            assert_eq!(parity.exchange.cells, repaired.exchange.cells);
        });
    }
}

fn exchanged(board: &Board, parity: &Parity) -> Board {
    let (left, right) = parity.exchange.cells;
    let mut tiles: Vec<u32> = board.tiles().map(u32::from).collect();
    assert_eq!(
        parity.exchange.tiles,
        (tiles[left] as u16, tiles[right] as u16)
    );
    assert_ne!(tiles[left] * tiles[right], 0, "the blank stays");
    assert_eq!(board.shape().row(left), board.shape().row(right));
    assert_eq!(left + 1, right);
    tiles.swap(left, right);
    Board::new(board.shape(), &tiles).expect("a board")
}

#[test]
fn a_large_reversed_board_is_counted_right() {
    // 16,383 tiles in falling order: every pair is an inversion.
    let tiles: Vec<u32> = (1..16_384).rev().chain([0]).collect();
    let reversed = Board::new(shape(128, 128), &tiles).expect("a board");
    let parity = Parity::of(&reversed, &solved(128, 128));
    assert_eq!(parity.inversions, 16_383 * 16_382 / 2);
    assert_eq!(parity.interchanges, 16_383 / 2);
    assert_eq!(parity.cycles.len(), 8_191);
    assert_eq!(parity.cycles[0], [1, 16_383]);
    assert!(!parity.solvable());
}

#[test]
fn moves_keep_a_large_board_solvable() {
    let goal = solved(128, 128);
    let mut board = goal.clone();
    let mut dice = Dice::new(1);
    for _ in 0..20 {
        shuffle(&mut board, 5001, &mut dice);
        let parity = Parity::of(&board, &goal);
        assert!(parity.solvable());
        assert!(parity.solvable_by_inversions());
        assert!(!Parity::of(&exchanged(&board, &parity), &goal).solvable());
    }
}

proptest! {
    #[test]
    fn no_move_changes_the_answer(
        rows in 2..12_usize,
        columns in 2..12_usize,
        seed: u64,
        wanted in prop::sample::select(&[Solvability::Solvable, Solvability::Unsolvable]),
    ) {
        let mut dice = Dice::new(seed);
        let goal = uniform(&solved(rows, columns), Solvability::Solvable, &mut dice);
        let mut board = uniform(&goal, wanted, &mut dice);
        for _ in 0..20 {
            let parity = Parity::of(&board, &goal);
            prop_assert_eq!(parity.solvable_by_interchanges(), wanted == Solvability::Solvable);
            prop_assert_eq!(parity.solvable_by_inversions(), wanted == Solvability::Solvable);
            shuffle(&mut board, 1, &mut dice);
        }
    }

    #[test]
    fn the_inversions_are_those_of_a_naive_count(
        rows in 2..12_usize,
        columns in 2..12_usize,
        seed: u64,
    ) {
        let goal = solved(rows, columns);
        let board = uniform(&goal, Solvability::Solvable, &mut Dice::new(seed));
        let tiles: Vec<u16> = board.tiles().filter(|&tile| tile != 0).collect();
        let naive: usize = (0..tiles.len())
            .map(|i| tiles[i + 1..].iter().filter(|&&tile| tile < tiles[i]).count())
            .sum();
        prop_assert_eq!(Parity::of(&board, &goal).inversions, naive as u64);
    }

    #[test]
    fn the_interchanges_make_the_goal(
        rows in 2..12_usize,
        columns in 2..12_usize,
        seed: u64,
    ) {
        let goal = solved(rows, columns);
        let board = uniform(&goal, Solvability::Unsolvable, &mut Dice::new(seed));
        let parity = Parity::of(&board, &goal);
        let mut tiles: Vec<u16> = board.tiles().collect();
        let mut made = 0;
        for cycle in &parity.cycles {
            prop_assert_eq!(cycle.iter().min(), cycle.first());
            for pair in cycle.windows(2) {
                // Each number of the cycle stands where the next one belongs.
                let cell = usize::from(board.cells_by_tile()[usize::from(pair[0])]);
                prop_assert_eq!(goal.tile(cell), pair[1]);
                let other = tiles.iter().position(|&tile| tile == pair[1]).expect("on the board");
                let here = tiles.iter().position(|&tile| tile == cycle[0]).expect("on the board");
                tiles.swap(here, other);
                made += 1;
            }
        }
        prop_assert_eq!(made, parity.interchanges);
        prop_assert_eq!(tiles, goal.tiles().collect::<Vec<_>>());
    }
}

#[test]
fn the_inversions_tile_by_tile_add_up() {
    let mut dice = Dice::new(1879);
    for layout in GoalLayout::ALL {
        for (rows, columns) in [(2, 2), (3, 4), (5, 3), (9, 9)] {
            let goal = layout.board(shape(rows, columns));
            let board = uniform(&goal, Solvability::Unsolvable, &mut dice);
            let by_tile = inversions_by_tile(&board, &goal);
            assert_eq!(by_tile.len(), rows * columns - 1);
            let sum: usize = by_tile.iter().map(|(_, later)| later.len()).sum();
            assert_eq!(sum as u64, Parity::of(&board, &goal).inversions);
            let none = inversions_by_tile(&goal, &goal);
            assert!(none.iter().all(|(_, later)| later.is_empty()));
        }
    }
}
