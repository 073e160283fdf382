//! Whole boards ranked by the learned estimate.

use std::cell::Cell;
use std::sync::Arc;

use super::whole::{Beam, End, Task};
use super::{Estimate, Hashes, Lane};
use crate::heuristic::learned::Rows;
use crate::puzzle::{Problem, Shape};

/// The learned estimate of whole boards, and the goal by its hash: the estimate of the goal need
/// not be the least.
///
/// Boards of a beam have much in common: what a slide of a tile has changed for others, it will
/// change for the next, give or take half a move.
pub struct Learned {
    rows: Arc<Rows>,
    goal: u64,
    /// By row: the change of late, in fine parts of a [`Rows::UNIT`]th.
    late: Box<[Cell<i16>]>,
}

/// The bits of a [`Rows::UNIT`]th in which changes of late are kept.
const FINE: i32 = 4;

/// The newest change and those before it together count two to this power times as much as itself.
const MEMORY: i32 = 2;

impl Learned {
    /// The search for the board of a hash.
    pub(crate) fn new(rows: Arc<Rows>, goal: u64) -> Self {
        let late = vec![Cell::new(0); rows.count()].into();
        Self { rows, goal, late }
    }
}

impl Estimate for Learned {
    type Tile = u8;
    type Value = i32;
    const UNIT: i32 = Rows::UNIT;

    fn root(&self, tiles: &[u8]) -> i32 {
        self.rows.of(tiles)
    }

    #[inline]
    fn child(&self, lane: Lane) -> impl Fn(&[u8], i32, usize) -> Option<i32> {
        let rows = self.rows.between(lane.to, lane.direction);
        let late = &self.late[rows.numbers()];
        move |tiles, value, tile| {
            let change = rows.sum(tile, tiles);
            let late = &late[tile - 1];
            let before = i32::from(late.get());
            late.set((before + (((change << FINE) - before) >> MEMORY)) as i16);
            Some(value + rows.sign() * change)
        }
    }

    #[inline]
    fn foreseen(&self, lane: Lane) -> impl Fn(i32, usize) -> i32 {
        let rows = self.rows.between(lane.to, lane.direction);
        let late = &self.late[rows.numbers()];
        let sign = rows.sign();
        move |value, tile| value + ((sign * i32::from(late[tile - 1].get())) >> FINE)
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
