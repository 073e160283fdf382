//! Renaming tiles and mirroring change no solution.

use std::collections::HashSet;

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, Parity, Problem, ProblemError, Shape, Symmetry};
use proptest::prelude::*;

use crate::{board, goals, shape, shuffle, solved};

#[test]
fn tiles_are_renamed_to_the_plain_goal() {
    let problem = Problem::new(
        &board("8 0 4 / 7 1 3 / 2 6 5"),
        &board("1 2 3 / 8 0 4 / 7 6 5"),
    )
    .expect("solvable");
    assert_eq!(problem.home(), 4);
    assert_eq!(problem.shape(), shape(3, 3));
    assert_eq!(problem.goal().to_string(), "1 2 3 / 4 0 5 / 6 7 8");
    assert_eq!(problem.start().to_string(), "4 0 5 / 6 1 3 / 2 7 8");
    assert!(!problem.is_solved());
}

#[test]
fn each_tile_has_its_cell_in_the_goal() {
    for size in [shape(2, 2), shape(3, 5), shape(128, 128)] {
        for goal in goals(size).take(30) {
            let problem = Problem::new(&goal, &goal).expect("solved is solvable");
            let plain = problem.goal();
            assert_eq!(problem.start(), &plain);
            assert!(problem.is_solved());
            assert_eq!(plain.blank(), goal.blank());
            for tile in 0..size.cells() as u16 {
                assert_eq!(plain.tile(problem.goal_cell(tile)), tile);
            }
        }
    }
}

#[test]
fn boards_of_two_sizes_make_no_problem() {
    assert_eq!(
        Problem::new(&solved(2, 3), &solved(3, 2)),
        Err(ProblemError::ShapeMismatch {
            start: shape(2, 3),
            goal: shape(3, 2),
        })
    );
}

#[test]
fn a_board_of_the_wrong_parity_makes_no_problem_and_brings_the_evidence() {
    let start = board("1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 15 14 0");
    let goal = solved(4, 4);
    assert_eq!(
        Problem::new(&start, &goal),
        Err(ProblemError::Unsolvable(Box::new(Parity::of(
            &start, &goal
        ))))
    );
}

#[test]
fn equivalent_homes_get_one_image() {
    let kinds = |rows, columns| {
        let size = shape(rows, columns);
        let images: HashSet<(Shape, usize)> = homes(size)
            .map(|problem| {
                let image = problem.mirrored(problem.canonical_symmetry());
                (image.shape(), image.home())
            })
            .collect();
        assert!(
            images
                .iter()
                .all(|(shape, _)| shape.rows() <= shape.columns())
        );
        images
    };
    // Corner, edge, centre; on a rectangle, long and short edges differ.
    for (rows, columns, count) in [
        (2, 2, 1),
        (3, 3, 3),
        (4, 4, 3),
        (5, 5, 6),
        (2, 5, 3),
        (3, 4, 4),
    ] {
        assert_eq!(kinds(rows, columns).len(), count);
        assert_eq!(kinds(rows, columns), kinds(columns, rows));
    }
    for size in [shape(4, 4), shape(3, 5), shape(5, 2)] {
        for problem in homes(size) {
            let image = problem.mirrored(problem.canonical_symmetry());
            for symmetry in Symmetry::all() {
                let mirrored = problem.mirrored(symmetry);
                let same = mirrored.mirrored(mirrored.canonical_symmetry());
                assert_eq!((same.shape(), same.home()), (image.shape(), image.home()));
            }
            assert_eq!(image.mirrored(image.canonical_symmetry()), image);
        }
    }
}

/// Returns a solved problem for each home of the blank.
fn homes(shape: Shape) -> impl Iterator<Item = Problem> {
    goals(shape)
        .skip(5)
        .map(|goal| Problem::new(&goal, &goal).expect("solved is solvable"))
}

/// Returns the mirrored board, whose tiles keep their numbers.
fn mirrored(board: &Board, symmetry: Symmetry) -> Board {
    let shape = board.shape();
    let mut tiles = vec![0; shape.cells()];
    for (cell, tile) in board.tiles().enumerate() {
        tiles[symmetry.cell(shape, cell)] = u32::from(tile);
    }
    Board::new(symmetry.shape(shape), &tiles).expect("a board")
}

