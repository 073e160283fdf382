//! Additive pattern databases: exact distances of parts of the puzzle, added up.
//!
//! A pattern is a subset of the tiles (Culberson & Schaeffer, 1998). Its table gives, for each
//! placement of these tiles, the number of moves *of its own tiles* that bring them home, whatever
//! the others do; so the distances of patterns that share no tile may be added up (Korf & Felner,
//! 2002). The blank's position matters only in so far as the pattern's tiles lock it in: a state of
//! the table is a placement and one region of the free cells.
//!
//! A move of one of the tiles changes the distance by one, up or down, and any other move leaves it
//! unchanged. So the distance modulo 4 is enough to follow it from slide to slide (Breyer & Korf,
//! 2010, keep it modulo 3), and its lowest bit is known from the colours of the cells: the table
//! holds one bit per state, the second lowest. At the root the distance is found by walking down to
//! the goal.

mod additive;
mod build;
mod cell_set;
mod held;
mod partition;
mod pattern;
mod probe;
mod rank;
mod region;
mod store;
mod tier;
mod transpose;
mod words;

use std::sync::Arc;

use crate::puzzle::Shape;

pub use additive::{Additive, Event, Sum, Summand, Tables};
pub use build::{NotBuilt, Watch};
pub use cell_set::CellSet;
pub use held::held_bytes;
pub use partition::Partition;
pub use pattern::Pattern;
pub use region::{Bytes, RowEntry, Rows};
pub use store::{Fault, Store, StoreError, Stored};
pub use tier::Tier;

pub(crate) use rank::passing;
pub(crate) use region::{RowTables, region_shift};

use held::Held;
use probe::Ways;
use rank::orders;
use transpose::stride_words;
use words::Words;

/// The boards for which [there are](supports) partitions, as a phrase.
pub(super) const SIZES: &str = "of 3×5, 2×7, 2×8, 4×4, 3×6, 4×5 and 5×5";

/// Returns whether there are partitions for boards of a shape: 3×5, 2×7, 2×8, 4×4, 3×6, 4×5 and
/// 5×5, and the same shapes turned on their sides.
#[must_use]
pub fn supports(shape: Shape) -> bool {
    (shape.rows(), shape.columns()) == (4, 4)
        || Partition::standard(shape, shape.cells() - 1).is_some()
}

/// The distances of all states of one pattern, one bit each.
///
/// Bit `order × stride + row`, counted from the lowest bit of the first word, belongs to the state
/// whose tiles stand on the row's cells in the given order. Slides along a line keep the order, so
/// much of what a search looks up is close together in memory.
#[derive(Debug)]
pub struct PatternDatabase<E> {
    pattern: Pattern,
    rows: Arc<Rows<E>>,
    words: Words,
    /// The moves of each tile from each cell, tile by tile.
    ways: Box<[Ways]>,
    _held: Held,
}

impl<E: RowEntry> PatternDatabase<E> {
    /// Builds the table of a pattern with the given number of threads. `rows` are those of the
    /// pattern's shape and number of tiles.
    ///
    /// While the table is built, it takes somewhat more than its own size once more.
    ///
    /// # Errors
    /// If the watch was cancelled.
    ///
    /// # Panics
    /// If the pattern is not one that has a table: see [`Pattern::canonical`].
    pub fn new(
        pattern: Pattern,
        rows: Arc<Rows<E>>,
        threads: usize,
        watch: &Watch,
    ) -> Result<Self, NotBuilt> {
        assert_eq!(pattern.canonical().0, pattern, "its image has the table");
        let words = build::words(&pattern, &rows, threads, watch)?;
        Ok(Self::of(pattern, rows, words))
    }

    fn of(pattern: Pattern, rows: Arc<Rows<E>>, words: Words) -> Self {
        Self {
            ways: Ways::all(&pattern),
            _held: Held::new(size_of_val(&words[..])),
            pattern,
            rows,
            words,
        }
    }

    /// Numbers the rows for all patterns of this many tiles on a shape.
    #[must_use]
    pub fn rows(shape: Shape, tiles: usize) -> Arc<Rows<E>> {
        Arc::new(Rows::new(shape, tiles))
    }

    /// Returns the pattern whose distances these are.
    #[must_use]
    pub const fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Returns the number of states.
    #[must_use]
    pub fn states(&self) -> u64 {
        (self.rows.count() * orders(self.pattern.cells().len())) as u64
    }

    /// Returns the bytes of the table, without the row numbers, which tables share.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.words.len() * 8
    }

    /// Returns the row numbers.
    #[must_use]
    pub fn row_numbers(&self) -> &Arc<Rows<E>> {
        &self.rows
    }

    /// Returns the distance from one order of the tiles to the next, in bits.
    pub(crate) fn stride(&self) -> usize {
        stride_words(self.rows.count()) * 64
    }

    /// Returns the bits, in the layout described at [`PatternDatabase`].
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }
}
