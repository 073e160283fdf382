//! A sliding tile as one of the two sums sees it: all that a look-up must know, in a byte.

/// The most tiles of a board; a power of two, so that a look-up needs no range check.
pub(super) const TILES: usize = 32;

const SECOND: u8 = TILES as u8;
const IS_GREATEST: u8 = 2 * SECOND;
const OTHER_IS_GREATEST: u8 = 2 * IS_GREATEST;

/// A node's sums. The greater one is looked up first.
#[derive(Clone, Copy, Default)]
pub(super) struct Sums(u8);

impl Sums {
    /// The sums of a node whose depth and bound together are within the threshold.
    #[inline]
    pub(super) fn new(sums: [u8; 2], depth: u8, threshold: u32) -> Self {
        // A move adds one to the depth, and adds one to a sum or subtracts it.
        let most = threshold as i32 - i32::from(depth) - 2;
        let zero = u8::from(i32::from(sums[0]) > most);
        let one = u8::from(i32::from(sums[1]) > most);
        Self(
            u8::from(sums[1] > sums[0]) * SECOND
                + (zero | one) * IS_GREATEST
                + (zero & one) * OTHER_IS_GREATEST,
        )
    }

    /// The bits that hold what is known of the sums.
    pub(super) const BITS: u8 = SECOND | IS_GREATEST | OTHER_IS_GREATEST;

    #[inline]
    pub(super) const fn bits(self) -> u8 {
        self.0
    }

    #[inline]
    pub(super) const fn from_bits(bits: u8) -> Self {
        Self(bits & Self::BITS)
    }
}

/// A tile as a sum sees it.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen(u8);

impl Seen {
    /// The number of different [numbers](Self::number).
    pub(super) const COUNT: usize = 2 * TILES;

    /// As the first sum sees it.
    #[inline]
    pub(super) const fn by_first(sums: Sums, tile: usize) -> Self {
        Self(sums.0 | (tile as u8 & (SECOND - 1)))
    }

    /// As the other sum sees it.
    #[inline]
    pub(super) const fn by_other(self) -> Self {
        let is_greatest = (self.0 & OTHER_IS_GREATEST) / 2;
        Self(((self.0 & (IS_GREATEST - 1)) ^ SECOND) | is_greatest)
    }

    /// The number of the sum.
    #[inline]
    pub(super) const fn sum(self) -> usize {
        (self.0 / SECOND % 2) as usize
    }

    #[inline]
    pub(super) const fn tile(self) -> usize {
        (self.0 & (SECOND - 1)) as usize
    }

    /// The sum and the tile in one number.
    #[inline]
    pub(super) const fn number(self) -> usize {
        self.0 as usize % Self::COUNT
    }

    /// The number of a sum and a tile.
    pub(super) const fn number_of(sum: usize, tile: usize) -> usize {
        (sum * TILES + tile) % Self::COUNT
    }

    /// Whether the sum is as great as allowed, so that a move that adds to it is cut off.
    #[inline]
    pub(super) const fn is_greatest(self) -> bool {
        self.0 & IS_GREATEST != 0
    }
}
