//! Whole boards ranked by a lower bound, where no estimate was learned.

use super::whole::{Beam, End, Task, supports};
use super::{Estimate, Hashes, Lane};
use crate::heuristic::linear_conflict::LinearConflict;
use crate::heuristic::{Heuristic, Slide, Tiles};
use crate::puzzle::Problem;

/// A lower bound, and the hash of the goal.
pub struct Bounded<H> {
    heuristic: H,
    goal: u64,
}

/// The tiles after a slide that is not made yet.
struct After<'a> {
    tiles: &'a [u8],
    slide: Slide,
}

impl Tiles for After<'_> {
    #[inline]
    fn tile(&self, cell: usize) -> usize {
        if cell == self.slide.from {
            0
        } else if cell == self.slide.to {
            self.slide.tile
        } else {
            usize::from(self.tiles[cell])
        }
    }
}

impl<H: Heuristic> Estimate for Bounded<H> {
    type Tile = u8;
    type Value = H::State;
    const UNIT: i32 = 1;

    fn root(&self, tiles: &[u8]) -> H::State {
        self.heuristic.root(&tiles)
    }

    #[inline]
    fn child(&self, lane: Lane) -> impl Fn(&[u8], H::State, usize) -> Option<H::State> {
        move |tiles, value, tile| {
            let slide = lane.slide(tile);
            let after = After { tiles, slide };
            Some(self.heuristic.after_slide(value, slide, &after))
        }
    }

    #[inline]
    fn rank(&self, value: H::State) -> i32 {
        H::value(value) as i32
    }

    #[inline]
    fn completes(&self, _value: H::State, hash: u64) -> bool {
        hash == self.goal
    }
}

impl Beam<Bounded<LinearConflict>> {
    /// A search by Manhattan distance and linear conflict.
    ///
    /// # Panics
    /// Where beams do not [support](supports) the shape.
    #[must_use]
    pub fn bounded(problem: &Problem, from: End, width: usize, seed: u64) -> Self {
        assert!(supports(problem.shape()), "a tile takes a byte");
        let task = Task::plain(problem, from);
        let heuristic = LinearConflict::new(task.image());
        let hashes = Hashes::new(task.start().shape(), seed);
        let goal = hashes.of_board(task.goal());
        let estimate = Bounded { heuristic, goal };
        Self::new(task, estimate, hashes, width)
    }
}
