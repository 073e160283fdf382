//! The source of randomness: the same seed gives the same numbers in every release.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Fills the key after the seed. It identifies the stream: other contents give other numbers.
const KEY_TAIL: &[u8; 24] = b"loyd: random boards, v1\0";

/// Dice with any number of faces, whose throws follow from a seed.
///
/// The random words are the keystream of ChaCha8 (Bernstein, 2008) from block 0 with a zero nonce,
/// under the 32-byte key made of the seed (8 bytes, little-endian) and the text
/// `loyd: random boards, v1` with a zero byte. Everything else that turns words into boards is done
/// here and in [`generate`](super::generate), so no other library's sampling method can change a
/// board.
///
/// ```
/// use loyd::puzzle::Dice;
///
/// let mut dice = Dice::new(1879);
/// let throws: Vec<u32> = (0..8).map(|_| dice.below(6)).collect();
/// assert_eq!(throws, [4, 5, 5, 4, 4, 5, 2, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct Dice {
    words: ChaCha8Rng,
}

impl Dice {
    /// Creates the dice of a seed. Different seeds give unrelated throws, even if the seeds are
    /// similar.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..].copy_from_slice(KEY_TAIL);
        Self {
            words: ChaCha8Rng::from_seed(key),
        }
    }

    /// Returns a number in `0..bound`, all exactly equally likely, by the multiply-and-reject
    /// method of Lemire (*Fast random integer generation in an interval*, 2019) on 32-bit words.
    ///
    /// # Panics
    /// If `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "dice have at least one face");
        let mut product = self.product(bound);
        if (product as u32) < bound {
            // 2³² mod `bound` surplus words would favor some faces: throw again.
            let surplus = bound.wrapping_neg() % bound;
            while (product as u32) < surplus {
                product = self.product(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Shuffles the items, with all orders exactly equally likely (Durstenfeld, 1964): from the
    /// last item to the second, each is swapped with one of those up to it.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u32 + 1) as usize);
        }
    }

    fn product(&mut self, bound: u32) -> u64 {
        u64::from(self.words.next_u32()) * u64::from(bound)
    }
}
