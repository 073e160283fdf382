//! The boards to measure.

use std::fmt;

use crate::puzzle::generate::{Solvability, board_seed, uniform};
use crate::puzzle::notation::parse_board;
use crate::puzzle::{Board, Dice, Problem, Shape};
use crate::text::unmarked;

/// A board to solve.
#[derive(Clone, Debug)]
pub struct Case {
    /// The problem.
    pub problem: Problem,
    /// The length of its shortest solutions, if known.
    pub length: Option<usize>,
}

/// A collection of boards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Korf's hundred random 15-puzzles of 1985.
    Korf,
    /// The seventeen 15-puzzles that need 80 moves, the most of all.
    Farthest,
    /// Two 15-puzzles that are harder to solve than any of those.
    Hard,
    /// Random boards of a size, each solvable board equally likely: those of `loyd generate` with
    /// the same seed.
    Uniform {
        /// The size.
        shape: Shape,
        /// The number of boards.
        count: u64,
        /// The seed.
        seed: u64,
    },
    /// The boards of a text: see [`read_cases`].
    Listed {
        /// The name of the suite.
        name: String,
        /// The text.
        text: String,
    },
}

impl Suite {
    /// Returns the boards, all for the default goal.
    ///
    /// # Errors
    /// What is wrong with the text of [`Self::Listed`].
    pub fn cases(&self) -> Result<Vec<Case>, String> {
        match *self {
            Self::Korf => read_cases(include_str!("data/korf_1985_15puzzle.tsv")),
            Self::Farthest => read_cases(include_str!("data/farthest_15puzzle.tsv")),
            Self::Hard => read_cases(include_str!("data/hard_15puzzle.tsv")),
            Self::Listed { ref text, .. } => read_cases(text),
            Self::Uniform { shape, count, seed } => {
                let goal = Board::solved(shape);
                let board = |index| {
                    let mut dice = Dice::new(board_seed(seed, index));
                    let start = uniform(&goal, Solvability::Solvable, &mut dice);
                    let problem = Problem::new(&start, &goal).expect("solvable as asked for");
                    Case {
                        problem,
                        length: None,
                    }
                };
                Ok((0..count).map(board).collect())
            }
        }
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Korf => f.write_str("korf"),
            Self::Farthest => f.write_str("farthest"),
            Self::Hard => f.write_str("hard"),
            Self::Uniform { shape, seed, .. } => write!(f, "uniform {shape}, seed {seed}"),
            Self::Listed { name, .. } => f.write_str(name),
        }
    }
}

/// Reads boards for the default goal, one per line, as `loyd generate` prints them or in fields that are
/// separated by tabs. Then the first field with a comma holds the tiles row by row, and the field after
/// it, if there is one, the length of the shortest solutions, or `-`. Empty lines and lines that begin
/// with `#` are skipped.
///
/// # Errors
/// The first line without a solvable board, and why; or that there are no boards.
pub fn read_cases(text: &str) -> Result<Vec<Case>, String> {
    let lines = (1..).zip(unmarked(text).lines());
    let cases: Vec<Case> = lines
        .filter(|(_, line)| !line.starts_with('#') && !line.trim().is_empty())
        .map(|(number, line)| read_case(number, line))
        .collect::<Result<_, _>>()?;
    match cases.is_empty() {
        true => Err("there are no boards".to_owned()),
        false => Ok(cases),
    }
}

/// Reads the line of a number.
fn read_case(number: usize, line: &str) -> Result<Case, String> {
    let wrong = |what: &dyn fmt::Display| format!("line {number}: {what}");
    // A comma in a comment separates no tiles.
    let has_comma = |field: &&str| {
        field
            .split('#')
            .next()
            .is_some_and(|text| text.contains(','))
    };
    let before = line.split('\t').take_while(|field| !has_comma(field));
    let begin: usize = before.map(|field| field.len() + 1).sum();
    let (begin, tiles, length) = match line.get(begin..) {
        Some(rest) => {
            let mut fields = rest.split('\t');
            (begin, fields.next().unwrap_or(rest), fields.next())
        }
        None => (0, line, None),
    };
    let board = parse_board(tiles, None).map_err(|mut error| match error.place_mut() {
        Some(place) => {
            place.line = number;
            place.column += line[..begin].chars().count();
            error.to_string()
        }
        None => wrong(&error),
    })?;
    let length = match length.map(str::trim) {
        None | Some("-") => None,
        Some(length) => {
            let read = length.parse();
            Some(read.map_err(|_| wrong(&format_args!("{length:?} is not a length")))?)
        }
    };
    let goal = Board::solved(board.shape());
    let problem = Problem::new(&board, &goal).map_err(|error| wrong(&error))?;
    Ok(Case { problem, length })
}
