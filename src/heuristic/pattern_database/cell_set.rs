//! Sets of cells of a small board.

use crate::puzzle::{Shape, Symmetry};

/// A set of cells of a board of at most 32, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellSet(u32);

impl CellSet {
    /// The set whose cells are the ones of a word, cell 0 the lowest.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The word of the set.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// All cells of a board of at most 32.
    #[must_use]
    pub fn all(shape: Shape) -> Self {
        (0..shape.cells()).collect()
    }

    /// Whether a cell is in the set.
    #[must_use]
    pub const fn contains(self, cell: usize) -> bool {
        self.0 >> cell & 1 != 0
    }

    /// How many cells there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The cells, the lowest first.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let rest = |&bits: &u32| Some(bits & (bits - 1)).filter(|&rest| rest != 0);
        std::iter::successors(Some(self.0).filter(|&bits| bits != 0), rest)
            .map(|bits| bits.trailing_zeros() as usize)
    }

    /// The cells of the set that are not in the other.
    #[must_use]
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The set with one cell more, if it was not there, or one less, if it was.
    #[must_use]
    pub(crate) const fn toggled(self, cell: usize) -> Self {
        Self(self.0 ^ 1 << cell)
    }

    /// The set in a mirror.
    #[must_use]
    pub fn image(self, shape: Shape, symmetry: Symmetry) -> Self {
        self.iter().map(|cell| symmetry.cell(shape, cell)).collect()
    }

    /// The cells that can be reached from a cell of the set without leaving it.
    #[must_use]
    pub(crate) fn region(self, shape: Shape, cell: usize) -> Self {
        let mut region = Self(1 << cell);
        let mut edge = region;
        while !edge.is_empty() {
            let around: Self = edge
                .iter()
                .flat_map(|cell| neighbours(shape, cell))
                .collect();
            edge = Self(around.0 & self.0 & !region.0);
            region.0 |= edge.0;
        }
        region
    }
}

impl FromIterator<usize> for CellSet {
    fn from_iter<I: IntoIterator<Item = usize>>(cells: I) -> Self {
        Self(cells.into_iter().fold(0, |bits, cell| bits | 1 << cell))
    }
}

/// The cells beside a cell.
pub(super) fn neighbours(shape: Shape, cell: usize) -> impl Iterator<Item = usize> {
    crate::puzzle::Direction::ALL
        .into_iter()
        .filter_map(move |side| shape.neighbour(cell, side))
}
