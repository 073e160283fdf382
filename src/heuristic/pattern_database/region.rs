//! Numbers for the sets of cells that a pattern's tiles occupy, and for the regions that the blank
//! can reach between them.

use std::fmt;

use crate::puzzle::Shape;

use super::cell_set::CellSet;
use super::held::Held;

/// The most regions of a board: eight tiles do not divide it into more.
const REGIONS: usize = 8;

/// The rows of one set of occupied cells: the number of the first row, and the region number of
/// each free cell.
pub trait RowEntry: Copy + Send + Sync + fmt::Debug + 'static {
    /// The most cells of a board.
    const CELLS: usize;
    /// The bits of the first row's number.
    const ROW_BITS: u32;
    /// The bits from the start of one cell's region to the start of the next cell's.
    const REGION_BITS: u32;

    /// Packs the first row's number and each cell's region.
    fn new(first: usize, regions: impl Iterator<Item = (usize, usize)>) -> Self;

    /// Returns the row of the region whose bits begin at `shift`.
    fn row(&self, shift: u32) -> u32;
}

/// Returns the position of a cell's region in an entry, in bits.
pub(crate) const fn region_shift<E: RowEntry>(cell: usize) -> u32 {
    E::ROW_BITS + E::REGION_BITS * cell as u32
}

/// The entry for boards of up to 16 cells: a single word.
impl RowEntry for u64 {
    const CELLS: usize = 16;
    const ROW_BITS: u32 = 16;
    const REGION_BITS: u32 = 3;

    fn new(first: usize, regions: impl Iterator<Item = (usize, usize)>) -> Self {
        regions.fold(first as Self, |word, (cell, region)| {
            word | (region as Self) << region_shift::<Self>(cell)
        })
    }

    #[inline]
    fn row(&self, shift: u32) -> u32 {
        (*self as u32 & 0xFFFF) + ((self >> shift) as u32 & 7)
    }
}

/// The entry for boards of up to 25 cells: the first row's number in the low bytes, which are read
/// as a word of four, then one byte for the regions of two cells each.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub struct Bytes([u8; 16]);

impl RowEntry for Bytes {
    const CELLS: usize = 25;
    const ROW_BITS: u32 = 24;
    const REGION_BITS: u32 = 4;

    fn new(first: usize, regions: impl Iterator<Item = (usize, usize)>) -> Self {
        let word = regions.fold(first as u128, |word, (cell, region)| {
            word | (region as u128) << region_shift::<Self>(cell)
        });
        Self(word.to_le_bytes())
    }

    #[inline]
    fn row(&self, shift: u32) -> u32 {
        let [a, b, c, d, ..] = self.0;
        let first = u32::from_le_bytes([a, b, c, d]) & 0xFF_FFFF;
        let regions = u32::from(self.0[(shift / 8) as usize % 16]);
        first + (regions >> (shift % 8) & 7)
    }
}

/// The rows of all sets of a given number of cells of a board: one row for each region of the free
/// cells.
///
/// Sets that differ only in their lower cells have rows close to each other.
#[derive(Debug)]
pub struct Rows<E> {
    entries: Box<[E]>,
    /// The entry number of the first set with these upper cells, and the offset for the lower ones.
    /// The arrays have room for the largest boards, so a look-up needs no bounds check.
    high: Box<[u32; HIGH]>,
    low: Box<[u16; LOW]>,
    count: usize,
    _held: Held,
}

/// The number of sets of the upper cells of the largest boards, of 25 cells, and of the lower ones.
const HIGH: usize = 1 << 13;
const LOW: usize = 1 << 12;

/// Returns a table padded with zeros.
fn filled<T: Copy + Default, const N: usize>(items: impl Iterator<Item = T>) -> Box<[T; N]> {
    let mut table = Box::new([T::default(); N]);
    for (place, item) in table.iter_mut().zip(items) {
        *place = item;
    }
    table
}

impl<E: RowEntry> Rows<E> {
    /// The number of lower cells. A set is looked up by its lower and its upper cells separately.
    pub(crate) const LOW_CELLS: u32 = E::CELLS as u32 / 2;

    /// Numbers the rows.
    ///
    /// # Panics
    /// If the board has too many cells for the entries.
    pub(super) fn new(shape: Shape, tiles: usize) -> Self {
        assert!(shape.cells() <= E::CELLS, "{shape} in too small entries");
        let all = CellSet::all(shape);
        let mut high = Vec::with_capacity(HIGH);
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
                assert!(regions.len() <= REGIONS, "too many regions");
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
        let low = filled(low);
        assert!(
            count <= 1 << E::ROW_BITS,
            "{count} rows in too small entries"
        );
        Self {
            entries: entries.into_boxed_slice(),
            high: filled(high.into_iter()),
            low,
            count,
            _held: Held::new(Self::bytes(shape, tiles)),
        }
    }

    /// Returns the number of rows.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Returns the tables themselves.
    pub(crate) const fn tables(&self) -> RowTables<'_, E> {
        RowTables {
            entries: &self.entries,
            high: &self.high,
            low: &self.low,
        }
    }

    /// Returns the entry of a set of occupied cells.
    pub(super) fn entry(&self, cells: CellSet) -> E {
        let tables = self.tables();
        tables.entries[tables.entry_number(cells.bits())]
    }

    /// Returns the row of a set of occupied cells with the blank on a given free cell.
    pub(super) fn row(&self, cells: CellSet, blank: usize) -> usize {
        self.entry(cells).row(region_shift::<E>(blank)) as usize
    }

    /// Returns the bytes of the tables for sets of `tiles` cells of a shape.
    pub(super) fn bytes(shape: Shape, tiles: usize) -> usize {
        choices(shape.cells(), tiles) * size_of::<E>()
            + HIGH * size_of::<u32>()
            + LOW * size_of::<u16>()
    }
}

/// References to the tables, so that repeated look-ups need not follow pointers again.
#[derive(Clone, Copy)]
pub(crate) struct RowTables<'a, E> {
    /// One entry for each set of occupied cells.
    pub(crate) entries: &'a [E],
    high: &'a [u32; HIGH],
    low: &'a [u16; LOW],
}

impl<E: RowEntry> RowTables<'_, E> {
    /// Returns the entry number of a set of occupied cells.
    #[inline]
    pub(crate) fn entry_number(&self, cells: u32) -> usize {
        let upper = (cells >> Rows::<E>::LOW_CELLS) as usize;
        let lower = cells as usize & ((1 << Rows::<E>::LOW_CELLS) - 1);
        self.high[upper % HIGH] as usize + usize::from(self.low[lower % LOW])
    }
}

/// Returns the number of sets of `chosen` of so many cells.
pub(super) fn choices(cells: usize, chosen: usize) -> usize {
    (0..chosen).fold(1, |sets, one| sets * (cells - one) / (one + 1))
}

/// Returns the regions of the free cells, ordered by their lowest cell.
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
