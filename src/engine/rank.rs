//! Who of the newcomers goes first: those whose tiles have the shortest way home, as they take least.
//!
//! While more is asked than can be done there is always a line, in which a board that is solved in
//! 20 µs should not wait for those that take a hundred times as long. (Shortest job first.)

use std::array;

use crate::heuristic::manhattan;
use crate::puzzle::{Problem, Shape};

/// A class of questions that take about as long, the shortest first. It depends on the question
/// alone: by what they took of late, questions of one kind could be left behind by others of theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank(u8);

impl Rank {
    /// The first of all.
    pub const FIRST: Self = Self(0);

    /// How many there are.
    const COUNT: usize = 24;

    /// That of a proof: each has those of up to twice the distance from home of the one before.
    #[must_use]
    pub fn of_proof(problem: &Problem) -> Self {
        Self::within(manhattan::lower_bound(problem) as usize)
    }

    /// That of any solution, which takes about as long for all boards of a size, and as a proof for
    /// those that are an eighth as far from home.
    #[must_use]
    pub fn of_first_answer(shape: Shape) -> Self {
        let distance = shape.cells() * shape.rows().max(shape.columns()) * 2 / 3;
        Self::within(distance / 8)
    }

    /// That of a search for boards of up to so many moves.
    #[must_use]
    pub fn of_difficulty(most_moves: u32) -> Self {
        Self::within(most_moves as usize)
    }

    fn within(distance: usize) -> Self {
        let log = distance.checked_ilog2().map_or(0, |log| log as usize + 1);
        Self(log.min(Self::COUNT - 1) as u8)
    }
}

/// Something for each rank.
#[derive(Debug)]
pub struct Ranked<T>([T; Rank::COUNT]);

impl<T: Default> Default for Ranked<T> {
    fn default() -> Self {
        Self(array::from_fn(|_| T::default()))
    }
}

impl<T> Ranked<T> {
    /// That of a rank.
    pub const fn of(&self, rank: Rank) -> &T {
        &self.0[rank.0 as usize]
    }

    /// That of a rank, to be changed.
    pub const fn of_mut(&mut self, rank: Rank) -> &mut T {
        &mut self.0[rank.0 as usize]
    }

    /// All, each with its rank, the first one first.
    pub fn ranks(&self) -> impl Iterator<Item = (Rank, &T)> {
        (0..).map(Rank).zip(&self.0)
    }

    /// Those of a rank and of all before it.
    pub fn up_to(&self, rank: Rank) -> impl Iterator<Item = &T> {
        self.0.iter().take(usize::from(rank.0) + 1)
    }
}