proptest! {
    #[test]
    fn renaming_keeps_solutions(
        rows in 2..10_usize,
        columns in 2..10_usize,
        seed: u64,
        moves in 0..200_usize,
    ) {
        let mut dice = Dice::new(seed);
        let goal = uniform(&solved(rows, columns), Solvability::Unsolvable, &mut dice);
        let mut start = goal.clone();
        let back = shuffle(&mut start, moves, &mut dice);
        let problem = Problem::new(&start, &goal).expect("moves lead back");
        prop_assert!(problem.replay(back).is_ok());
        // The same moves from the given start and from the renamed one lead to the same places.
        let mut plain = problem.start().clone();
        let detour = shuffle(&mut plain, 10, &mut dice);
        prop_assert!(detour.iter().rev().all(|&direction| start.slide(direction.opposite())));
        let moved = Problem::new(&start, &goal).expect("still solvable");
        prop_assert_eq!(moved.start(), &plain);
    }

    #[test]
    fn equal_questions_look_equal(rows in 2..10_usize, columns in 2..10_usize, seed: u64) {
        let mut dice = Dice::new(seed);
        let goal = uniform(&solved(rows, columns), Solvability::Solvable, &mut dice);
        let start = uniform(&goal, Solvability::Solvable, &mut dice);
        let names = uniform(&solved(rows, columns), Solvability::Solvable, &mut dice);
        let mut names: Vec<u32> = names.tiles().map(u32::from).collect();
        // The blank keeps its name.
        let blank = names.iter().position(|&name| name == 0).expect("a blank");
        names.swap(0, blank);
        let renamed = |board: &Board| {
            let tiles: Vec<u32> = board.tiles().map(|tile| names[usize::from(tile)]).collect();
            Board::new(board.shape(), &tiles).expect("a board")
        };
        prop_assert_eq!(
            Problem::new(&renamed(&start), &renamed(&goal)),
            Problem::new(&start, &goal)
        );
    }

    #[test]
    fn mirrors_keep_solutions(
        rows in 2..10_usize,
        columns in 2..10_usize,
        seed: u64,
        moves in 0..200_usize,
    ) {
        let mut dice = Dice::new(seed);
        let goal = uniform(&solved(rows, columns), Solvability::Solvable, &mut dice);
        let mut start = goal.clone();
        let back = shuffle(&mut start, moves, &mut dice);
        let problem = Problem::new(&start, &goal).expect("moves lead back");
        for symmetry in Symmetry::all() {
            let image = problem.mirrored(symmetry);
            prop_assert_eq!(
                &image,
                &Problem::new(&mirrored(&start, symmetry), &mirrored(&goal, symmetry))
                    .expect("mirrors keep solvability")
            );
            let through: Vec<_> = back.iter().map(|&direction| symmetry.direction(direction)).collect();
            let solution = image.replay(through).expect("the image is solved");
            let returned = solution.moves().iter().map(|&direction| symmetry.inverse().direction(direction));
            prop_assert_eq!(returned.collect::<Vec<_>>(), back.clone());
            prop_assert_eq!(&image.mirrored(symmetry.inverse()), &problem);
        }
    }

    #[test]
    fn mirrors_keep_the_parity(rows in 2..10_usize, columns in 2..10_usize, seed: u64) {
        let mut dice = Dice::new(seed);
        let goal = uniform(&solved(rows, columns), Solvability::Solvable, &mut dice);
        for wanted in [Solvability::Solvable, Solvability::Unsolvable] {
            let board = uniform(&goal, wanted, &mut dice);
            for symmetry in Symmetry::all() {
                let parity = Parity::of(&mirrored(&board, symmetry), &mirrored(&goal, symmetry));
                prop_assert_eq!(parity.solvable_by_inversions(), wanted == Solvability::Solvable);
                prop_assert_eq!(parity.solvable(), wanted == Solvability::Solvable);
            }
        }
    }
}

#[test]
fn the_way_back_is_the_way_with_all_moves_taken_back() {
    let start = board("8 0 4 / 7 1 3 / 2 6 5");
    let goal = board("1 2 3 / 8 0 4 / 7 6 5");
    let problem = Problem::new(&start, &goal).expect("solvable");
    let reversed = problem.reversed();
    assert_eq!(reversed, Problem::new(&goal, &start).expect("solvable"));
    assert_eq!(reversed.reversed(), problem);
}
