//! Learned weights: a number for each tile on each cell, and one for each two tiles on their cells.

use std::fmt::Debug;
use std::marker::PhantomData;

use super::file::Kind;
use super::manhattan;
use crate::puzzle::Shape;

/// Which pairs of cells have weights. Each of them has a *block*: the weights of any two tiles on
/// its cells.
pub trait Pairs: Clone + Debug + Eq + Send + Sync + 'static {
    /// What a file of such weights is.
    const KIND: Kind;

    /// The oldest layout version of files that is read.
    const OLDEST: u16;

    /// Whether rows and columns are inserted in turns where weights are [fitted](PairWeights::fit) to
    /// larger boards, so that boards are nearly square; otherwise all rows come first.
    const GROWS_IN_TURNS: bool;

    /// Returns whether there may be a file for a shape.
    fn supports(shape: Shape) -> bool;

    /// Returns the number of blocks of a shape.
    fn count(shape: Shape) -> usize;

    /// Returns the pairs of cells, lower cell first, in the order of their blocks; `None` for a
    /// block without a second cell, whose weights are unused.
    fn blocks(shape: Shape) -> Vec<Option<(usize, usize)>>;

    /// Returns the number of the block of a pair of cells, if it has one.
    fn find(shape: Shape, lower: usize, upper: usize) -> Option<usize>;

    /// Returns the number of the block of a pair of cells that has one.
    ///
    /// # Panics
    /// If it has none.
    fn number(shape: Shape, lower: usize, upper: usize) -> usize {
        Self::find(shape, lower, upper).expect("a pair that has a block")
    }
}

/// The weights for boards of a shape with the blank's home in the last cell, in parts of a move
/// ([`Self::UNIT`]), where the blank counts as a tile. The estimate of a board is the sum of the
/// weights of its tiles and of its pairs of tiles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairWeights<P> {
    shape: Shape,
    /// `[tile][cell]`.
    singles: Box<[i16]>,
    /// `[block][tile on the lower cell][tile on the other]`.
    pairs: Box<[i8]>,
    which: PhantomData<P>,
}

impl<P: Pairs> PairWeights<P> {
    /// The parts of a move in which estimates are counted.
    pub const UNIT: i32 = manhattan::UNIT;

    /// Creates weights from those of tiles on cells and the blocks of those of pairs, or returns
    /// `None` if there are too many or too few.
    pub(crate) fn of_parts(shape: Shape, singles: Vec<i16>, pairs: Vec<i8>) -> Option<Self> {
        let squared = shape.cells().pow(2);
        let fits = singles.len() == squared && pairs.len() == P::count(shape) * squared;
        fits.then(|| Self {
            shape,
            singles: singles.into(),
            pairs: pairs.into(),
            which: PhantomData,
        })
    }

    /// Returns the shape, the weights of tiles on cells, and the blocks of those of pairs.
    pub(crate) fn parts(&self) -> (Shape, &[i16], &[i8]) {
        (self.shape, &self.singles, &self.pairs)
    }

    /// Returns the shape.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the bytes held for a shape.
    #[must_use]
    pub fn bytes(shape: Shape) -> usize {
        let squared = shape.cells().pow(2);
        squared * (size_of::<i16>() + P::count(shape))
    }

    /// Returns the weight of a tile on a cell.
    #[inline]
    pub(super) fn single(&self, tile: usize, cell: usize) -> i32 {
        i32::from(self.singles[tile * self.shape.cells() + cell])
    }

    /// Returns a block: the weights `[tile on the lower cell][tile on the other]`.
    #[inline]
    pub(super) fn block(&self, number: usize) -> &[i8] {
        let squared = self.shape.cells().pow(2);
        &self.pairs[number * squared..][..squared]
    }
}
