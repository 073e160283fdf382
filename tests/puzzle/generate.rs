//! The expected boards were computed by an independent implementation of the documented method.

use std::collections::{HashMap, HashSet};

use loyd::puzzle::generate::{Solvability, Walk, board_seed, scramble, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout, Parity};

use crate::{shape, solved};

#[test]
fn a_seed_gives_the_same_uniform_boards_in_every_release() {
    for (rows, columns, seed, solvable, unsolvable) in [
        (2, 2, 0, "0 3 / 2 1", "0 3 / 1 2"),
        (2, 3, 1, "0 2 5 / 4 1 3", "0 2 5 / 1 4 3"),
        (3, 3, 1, "0 8 6 / 5 7 2 / 3 1 4", "0 8 6 / 7 5 2 / 3 1 4"),
        (
            4,
            4,
            1,
            "0 15 14 12 / 11 2 1 9 / 7 10 4 13 / 5 6 3 8",
            "0 15 14 12 / 2 11 1 9 / 7 10 4 13 / 5 6 3 8",
        ),
        (
            4,
            4,
            2,
            "15 12 1 6 / 9 11 4 3 / 0 13 8 5 / 10 14 7 2",
            "12 15 1 6 / 9 11 4 3 / 0 13 8 5 / 10 14 7 2",
        ),
        (
            5,
            5,
            3,
            "18 24 11 1 17 / 8 16 12 7 2 / 9 22 0 14 23 / 4 20 15 21 3 / 5 6 13 19 10",
            "24 18 11 1 17 / 8 16 12 7 2 / 9 22 0 14 23 / 4 20 15 21 3 / 5 6 13 19 10",
        ),
        (
            3,
            6,
            u64::MAX,
            "3 15 16 0 12 1 / 11 8 10 6 17 2 / 13 5 7 14 9 4",
            "3 15 16 0 12 1 / 8 11 10 6 17 2 / 13 5 7 14 9 4",
        ),
    ] {
        let goal = solved(rows, columns);
        let generate = |wanted| uniform(&goal, wanted, &mut Dice::new(seed)).to_string();
        assert_eq!(generate(Solvability::Solvable), solvable);
        assert_eq!(generate(Solvability::Unsolvable), unsolvable);
    }
}

#[test]
fn a_large_board_is_the_same_in_every_release() {
    let board = uniform(&solved(128, 128), Solvability::Solvable, &mut Dice::new(5));
    // FNV-1a over the tiles.
    let digest = board.tiles().fold(0xCBF2_9CE4_8422_2325_u64, |hash, tile| {
        (hash ^ u64::from(tile)).wrapping_mul(0x0100_0000_01B3)
    });
    assert_eq!(digest, 0x60A6_120A_4514_A04F);
}

#[test]
fn a_seed_gives_the_same_scrambles_in_every_release() {
    for (rows, columns, moves, seed, expected) in [
        (3, 3, 0, 1, "1 2 3 / 4 5 6 / 7 8 0"),
        (3, 3, 20, 1, "4 8 0 / 6 1 2 / 7 5 3"),
        (4, 4, 100, 1, "5 12 0 6 / 15 14 3 4 / 2 9 10 7 / 1 13 8 11"),
        (2, 5, 1000, 9, "1 3 5 8 2 / 0 6 4 7 9"),
        (
            5,
            5,
            1000,
            3,
            "15 7 1 19 5 / 24 3 12 6 2 / 17 20 23 13 0 / 14 18 11 22 10 / 16 8 21 9 4",
        ),
    ] {
        let board = scramble(&solved(rows, columns), moves, &mut Dice::new(seed));
        assert_eq!(board.to_string(), expected);
    }
}

#[test]
fn the_boards_of_a_batch_have_seeds_of_their_own() {
    assert_eq!(board_seed(42, 0), 42);
    assert_eq!(board_seed(42, 1), 0xBDD7_3226_2FEB_6E95);
    assert_eq!(board_seed(42, 3), 0x4752_6757_130F_9F52);
    // The first numbers of SplitMix64 from 0, as its authors print them.
    assert_eq!(board_seed(0, 1), 0xE220_A839_7B1D_CDAF);
    assert_eq!(board_seed(0, 2), 0x6E78_9E6A_A1B9_65F4);
    let seeds: HashSet<u64> = (0..10_000).map(|index| board_seed(7, index)).collect();
    assert_eq!(seeds.len(), 10_000);
}

#[test]
fn every_board_of_the_wanted_class_is_as_likely() {
    // 360 boards, each expected 100 times. Of a fair generator's chi-square values at 359 degrees
    // of freedom, one in a thousand lies above 447, and one in a thousand below 281.
    for goal in GoalLayout::ALL.map(|layout| layout.board(shape(2, 3))) {
        for (wanted, seed) in [(Solvability::Solvable, 1), (Solvability::Unsolvable, 2)] {
            let mut dice = Dice::new(seed);
            let mut counts: HashMap<Board, u32> = HashMap::new();
            for _ in 0..36_000 {
                *counts.entry(uniform(&goal, wanted, &mut dice)).or_default() += 1;
            }
            assert_eq!(counts.len(), 360);
            let chi_square: f64 = counts
                .values()
                .map(|&count| (f64::from(count) - 100.0).powi(2) / 100.0)
                .sum();
            assert!((281.0..447.0).contains(&chi_square), "{chi_square}");
        }
    }
}

#[test]
fn a_uniform_board_is_of_the_class_asked_for_whatever_the_goal() {
    for (rows, columns) in [(2, 2), (2, 5), (5, 2), (3, 4), (4, 4), (9, 8)] {
        for goal in GoalLayout::ALL.map(|layout| layout.board(shape(rows, columns))) {
            for seed in 0..20 {
                let solvable = uniform(&goal, Solvability::Solvable, &mut Dice::new(seed));
                assert!(Parity::of(&solvable, &goal).solvable());
                let unsolvable = uniform(&goal, Solvability::Unsolvable, &mut Dice::new(seed));
                assert!(!Parity::of(&unsolvable, &goal).solvable());
            }
        }
    }
}

#[test]
fn a_walk_never_takes_back_its_last_move() {
    for (rows, columns) in [(2, 2), (2, 3), (4, 4)] {
        let mut walk = Walk::new(solved(rows, columns));
        let mut dice = Dice::new(11);
        let mut before = walk.board().clone();
        walk.step(&mut dice);
        for _ in 0..1000 {
            let here = walk.board().clone();
            walk.step(&mut dice);
            assert_ne!(walk.board(), &before);
            before = here;
        }
    }
}

#[test]
fn a_scramble_can_be_solved_and_has_the_blank_where_its_moves_lead() {
    let goal = GoalLayout::Snail.board(shape(5, 4));
    for moves in 0..200 {
        let board = scramble(&goal, moves, &mut Dice::new(u64::from(moves)));
        let parity = Parity::of(&board, &goal);
        assert!(parity.solvable());
        assert_eq!(parity.blank_distance % 2, moves as usize % 2);
    }
}
