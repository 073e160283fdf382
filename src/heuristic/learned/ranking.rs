//! What beams over whole boards ask of what ranks them.

use std::fmt::Debug;
use std::ops::Range;

use super::lookup::TOGETHER;
use super::network::Network;
use crate::puzzle::{Direction, Shape};

/// An estimate of whole boards, by tables of how slides change it, and by a network where there is one beside them.
pub trait Ranking: Debug + Send + Sync + 'static {
    /// The tables of the slides between two cells.
    type Between<'a>: Changes;

    /// The shape of its boards.
    fn shape(&self) -> Shape;

    /// What tells of boards beyond what their pairs do, where there is something.
    fn network(&self) -> Option<&Network>;

    /// Puts a network beside them.
    ///
    /// # Panics
    /// When it is for boards of another shape.
    fn set_network(&mut self, network: Network);

    /// What the pairs of a board come to, its tiles row by row, in parts of a move ([`Rows::UNIT`](super::Rows::UNIT)).
    fn of(&self, tiles: &[u8]) -> i32;

    /// The moves that boards for which their pairs come to so much have still to go, about, either in parts of a move.
    fn moves(&self, pairs: i32) -> i32 {
        pairs
    }

    /// How many rows there are: one for each tile and each two cells beside each other.
    fn count(&self) -> usize;

    /// The rows of the slides onto a cell in a direction.
    ///
    /// # Panics
    /// When there is no such cell.
    fn between(&self, to: usize, direction: Direction) -> Self::Between<'_>;
}

/// By how much the slides between two cells change an estimate, in parts of a move.
pub trait Changes: Copy {
    /// The numbers of the rows, for whoever keeps something for each.
    fn numbers(&self) -> Range<usize>;

    /// Whether the rows are for these slides (1) or for the way back (−1).
    fn sign(&self) -> i32;

    /// By how much the slide of a tile changes the estimate, times the [sign](Self::sign); `tiles` are
    /// those before the slide, or after it.
    fn sum(&self, tile: usize, tiles: &[u8]) -> i32;

    /// Whether boards are looked up faster [together](Self::sums) than one after the other.
    fn are_looked_up_together(&self) -> bool {
        false
    }

    /// The same for as many boards as `sums` has room for: `boards` stand one after the other, and `nodes` are the
    /// numbers of those that are meant. The row of `next` is called for, the tile whose slides are looked at after
    /// this one's.
    ///
    /// # Panics
    /// When there are no boards of these numbers, or more than [`TOGETHER`] are meant.
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

/// The sums of some boards, each by itself.
///
/// # Panics
/// When there are no boards of these numbers, or too many are meant.
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
