//! Boards: arrangements of the tiles `1..cells` and one blank. A board is always legal.

use std::fmt;

use thiserror::Error;

use super::{Direction, Shape};

/// The most cells of a board that fits into one `u64`, at four bits per cell.
const PACKED_CELLS: usize = 16;

/// How many violations an error lists before it only counts them. Two boards of them, and whatever else is wrong
/// with a request, must fit in the 8 KiB of headers that most gRPC clients take.
const LISTED_VIOLATIONS: usize = 16;

/// An arrangement of tiles: every number `0..cells` exactly once, where 0 is the blank.
///
/// ```
/// use loyd::puzzle::{Board, Direction, Shape};
///
/// let shape = Shape::new(3, 3)?;
/// let mut board = Board::new(shape, &[1, 2, 3, 4, 5, 6, 7, 0, 8])?;
/// assert!(board.slide(Direction::Left));
/// assert_eq!(board, Board::solved(shape));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Board {
    shape: Shape,
    blank: u16,
    tiles: Tiles,
}

/// The small boards that games solve by the million need no allocation.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Tiles {
    /// Cell `c` in the bits `4c..4c + 4`.
    Packed(u64),
    Wide(Box<[u16]>),
}

/// A rule that a proposed board breaks, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum BoardViolation {
    /// There are more or fewer numbers than cells.
    #[error("{found} tiles were given, but the board has {expected} cells")]
    Count {
        /// The number of cells.
        expected: usize,
        /// The number of tiles given.
        found: usize,
    },
    /// A number that no tile of this board has.
    #[error("tile {tile} is out of range: the highest is {highest}")]
    OutOfRange {
        /// Where the number stands.
        cell: usize,
        /// The number given.
        tile: u32,
        /// The highest legal number.
        highest: u32,
    },
    /// A number that already stands on an earlier cell.
    #[error("tile {tile} is already on cell {first}")]
    Duplicate {
        /// Where the number stands the second time.
        cell: usize,
        /// The number given twice.
        tile: u32,
        /// Where the number stands first.
        first: usize,
    },
    /// A number that does not occur.
    #[error("tile {tile} is missing")]
    Missing {
        /// The missing number; 0 is the blank.
        tile: u32,
    },
}

impl BoardViolation {
    /// Returns the index into the given tiles that the violation is about, or `None` if it is about
    /// the list as a whole.
    #[must_use]
    pub const fn cell(&self) -> Option<usize> {
        match *self {
            Self::OutOfRange { cell, .. } | Self::Duplicate { cell, .. } => Some(cell),
            Self::Count { .. } | Self::Missing { .. } => None,
        }
    }
}

/// Everything that is wrong with a proposed board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", self.summary())]
pub struct BoardError {
    /// The first violations, at most 16: in the order of the cells, then of the missing tiles.
    pub violations: Vec<BoardViolation>,
    /// How many more violations there are.
    pub omitted: usize,
}

impl BoardError {
    fn push(&mut self, violation: BoardViolation) {
        if self.violations.len() < LISTED_VIOLATIONS {
            self.violations.push(violation);
        } else {
            self.omitted += 1;
        }
    }

    fn summary(&self) -> String {
        let mut text = String::from("not a board: ");
        for (i, violation) in self.violations.iter().enumerate() {
            if i > 0 {
                text.push_str("; ");
            }
            match violation.cell() {
                Some(cell) => text.push_str(&format!("cell {cell}: {violation}")),
                None => text.push_str(&violation.to_string()),
            }
        }
        if self.omitted > 0 {
            text.push_str(&format!("; and {} more", self.omitted));
        }
        text
    }
}

impl Board {
    /// Creates a board from its tiles, row by row.
    ///
    /// # Errors
    /// Lists every violation: the count, numbers out of range, duplicates, missing numbers.
    pub fn new(shape: Shape, tiles: &[u32]) -> Result<Self, BoardError> {
        let cells = shape.cells();
        let mut error = BoardError {
            violations: Vec::new(),
            omitted: 0,
        };
        if tiles.len() != cells {
            error.push(BoardViolation::Count {
                expected: cells,
                found: tiles.len(),
            });
        }
        let mut first_cell = vec![None; cells];
        for (cell, &tile) in tiles.iter().enumerate() {
            match first_cell.get_mut(tile as usize) {
                None => error.push(BoardViolation::OutOfRange {
                    cell,
                    tile,
                    highest: cells as u32 - 1,
                }),
                Some(Some(first)) => error.push(BoardViolation::Duplicate {
                    cell,
                    tile,
                    first: *first,
                }),
                Some(slot) => *slot = Some(cell),
            }
        }
        for (tile, first) in first_cell.iter().enumerate() {
            if first.is_none() {
                error.push(BoardViolation::Missing { tile: tile as u32 });
            }
        }
        if error.violations.is_empty() {
            Ok(Self::from_legal(shape, |cell| tiles[cell] as u16))
        } else {
            Err(error)
        }
    }

