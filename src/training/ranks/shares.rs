//! What weights of pairs have in common.
//!
//! There are so many weights that any one of them is seldom asked for, and solutions say little about each. So a
//! weight of two tiles on two cells near each other is learned as the sum of three:
//!
//! - its own, which on square boards is its mirror image's, too;
//! - one for all pairs that stand to each other and to their homes in the same way, wherever on the board;
//! - one for all tiles of the same two quarters of four homes, on these cells.
//!
//! Only the sum is kept.

use crate::heuristic::learned::near::NearWeights;
use crate::heuristic::learned::{Transposition, home_of};
use crate::puzzle::Shape;

/// How many weights that learn make one that is kept.
pub(super) const PARTS: usize = 3;

/// The numbers of the weights that learn.
#[derive(Debug)]
pub(super) struct Shares {
    /// For each place in the order of the weights of tiles on cells: its number.
    pub(super) singles: Box<[u32]>,
    /// For each place in the order of the weights of pairs: the number of its own, which is the least place that
    /// has it, and those that it shares.
    pub(super) pairs: Box<[[u32; PARTS]]>,
    /// Numbers of pairs are below.
    pub(super) pair_numbers: usize,
}

/// A tile and its cell.
type Stand = (usize, usize);

/// The side of the quarters that homes are in.
const QUARTER: usize = 2;

impl Shares {
    pub(super) fn new(shape: Shape) -> Self {
        let cells = shape.cells();
        let mirror = (shape.rows() == shape.columns()).then(|| Transposition::new(shape));
        let image = |(tile, cell): Stand| match &mirror {
            Some(mirror) => (mirror.tiles[tile], mirror.cells[cell]),
            None => (tile, cell),
        };
        let single = |(tile, cell): Stand| (tile * cells + cell) as u32;
        let stands = (0..cells).flat_map(|tile| (0..cells).map(move |cell| (tile, cell)));
        let singles = stands.map(|stand| single(stand).min(single(image(stand))));

        let numbering = Numbering::new(shape);
        let blocks = NearWeights::blocks(shape);
        let tiles = (0..cells).flat_map(|tile| (0..cells).map(move |other| (tile, other)));
        let pairs = blocks.iter().flat_map(|block| {
            tiles.clone().map(|(tile, other)| {
                let Some((cell, other_cell)) = *block else {
                    return [0; PARTS];
                };
                let here = numbering.of((tile, cell), (other, other_cell));
                let there = numbering.of(image((tile, cell)), image((other, other_cell)));
                std::array::from_fn(|part| here[part].min(there[part]) as u32)
            })
        });
        Self {
            singles: singles.collect(),
            pairs: pairs.collect(),
            pair_numbers: numbering.ends[PARTS - 1],
        }
    }
}

/// The numbers of pairs before images are taken for one.
struct Numbering {
    shape: Shape,
    /// The blocks of a cell.
    offsets: usize,
    /// Where the numbers of each part end.
    ends: [usize; PARTS],
}

impl Numbering {
    fn new(shape: Shape) -> Self {
        let cells = shape.cells();
        let blocks = NearWeights::blocks(shape).len();
        let mut numbering = Self {
            shape,
            offsets: blocks / cells,
            ends: [0; PARTS],
        };
        let own = blocks * cells * cells;
        let alike = numbering.offsets * numbering.ways().pow(2);
        let quarters = blocks * numbering.quarters().pow(2);
        numbering.ends = [own, own + alike, own + alike + quarters];
        numbering
    }

    /// The numbers of two tiles on two cells near each other, in either order.
    fn of(&self, one: Stand, other: Stand) -> [usize; PARTS] {
        let cells = self.shape.cells();
        let ((tile, cell), (other, other_cell)) = if one.1 < other.1 {
            (one, other)
        } else {
            (other, one)
        };
        let block = NearWeights::block_of(self.shape, cell, other_cell);
        let (ways, quarters) = (self.ways(), self.quarters());
        let way = block % self.offsets * ways + self.way(tile, cell);
        let quarter = block * quarters + self.quarter(tile);
        [
            (block * cells + tile) * cells + other,
            self.ends[0] + way * ways + self.way(other, other_cell),
            self.ends[1] + quarter * quarters + self.quarter(other),
        ]
    }

    /// How many ways there are for a tile to stand to its home; the blank's are not told apart.
    const fn ways(&self) -> usize {
        (2 * self.shape.rows() - 1) * (2 * self.shape.columns() - 1) + 1
    }

    fn way(&self, tile: usize, cell: usize) -> usize {
        let shape = self.shape;
        if tile == 0 {
            return self.ways() - 1;
        }
        let home = home_of(shape.cells(), tile);
        let down = shape.rows() - 1 + shape.row(home) - shape.row(cell);
        let right = shape.columns() - 1 + shape.column(home) - shape.column(cell);
        down * (2 * shape.columns() - 1) + right
    }

    /// How many quarters homes are in; the blank's is its own.
    const fn quarters(&self) -> usize {
        self.shape.rows().div_ceil(QUARTER) * self.shape.columns().div_ceil(QUARTER) + 1
    }

    fn quarter(&self, tile: usize) -> usize {
        let shape = self.shape;
        if tile == 0 {
            return self.quarters() - 1;
        }
        let home = home_of(shape.cells(), tile);
        shape.row(home) / QUARTER * shape.columns().div_ceil(QUARTER) + shape.column(home) / QUARTER
    }
}
