//! Whole boards ranked by the learned estimate.

use std::sync::Arc;

use super::whole::{Beam, End, Task};
use super::{Estimate, Hashes};
use crate::heuristic::Slide;
use crate::heuristic::learned::Rows;
use crate::puzzle::{Problem, Shape};

/// The learned estimate of whole boards, and the goal by its hash: the estimate of the goal need
/// not be the least.
pub struct Learned {
    rows: Arc<Rows>,
    goal: u64,
}

impl Learned {
    /// The search for the board of a hash.
    pub(crate) const fn new(rows: Arc<Rows>, goal: u64) -> Self {
        Self { rows, goal }
    }
}

impl Estimate for Learned {
    type Tile = u8;
    type Value = i32;

    fn root(&self, tiles: &[u8]) -> i32 {
        self.rows.of(tiles)
    }

    #[inline]
    fn child(&self, tiles: &[u8], value: i32, slide: Slide) -> Option<i32> {
        Some(value + self.rows.change(tiles, slide))
    }

    #[inline]
    fn rank(&self, value: i32) -> i32 {
        value
    }

    #[inline]
    fn completes(&self, _value: i32, hash: u64) -> bool {
        hash == self.goal
    }
}

impl Beam<Learned> {
    /// A search by the learned estimate; none when the rows are not those of the shape of the
    /// problem's image under [`Problem::canonical_symmetry`].
    #[must_use]
    pub fn learned(
        problem: &Problem,
        from: End,
        rows: Arc<Rows>,
        width: usize,
        seed: u64,
    ) -> Option<Self> {
        let task = Task::by_last_corner(problem, from);
        let shape: Shape = task.start().shape();
        if rows.shape() != shape {
            return None;
        }
        let hashes = Hashes::new(shape, seed);
        let estimate = Learned::new(rows, hashes.of_board(task.goal()));
        Some(Self::new(task, estimate, hashes, width))
    }
}
