//! Boards of every size, solved at once.

mod moves;

use std::sync::Arc;

use loyd::puzzle::{Board, Dice, Direction, GoalLayout, Parity, Problem, Replay, Shape, Symmetry};
use loyd::search::constructive::{Constructive, Variant};
use loyd::search::distance_table::{Class, DistanceTable};
use loyd::search::tables::Tables;
use loyd::search::{Budget, Search, Step, Stop};

use crate::support::{goal, random_problem, shape};

/// The problem of a start; if it is unsolvable, two neighbours are exchanged first.
pub(crate) fn nearest_problem(shape: Shape, home: usize, mut tiles: Vec<u32>) -> Problem {
    let goal = goal(shape, home);
    let start = Board::new(shape, &tiles).expect("a permutation");
    let parity = Parity::of(&start, &goal);
    if parity.solvable() {
        return Problem::new(&start, &goal).expect("solvable");
    }
    tiles.swap(parity.exchange.cells.0, parity.exchange.cells.1);
    let start = Board::new(shape, &tiles).expect("a permutation");
    Problem::new(&start, &goal).expect("solvable after the exchange")
}

/// Solves, replays and counts the moves.
pub(crate) fn solve(tables: &Arc<Tables>, problem: &Problem, variant: Variant) -> usize {
    let mut replay = Replay::new(problem);
    for run in runs(tables, problem, variant, Budget::UNLIMITED) {
        replay.play(&run).expect("moves on the board");
    }
    if let Err(error) = replay.finish() {
        panic!(
            "{variant:?}: {error}: {} to {}",
            problem.start(),
            problem.goal()
        );
    }
    replay.played()
}

fn solve_by_all(tables: &Arc<Tables>, problem: &Problem) {
    for variant in Variant::ALL {
        solve(tables, problem, variant);
    }
}

fn runs(
    tables: &Arc<Tables>,
    problem: &Problem,
    variant: Variant,
    budget: Budget,
) -> Vec<Vec<Direction>> {
    let mut search = Constructive::new(Arc::clone(tables), problem, variant);
    let mut runs = Vec::new();
    loop {
        match search.advance(budget) {
            Step::Found(run) => {
                assert!((1..=4096).contains(&run.len()), "{} moves", run.len());
                runs.push(run);
            }
            Step::Working => {}
            Step::Done(stop) => {
                assert_eq!(stop, Stop::FirstFound);
                assert_eq!(search.advance(budget), Step::Done(stop));
                return runs;
            }
        }
    }
}

#[test]
fn every_shape_up_to_9_by_9_with_the_blank_at_home_on_any_cell() {
    let tables = Arc::new(Tables::new());
    let mut dice = Dice::new(6);
    for rows in 2..=9 {
        for columns in 2..=9 {
            let shape = shape(rows, columns);
            for home in 0..shape.cells() {
                for _ in 0..2 {
                    solve_by_all(&tables, &random_problem(shape, home, &mut dice));
                }
            }
        }
    }
}

/// Solves every `stride`th board of a class; if the shape is not square, the transposed board as well.
fn solve_class(class: Class, stride: usize) {
    let tables = Arc::new(Tables::new());
    let table = DistanceTable::new(class);
    let goal = goal(class.shape(), class.home());
    for index in (0..class.boards()).step_by(stride) {
        let board = table.board(index).expect("an index in range");
        let problem = Problem::new(&board, &goal).expect("solvable");
        let turned = (class.shape() != class.shape().transposed())
            .then(|| problem.mirrored(Symmetry::TRANSPOSITION));
        for problem in turned.into_iter().chain([problem]) {
            let fewest = table.distance(&problem).expect("of the class") as usize;
            for variant in Variant::ALL {
                let moves = solve(&tables, &problem, variant);
                let by_table = class.shape().cells() < 10 && variant != Variant::Hayes;
                assert!(
                    moves == fewest || moves > fewest && !by_table,
                    "{variant:?}"
                );
            }
        }
    }
}

#[test]
fn all_boards_of_nine_cells_and_fewer_take_the_fewest_moves_by_table() {
    for class in Class::all() {
        if class.shape().cells() < 10 {
            solve_class(class, 1);
        }
    }
}

#[test]
fn many_boards_of_2_by_5() {
    for class in Class::all() {
        if class.shape().cells() == 10 {
            solve_class(class, 997);
        }
    }
}

#[test]
fn boards_with_any_two_tiles_exchanged() {
    let tables = Arc::new(Tables::new());
    for (rows, columns) in [(2, 7), (6, 2), (3, 5), (4, 4), (5, 5)] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            for a in 0..shape.cells() {
                for b in 0..a {
                    let mut tiles: Vec<u32> = goal(shape, home).tiles().map(u32::from).collect();
                    tiles.swap(a, b);
                    solve_by_all(&tables, &nearest_problem(shape, home, tiles));
                }
            }
        }
    }
}

