//! Working memory of the inner loop.

use crate::search::blank_moves::MOVES;

use super::WIDTH;
use super::change::Change;
use super::lookup::{Looked, Towards};
use super::seen::Sums;

/// The most successors of a batch, rounded up to a power of two so that indices need no check.
pub(super) const SUCCESSORS: usize = (WIDTH * MOVES).next_power_of_two();

/// A successor that is not made yet. It has four bytes, as they are written whether it is kept or not.
#[derive(Clone, Copy, Default)]
#[repr(align(4))]
pub(super) struct Candidate {
    pub(super) towards: Towards,
    pub(super) parent: Parent,
}

/// The slot of a parent and, in the bits above, what is known of its sums.
#[derive(Clone, Copy, Default)]
pub(super) struct Parent(u16);

impl Parent {
    /// The sums' bits are the highest of a byte.
    pub(super) const SLOT: u16 = !((Sums::BITS as u16) << 8);

    #[inline]
    pub(super) fn new(slot: u16, sums: Sums) -> Self {
        Self(slot | u16::from(sums.bits()) << 8)
    }

    #[inline]
    pub(super) const fn slot(self) -> u16 {
        self.0 & Self::SLOT
    }

    #[inline]
    pub(super) const fn sums(self) -> Sums {
        Sums::from_bits((self.0 >> 8) as u8)
    }
}

/// A successor that a sum does not cut off, or that is kept for the next iteration.
#[derive(Clone, Copy, Default)]
pub(super) struct Kept {
    /// Its number among those that were looked up in that sum.
    pub(super) number: u8,
    pub(super) change: Change,
}

/// Working memory for the successors of a batch.
pub(super) struct Scratch {
    pub(super) batch: [u16; WIDTH],
    pub(super) candidates: [Candidate; SUCCESSORS],
    /// The first sum's look-up of each candidate.
    pub(super) first: [Looked; SUCCESSORS],
    /// The candidates that it does not cut off.
    pub(super) kept: [Kept; SUCCESSORS],
    /// The other sum's look-up of each of these.
    pub(super) other: [Looked; SUCCESSORS],
    /// Those that it does not cut off either, or that are kept for the next iteration.
    pub(super) made: [Kept; SUCCESSORS],
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            batch: [0; WIDTH],
            candidates: [Candidate::default(); SUCCESSORS],
            first: [Looked::default(); SUCCESSORS],
            kept: [Kept::default(); SUCCESSORS],
            other: [Looked::default(); SUCCESSORS],
            made: [Kept::default(); SUCCESSORS],
        }
    }
}
