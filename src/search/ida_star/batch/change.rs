//! How a move changes the distance of the pattern whose tile moved.
//!
//! The distance grows or shrinks by one, and the table holds one bit of it, the second lowest. That bit and
//! the two lowest bits of the distance before the move tell which.

/// A change of a distance by one.
#[derive(Clone, Copy, Default)]
pub(super) struct Change(u8);

impl Change {
    const IS_MORE: u8 = 1 << 2;
    const IS_CUT_OFF: u8 = 1 << 3;

    /// All changes, by the distance before modulo 4, the table's bit, and whether growth is cut off.
    const ALL: [Self; 16] = {
        let mut all = [Self(0); 16];
        let mut number = 0;
        while number < all.len() as u8 {
            let (before, bit, is_greatest) = (number & 3, number >> 2 & 1, number >> 3 == 1);
            all[number as usize] = Self::worked_out(before, bit, is_greatest);
            number += 1;
        }
        all
    };

    const fn worked_out(before: u8, bit: u8, is_greatest: bool) -> Self {
        // The lowest bit flips with every move.
        let (low, high) = (before & 1, before >> 1);
        let flips = (bit ^ high) << 1 | 1;
        // Without another flip the distance grows from 0 to 1 and from 2 to 3; with one, from 1 to 2 and from
        // 3 to 0.
        let is_more = bit ^ high == low;
        let is_cut_off = is_more && is_greatest;
        Self(flips + is_more as u8 * Self::IS_MORE + is_cut_off as u8 * Self::IS_CUT_OFF)
    }

    /// The change from a distance, of which the two lowest bits count, to one whose second lowest bit is the
    /// lowest of `bit`. Growth is cut off if the sum `is_greatest`: as great as allowed.
    #[inline]
    pub(super) const fn new(before: u32, bit: u64, is_greatest: bool) -> Self {
        let number = before as u8 & 3 | (bit as u8 & 1) << 2 | (is_greatest as u8) << 3;
        Self::ALL[number as usize]
    }

    /// Which of the two lowest bits of the distance flip.
    #[inline]
    pub(super) const fn flips(self) -> u32 {
        (self.0 & 3) as u32
    }

    /// A sum of distances after one of them has changed.
    #[inline]
    pub(super) const fn applied_to(self, sum: u8) -> u8 {
        let twice = 2 * (self.0 / Self::IS_MORE % 2);
        sum.wrapping_add(twice).wrapping_sub(1)
    }

    /// Whether it makes the sum greater than allowed.
    #[inline]
    pub(super) const fn is_cut_off(self) -> bool {
        self.0 & Self::IS_CUT_OFF != 0
    }
}
