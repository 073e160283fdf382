//! Sets of cells on a small board.

use crate::puzzle::{Shape, Symmetry};

/// A set of cells of a board of at most 32 cells, one bit per cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellSet(u32);

impl CellSet {
    /// Creates the set of the cells whose bits are set. Cell 0 is the lowest bit.
    #[must_use]
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the set's bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Returns all cells of a board of at most 32 cells.
    #[must_use]
    pub fn all(shape: Shape) -> Self {
        (0..shape.cells()).collect()
    }

    /// Returns whether a cell is in the set.
    #[must_use]
    pub const fn contains(self, cell: usize) -> bool {
        self.0 >> cell & 1 != 0
    }

    /// Returns the number of cells.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the cells, lowest first.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let rest = |&bits: &u32| Some(bits & (bits - 1)).filter(|&rest| rest != 0);
        std::iter::successors(Some(self.0).filter(|&bits| bits != 0), rest)
            .map(|bits| bits.trailing_zeros() as usize)
    }

    /// Returns the cells of this set that are not in the other.
    #[must_use]
    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns the set with a cell added if it was absent, or removed if it was present.
    #[must_use]
    pub(crate) const fn toggled(self, cell: usize) -> Self {
        Self(self.0 ^ 1 << cell)
    }

    /// Returns the image of the set under a symmetry.
    #[must_use]
    pub fn image(self, shape: Shape, symmetry: Symmetry) -> Self {
        self.iter().map(|cell| symmetry.cell(shape, cell)).collect()
    }

    /// Returns the cells that can be reached from a cell of the set without leaving the set.
    #[must_use]
    pub(crate) fn region(self, shape: Shape, cell: usize) -> Self {
        let mut region = Self(1 << cell);
        let mut edge = region;
        while !edge.is_empty() {
            let around: Self = edge
                .iter()
                .flat_map(|cell| shape.neighbours(cell))
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
