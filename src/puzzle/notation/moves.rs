//! Moves: `URDDL`, or with counts, `R3D2`.

use std::fmt::{self, Write};

use thiserror::Error;

use super::Place;
use crate::puzzle::Direction;

/// The most moves read from one text: half as many again as the longest solutions that a
/// constructive solver gives for the largest boards (about 5 n³ for n×n).
pub const MAX_MOVES: usize = 1 << 24;

/// A text that is not a list of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MovesNotationError {
    /// A character that is not a move.
    #[error(
        "{place}: {character:?} is not a move: write U, D, L or R, optionally followed by a count (R3)"
    )]
    Character {
        /// Where the character stands.
        place: Place,
        /// The character.
        character: char,
    },
    /// A count of 0.
    #[error("{place}: a count must be at least 1")]
    ZeroCount {
        /// Where the count begins.
        place: Place,
    },
    /// More moves than [`MAX_MOVES`].
    #[error("{place}: more than {MAX_MOVES} moves")]
    TooMany {
        /// Where the first move beyond the limit stands.
        place: Place,
    },
}

/// Parses moves: the letters `UDLR`, upper or lower case, each followed directly by an optional
/// count. White space and commas may stand between moves.
///
/// ```
/// use loyd::puzzle::Direction::{Down, Right};
/// use loyd::puzzle::notation::parse_moves;
///
/// assert_eq!(parse_moves("R3D2")?, [Right, Right, Right, Down, Down]);
/// assert_eq!(parse_moves("r, r r d d")?, parse_moves("R3D2")?);
/// # Ok::<(), loyd::puzzle::notation::MovesNotationError>(())
/// ```
///
/// # Errors
/// At the first character that is not a move, count of 0, or move beyond [`MAX_MOVES`].
pub fn parse_moves(text: &str) -> Result<Vec<Direction>, MovesNotationError> {
    let mut moves = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((byte, character)) = rest.next() {
        if character.is_whitespace() || character == ',' {
            continue;
        }
        let place = |byte| Place::at(text, byte);
        let direction =
            Direction::from_letter(character).ok_or_else(|| MovesNotationError::Character {
                place: place(byte),
                character,
            })?;
        let mut count = None;
        while let Some(digit) = rest.peek().and_then(|(_, digit)| digit.to_digit(10)) {
            let higher = count.unwrap_or(0_usize).saturating_mul(10);
            count = Some(higher.saturating_add(digit as usize));
            rest.next();
        }
        if count == Some(0) {
            return Err(MovesNotationError::ZeroCount {
                place: place(byte + 1),
            });
        }
        let count = count.unwrap_or(1);
        if count > MAX_MOVES - moves.len() {
            return Err(MovesNotationError::TooMany { place: place(byte) });
        }
        moves.extend(std::iter::repeat_n(direction, count));
    }
    Ok(moves)
}

/// Prints moves letter by letter: `RRRDDU`.
#[derive(Clone, Copy, Debug)]
pub struct Letters<'a>(pub &'a [Direction]);

impl fmt::Display for Letters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|direction| f.write_char(direction.letter()))
    }
}

/// Prints moves as runs with their lengths, which are left out for runs of one: `R3D2U`.
#[derive(Clone, Copy, Debug)]
pub struct RunLengths<'a>(pub &'a [Direction]);

impl fmt::Display for RunLengths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for run in self.0.chunk_by(|a, b| a == b) {
            f.write_char(run[0].letter())?;
            if run.len() > 1 {
                write!(f, "{}", run.len())?;
            }
        }
        Ok(())
    }
}
