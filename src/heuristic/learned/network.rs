//! A small network that adds to the estimate what the weights of pairs of tiles cannot express.
//!
//! The network has a few *units*. Each adds up a weight for every tile on its cell, and contributes
//! the sum where it is above zero. Some units increase the estimate, the others decrease it (a
//! hidden layer of rectified linear units). A slide changes each sum by a number that depends on
//! the slide alone, so the sums are updated from board to board (an efficiently updatable network:
//! Nasu, 2018).

use std::io::Read;

use super::file::{self, Kind, WeightsError};
use super::lookup::TOGETHER;
use super::near::MOST_WHOLE;
use super::slides::Slides;
use crate::puzzle::{Direction, Shape};

/// The number of units.
pub const UNITS: usize = 32;

/// A number for each unit, in parts of a move ([`Network::UNIT`]), in one cache line. Overflow
/// wraps around, and the rank is then wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct Sums(pub [i16; UNITS]);

/// A network for the boards of a shape with the blank's home in the last cell.
#[derive(Clone, Debug)]
pub struct Network {
    shape: Shape,
    /// `[tile][cell]`.
    weights: Box<[Sums]>,
    /// The initial value of each unit's sum.
    bias: Sums,
    /// 1 for the units that increase the estimate, −1 for the others.
    signs: Sums,
    slides: Slides,
    /// `[slide][tile]`: the change of the sums.
    changes: Box<[Sums]>,
}

impl Network {
    /// The parts of a move in which sums are counted.
    pub const UNIT: i32 = 256;

    /// The most cells of a board: as many as the largest boards that are ranked whole have.
    pub const MAX_CELLS: usize = MOST_WHOLE;

    /// Returns the bytes held for a shape.
    #[must_use]
    pub const fn bytes(shape: Shape) -> usize {
        let cells = shape.cells();
        let sums = cells * cells + Slides::count(shape) * cells;
        sums * size_of::<Sums>() + Slides::bytes(shape)
    }

    /// Creates a network from its weights `[tile][cell]`, the initial value of each unit's sum, and
    /// 1 for the units that increase the estimate, −1 for the others. Returns `None` if there are
    /// too many or too few weights, other signs, or more than [`MAX_CELLS`](Self::MAX_CELLS) cells.
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

    /// Decodes a network.
    ///
    /// # Errors
    /// If the bytes are not what [`to_bytes`](Self::to_bytes) makes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let (_, shape, mut content) =
            file::open(Kind::Network, file::VERSION..=file::VERSION, bytes)?;
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

    /// Encodes the network like [weights](super::Weights): a header, the deflated numbers, and a
    /// checksum.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let sums = [&self.signs, &self.bias].into_iter().chain(&self.weights);
        let numbers = sums.flat_map(|sums| sums.0);
        let content: Vec<u8> = numbers.flat_map(i16::to_le_bytes).collect();
        file::seal(Kind::Network, self.shape, &content)
    }

    /// Returns the shape of the network's boards.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the weights `[tile][cell]`.
    pub(crate) const fn weights(&self) -> &[Sums] {
        &self.weights
    }

    /// Returns the initial values of the units' sums.
    pub(crate) const fn bias(&self) -> &Sums {
        &self.bias
    }

    /// Returns 1 for the units that increase the estimate, −1 for the others.
    pub(crate) const fn signs(&self) -> &Sums {
        &self.signs
    }

    /// Returns the sums of a board, given as its tiles row by row.
    #[must_use]
    pub fn sums(&self, tiles: &[u8]) -> Sums {
        let mut sums = self.bias;
        for (cell, &tile) in tiles.iter().enumerate() {
            sums = sums.plus(&self.weights[usize::from(tile) * self.shape.cells() + cell]);
        }
        sums
    }

    /// Returns what the network adds to the estimate of a board with these sums, in parts of a
    /// move. The number can be large: learning does not determine what all boards of a layer have
    /// in common, which can come to more than a hundred moves.
    #[must_use]
    pub fn of(&self, sums: &Sums) -> i32 {
        let units = sums.0.iter().zip(&self.signs.0);
        units
            .map(|(&sum, &sign)| i32::from(sum.max(0)) * i32::from(sign))
            .sum()
    }

    /// Returns the changes made by the slides onto a cell in a direction.
    ///
    /// # Panics
    /// If there is no such cell.
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

/// The changes made by the slides from one cell to another.
#[derive(Clone, Copy, Debug)]
pub struct Along<'a> {
    /// The changes by tile.
    changes: &'a [Sums],
    /// −1 if the changes are those of the opposite slide, else 0.
    back: i16,
    signs: &'a Sums,
}

impl Along<'_> {
    /// Returns the sums after the slide of a tile.
    #[must_use]
    #[inline(always)]
    pub fn after(&self, before: &Sums, tile: usize) -> Sums {
        before.plus(&self.of(tile))
    }

    /// Returns what the slide of a tile changes in the sums.
    #[inline(always)]
    fn of(&self, tile: usize) -> Sums {
        let mut change = self.changes[tile];
        for change in &mut change.0 {
            // The change or its negative, without a branch.
            *change = (*change ^ self.back).wrapping_sub(self.back);
        }
        change
    }

    /// Adds to `changes` the [change](Self::change) for the boards with these numbers, for as many
    /// as it has room for, at most [`TOGETHER`]. `before` holds the sums of all boards.
    ///
    /// # Panics
    /// If there is no board with one of the numbers.
    #[inline(always)]
    pub fn add_changes(
        &self,
        tile: usize,
        before: &[Sums],
        numbers: &[u32; TOGETHER],
        changes: &mut [i32],
    ) {
        for (change, &number) in changes.iter_mut().zip(numbers) {
            *change += self.change(&before[number as usize], tile);
        }
    }

    /// Returns the change, made by the slide, of what the network adds to the estimate, in parts of
    /// a move.
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

/// Returns the difference between two boards of what the network adds to the estimate, which is
/// small from slide to slide. It is computed in 16-bit numbers and without branches, which
/// vectorizes well.
#[inline(always)]
fn difference(before: &Sums, after: &Sums, signs: &Sums) -> i32 {
    let mut sum = 0_i16;
    for unit in 0..UNITS {
        let change = after.0[unit].max(0).wrapping_sub(before.0[unit].max(0));
        sum = sum.wrapping_add(change.wrapping_mul(signs.0[unit]));
    }
    sum.into()
}
