//! Bounds on boards too large to enumerate: every board on a shortest solution is as far from the goal as
//! there are moves left.

use loyd::heuristic::HeuristicKind;
use loyd::puzzle::{Dice, Problem};
use loyd::search::ida_star;

use crate::driving::run;
use crate::korf;
use crate::support::{goal, random_problem, shape, walk};

/// Solves the problem by linear conflict, which is proven elsewhere, and checks all bounds on the way.
/// Returns the number of boards.
fn admits_along_the_solution(problem: &Problem) -> usize {
    let goal = goal(problem.shape(), problem.home());
    let run = run(ida_star::solver(problem, HeuristicKind::LinearConflict));
    let moves = run.found[0].moves();
    let mut board = problem.start().clone();
    for (done, &direction) in moves.iter().enumerate() {
        let left = (moves.len() - done) as u32;
        let rest = Problem::new(&board, &goal).unwrap();
        for kind in HeuristicKind::ALL {
            let bound = kind.lower_bound(&rest);
            assert!(bound <= left, "{kind:?} on {board}: {bound} of {left}");
        }
        board.slide(direction);
    }
    moves.len()
}

#[test]
fn on_random_boards_of_ten_and_twelve_cells() {
    let mut dice = Dice::new(31);
    for (rows, columns) in [(3, 4), (4, 3), (2, 5), (5, 2)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            admits_along_the_solution(&random_problem(shape, home, &mut dice));
        }
    }
    // Random boards take IDA* long where the sides differ so much.
    for (rows, columns) in [(2, 6), (6, 2)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            for _ in 0..10 {
                admits_along_the_solution(&walk(shape, home, 200, &mut dice));
            }
        }
    }
}

#[test]
fn on_a_hundred_thousand_boards_of_4x4() {
    let shape = shape(4, 4);
    let mut dice = Dice::new(37);
    let mut boards = 0;
    while boards < 100_000 {
        let home = dice.below(16) as usize;
        boards += admits_along_the_solution(&walk(shape, home, 200, &mut dice));
    }
    for board in &korf::easiest_first()[..30] {
        admits_along_the_solution(&board.problem);
    }
}

#[test]
fn on_walks_from_the_goal_of_4x5() {
    let shape = shape(4, 5);
    let mut dice = Dice::new(41);
    for home in [19, 6] {
        for _ in 0..50 {
            admits_along_the_solution(&walk(shape, home, 120, &mut dice));
        }
    }
}
