//! Boards and moves as people write them.
//!
//! The parsers accept untrusted text: they take linear time and bounded memory whatever the text
//! is, and each error gives the place and what would be right.

mod board;
mod moves;

use std::fmt;

pub use board::{BoardNotationError, Grid, parse_board};
pub use moves::{Letters, MAX_MOVES, MovesNotationError, RunLengths, parse_moves};

/// A place in a text, counted as in editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
}

impl Place {
    /// Returns the place of the character that begins at a byte of the text.
    fn at(text: &str, byte: usize) -> Self {
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}
