//! Distances in one bit each.
//!
//! A slide changes the distance by exactly one, and the colour of the blank's cell tells whether it is odd.
//! So the second bit of a distance gives it modulo 4, and a distance known once gives those of all
//! neighbours. Finding the first distance takes a walk down to the goal. (Cooperman & Finkelstein, 1992, keep
//! distances modulo 3 by the same idea, where nothing tells the parity.)

use crate::puzzle::Direction;

use super::position::{Position, Positions};

/// The number of boards in a word: the arrangements of the last five tiles, half of 5!.
pub(super) const WORD_BOARDS: u32 = 60;

/// The second bit of each distance.
#[derive(Clone, Debug)]
pub(super) struct Bits {
    /// By the blank's place, then by rank.
    rows: Box<[Box<[u64]>]>,
}

impl Bits {
    /// Distances by the blank's place and then by rank, [`WORD_BOARDS`] a word.
    pub(super) const fn new(rows: Box<[Box<[u64]>]>) -> Self {
        Self { rows }
    }

    pub(super) fn bytes(&self) -> usize {
        self.rows.iter().map(|row| size_of_val(&**row)).sum()
    }

    /// Whether a position is at this distance. It must be at this distance or two slides nearer or farther.
    pub(super) fn is_at(&self, position: Position, distance: u8) -> bool {
        self.bit(position) == distance >> 1 & 1
    }

    /// The distance, found by going down to the goal.
    pub(super) fn distance(&self, positions: &Positions, mut position: Position) -> u8 {
        let mut modulo_4 =
            self.bit(position) << 1 | u8::from(positions.is_odd_distance(position.blank()));
        let mut slides = 0;
        while position != positions.goal() {
            modulo_4 = modulo_4.wrapping_sub(1) & 3;
            slides += 1;
            position = Direction::ALL
                .into_iter()
                .filter_map(|direction| positions.slide(position, direction))
                .find(|&next| self.is_at(next, modulo_4))
                .expect("every board but the goal has a neighbour nearer to it");
        }
        slides
    }

    fn bit(&self, position: Position) -> u8 {
        let word = self.rows[position.blank()][(position.rank() / WORD_BOARDS) as usize];
        (word >> (position.rank() % WORD_BOARDS)) as u8 & 1
    }
}
