//! Boards: `1 2 3 / 4 5 6 / 7 8 0` and its many variants.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::Place;
use crate::puzzle::{Board, BoardError, Shape, ShapeError};

/// The numbers of the largest board and the two of a header.
const MAX_NUMBERS: usize = Shape::MAX_CELLS + 2;

/// How much of an invalid word an error repeats, in characters.
const QUOTED: usize = 16;

/// A text that is not a board.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BoardNotationError {
    /// There are no numbers in the text.
    #[error("there are no numbers: write the tiles row by row, 0 for the blank")]
    Empty,
    /// A word that is not a tile.
    #[error("{place}: {word:?} is neither the number of a tile nor a blank (0, _, . or x)")]
    Word {
        /// Where the word begins.
        place: Place,
        /// The word; if it is long, its beginning and `…`.
        word: String,
    },
    /// More numbers than the largest board and its header have.
    #[error(
        "{place}: more than {} numbers: boards have at most {} cells",
        MAX_NUMBERS,
        Shape::MAX_CELLS
    )]
    TooMany {
        /// Where the first number beyond the limit begins.
        place: Place,
    },
    /// A list without rows that does not fill a square.
    #[error(
        "{count} numbers do not make a square: separate the rows with /, ; or line breaks, or write the size first"
    )]
    NotSquare {
        /// How many numbers there are.
        count: usize,
    },
    /// Rows of different lengths.
    #[error("{place}: row {row} has {found} numbers, but the first row has {expected}")]
    Ragged {
        /// Where the row begins.
        place: Place,
        /// The row, from 1. Rows without numbers are not counted.
        row: usize,
        /// The numbers in the first row.
        expected: usize,
        /// The numbers in this row.
        found: usize,
    },
    /// A size on the first line that does not match the count of numbers after it.
    #[error("a size of {side} needs {side} times {side} numbers, but {found} follow")]
    Header {
        /// The number on the first line.
        side: u32,
        /// How many numbers follow.
        found: usize,
    },
    /// A number of rows and columns that no board has.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// The board has another size than the one requested.
    #[error("the numbers make a board of {found}, but the board must be {expected}")]
    OtherShape {
        /// The requested size.
        expected: Shape,
        /// The size that the text gives.
        found: Shape,
    },
    /// A list without rows that does not fill the requested size.
    #[error("a board of {expected} has {} numbers, but {found} were given", expected.cells())]
    Count {
        /// The requested size.
        expected: Shape,
        /// How many numbers there are.
        found: usize,
    },
    /// The numbers are not `0..cells`, each once.
    #[error("{}{error}", place.map(|place| format!("{place}: ")).unwrap_or_default())]
    Illegal {
        /// Where the first number that breaks a rule stands, if a single number breaks it.
        place: Option<Place>,
        /// Everything that is wrong.
        error: BoardError,
    },
}

impl BoardNotationError {
    /// Returns the place that the error names, if it names one: for a text that is a part of another one, where
    /// it stands elsewhere.
    pub const fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            Self::Word { place, .. } | Self::TooMany { place } | Self::Ragged { place, .. } => {
                Some(place)
            }
            Self::Illegal { place, .. } => place.as_mut(),
            _ => None,
        }
    }
}

/// Parses a board, of the given shape if there is one.
///
/// Numbers are separated by white space or commas, rows by `/`, `;` or line breaks. 0, `_`, `.` and
/// `x` are the blank, and `#` begins a comment that ends with its line. Empty rows do not count.
/// The numbers are read in the first of these ways that gives a legal board (no text gives one in
/// two ways: the numbers of a header occur again in the board, and the board itself may not repeat
/// any):
///
/// 1. as they stand: rows of equal length; or a single row, which is then cut into rows of the
///    given shape or, without one, of a square;
/// 2. as a number N and N·N numbers, however they are broken into rows (the format of many
///    courses);
/// 3. as two numbers R and C and R·C numbers.
///
/// ```
/// use loyd::puzzle::notation::parse_board;
///
/// for text in ["1 2 3 / 4 5 6 / 7 8 0", "1,2,3;4,5,6;7,8,_", "1 2 3 4 5 6 7 8 0", "3\n1 2 3\n4 5 6\n7 8 0\n"] {
///     assert_eq!(parse_board(text, None)?.to_string(), "1 2 3 / 4 5 6 / 7 8 0");
/// }
/// # Ok::<(), loyd::puzzle::notation::BoardNotationError>(())
/// ```
///
/// # Errors
/// If the text cannot be parsed, at its first invalid word or surplus number; if its numbers do not
/// have a legal size, or not the given one; or if they are not `0..cells`, each once.
pub fn parse_board(text: &str, shape: Option<Shape>) -> Result<Board, BoardNotationError> {
    let list = List::read(text)?;
    let mut first_error = None;
    for (size, header) in list.readings(shape)? {
        match Board::new(size, &list.numbers[header..]) {
            Ok(board) => return Ok(board),
            Err(error) => first_error = first_error.or(Some((error, header))),
        }
    }
    let (error, header) = first_error.expect("there is at least one reading");
    let cell = error.violations.iter().find_map(|rule| rule.cell());
    Err(BoardNotationError::Illegal {
        place: cell.map(|cell| Place::at(text, list.bytes[header + cell])),
        error,
    })
}

impl FromStr for Board {
    type Err = BoardNotationError;

    /// Parses a board of any shape, as [`parse_board`] does.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_board(text, None)
    }
}

