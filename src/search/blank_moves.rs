//! The moves of the blank from each cell, in the order down, right, left, up. Seen from a goal with the blank
//! first, half a turn away, this is up, left, right, down: the order that reproduces Korf's node counts of
//! 1985 exactly.

use crate::puzzle::{Direction, Problem, Shape};

/// The number of moves that a cell can have.
pub(super) const MOVES: usize = 4;

/// The direction in which the tile slides for each move of the blank. Move `MOVES − 1 − move` undoes `move`.
pub(super) const SLIDES: [Direction; MOVES] = [
    Direction::Up,
    Direction::Left,
    Direction::Right,
    Direction::Down,
];

/// The number of the move that undoes the given one.
#[inline]
pub(super) const fn back(blank_move: usize) -> usize {
    MOVES - 1 - blank_move
}

/// The cell that each move takes the blank to.
#[derive(Clone, Debug)]
pub(super) struct BlankMoves {
    to: Box<[[u16; MOVES]]>,
}

/// Stands for a move over the edge.
const NONE: u16 = u16::MAX;

impl BlankMoves {
    pub(super) fn new(shape: Shape) -> Self {
        let to = |blank, slide: Direction| {
            shape
                .neighbour(blank, slide.opposite())
                .map_or(NONE, |cell| cell as u16)
        };
        Self {
            to: (0..shape.cells())
                .map(|blank| SLIDES.map(|slide| to(blank, slide)))
                .collect(),
        }
    }

    /// The cell that the blank moves to, or `None` at the edge of the board.
    #[inline]
    pub(super) fn target(&self, blank: usize, blank_move: usize) -> Option<usize> {
        match self.to[blank][blank_move] {
            NONE => None,
            cell => Some(usize::from(cell)),
        }
    }

    /// The bytes of the table.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&*self.to) as u64
    }
}

/// Plays moves of the blank and returns the solution that they make.
///
/// # Panics
/// When they do not solve the problem: a defect of the search that found them.
pub(super) fn solution(
    problem: &Problem,
    blank_moves: impl Iterator<Item = usize>,
) -> crate::puzzle::Solution {
    problem
        .replay(blank_moves.map(|blank_move| SLIDES[blank_move]).collect())
        .expect("a search follows legal moves to the goal")
}
