//! The parts that weights of pairs share.
//!
//! There are so many weights that each is rarely used, and solutions say little about each. So a
//! weight of two tiles on two cells is also the weight of its [images](Symmetries), and where the
//! tiles stand near each other it is learned as the sum of three:
//!
//! - its own;
//! - one for all pairs that stand to each other and to their homes in the same way, wherever on the
//!   board;
//! - one for all tiles of the same two quarters of four homes, on these cells.
//!
//! Only the sum is kept.

use super::kind::Kind;
use crate::heuristic::learned::home_of;
use crate::puzzle::Shape;
use crate::training::alike::{Stand, Symmetries};

/// The number of shared weights of each pair.
pub(super) const SHARED: usize = 2;

/// The number of learned weights that add up to one that is kept.
const PARTS: usize = 1 + SHARED;

/// The numbers of the learned weights.
#[derive(Debug)]
pub(super) struct Shares {
    /// For each index in the order of the weights of tiles on cells: the weight's number.
    pub(super) singles: Box<[u32]>,
    /// For each index in the order of the weights of pairs: the number of its own weight, which is
    /// the least index that has it.
    pub(super) own: Box<[u32]>,
    /// For each index, the numbers of its shared weights; empty if none are shared.
    pub(super) shared: Box<[[u32; SHARED]]>,
    /// The numbers of pairs are less than this.
    pub(super) pair_numbers: usize,
}

/// The side of the quarters of homes.
const QUARTER: usize = 2;

impl Shares {
    pub(super) fn new<K: Kind>(shape: Shape) -> Self {
        let cells = shape.cells();
        let mirror = Symmetries::mirror(shape);
        let symmetries = if K::HAS_INVERSE {
            Symmetries::new(shape)
        } else {
            mirror.clone()
        };
        let single = |(tile, cell): Stand| (tile * cells + cell) as u32;
        let stands = (0..cells).flat_map(|tile| (0..cells).map(move |cell| (tile, cell)));
        let singles = stands.map(|stand| {
            let images = symmetries.images([stand]).map(|[image]| single(image));
            images.into_iter().fold(single(stand), u32::min)
        });

        let numbering = Numbering::new::<K>(shape);
        // The weight of blocks without a second cell.
        let nobody = numbering.ends[if K::SHARES { PARTS - 1 } else { 0 }];
        let (mut own, mut shared) = (Vec::new(), Vec::new());
        for block in K::blocks(shape) {
            let tiles = (0..cells).flat_map(|tile| (0..cells).map(move |other| (tile, other)));
            for (tile, other) in tiles {
                let Some((cell, other_cell)) = block else {
                    own.push(nobody as u32);
                    if K::SHARES {
                        shared.push([nobody as u32; SHARED]);
                    }
                    continue;
                };
                let stands = [(tile, cell), (other, other_cell)];
                let least = symmetries
                    .images(stands)
                    .into_iter()
                    .fold(stands, |least, image| {
                        let is_less = numbering.own::<K>(image) < numbering.own::<K>(least);
                        if is_less { image } else { least }
                    });
                own.push(numbering.own::<K>(least) as u32);
                if K::SHARES {
                    let [image, ..] = mirror.images(least);
                    let here = numbering.shared::<K>(least);
                    let there = numbering.shared::<K>(image);
                    shared.push(std::array::from_fn(|i| here[i].min(there[i]) as u32));
                }
            }
        }
        Self {
            singles: singles.collect(),
            own: own.into(),
            shared: shared.into(),
            pair_numbers: nobody + 1,
        }
    }
}

/// The numbers of pairs before images are merged.
struct Numbering {
    shape: Shape,
    /// By block: the number of the offset from its first cell to its second.
    offsets: Vec<usize>,
    /// The end of the numbers of each part.
    ends: [usize; PARTS],
}

impl Numbering {
    fn new<K: Kind>(shape: Shape) -> Self {
        let cells = shape.cells();
        let blocks = K::blocks(shape);
        let mut known = Vec::new();
        let offsets = blocks.iter().map(|block| {
            let offset = block.map(|(cell, other)| offset(shape, cell, other));
            let at = known.iter().position(|&one| one == offset);
            at.unwrap_or_else(|| {
                known.push(offset);
                known.len() - 1
            })
        });
        let mut numbering = Self {
            shape,
            offsets: offsets.collect(),
            ends: [0; PARTS],
        };
        let own = blocks.len() * cells * cells;
        let alike = known.len() * numbering.ways().pow(2);
        let quarters = blocks.len() * numbering.quarters().pow(2);
        numbering.ends = [own, own + alike, own + alike + quarters];
        numbering
    }

    /// Returns the number of the own weight of two tiles on two cells that have a block, given in
    /// either order.
    fn own<K: Kind>(&self, stands: [Stand; 2]) -> usize {
        let cells = self.shape.cells();
        let [(tile, cell), (other, other_cell)] = in_order(stands);
        (K::number(self.shape, cell, other_cell) * cells + tile) * cells + other
    }

    /// Returns the numbers of their shared weights.
    fn shared<K: Kind>(&self, stands: [Stand; 2]) -> [usize; SHARED] {
        let [(tile, cell), (other, other_cell)] = in_order(stands);
        let block = K::number(self.shape, cell, other_cell);
        let (ways, quarters) = (self.ways(), self.quarters());
        let way = self.offsets[block] * ways + self.way(tile, cell);
        let quarter = block * quarters + self.quarter(tile);
        [
            self.ends[0] + way * ways + self.way(other, other_cell),
            self.ends[1] + quarter * quarters + self.quarter(other),
        ]
    }

    /// Returns the number of positions of a tile relative to its home. All positions of the blank
    /// count as one.
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

    /// Returns the number of quarters of homes. The blank has its own.
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

/// Returns the tile on the lower cell first.
const fn in_order([one, other]: [Stand; 2]) -> [Stand; 2] {
    if one.1 < other.1 {
        [one, other]
    } else {
        [other, one]
    }
}

/// Returns the offset of a cell from one before it, as (rows down, columns to the right).
const fn offset(shape: Shape, first: usize, second: usize) -> (usize, isize) {
    let right = shape.column(second) as isize - shape.column(first) as isize;
    (shape.row(second) - shape.row(first), right)
}
