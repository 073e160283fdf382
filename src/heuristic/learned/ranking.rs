//! What beams over whole boards require of the estimate that ranks them.

use std::fmt::Debug;
use std::ops::Range;

use super::lookup::TOGETHER;
use super::names::names_by_last_corner;
use super::network::Network;
use crate::puzzle::{Direction, Shape, plain_goal};

/// An estimate of whole boards, by tables of how slides change it, and by a network where there is
/// one.
pub trait Ranking: Debug + Send + Sync + 'static {
    /// The tables of the slides between two cells.
    type Between<'a>: Changes;

    /// Returns the shape of its boards.
    fn shape(&self) -> Shape;

    /// Returns the network beside the weights, if there is one.
    fn network(&self) -> Option<&Network>;

    /// Adds a network.
    ///
    /// # Panics
    /// If the network is for boards of another shape.
    fn set_network(&mut self, network: Network);

    /// Returns the estimate of a board without the network, in parts of a move
    /// ([`Weights::UNIT`](super::Weights::UNIT)). The board is given as its tiles row by row.
    fn of(&self, tiles: &[u8]) -> i32;

    /// Returns about how many moves are left for boards with this estimate without the network.
    /// Both are in parts of a move.
    fn moves(&self, pairs: i32) -> i32;

    /// Returns the number of rows: one for each tile and each two neighbouring cells.
    fn count(&self) -> usize;

    /// Returns the rows of the slides onto a cell in a direction.
    ///
    /// # Panics
    /// If there is no such cell.
    fn between(&self, to: usize, direction: Direction) -> Self::Between<'_>;
}

/// The changes of an estimate by the slides between two cells, in parts of a move.
pub trait Changes: Copy {
    /// Returns the numbers of the rows, for callers that keep data for each row.
    fn numbers(&self) -> Range<usize>;

    /// Returns 1 if the rows are for these slides, or −1 if they are for the opposite ones.
    fn sign(&self) -> i32;

    /// Returns the change of the estimate by the slide of a tile, times the [sign](Self::sign).
    /// `tiles` is the board before the slide, or after it.
    fn sum(&self, tile: usize, tiles: &[u8]) -> i32;

    /// Returns whether looking up boards [together](Self::sums) is faster than one after the other.
    fn are_looked_up_together(&self) -> bool {
        false
    }

    /// Computes [`sum`](Self::sum) for as many boards as `sums` has room for. `boards` holds boards
    /// one after the other, and `nodes` are the numbers of those to look up. `next` is the tile
    /// whose slides are looked up after this one's; its row is prefetched.
    ///
    /// # Panics
    /// If `boards` has no boards of these numbers, or `sums` is longer than [`TOGETHER`].
    fn sums(
        &self,
        tile: usize,
        boards: &[u8],
        nodes: &[u32; TOGETHER],
        next: usize,
        sums: &mut [i32],
    ) {
        let _ = next;
        one_after_the_other(self, tile, boards, nodes, sums);
    }
}

/// Returns the tiles of the goal with this home of the blank row by row, named by the last corner.
pub(super) fn goal(shape: Shape, home: usize) -> Vec<u8> {
    let goal = plain_goal(shape, home);
    let names = names_by_last_corner(&goal);
    goal.tiles()
        .map(|tile| names[usize::from(tile)] as u8)
        .collect()
}

/// Computes the sums of some boards, each by itself.
///
/// # Panics
/// If `boards` has no boards of these numbers, or `sums` is longer than [`TOGETHER`].
#[inline]
pub(super) fn one_after_the_other(
    rows: &impl Changes,
    tile: usize,
    boards: &[u8],
    nodes: &[u32; TOGETHER],
    sums: &mut [i32],
) {
    assert!(sums.len() <= TOGETHER, "there are numbers of all boards");
    let cells = rows.numbers().len() + 1;
    for (sum, &node) in sums.iter_mut().zip(nodes) {
        *sum = rows.sum(tile, &boards[node as usize * cells..][..cells]);
    }
}
