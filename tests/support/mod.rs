//! What tests share: boards, random ones and all of a small size with their exact distances, and files.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub(crate) mod files;
pub(crate) mod published;

use std::iter;

use loyd::heuristic::Slide;
use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, Direction, Problem, Shape};
use rustc_hash::FxHashMap;

pub(crate) fn shape(rows: usize, columns: usize) -> Shape {
    Shape::new(rows, columns).unwrap()
}

/// The goal with the blank at `home` and the tiles in order around it.
pub(crate) fn goal(shape: Shape, home: usize) -> Board {
    let mut tiles: Vec<u32> = (1..shape.cells() as u32).collect();
    tiles.insert(home, 0);
    Board::new(shape, &tiles).unwrap()
}

/// A uniformly random cell.
pub(crate) fn any_cell(shape: Shape, dice: &mut Dice) -> usize {
    dice.below(shape.cells() as u32) as usize
}

/// A problem with a uniformly random solvable start.
pub(crate) fn random_problem(shape: Shape, home: usize, dice: &mut Dice) -> Problem {
    let goal = goal(shape, home);
    let start = uniform(&goal, Solvability::Solvable, dice);
    Problem::new(&start, &goal).unwrap()
}

/// A problem whose start is a walk of at most `steps` steps from the goal.
pub(crate) fn walk(shape: Shape, home: usize, steps: usize, dice: &mut Dice) -> Problem {
    let goal = goal(shape, home);
    let mut start = goal.clone();
    for _ in 0..steps {
        start.slide(any_direction(dice));
    }
    Problem::new(&start, &goal).unwrap()
}

pub(crate) fn any_direction(dice: &mut Dice) -> Direction {
    Direction::ALL[dice.below(4) as usize]
}

/// So many random slides from a board on, one after the other, each between the boards before and after it.
pub(crate) fn slides(
    start: &Board,
    count: usize,
    dice: &mut Dice,
) -> impl Iterator<Item = (Board, Slide, Board)> {
    let mut board = start.clone();
    let step = move || {
        let (before, direction) = (board.clone(), any_direction(dice));
        board.slide(direction).then(|| {
            let slide = Slide {
                tile: before.tile(board.blank()).into(),
                from: board.blank(),
                to: before.blank(),
                direction,
            };
            (before, slide, board.clone())
        })
    };
    iter::repeat_with(step).flatten().take(count)
}

/// A problem for the default goal, from its tiles row by row.
pub(crate) fn problem(rows: usize, columns: usize, tiles: &[u32]) -> Problem {
    let shape = shape(rows, columns);
    let start = Board::new(shape, tiles).unwrap();
    Problem::new(&start, &Board::solved(shape)).unwrap()
}

/// The distance to `goal` of every board that can reach it, found breadth first.
pub(crate) fn all_distances(goal: Board) -> FxHashMap<Board, u32> {
    distances_within(goal, u32::MAX)
}

/// The distances of the boards that are at most `most` moves from `goal`.
pub(crate) fn distances_within(goal: Board, most: u32) -> FxHashMap<Board, u32> {
    let mut distances = FxHashMap::from_iter([(goal.clone(), 0)]);
    let mut layer = vec![goal];
    let mut distance = 0;
    while !layer.is_empty() && distance < most {
        distance += 1;
        let mut next = Vec::new();
        for board in layer {
            for neighbour in neighbours(&board) {
                if !distances.contains_key(&neighbour) {
                    distances.insert(neighbour.clone(), distance);
                    next.push(neighbour);
                }
            }
        }
        layer = next;
    }
    distances
}

/// The boards one slide away.
pub(crate) fn neighbours(board: &Board) -> impl Iterator<Item = Board> {
    Direction::ALL.into_iter().filter_map(|direction| {
        let mut next = board.clone();
        next.slide(direction).then_some(next)
    })
}
