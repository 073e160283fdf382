//! Tests of `puzzle`, one file for each of its modules.

mod board;
mod dice;
mod direction;
mod generate;
mod goal;
mod home;
mod metric;
mod notation;
mod parity;
mod problem;
mod shape;
mod solution;
mod symmetry;

use loyd::puzzle::{Board, Dice, Direction, GoalLayout, Shape};

fn shape(rows: usize, columns: usize) -> Shape {
    Shape::new(rows, columns).expect("a legal shape")
}

/// The default goal: 1 2 3 …, the blank last.
fn solved(rows: usize, columns: usize) -> Board {
    Board::solved(shape(rows, columns))
}

fn board(text: &str) -> Board {
    text.parse().expect("a board")
}

/// Returns the named goals, and 1, 2, 3 … with the blank on each of the cells.
fn goals(shape: Shape) -> impl Iterator<Item = Board> {
    let layouts = GoalLayout::ALL.map(|layout| layout.board(shape));
    let homes = (0..shape.cells()).map(move |home| {
        let mut tiles: Vec<u32> = (1..shape.cells() as u32).collect();
        tiles.insert(home, 0);
        Board::new(shape, &tiles).expect("a board")
    });
    layouts.into_iter().chain(homes)
}

/// Calls `visit` with all boards of a shape, in lexicographic order.
fn for_all_boards(shape: Shape, mut visit: impl FnMut(&Board)) {
    let mut tiles: Vec<u32> = (0..shape.cells() as u32).collect();
    loop {
        visit(&Board::new(shape, &tiles).expect("a permutation"));
        let Some(pivot) = tiles.windows(2).rposition(|pair| pair[0] < pair[1]) else {
            return;
        };
        let next = tiles.iter().rposition(|&tile| tile > tiles[pivot]);
        tiles.swap(pivot, next.expect("the neighbour is greater"));
        tiles[pivot + 1..].reverse();
    }
}

/// Slides `count` random tiles and returns the moves that undo all of it.
fn shuffle(board: &mut Board, count: usize, dice: &mut Dice) -> Vec<Direction> {
    let mut back = Vec::new();
    while back.len() < count {
        let direction = Direction::ALL[dice.below(4) as usize];
        if board.slide(direction) {
            back.push(direction.opposite());
        }
    }
    back.reverse();
    back
}
