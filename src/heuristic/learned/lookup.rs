//! Look-up of one row for many boards together.

/// The number of boards that are looked up together.
pub const TOGETHER: usize = 32;

/// Proof that this processor can look boards up together. It has vectors of 64 bytes, of which each
/// byte selects a byte of another vector, and which can be compressed (AVX-512 VBMI and VBMI2).
#[derive(Clone, Copy, Debug)]
pub(super) struct Lookup(());

impl Lookup {
    /// Returns it if the processor can, and boards of so many cells are small enough.
    pub(super) fn available(cells: usize, most: usize) -> Option<Self> {
        (cells <= most && is_there()).then_some(Self(()))
    }

    /// The most cells of boards for [`sums`](Self::sums): those that fit a vector.
    pub(super) const MOST: usize = 64;

    /// Returns the sums of a row for the boards with the given numbers. `boards` holds all boards,
    /// one after the other. Prefetches the row `next`.
    #[inline]
    #[allow(unsafe_code, reason = "as below")]
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    pub(super) fn sums(
        self,
        row: &[u8],
        cells: usize,
        boards: &[u8],
        numbers: &[u32; TOGETHER],
        next: &[u8],
    ) -> [u16; TOGETHER] {
        // SAFETY: the processor has the instructions, as `self` proves.
        #[cfg(target_arch = "x86_64")]
        return unsafe { x86::sums(row, cells, boards, numbers, next) };
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("there is no proof")
    }
}

/// Returns whether the processor has the instructions, also those that group slides.
pub(super) fn is_there() -> bool {
    #[cfg(target_arch = "x86_64")]
    return x86::is_there();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "without it a node of 8×8 takes an eighth longer in beams of 2,000 and of 20,000"
)]
mod x86 {
    use std::arch::x86_64::*;
    use std::array;

    use super::TOGETHER;
    use crate::heuristic::learned::rows::{GROUP, SLACK, group_bytes, row_bytes};
    use crate::heuristic::pattern_database::prefetch;

    /// The cells whose tiles are read together.
    const BLOCK: usize = 16;

    /// The bytes of a vector.
    const WIDE: usize = 64;

    /// The positions, in two vectors, of the bytes of a group's first cell for the first half of
    /// the tiles, and then of those of its second cell.
    const FIRST_TWO: [u8; WIDE] = {
        let mut places = [0; WIDE];
        let mut at = 0;
        while at < WIDE {
            let (cell, tile) = (at / (WIDE / 2), at % (WIDE / 2));
            places[at] = (tile * GROUP + cell) as u8;
            at += 1;
        }
        places
    };

    pub(super) fn is_there() -> bool {
        let has_512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        let has_256 = is_x86_feature_detected!("avx512vl") && is_x86_feature_detected!("avx2");
        let has_bytes =
            is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2");
        has_512 && has_256 && has_bytes && is_x86_feature_detected!("popcnt")
    }

    #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl,avx512vbmi")]
    pub(super) fn sums(
        row: &[u8],
        cells: usize,
        boards: &[u8],
        numbers: &[u32; TOGETHER],
        next: &[u8],
    ) -> [u16; TOGETHER] {
        assert!(row.len() >= row_bytes(cells) + SLACK, "a row is whole");
        assert!(cells <= WIDE, "a board fits");
        let count = boards.len() / cells;
        let are_there = numbers.iter().all(|&number| (number as usize) < count);
        assert!(are_there, "boards are there");
        // Sums of pairs of bytes: of both, where the second counts 256 times; and of the second
        // alone.
        let (mut both, mut second) = (_mm256_setzero_si256(), _mm256_setzero_si256());
        for first in (0..cells).step_by(BLOCK) {
            let is_on_board = 0xFFFF >> (first + BLOCK).saturating_sub(cells);
            let tiles = |board: usize| {
                let at = numbers[board] as usize * cells + first;
                // SAFETY: the board exists, and nothing is read beyond it.
                unsafe { _mm_maskz_loadu_epi8(is_on_board, boards.as_ptr().add(at).cast()) }
            };
            // First by board: the tiles of the block, of one board and of the board `BLOCK` further
            // on. Then by cell of the block: the tiles of all boards.
            let mut block: [__m256i; BLOCK] =
                array::from_fn(|board| _mm256_set_m128i(tiles(board + BLOCK), tiles(board)));
            for _ in 0..BLOCK.ilog2() {
                block = array::from_fn(|at| {
                    let (one, other) = (block[at / 2], block[at / 2 + BLOCK / 2]);
                    if at % 2 == 0 {
                        _mm256_unpacklo_epi8(one, other)
                    } else {
                        _mm256_unpackhi_epi8(one, other)
                    }
                });
            }
            for (at, tiles) in block.as_chunks::<GROUP>().0.iter().enumerate() {
                let place = (first / GROUP + at) * group_bytes(cells);
                if place >= row_bytes(cells) {
                    break;
                }
                for line in 0..GROUP {
                    prefetch(next, place + line * WIDE);
                }
                // SAFETY: the place is within the row, and enough bytes follow it.
                let by_cell = unsafe { by_cell(row.as_ptr().add(place)) };
                for (bytes, &tiles) in by_cell.into_iter().zip(tiles) {
                    let tiles = _mm512_castsi256_si512(tiles);
                    let changes = _mm512_permutexvar_epi8(tiles, bytes);
                    let changes = _mm512_castsi512_si256(changes);
                    both = _mm256_add_epi16(both, changes);
                    second = _mm256_add_epi16(second, _mm256_srli_epi16::<8>(changes));
                }
            }
        }
        let first = _mm256_sub_epi16(both, _mm256_slli_epi16::<8>(second));
        let low = _mm256_unpacklo_epi16(first, second);
        let high = _mm256_unpackhi_epi16(first, second);
        let mut sums = [0; TOGETHER];
        let (start, end) = sums.split_at_mut(BLOCK);
        // SAFETY: the two halves have room for them.
        unsafe {
            let half = _mm256_permute2x128_si256::<0x20>(low, high);
            _mm256_storeu_si256(start.as_mut_ptr().cast(), half);
            let half = _mm256_permute2x128_si256::<0x31>(low, high);
            _mm256_storeu_si256(end.as_mut_ptr().cast(), half);
        }
        sums
    }

    /// Returns the bytes of a group: for each of its cells, the bytes by tile.
    ///
    /// # Safety
    /// Four vectors of bytes must be readable at `group`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn by_cell(group: *const u8) -> [__m512i; GROUP] {
        // SAFETY: guaranteed by the caller.
        let read = |at: usize| unsafe { _mm512_loadu_si512(group.add(at * WIDE).cast()) };
        // SAFETY: the array has that many bytes.
        let first_two = unsafe { _mm512_loadu_si512(FIRST_TWO.as_ptr().cast()) };
        let last_two = _mm512_or_si512(first_two, _mm512_set1_epi8(2));
        let (low_0, low_1, high_0, high_1) = (read(0), read(1), read(2), read(3));
        let two = |places| {
            let low = _mm512_permutex2var_epi8(low_0, places, low_1);
            let high = _mm512_permutex2var_epi8(high_0, places, high_1);
            let one = _mm512_shuffle_i64x2::<0x44>(low, high);
            let other = _mm512_shuffle_i64x2::<0xEE>(low, high);
            (one, other)
        };
        let ((a, b), (c, d)) = (two(first_two), two(last_two));
        [a, b, c, d]
    }
}
