//! The moves of the blank from each cell, in the order down, right, left, up. Seen from a goal
//! with the blank first, half a turn away, it is up, left, right, down: the order in which
//! Korf's node counts of 1985 come out to the unit.

use crate::puzzle::{Direction, Problem, Shape};

/// The number of moves that a cell can have.
pub(super) const MOVES: usize = 4;

/// The way the tile slides for each move of the blank. The move back is `MOVES − 1 − move`.
pub(super) const SLIDES: [Direction; MOVES] = [
    Direction::Up,
    Direction::Left,
    Direction::Right,
    Direction::Down,
];

/// The number of the move that takes back the given one.
#[inline]
pub(super) const fn back(blank_move: usize) -> usize {
    MOVES - 1 - blank_move
}

/// Where the blank gets to by each move.
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

    /// The cell that the blank moves to, if the board has one there.
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

/// Plays moves of the blank and says what they solve.
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
