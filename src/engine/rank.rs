//! The order of newcomers: boards whose tiles are closest to home go first, since they take least.
//!
//! While more is asked than can be done there is always a line. In it, a board that is solved in
//! 20 µs should not wait for boards that take a hundred times as long. (Shortest job first.)

use std::array;

use crate::heuristic::manhattan;
use crate::puzzle::{Problem, Shape};

/// A class of questions that take about equally long, the shortest first.
///
/// It depends on the question alone. If it depended on recent timings, later questions of the same
/// kind could overtake those that already wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(u8);

impl Rank {
    /// The rank that goes first.
    pub const FIRST: Self = Self(0);

    /// The number of ranks.
    const COUNT: usize = 24;

    /// The rank of a proof. Each rank covers up to twice the distance from home of the one before.
    #[must_use]
    pub fn of_proof(problem: &Problem) -> Self {
        Self::within(manhattan::lower_bound(problem) as usize)
    }

    /// The rank of finding any solution. That takes about equally long for all boards of a shape:
    /// about as long as a proof for boards an eighth as far from home.
    #[must_use]
    pub fn of_first_answer(shape: Shape) -> Self {
        let distance = shape.cells() * shape.rows().max(shape.columns()) * 2 / 3;
        Self::within(distance / 8)
    }

    /// The rank of a search for boards of up to `most_moves` moves.
    #[must_use]
    pub fn of_difficulty(most_moves: u32) -> Self {
        Self::within(most_moves as usize)
    }

    fn within(distance: usize) -> Self {
        let log = distance.checked_ilog2().map_or(0, |log| log as usize + 1);
        Self(log.min(Self::COUNT - 1) as u8)
    }
}

/// One value for each rank.
#[derive(Debug)]
pub struct Ranked<T>([T; Rank::COUNT]);

impl<T: Default> Default for Ranked<T> {
    fn default() -> Self {
        Self(array::from_fn(|_| T::default()))
    }
}

impl<T> Ranked<T> {
    /// The value of a rank.
    pub const fn of(&self, rank: Rank) -> &T {
        &self.0[rank.0 as usize]
    }

    /// The value of a rank, mutably.
    pub const fn of_mut(&mut self, rank: Rank) -> &mut T {
        &mut self.0[rank.0 as usize]
    }

    /// All values with their ranks, first rank first.
    pub fn ranks(&self) -> impl Iterator<Item = (Rank, &T)> {
        (0..).map(Rank).zip(&self.0)
    }

    /// The values of a rank and of all ranks before it.
    pub fn up_to(&self, rank: Rank) -> impl Iterator<Item = &T> {
        self.0.iter().take(usize::from(rank.0) + 1)
    }
}
