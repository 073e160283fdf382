//! What the batched search stores for a node: all that its successors follow from.

use crate::heuristic::pattern_database::Additive;
use crate::puzzle::Problem;

use super::grid::{Grid, cells};

/// What is new in a successor.
pub(super) struct Step {
    pub(super) tile: usize,
    pub(super) from: u8,
    pub(super) blank_move: usize,
    pub(super) cycle: u16,
}

/// A node with up to `P` patterns in two sums, and a path of up to 32 `W` moves. With four patterns and three
/// words it is a cache line.
#[derive(Clone, Copy)]
pub(super) struct Node<G: Grid, const P: usize, const W: usize> {
    pub(super) board: G,
    /// The moves from the root, two bits each.
    path: [u64; W],
    /// Where the order of each pattern's tiles begins in its table, in bits, plus the pattern's distance
    /// modulo 4. Orders begin at a word, so what a move adds leaves the distance alone.
    pub(super) orders: [u32; P],
    /// The cells of each pattern's tiles, on its table's board.
    pub(super) cells: [G::Cells; P],
    /// The state of the cycle automaton.
    pub(super) cycle: u16,
    /// The two sums.
    pub(super) sums: [u8; 2],
    pub(super) depth: u8,
    pub(super) blank: u8,
}

impl<G: Grid, const P: usize, const W: usize> Node<G, P, W> {
    /// The longest path.
    pub(super) const MAX_DEPTH: u32 = {
        let moves = 32 * W as u32;
        if moves > 255 { 255 } else { moves }
    };

    /// The start of a problem that has the shape and the home of the bounds, with a state of the cycle
    /// automaton.
    pub(super) fn root(problem: &Problem, additive: &Additive<G::Entry>, cycle: u16) -> Self {
        let mut root = Self {
            board: G::new(problem.start()),
            path: [0; W],
            orders: [0; P],
            cells: [cells::<G>(0); P],
            cycle,
            sums: [0; 2],
            depth: 0,
            blank: problem.start().blank() as u8,
        };
        let sums = additive.sums().iter().enumerate();
        let sum_of = sums.flat_map(|(sum, summands)| summands.iter().map(move |_| sum));
        let placements = additive.placements(problem).into_iter();
        for (pattern, (placement, sum)) in placements.zip(sum_of).enumerate() {
            root.orders[pattern] = placement.first_bit | placement.distance & 3;
            root.cells[pattern] = cells::<G>(placement.cells.bits());
            root.sums[sum] += placement.distance as u8;
        }
        root
    }

    /// The lower bound: the greater of the two sums.
    #[inline]
    pub(super) fn bound(&self) -> usize {
        usize::from(self.sums[0].max(self.sums[1]))
    }

    /// The least total: moves made plus lower bound.
    #[inline]
    pub(super) fn total(&self) -> u32 {
        u32::from(self.depth) + self.bound() as u32
    }

    /// Writes the successor by a move of the blank, without the changes of its patterns, to `place` field by
    /// field: a whole node would be made elsewhere and then copied.
    #[inline(always)]
    pub(super) fn succeed(&self, step: Step, place: &mut Self) {
        place.board = self.board;
        let blank = usize::from(self.blank);
        place.board.slide(step.tile, usize::from(step.from), blank);
        place.path = self.path;
        let depth = usize::from(self.depth);
        place.path[depth / 32 % W] |= (step.blank_move as u64) << (2 * (depth % 32));
        place.orders = self.orders;
        place.cells = self.cells;
        place.cycle = step.cycle;
        place.sums = self.sums;
        place.depth = self.depth + 1;
        place.blank = step.from;
    }

    /// The blank's moves from the root.
    pub(super) fn moves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..usize::from(self.depth))
            .map(|index| (self.path[index / 32] >> (2 * (index % 32)) & 3) as usize)
    }
}
