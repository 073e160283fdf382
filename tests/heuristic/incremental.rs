use loyd::heuristic::Correction;
use loyd::heuristic::corrected::{Conflicts, Corrected};
use loyd::heuristic::linear_conflict::ShortLines;
use loyd::heuristic::walking_distance::{self, WalkingDistance};
use loyd::heuristic::{Heuristic, HeuristicKind, hamming, manhattan};
use loyd::heuristic::{discrete::Discrete, linear_conflict::LinearConflict};
use loyd::puzzle::{Board, Dice, Problem};

use crate::support::{any_cell, goal, random_problem, shape, slides, walk};

/// Walks at random and compares the updated state with an evaluation of the whole board.
fn agrees_along_a_walk<H: Heuristic>(
    kind: HeuristicKind,
    heuristic: &H,
    problem: &Problem,
    steps: usize,
) {
    let goal = goal(problem.shape(), problem.home());
    let mut state = heuristic.root(problem.start());
    for (_, slide, board) in slides(problem.start(), steps, &mut Dice::new(7)) {
        state = heuristic.after_slide(state, slide, &board);
        let bound = kind.lower_bound(&Problem::new(&board, &goal).unwrap());
        assert_eq!(H::value(state), bound, "{kind:?} {board}");
        assert_eq!(H::value(heuristic.root(&board)), bound, "{kind:?} {board}");
        state = heuristic.restore(&board, bound);
    }
}

fn agrees(problem: &Problem, steps: usize) {
    use HeuristicKind as Kind;
    let any = hamming::any(problem);
    agrees_along_a_walk(Kind::Discrete, &Discrete(any.clone()), problem, steps);
    agrees_along_a_walk(Kind::Hamming, &any, problem, steps);
    agrees_along_a_walk(Kind::Manhattan, &manhattan::any(problem), problem, steps);
    let lines = LinearConflict::new(problem);
    agrees_along_a_walk(Kind::LinearConflict, &lines, problem, steps);
    corrections_agree(&[], &manhattan::any(problem), problem, steps);
    if problem.shape().cells() <= 16 {
        while !walking_distance::prepare(problem, u64::MAX) {}
        if let Some(walking) = WalkingDistance::new(problem) {
            agrees_along_a_walk(Kind::WalkingDistance, &walking, problem, steps);
        }
    }
    corrections_agree(&[Correction::LinearConflict], &lines, problem, steps);
    if let Some(small) = hamming::small(problem) {
        agrees_along_a_walk(Kind::Discrete, &Discrete(small.clone()), problem, steps);
        agrees_along_a_walk(Kind::Hamming, &small, problem, steps);
    }
    if let Some(small) = manhattan::small(problem) {
        agrees_along_a_walk(Kind::Manhattan, &small, problem, steps);
        corrections_agree(&[], &small, problem, steps);
    }
    if let Some(short) = ShortLines::new(problem) {
        agrees_along_a_walk(Kind::LinearConflict, &short, problem, steps);
        corrections_agree(&[Correction::LinearConflict], &short, problem, steps);
    }
}

/// Compares corner tiles, last moves and both, on a base that already has the given corrections.
fn corrections_agree<B: Conflicts + Clone>(
    of_base: &[Correction],
    base: &B,
    problem: &Problem,
    steps: usize,
) {
    for (corner_tiles, last_moves) in [(true, false), (false, true), (true, true)] {
        let mut corrections = of_base.to_vec();
        corrections.extend(corner_tiles.then_some(Correction::CornerTiles));
        corrections.extend(last_moves.then_some(Correction::LastMoves));
        let kind = HeuristicKind::corrected(&corrections);
        let sum = Corrected::new(problem, base.clone(), corner_tiles, last_moves);
        agrees_along_a_walk(kind, &sum, problem, steps);
    }
}

#[test]
fn from_random_boards_of_every_size_to_10x10() {
    let mut dice = Dice::new(1);
    for rows in 2..=10 {
        for columns in 2..=10 {
            let shape = shape(rows, columns);
            let home = any_cell(shape, &mut dice);
            agrees(&random_problem(shape, home, &mut dice), 60);
        }
    }
}

#[test]
fn around_the_goal_where_the_lines_are_full() {
    for (rows, columns) in [
        (2, 2),
        (3, 3),
        (4, 4),
        (2, 4),
        (4, 3),
        (2, 8),
        (5, 5),
        (3, 20),
    ] {
        let shape = shape(rows, columns);
        for home in 0..shape.cells() {
            agrees(&walk(shape, home, 20, &mut Dice::new(home as u64)), 150);
        }
    }
}

#[test]
fn tables_are_for_small_boards_only() {
    let large = goal(shape(3, 6), 17);
    let large = Problem::new(&large, &large).unwrap();
    assert!(manhattan::small(&large).is_none());
    assert!(hamming::small(&large).is_none());
    let long = goal(shape(3, 5), 14);
    let long = Problem::new(&long, &long).unwrap();
    assert!(manhattan::small(&long).is_some());
    assert!(ShortLines::new(&long).is_none());
}

#[test]
fn on_the_largest_board() {
    let shape = shape(128, 128);
    agrees(&random_problem(shape, 16_383, &mut Dice::new(3)), 3);
    // All rows but the last are reversed: every line is full of conflicts.
    let mut tiles: Vec<u32> = Board::solved(shape).tiles().map(u32::from).collect();
    for row in tiles.chunks_mut(128).take(127) {
        row.reverse();
    }
    let start = Board::new(shape, &tiles).unwrap();
    agrees(&Problem::new(&start, &Board::solved(shape)).unwrap(), 3);
}
