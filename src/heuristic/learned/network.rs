//! What pairs of tiles do not tell: a small network beside their weights.
//!
//! A few *units* look at a board. Each adds up a weight for every tile on its cell, and counts as much as that is above
//! zero; some make the estimate greater, the others less (a hidden layer of rectified linear units). A slide changes each sum by a
//! number that depends on the slide alone, so that the sums are carried along from board to board (an efficiently updatable
//! network: Nasu, 2018).

use std::io::Read;

use super::file::{self, WeightsError};
use super::slides::Slides;
use super::weights::MAX_CELLS;
use crate::puzzle::{Direction, Shape};

/// How many units there are.
pub const UNITS: usize = 32;

/// A number for each unit, in parts of a move ([`Network::UNIT`]). What does not fit wraps around: then a rank is wrong, and
/// as wrong on every way to the board.
pub type Sums = [i16; UNITS];

const MAGIC: [u8; 8] = *b"loyd-net";

/// A network for the boards of a shape whose blank belongs to the last cell.
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    /// `[tile][cell]`.
    weights: Box<[Sums]>,
    /// What a unit's sum begins with.
    bias: Sums,
    /// 1 for the units that make the estimate greater, −1 for the others.
    signs: Sums,
    slides: Slides,
    /// `[slide][tile]`: by how much sums change.
    changes: Box<[Sums]>,
}

impl Network {
    /// The parts of a move that sums are counted in.
    pub const UNIT: i32 = 256;

    /// Bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let sums = cells * cells + Slides::count(shape) * cells;
        sums * size_of::<Sums>() + Slides::bytes(shape)
    }

    /// A network by its weights `[tile][cell]`, what each unit's sum begins with, and 1 for the units that make the estimate
    /// greater, −1 for the others; none when there are too many weights or too few, other signs, or more than [`MAX_CELLS`].
    #[must_use]
    pub fn new(shape: Shape, weights: Vec<Sums>, bias: Sums, signs: Sums) -> Option<Self> {
        let cells = shape.cells();
        let are_signs = signs.iter().all(|&sign| sign == 1 || sign == -1);
        if weights.len() != cells * cells || cells > MAX_CELLS || !are_signs {
            return None;
        }
        let (slides, ends) = Slides::new(shape);
        let weight = |tile: usize, cell: usize| &weights[tile * cells + cell];
        let change = |tile, from, to| -> Sums {
            std::array::from_fn(|unit| {
                let of = |tile, cell: usize| weight(tile, cell)[unit];
                let come = of(tile, to).wrapping_add(of(0, from));
                come.wrapping_sub(of(tile, from)).wrapping_sub(of(0, to))
            })
        };
        let ends = ends.into_iter();
        let changes =
            ends.flat_map(|(from, to)| (0..cells).map(move |tile| change(tile, from, to)));
        Some(Self {
            changes: changes.collect(),
            shape,
            weights: weights.into(),
            bias,
            signs,
            slides,
        })
    }

    /// The network of some bytes.
    ///
    /// # Errors
    /// When they are not what [`to_bytes`](Self::to_bytes) makes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (_, shape, mut content) = file::open(MAGIC, file::VERSION..=file::VERSION, bytes)?;
        if shape.cells() > MAX_CELLS {
            return Err(WeightsError::Damaged);
        }
        let mut sums = Vec::new();
        let most = size_of::<Sums>() * (shape.cells().pow(2) + 2);
        let read = content
            .by_ref()
            .take(most as u64 + 1)
            .read_to_end(&mut sums);
        read.map_err(|_| WeightsError::Damaged)?;
        let numbers = sums
            .as_chunks()
            .0
            .iter()
            .map(|&two| i16::from_le_bytes(two));
        let numbers: Vec<i16> = numbers.collect();
        let ([signs, bias, weights @ ..], []) = numbers.as_chunks::<UNITS>() else {
            return Err(WeightsError::Damaged);
        };
        let network = Self::new(shape, weights.to_vec(), *bias, *signs);
        network
            .filter(|_| sums.len() == most)
            .ok_or(WeightsError::Damaged)
    }

    /// The network as bytes: as [weights](super::Weights) are, a header, the numbers, deflated, and a checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let sums = [&self.signs, &self.bias].into_iter().chain(&self.weights);
        let content: Vec<u8> = sums
            .flatten()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        file::seal(MAGIC, file::VERSION, self.shape, &content)
    }

    /// The shape of its boards.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// The weights `[tile][cell]`.
    pub(crate) const fn weights(&self) -> &[Sums] {
        &self.weights
    }

    /// What the units' sums begin with.
    pub(crate) const fn bias(&self) -> &Sums {
        &self.bias
    }

    /// 1 for the units that make the estimate greater, −1 for the others.
    pub(crate) const fn signs(&self) -> &Sums {
        &self.signs
    }

    /// The sums of a board, its tiles row by row.
    #[must_use]
    pub fn sums(&self, tiles: &[u8]) -> Sums {
        let mut sums = self.bias;
        for (cell, &tile) in tiles.iter().enumerate() {
            let weights = &self.weights[usize::from(tile) * self.shape.cells() + cell];
            for (sum, &weight) in sums.iter_mut().zip(weights) {
                *sum = sum.wrapping_add(weight);
            }
        }
        sums
    }

    /// What a board of these sums is worth beyond what its pairs tell, in parts of a move.
    #[must_use]
    pub fn of(&self, sums: &Sums) -> i32 {
        let units = sums.iter().zip(&self.signs);
        units
            .map(|(&sum, &sign)| i32::from(sum.max(0)) * i32::from(sign))
            .sum()
    }

    /// What the slides onto a cell in a direction change.
    ///
    /// # Panics
    /// When there is no such cell.
    #[must_use]
    #[inline]
    pub fn along(&self, to: usize, direction: Direction) -> Along<'_> {
        let (number, sign) = self.slides.number(to, direction);
        let cells = self.shape.cells();
        Along {
            changes: &self.changes[number * cells..][..cells],
            is_back: sign < 0,
            signs: &self.signs,
        }
    }
}

/// What the slides from one cell to another change.
#[derive(Clone, Copy, Debug)]
pub struct Along<'a> {
    /// By tile.
    changes: &'a [Sums],
    /// Whether the changes are those of the way back.
    is_back: bool,
    signs: &'a Sums,
}

impl Along<'_> {
    /// The sums after the slide of a tile.
    #[must_use]
    #[inline]
    pub fn after(&self, before: &Sums, tile: usize) -> Sums {
        let changes = &self.changes[tile];
        let mut after = *before;
        for (sum, &change) in after.iter_mut().zip(changes) {
            *sum = if self.is_back {
                sum.wrapping_sub(change)
            } else {
                sum.wrapping_add(change)
            };
        }
        after
    }

    /// By how much the slide changes what the board is worth, in parts of a move.
    #[must_use]
    #[inline]
    pub fn change(&self, before: &Sums, tile: usize) -> i32 {
        let after = self.after(before, tile);
        // The difference of two numbers from 0 on fits as well as they do.
        let change = |unit: usize| i32::from(after[unit].max(0) - before[unit].max(0));
        (0..UNITS)
            .map(|unit| change(unit) * i32::from(self.signs[unit]))
            .sum()
    }
}
