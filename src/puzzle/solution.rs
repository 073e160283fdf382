//! Solutions: moves that were replayed and found to reach the goal.

use thiserror::Error;

use super::{Board, Direction, Problem};

/// Moves that solve a [`Problem`]. The only way to get one is to replay it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    moves: Vec<Direction>,
}

/// Why moves do not solve a problem: a defect of the search that made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// A move runs into the edge of the board.
    #[error("move {index} slides a tile over the edge")]
    Edge {
        /// The index of the move.
        index: usize,
    },
    /// The moves do not end on the goal.
    #[error("{length} moves do not end on the goal")]
    NotTheGoal {
        /// The number of moves.
        length: usize,
    },
}

impl Solution {
    pub(super) fn replay(problem: &Problem, moves: Vec<Direction>) -> Result<Self, ReplayError> {
        let mut replay = Replay::new(problem);
        replay.play(&moves)?;
        replay.finish()?;
        Ok(Self { moves })
    }

    /// Returns the moves.
    #[must_use]
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// Returns the number of moves.
    #[must_use]
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// Returns whether there are no moves, because the start is the goal.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.moves.is_empty()
    }

    /// Consumes the solution and returns the moves.
    #[must_use]
    pub fn into_moves(self) -> Vec<Direction> {
        self.moves
    }
}

/// Replays, piece by piece, the moves of a solution that is still being computed.
#[derive(Clone, Debug)]
pub struct Replay {
    board: Board,
    goal: Board,
    played: usize,
}

impl Replay {
    /// Starts at the problem's start.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        Self {
            board: problem.start().clone(),
            goal: problem.goal(),
            played: 0,
        }
    }

    /// Plays the next moves.
    ///
    /// # Errors
    /// [`ReplayError::Edge`] if a move cannot be made.
    pub fn play(&mut self, moves: &[Direction]) -> Result<(), ReplayError> {
        for &direction in moves {
            if !self.board.slide(direction) {
                return Err(ReplayError::Edge { index: self.played });
            }
            self.played += 1;
        }
        Ok(())
    }

    /// Returns the number of moves played.
    #[must_use]
    pub const fn played(&self) -> usize {
        self.played
    }

    /// Checks, after the last move, that the goal is reached.
    ///
    /// # Errors
    /// [`ReplayError::NotTheGoal`] if the board is not solved.
    pub fn finish(&self) -> Result<(), ReplayError> {
        if self.board == self.goal {
            Ok(())
        } else {
            Err(ReplayError::NotTheGoal {
                length: self.played,
            })
        }
    }
}

/// A recording that is full grows by this fraction of its moves. Doubled, as vectors are by themselves, it would hold
/// up to twice the megabytes that a solution of a large board takes.
const ROOM_DIVISOR: usize = 8;

/// The fewest moves by which it grows.
const LEAST_ROOM: usize = 64;

/// A [`Replay`] that keeps the moves, so that a long solution need not be replayed all at once at
/// the end.
#[derive(Clone, Debug)]
pub struct Recording {
    replay: Replay,
    moves: Vec<Direction>,
}

impl Recording {
    /// Starts at the problem's start.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        Self {
            replay: Replay::new(problem),
            moves: Vec::new(),
        }
    }

    /// Plays the next moves.
    ///
    /// # Errors
    /// [`ReplayError::Edge`] if a move cannot be made.
    pub fn play(&mut self, moves: &[Direction]) -> Result<(), ReplayError> {
        self.replay.play(moves)?;
        if self.moves.capacity() - self.moves.len() < moves.len() {
            let room = (self.moves.len() / ROOM_DIVISOR).max(LEAST_ROOM);
            self.moves.reserve_exact(room.max(moves.len()));
        }
        self.moves.extend_from_slice(moves);
        Ok(())
    }

    /// Returns the board after the moves played so far.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.replay.board
    }

    /// Returns the bytes that the moves take.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.moves.capacity()
    }

    /// Checks, after the last move, that the goal is reached, and returns the solution.
    ///
    /// # Errors
    /// [`ReplayError::NotTheGoal`] if the board is not solved.
    pub fn finish(self) -> Result<Solution, ReplayError> {
        self.replay.finish()?;
        Ok(Solution { moves: self.moves })
    }
}
