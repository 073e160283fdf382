//! Boards drawn at random.

use loyd::puzzle::generate::{Solvability, board_seed, scramble, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout, Parity};
use loyd::search::generate::batch::Batch;
use loyd::search::generate::drawing::{Draw, Drawing, Drawn};
use loyd::search::{Budget, Search, Step, Stop};

use crate::support::shape;

/// Several boards, and the nodes that drawing them took.
fn draw(goal: &Board, draw: Draw, seed: u64, count: u64, slice: u64) -> (Vec<Drawn>, u64) {
    let mut batch = Batch::new(seed, count, |seed| Drawing::new(goal.clone(), draw, seed));
    let mut drawn = Vec::new();
    loop {
        match batch.advance(Budget::nodes(slice)) {
            Step::Working => {}
            Step::Found(one) => drawn.push(one),
            Step::Done(stop) => {
                assert_eq!(stop, Stop::Proven);
                return (drawn, batch.progress().generated);
            }
        }
    }
}

#[test]
fn each_board_is_the_one_of_its_seed_however_the_work_is_sliced() {
    let goal = GoalLayout::Snail.board(shape(4, 5));
    for slice in [1, 7, 10_000] {
        for wanted in [Solvability::Solvable, Solvability::Unsolvable] {
            let (boards, nodes) = draw(&goal, Draw::Uniform(wanted), 9, 5, slice);
            assert_eq!((boards.len(), nodes), (5, 5 * 20));
            for (index, drawn) in boards.into_iter().enumerate() {
                assert_eq!(drawn.seed, board_seed(9, index as u64));
                let alone = uniform(&goal, wanted, &mut Dice::new(drawn.seed));
                assert_eq!(drawn.board, alone);
                let solvable = Parity::of(&drawn.board, &goal).solvable();
                assert_eq!(solvable, wanted == Solvability::Solvable);
            }
        }
        let (boards, nodes) = draw(&goal, Draw::Scramble(33), 9, 5, slice);
        assert_eq!((boards.len(), nodes), (5, 5 * 33));
        for drawn in boards {
            let alone = scramble(&goal, 33, &mut Dice::new(drawn.seed));
            assert_eq!(drawn.board, alone);
        }
    }
}

#[test]
fn a_scramble_of_no_moves_is_the_goal() {
    let goal = Board::solved(shape(3, 3));
    let (boards, nodes) = draw(&goal, Draw::Scramble(0), 1, 2, 1);
    assert_eq!(nodes, 0);
    assert!(boards.iter().all(|drawn| drawn.board == goal));
}

#[test]
fn one_board_is_all_there_is_and_no_slice_overdraws_its_budget() {
    let goal = Board::solved(shape(3, 3));
    let mut drawing = Drawing::new(goal.clone(), Draw::Scramble(10), 3);
    assert_eq!(drawing.advance(Budget::nodes(0)), Step::Working);
    assert_eq!(drawing.advance(Budget::nodes(9)), Step::Working);
    assert_eq!(drawing.progress().generated, 9);
    let board = scramble(&goal, 10, &mut Dice::new(3));
    assert_eq!(
        drawing.advance(Budget::UNLIMITED),
        Step::Found(Drawn { board, seed: 3 })
    );
    assert_eq!(drawing.progress().generated, 10);
    assert_eq!(
        drawing.advance(Budget::UNLIMITED),
        Step::Done(Stop::FirstFound)
    );
}