    /// Creates a board from tiles that are known to be a permutation, cell by cell.
    pub(crate) fn from_legal(shape: Shape, tile_at: impl Fn(usize) -> u16) -> Self {
        let cells = shape.cells();
        let blank = (0..cells)
            .find(|&cell| tile_at(cell) == 0)
            .expect("a legal board has a blank") as u16;
        let tiles = if cells <= PACKED_CELLS {
            Tiles::Packed((0..cells).fold(0, |bits, cell| {
                bits | u64::from(tile_at(cell)) << (4 * cell)
            }))
        } else {
            Tiles::Wide((0..cells).map(tile_at).collect())
        };
        Self {
            shape,
            blank,
            tiles,
        }
    }

    /// Returns the solved board of the default goal: 1 2 3 …, the blank last.
    #[must_use]
    pub fn solved(shape: Shape) -> Self {
        let cells = shape.cells();
        Self::from_legal(shape, |cell| ((cell + 1) % cells) as u16)
    }

    /// Returns the size of the board.
    #[must_use]
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Returns the cell of the blank.
    #[must_use]
    pub const fn blank(&self) -> usize {
        self.blank as usize
    }

    /// Returns the tile on a cell, 0 for the blank.
    ///
    /// # Panics
    /// If `cell` is off the board.
    #[must_use]
    pub fn tile(&self, cell: usize) -> u16 {
        assert!(cell < self.shape.cells(), "cell {cell} is off the board");
        match &self.tiles {
            Tiles::Packed(bits) => (bits >> (4 * cell) & 15) as u16,
            Tiles::Wide(tiles) => tiles[cell],
        }
    }

    /// Returns the tiles row by row.
    pub fn tiles(&self) -> impl ExactSizeIterator<Item = u16> + '_ {
        (0..self.shape.cells()).map(|cell| self.tile(cell))
    }

    /// Returns the tiles, four bits per cell, with the first cell in the lowest bits.
    ///
    /// # Panics
    /// On boards of more than 16 cells.
    pub(crate) fn packed(&self) -> u64 {
        match self.tiles {
            Tiles::Packed(bits) => bits,
            Tiles::Wide(_) => panic!("four bits a cell hold at most 16 cells"),
        }
    }

    /// Returns the cell of each tile, by tile number; the blank's cell is at 0.
    #[must_use]
    pub fn cells_by_tile(&self) -> Vec<u16> {
        let mut cells = vec![0; self.shape.cells()];
        for (cell, tile) in self.tiles().enumerate() {
            cells[usize::from(tile)] = cell as u16;
        }
        cells
    }

    /// Returns whether a tile can slide in this direction.
    #[must_use]
    pub const fn can_slide(&self, direction: Direction) -> bool {
        self.shape
            .neighbour(self.blank(), direction.opposite())
            .is_some()
    }

    /// Slides a tile into the blank. Returns false, and changes nothing, if the board's edge is in
    /// the way.
    pub fn slide(&mut self, direction: Direction) -> bool {
        let blank = self.blank();
        let Some(from) = self.shape.neighbour(blank, direction.opposite()) else {
            return false;
        };
        match &mut self.tiles {
            Tiles::Packed(bits) => {
                let tile = *bits >> (4 * from) & 15;
                *bits ^= tile << (4 * from) | tile << (4 * blank);
            }
            Tiles::Wide(tiles) => tiles.swap(blank, from),
        }
        self.blank = from as u16;
        true
    }
}

impl fmt::Display for Board {
    /// One line: numbers separated by spaces, rows by ` / `.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (cell, tile) in self.tiles().enumerate() {
            match (cell, self.shape.column(cell)) {
                (0, _) => {}
                (_, 0) => f.write_str(" / ")?,
                _ => f.write_str(" ")?,
            }
            write!(f, "{tile}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{self}]")
    }
}
