//! The boards with which a generation starts.

use crate::puzzle::generate::{Solvability, Walk, scramble, uniform};
use crate::puzzle::{Board, Dice, Shape};

/// Boards from earlier solves with which later ones start. The newest replace the oldest.
#[derive(Debug, Default)]
pub(super) struct Pool {
    boards: Vec<Board>,
    next: usize,
}

/// The most boards in a pool.
const REMEMBERED: usize = 1 << 14;

impl Pool {
    pub(super) fn add(&mut self, board: Board) {
        if self.boards.len() < REMEMBERED {
            self.boards.push(board);
        } else {
            self.boards[self.next] = board;
        }
        self.next = (self.next + 1) % REMEMBERED;
    }

    fn any(&self, dice: &mut Dice) -> Option<&Board> {
        let count = self.boards.len() as u32;
        (count > 0).then(|| &self.boards[dice.below(count) as usize])
    }
}

/// The sources of starts.
#[derive(Debug)]
pub(super) struct Starts {
    goal: Board,
    /// Boards from inside the layers of beams.
    pub(super) inside: Pool,
    /// Boards on solutions that were found.
    pub(super) ways: Pool,
}

impl Starts {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            goal: Board::solved(shape),
            inside: Pool::default(),
            ways: Pool::default(),
        }
    }

    /// Draws a start: four times in ten any board, three times one from inside a layer, twice one
    /// near a solution, and once the end of a walk from the goal.
    pub(super) fn draw(&self, dice: &mut Dice) -> Board {
        let pooled = match dice.below(10) {
            0..3 => self.inside.any(dice).cloned(),
            3..5 => self.ways.any(dice).map(|board| {
                let mut walk = Walk::new(board.clone());
                walk.steps(1 + dice.below(40), dice);
                walk.into_board()
            }),
            5 => {
                let cells = self.goal.shape().cells() as u32;
                let moves = 1 + dice.below(8 * cells);
                Some(scramble(&self.goal, moves, dice))
            }
            _ => None,
        };
        pooled.unwrap_or_else(|| uniform(&self.goal, Solvability::Solvable, dice))
    }
}