/// Solves boards with the blank and two tiles on any cells except those of the tiles `kept`, which are done.
fn solve_with_two_tiles_anywhere(shape: Shape, kept: &[u32], two: [u32; 2]) {
    let tables = Arc::new(Tables::new());
    let home = shape.cells() - 1;
    let cells: Vec<usize> = (0..shape.cells())
        .filter(|&cell| !kept.contains(&(cell as u32 + 1)))
        .collect();
    for &blank in &cells {
        for &first in cells.iter().filter(|&&cell| cell != blank) {
            for &second in cells.iter().filter(|&&cell| cell != blank && cell != first) {
                let mut others = (1..shape.cells() as u32)
                    .filter(|tile| !kept.contains(tile) && !two.contains(tile));
                let tiles = (0..shape.cells())
                    .map(|cell| match cell {
                        _ if cell == blank => 0,
                        _ if cell == first => two[0],
                        _ if cell == second => two[1],
                        _ if cells.contains(&cell) => others.next().expect("one for each cell"),
                        _ => cell as u32 + 1,
                    })
                    .collect();
                solve_by_all(&tables, &nearest_problem(shape, home, tiles));
            }
        }
    }
}

#[test]
fn the_last_two_tiles_of_a_line_wherever_they_and_the_blank_are() {
    solve_with_two_tiles_anywhere(shape(4, 4), &[1, 2], [3, 4]);
    solve_with_two_tiles_anywhere(shape(4, 4), &[1, 4], [2, 3]);
    solve_with_two_tiles_anywhere(shape(4, 5), &[1, 16], [6, 11]);
    solve_with_two_tiles_anywhere(shape(4, 3), &[1], [2, 3]);
    solve_with_two_tiles_anywhere(shape(5, 5), &[1, 2, 5], [3, 4]);
}

#[test]
fn the_two_tiles_of_a_column_of_two_wherever_they_and_the_blank_are() {
    solve_with_two_tiles_anywhere(shape(2, 7), &[], [1, 8]);
    solve_with_two_tiles_anywhere(shape(6, 2), &[], [1, 2]);
}

#[test]
fn large_boards_and_narrow_ones() {
    let tables = Arc::new(Tables::new());
    let mut dice = Dice::new(7);
    for (rows, columns) in [
        (2, 128),
        (128, 2),
        (3, 128),
        (128, 3),
        (4, 100),
        (17, 5),
        (33, 32),
    ] {
        let shape = shape(rows, columns);
        for home in [0, shape.cells() / 2 + columns / 2, shape.cells() - 1] {
            solve_by_all(&tables, &random_problem(shape, home, &mut dice));
        }
    }
    for side in [100, 128] {
        let shape = shape(side, side);
        let centre = shape.cell(side / 2, side / 2);
        solve_by_all(&tables, &random_problem(shape, centre, &mut dice));
    }
}

#[test]
fn reversed_boards_and_the_named_goals() {
    let tables = Arc::new(Tables::new());
    for (rows, columns) in [(2, 9), (9, 2), (4, 4), (5, 7), (12, 12), (25, 24)] {
        let shape = shape(rows, columns);
        for home in [0, columns, shape.cells() - 1] {
            let reversed = (0..shape.cells() as u32).rev().collect();
            solve_by_all(&tables, &nearest_problem(shape, home, reversed));
            for layout in GoalLayout::ALL {
                let tiles = layout.board(shape).tiles().map(u32::from).collect();
                solve_by_all(&tables, &nearest_problem(shape, home, tiles));
            }
        }
    }
}

#[test]
fn a_solved_board_takes_no_moves() {
    let tables = Arc::new(Tables::new());
    let shape = shape(128, 128);
    let goal = goal(shape, 300);
    let problem = Problem::new(&goal, &goal).expect("solvable");
    for variant in Variant::ALL {
        assert_eq!(solve(&tables, &problem, variant), 0);
    }
}

#[test]
fn the_moves_are_the_same_however_the_budget_is_sliced() {
    let tables = Arc::new(Tables::new());
    let mut dice = Dice::new(8);
    for (rows, columns) in [(3, 3), (2, 20), (6, 6), (20, 30)] {
        let shape = shape(rows, columns);
        let problem = random_problem(shape, shape.cells() / 2, &mut dice);
        for variant in Variant::ALL {
            let whole = runs(&tables, &problem, variant, Budget::UNLIMITED).concat();
            for nodes in [0, 1, 1000] {
                let sliced = runs(&tables, &problem, variant, Budget::nodes(nodes));
                assert_eq!(
                    sliced.concat(),
                    whole,
                    "{variant:?}: {shape} by {nodes} nodes"
                );
            }
        }
    }
}

#[test]
fn the_first_moves_of_the_largest_board_take_little_of_the_work() {
    let tables = Arc::new(Tables::new());
    let shape = shape(128, 128);
    let problem = random_problem(shape, shape.cells() - 1, &mut Dice::new(9));
    let mut search = Constructive::new(tables, &problem, Variant::Best);
    let Step::Found(_) = search.advance(Budget::nodes(1)) else {
        panic!("no moves at once");
    };
    let first = search.progress();
    assert!(first.generated < 200_000, "{first:?}");
    while let Step::Found(_) = search.advance(Budget::UNLIMITED) {}
    let last = search.progress();
    assert!(last.generated > 100 * first.generated, "{last:?}");
    // A few bytes per cell, although there are millions of moves.
    assert!(last.peak_memory < 32 * shape.cells() as u64, "{last:?}");
    assert!(last.memory <= last.peak_memory);
}
