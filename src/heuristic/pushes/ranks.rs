//! The colourings of a small board, numbered without gaps.

use crate::puzzle::Shape;

/// A board of which only the tiles' colours are known: two bits per cell, [`BLANK`] for the blank.
pub(super) type Colours = u32;

/// The value that stands for the blank. The tiles' colours are less.
pub(super) const BLANK: u32 = 3;

/// The cells in each half of a board of 16.
const HALF: usize = 8;

/// The number of colourings of that many cells.
const KEYS: usize = 1 << (2 * HALF);

/// The number of cells of each colour, four bits each.
type Counts = u16;

/// Numbers the arrangements of one blank and a given number of tiles of each colour.
///
/// The two halves of a board are looked up, and the results are added: the number of boards whose
/// first half comes before this one, and the number of second halves with the same colours that
/// come before this one.
#[derive(Debug)]
pub(super) struct Ranks {
    first: Box<[u32; KEYS]>,
    second: Box<[u16; KEYS]>,
    states: u32,
}

impl Ranks {
    /// Numbers all boards with the colours of this one.
    pub(super) fn new(shape: Shape, board: Colours) -> Self {
        let cells = shape.cells();
        let counted = |cells: usize| (0..1_u32 << (2 * cells)).map(move |key| count(key, cells));
        let mut second = Box::new([0; KEYS]);
        let mut alike = vec![0_u16; usize::from(Counts::MAX) + 1];
        for (rank, counts) in second.iter_mut().zip(counted(cells.saturating_sub(HALF))) {
            let alike = &mut alike[usize::from(counts)];
            *rank = *alike;
            *alike += 1;
        }
        let all = count(board, cells);
        let mut first = Box::new([0; KEYS]);
        let mut states = 0;
        for (before, counts) in first.iter_mut().zip(counted(cells.min(HALF))) {
            *before = states;
            // If the half has more of a colour than the board, a count borrows from the next one,
            // and the counts add up to too many for a second half.
            let left = all.wrapping_sub(counts);
            states += u32::from(alike[usize::from(left)]);
        }
        Self {
            first,
            second,
            states,
        }
    }

    /// Returns the number of a board.
    #[inline]
    pub(super) fn of(&self, board: Colours) -> usize {
        let first = self.first[board as usize % KEYS];
        let second = self.second[(board >> (2 * HALF)) as usize];
        first as usize + usize::from(second)
    }

    /// Returns the number of boards.
    pub(super) const fn states(&self) -> usize {
        self.states as usize
    }

    pub(super) const fn bytes(&self) -> usize {
        size_of::<[u32; KEYS]>() + size_of::<[u16; KEYS]>()
    }
}

/// Counts the cells of each colour. No count overflows, as a board has fewer than sixteen tiles.
fn count(board: Colours, cells: usize) -> Counts {
    (0..cells).fold(0, |counts, cell| {
        let colour = board >> (2 * cell) & 3;
        counts + (1 << (4 * colour))
    })
}
