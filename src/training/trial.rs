//! What weights are worth: how long a beam's solutions are by them.

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
    pub(super) fn new(course: &Course) -> Self {
        let goal = Board::solved(course.from.shape());
        let mut dice = Dice::new(board_seed(course.seed, u64::MAX));
        let boards = (0..course.trials)
            .map(|_| uniform(&goal, Solvability::Solvable, &mut dice))
            .collect();
        Self {
            boards,
            width: course.trial_width,
            threads: course.threads,
        }
    }

    /// The mean length of the solutions.
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
        let lost = 2.0 * typical(weights.shape()) as f64;
        let length = |outcome: &Outcome| outcome.moves().map_or(lost, |moves| moves as f64);
        let moves = outcomes.iter().map(length).sum::<f64>() / outcomes.len() as f64;
        report(&Report::Tried {
            generation,
            what,
            moves,
            failed: outcomes.iter().filter(|one| one.path.is_none()).count(),
        });
        moves
    }
}

/// About the moves of a random board's solution.
fn typical(shape: Shape) -> usize {
    shape.cells() * (shape.rows() + shape.columns()) * 2 / 5
}
