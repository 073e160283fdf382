//! The worth of weights: the length of a beam's solutions by them.

use std::sync::Arc;

use super::solve::{Beam, Outcome, solve_all};
use super::{Course, Report};
use crate::heuristic::learned::{Rows, Weights};
use crate::puzzle::generate::{Solvability, board_seed, uniform};
use crate::puzzle::{Board, Dice, Shape};

/// The boards that decide between weights.
pub(super) struct Trial {
    boards: Vec<Board>,
    width: usize,
    threads: usize,
}

impl Trial {
    pub(super) fn new(shape: Shape, course: &Course) -> Self {
        Self {
            boards: trial_boards(shape, course),
            width: course.trial_width,
            threads: course.threads,
        }
    }

    /// Returns the mean length of the solutions.
    pub(super) fn run(
        &self,
        weights: &Weights,
        generation: u32,
        what: &'static str,
        report: &mut dyn FnMut(&Report),
    ) -> f64 {
        let beam = Beam {
            rows: Arc::new(Rows::new(weights.clone())),
            width: self.width,
        };
        let outcomes = solve_all(&beam, &self.boards, 1, self.threads);
        let lengths: Vec<_> = outcomes.iter().map(Outcome::moves).collect();
        let worth = Worth::of(weights.shape(), &lengths);
        worth.report(generation, what, report)
    }
}

/// Returns the boards that decide between weights in a course.
pub(super) fn trial_boards(shape: Shape, course: &Course) -> Vec<Board> {
    let mut dice = Dice::new(board_seed(course.seed, u64::MAX));
    random_boards(shape, course.trials, &mut dice)
}

/// Returns random solvable boards, all equally likely.
pub(super) fn random_boards(shape: Shape, count: usize, dice: &mut Dice) -> Vec<Board> {
    let goal = Board::solved(shape);
    (0..count)
        .map(|_| uniform(&goal, Solvability::Solvable, dice))
        .collect()
}

/// The lengths of solutions.
pub(super) struct Worth {
    /// The mean length, where a missing solution counts as twice the typical length.
    moves: f64,
    /// The number of missing solutions.
    failed: usize,
}

impl Worth {
    pub(super) fn of(shape: Shape, lengths: &[Option<usize>]) -> Self {
        let lost = 2.0 * typical(shape) as f64;
        let length = |length: &Option<usize>| length.map_or(lost, |moves| moves as f64);
        Self {
            moves: lengths.iter().map(length).sum::<f64>() / lengths.len() as f64,
            failed: lengths.iter().filter(|length| length.is_none()).count(),
        }
    }

    /// Reports the figures and returns the mean.
    pub(super) fn report(
        self,
        generation: u32,
        what: &'static str,
        report: &mut dyn FnMut(&Report),
    ) -> f64 {
        let Self { moves, failed } = self;
        report(&Report::Tried {
            generation,
            what,
            moves,
            failed,
        });
        moves
    }
}

/// Returns about the length of a random board's solution, in moves.
fn typical(shape: Shape) -> usize {
    shape.cells() * (shape.rows() + shape.columns()) * 2 / 5
}
