//! What pairs of tiles do not tell: a small network beside their weights.
//!
//! A few *units* look at a board. Each adds up a weight for every tile on its cell, and counts as much as that is above
//! zero; some make the estimate greater, the others less (a hidden layer of rectified linear units). A slide changes each sum by a
//! number that depends on the slide alone, so that the sums are carried along from board to board (an efficiently updatable
//! network: Nasu, 2018).

use std::io::Read;

use super::file::{self, WeightsError};
use super::near::MOST_WHOLE;
use super::slides::Slides;
use crate::puzzle::{Direction, Shape};

/// How many units there are.
pub const UNITS: usize = 32;

/// A number for each unit, in parts of a move ([`Network::UNIT`]), in one line of the cache. What does not fit wraps around: then a rank
/// is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Sums(pub [i16; UNITS]);

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

    /// The most cells of a board: as many as the largest that are ranked whole have.
    pub const MAX_CELLS: usize = MOST_WHOLE;

    /// Bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let sums = cells * cells + Slides::count(shape) * cells;
        sums * size_of::<Sums>() + Slides::bytes(shape)
    }

    /// A network by its weights `[tile][cell]`, what each unit's sum begins with, and 1 for the units that make the estimate
    /// greater, −1 for the others; none when there are too many weights or too few, other signs, or more than [`MAX_CELLS`](Self::MAX_CELLS).
    #[must_use]
    pub fn new(shape: Shape, weights: Vec<Sums>, bias: Sums, signs: Sums) -> Option<Self> {
        let cells = shape.cells();
        let are_signs = signs.0.iter().all(|&sign| sign == 1 || sign == -1);
        if weights.len() != cells * cells || cells > Self::MAX_CELLS || !are_signs {
            return None;
        }
        let (slides, ends) = Slides::new(shape);
        let weight = |tile: usize, cell: usize| &weights[tile * cells + cell];
        let change = |tile, from, to| {
            let come = weight(tile, to).plus(weight(0, from));
            come.minus(weight(tile, from)).minus(weight(0, to))
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
        if shape.cells() > Self::MAX_CELLS {
            return Err(WeightsError::Damaged);
        }
        let mut sums = Vec::new();
        let most = size_of::<Sums>() * (shape.cells().pow(2) + 2);
        let read = content
            .by_ref()
            .take(most as u64 + 1)
            .read_to_end(&mut sums);
        read.map_err(|_| WeightsError::Damaged)?;
        let pairs = sums.as_chunks().0.iter();
        let numbers: Vec<i16> = pairs.map(|&pair| i16::from_le_bytes(pair)).collect();
        let ([signs, bias, weights @ ..], []) = numbers.as_chunks::<UNITS>() else {
            return Err(WeightsError::Damaged);
        };
        let weights = weights.iter().copied().map(Sums);
        let network = Self::new(shape, weights.collect(), Sums(*bias), Sums(*signs));
        network
            .filter(|_| sums.len() == most)
            .ok_or(WeightsError::Damaged)
    }

    /// The network as bytes: as [weights](super::Weights) are, a header, the numbers, deflated, and a checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let sums = [&self.signs, &self.bias].into_iter().chain(&self.weights);
        let numbers = sums.flat_map(|sums| sums.0);
        let content: Vec<u8> = numbers.flat_map(i16::to_le_bytes).collect();
        file::seal(MAGIC, self.shape, &content)
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
            sums = sums.plus(&self.weights[usize::from(tile) * self.shape.cells() + cell]);
        }
        sums
    }

    /// What a board of these sums is worth beyond what its pairs tell, in parts of a move. That is no small number: what all
    /// boards of a layer have in common is free, and can come to more than a hundred moves.
    #[must_use]
    pub fn of(&self, sums: &Sums) -> i32 {
        let units = sums.0.iter().zip(&self.signs.0);
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
            back: if sign < 0 { -1 } else { 0 },
            signs: &self.signs,
        }
    }
}

/// What the slides from one cell to another change.
#[derive(Clone, Copy, Debug)]
pub struct Along<'a> {
    /// By tile.
    changes: &'a [Sums],
    /// −1 where the changes are those of the way back, else 0.
    back: i16,
    signs: &'a Sums,
}

impl Along<'_> {
    /// The sums after the slide of a tile.
    #[must_use]
    #[inline(always)]
    pub fn after(&self, before: &Sums, tile: usize) -> Sums {
        let mut after = *before;
        for (sum, &change) in after.0.iter_mut().zip(&self.changes[tile].0) {
            // The change or its opposite, without a branch.
            *sum = sum.wrapping_add((change ^ self.back).wrapping_sub(self.back));
        }
        after
    }

    /// By how much the slide changes what the board is worth, in parts of a move.
    #[must_use]
    #[inline(always)]
    pub fn change(&self, before: &Sums, tile: usize) -> i32 {
        difference(before, &self.after(before, tile), self.signs)
    }
}

impl Sums {
    #[inline(always)]
    fn plus(mut self, other: &Self) -> Self {
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one = one.wrapping_add(*other);
        }
        self
    }

    #[inline(always)]
    fn minus(mut self, other: &Self) -> Self {
        for (one, other) in self.0.iter_mut().zip(&other.0) {
            *one = one.wrapping_sub(*other);
        }
        self
    }
}

/// By how much boards of two sums differ in what they are worth, which is little from slide to slide. In numbers of 16 bits, and
/// without a branch, as that is what vectors are good at.
#[inline(always)]
fn difference(before: &Sums, after: &Sums, signs: &Sums) -> i32 {
    let mut sum = 0_i16;
    for unit in 0..UNITS {
        let change = after.0[unit].max(0).wrapping_sub(before.0[unit].max(0));
        sum = sum.wrapping_add(change.wrapping_mul(signs.0[unit]));
    }
    sum.into()
}
