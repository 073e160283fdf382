//! Numbers for where the tiles of a pattern stand, whichever they are, and where the blank can
//! get to among them.

use std::fmt;

use crate::puzzle::Shape;

use super::cell_set::CellSet;

/// Bits of a region's number. Eight tiles cut a board into eight regions at most.
const REGION_BITS: u32 = 3;

/// The rows of one set of occupied cells: the first one's number, and for each free cell the
/// number of its region, all in one word. Boards of up to 16 cells do with half of one.
pub trait RowEntry: Copy + Send + Sync + fmt::Debug + 'static {
    /// The most cells of a board.
    const CELLS: usize;
    /// The bits of the first row's number.
    const ROW_BITS: u32;

    /// Puts the first row's number and each cell's region together.
    fn new(first: usize, regions: impl Iterator<Item = (usize, usize)>) -> Self;

    /// The row of the region whose bits begin at `shift`.
    fn row(self, shift: u32) -> u32;
}

/// Where in an entry the region of a cell stands.
pub(crate) const fn region_shift<E: RowEntry>(cell: usize) -> u32 {
    E::ROW_BITS + REGION_BITS * cell as u32
}

macro_rules! row_entry {
    ($word:ty, $cells:literal, $row_bits:literal) => {
        impl RowEntry for $word {
            const CELLS: usize = $cells;
            const ROW_BITS: u32 = $row_bits;

            fn new(first: usize, regions: impl Iterator<Item = (usize, usize)>) -> Self {
                regions.fold(first as $word, |word, (cell, region)| {
                    word | (region as $word) << region_shift::<Self>(cell)
                })
            }

            #[inline]
            fn row(self, shift: u32) -> u32 {
                const FIRST: u32 = (1 << $row_bits) - 1;
                const REGION: u32 = (1 << REGION_BITS) - 1;
                (self as u32 & FIRST) + ((self >> shift) as u32 & REGION)
            }
        }
    };
}

row_entry!(u64, 16, 16);
row_entry!(u128, 25, 24);

/// The rows of all sets of so many cells of a board: one row for each region of the free cells.
///
/// Sets that differ only in their lower cells have rows close to each other.
#[derive(Clone, Debug)]
pub struct Rows<E> {
    entries: Box<[E]>,
    /// The number of the first set with these upper cells, and what the lower ones add to it.
    high: Box<[u32]>,
    low: Box<[u16]>,
    count: usize,
}

impl<E: RowEntry> Rows<E> {
    /// The lower cells of a set are found in a table of all their sets.
    pub(crate) const LOW_CELLS: u32 = E::CELLS as u32 / 2;

    /// Numbers the rows.
    ///
    /// # Panics
    /// When the board has too many cells for the entries.
    pub(super) fn new(shape: Shape, tiles: usize) -> Self {
        assert!(shape.cells() <= E::CELLS, "{shape} in too small entries");
        let all = CellSet::all(shape);
        let mut high = Vec::with_capacity(1 << (E::CELLS as u32 - Self::LOW_CELLS));
        let mut entries = Vec::new();
        let mut count = 0;
        for upper in 0..1_u32 << (E::CELLS as u32 - Self::LOW_CELLS) {
            high.push(entries.len() as u32);
            let Some(lower_tiles) = tiles.checked_sub(upper.count_ones() as usize) else {
                continue;
            };
            for lower in 0..1_u32 << Self::LOW_CELLS {
                let cells = CellSet::from_bits(upper << Self::LOW_CELLS | lower);
                let is_set = lower.count_ones() as usize == lower_tiles;
                if !is_set || !cells.without(all).is_empty() {
                    continue;
                }
                let regions = regions(shape, cells);
                assert!(regions.len() <= 1 << REGION_BITS, "too many regions");
                let numbered = (0..).zip(&regions);
                let of_cells =
                    numbered.flat_map(|(number, region)| region.iter().map(move |c| (c, number)));
                entries.push(E::new(count, of_cells));
                count += regions.len();
            }
        }
        let mut seen = vec![0; Self::LOW_CELLS as usize + 1];
        let low = (0..1_u32 << Self::LOW_CELLS).map(|lower| {
            let before: &mut u16 = &mut seen[lower.count_ones() as usize];
            let lower_tiles_before = *before;
            *before += u16::from(CellSet::from_bits(lower).without(all).is_empty());
            lower_tiles_before
        });
        let low = low.collect();
        assert!(
            count <= 1 << E::ROW_BITS,
            "{count} rows in too small entries"
        );
        Self {
            entries: entries.into_boxed_slice(),
            high: high.into_boxed_slice(),
            low,
            count,
        }
    }

    /// How many rows there are.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// The entries, one for each set of occupied cells.
    #[inline]
    pub(crate) const fn entries(&self) -> &[E] {
        &self.entries
    }

    /// The number of the entry of a set of occupied cells.
    #[inline]
    pub(crate) fn entry_number(&self, cells: u32) -> usize {
        let upper = self.high[(cells >> Self::LOW_CELLS) as usize];
        let lower = self.low[(cells & ((1 << Self::LOW_CELLS) - 1)) as usize];
        upper as usize + usize::from(lower)
    }

    /// The entry of a set of occupied cells.
    pub(super) fn entry(&self, cells: CellSet) -> E {
        self.entries[self.entry_number(cells.bits())]
    }

    /// The row of a set of occupied cells with the blank on a free one.
    pub(super) fn row(&self, cells: CellSet, blank: usize) -> usize {
        self.entry(cells).row(region_shift::<E>(blank)) as usize
    }

    /// The bytes of the tables.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.entries) + size_of_val(&*self.high) + size_of_val(&*self.low)
    }
}

/// The regions of the free cells, that of the lowest cell first.
pub(super) fn regions(shape: Shape, cells: CellSet) -> Vec<CellSet> {
    let mut free = CellSet::all(shape).without(cells);
    let mut regions = Vec::new();
    while let Some(cell) = free.iter().next() {
        let region = free.region(shape, cell);
        free = free.without(region);
        regions.push(region);
    }
    regions
}