/// Returns what an error repeats of a word.
fn quoted(word: &str) -> String {
    match word.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &word[..end]),
        None => word.to_owned(),
    }
}

/// The numbers of a text.
struct List<'a> {
    text: &'a str,
    numbers: Vec<u32>,
    /// Where each number begins.
    bytes: Vec<usize>,
    /// The index of the first number of each row that has any.
    rows: Vec<usize>,
}

impl<'a> List<'a> {
    fn read(text: &'a str) -> Result<Self, BoardNotationError> {
        let mut list = Self {
            text,
            numbers: Vec::new(),
            bytes: Vec::new(),
            rows: Vec::new(),
        };
        let mut word = None;
        let mut row_begins = true;
        let mut comment = false;
        for (byte, character) in text.char_indices().chain([(text.len(), '\n')]) {
            let parts = character.is_whitespace() || matches!(character, ',' | '/' | ';' | '#');
            if comment {
                comment = character != '\n';
            } else if !parts {
                word.get_or_insert(byte);
                continue;
            }
            if let Some(begin) = word.take() {
                if row_begins {
                    list.rows.push(list.numbers.len());
                    row_begins = false;
                }
                list.push(begin, byte)?;
            }
            if !comment {
                comment = character == '#';
                row_begins |= matches!(character, '\n' | '/' | ';');
            }
        }
        Ok(list)
    }

    fn push(&mut self, begin: usize, end: usize) -> Result<(), BoardNotationError> {
        let word = &self.text[begin..end];
        let place = || Place::at(self.text, begin);
        if self.numbers.len() == MAX_NUMBERS {
            return Err(BoardNotationError::TooMany { place: place() });
        }
        let number = match word {
            "_" | "." | "x" | "X" => Some(0),
            _ if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
            _ => None,
        };
        let number = number.ok_or_else(|| BoardNotationError::Word {
            place: place(),
            word: quoted(word),
        })?;
        self.numbers.push(number);
        self.bytes.push(begin);
        Ok(())
    }

    /// Returns the sizes in which the numbers can be read, each with the length of its header: at
    /// least one.
    fn readings(&self, shape: Option<Shape>) -> Result<Vec<(Shape, usize)>, BoardNotationError> {
        let plain = self.plain(shape);
        let mut readings = Vec::new();
        readings.extend(plain.as_ref().ok().map(|&size| (size, 0)));
        if let [side, ..] = self.numbers[..] {
            readings.extend(self.headed(side, side, 1));
        }
        if let [rows, columns, ..] = self.numbers[..] {
            readings.extend(self.headed(rows, columns, 2));
        }
        let found = match readings.first() {
            Some(&(size, _)) => size,
            None => plain?,
        };
        if let Some(expected) = shape {
            readings.retain(|&(size, _)| size == expected);
            if readings.is_empty() {
                return Err(BoardNotationError::OtherShape { expected, found });
            }
        }
        Ok(readings)
    }

    /// Returns the size of the numbers as they stand.
    fn plain(&self, shape: Option<Shape>) -> Result<Shape, BoardNotationError> {
        let count = self.numbers.len();
        match (self.rows.len(), shape) {
            (0, _) => Err(BoardNotationError::Empty),
            (1, Some(shape)) if shape.cells() == count => Ok(shape),
            (1, Some(expected)) => Err(BoardNotationError::Count {
                expected,
                found: count,
            }),
            (1, None) => match count.isqrt() {
                side if side * side == count => Ok(Shape::new(side, side)?),
                _ => Err(BoardNotationError::NotSquare { count }),
            },
            (rows, _) => {
                let expected = self.row_length(0);
                for row in 1..rows {
                    let found = self.row_length(row);
                    if found != expected && expected == 1 {
                        return Err(BoardNotationError::Header {
                            side: self.numbers[0],
                            found: count - 1,
                        });
                    }
                    if found != expected {
                        return Err(BoardNotationError::Ragged {
                            place: Place::at(self.text, self.bytes[self.rows[row]]),
                            row: row + 1,
                            expected,
                            found,
                        });
                    }
                }
                Ok(Shape::new(rows, expected)?)
            }
        }
    }

    fn row_length(&self, row: usize) -> usize {
        let end = self.rows.get(row + 1).copied();
        end.unwrap_or(self.numbers.len()) - self.rows[row]
    }

    /// Returns the size that a header of `header` numbers gives, if the right count of numbers
    /// follows.
    fn headed(&self, rows: u32, columns: u32, header: usize) -> Option<(Shape, usize)> {
        let size = Shape::new(rows as usize, columns as usize).ok()?;
        (self.numbers.len() == header + size.cells()).then_some((size, header))
    }
}

/// Prints a board in lines, with the numbers aligned in columns.
///
/// ```
/// use loyd::puzzle::notation::Grid;
/// use loyd::puzzle::{Board, Shape};
///
/// let board = Board::solved(Shape::new(3, 4)?);
/// assert_eq!(
///     Grid(&board).to_string(),
///     " 1  2  3  4\n 5  6  7  8\n 9 10 11  0"
/// );
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a>(pub &'a Board);

impl fmt::Display for Grid<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = self.0.shape();
        let width = (shape.cells() - 1).to_string().len();
        for (cell, tile) in self.0.tiles().enumerate() {
            match (cell, shape.column(cell)) {
                (0, _) => {}
                (_, 0) => f.write_str("\n")?,
                _ => f.write_str(" ")?,
            }
            write!(f, "{tile:width$}")?;
        }
        Ok(())
    }
}
