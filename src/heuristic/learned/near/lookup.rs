//! Look-up of one row for many boards together.

use super::row::Cells;
use crate::heuristic::learned::TOGETHER;
use crate::heuristic::learned::lookup::Lookup;

/// The most cells of a board that can be looked up: it fills two vectors.
pub(super) const MOST: usize = 128;

/// Returns the sums of a row for the first `count` of the boards with the given numbers. `boards`
/// holds all boards, one after the other, and `near` are the row's cells. Prefetches the row `next`.
#[inline]
#[allow(unsafe_code, reason = "as below")]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
pub(super) fn sums(
    _proof: Lookup,
    row: &[u8],
    near: &Cells,
    cells: usize,
    boards: &[u8],
    (numbers, count): (&[u32; TOGETHER], usize),
    next: &[u8],
) -> [i32; TOGETHER] {
    // SAFETY: the processor has the instructions, as there is a proof of it.
    #[cfg(target_arch = "x86_64")]
    return unsafe { x86::sums(row, near, cells, boards, &numbers[..count], next) };
    #[cfg(not(target_arch = "x86_64"))]
    unreachable!("there is no proof")
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "without it a node of 8×8 takes a twenty-fifth longer"
)]
mod x86 {
    use std::arch::x86_64::*;

    use super::{Cells, TOGETHER};
    use crate::heuristic::learned::near::row::{GROUP, GROUPS, SLACK, row_bytes};
    use crate::heuristic::prefetch;

    /// The bytes of a vector.
    const WIDE: usize = 64;

    /// The boards whose tiles of a group fill a vector.
    const BLOCK: usize = WIDE / GROUP;

    /// The vectors that hold the bytes of a group for the tiles up to 63, and for all tiles.
    const LOW: usize = GROUP;
    const ALL: usize = 2 * LOW;

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn sums(
        row: &[u8],
        near: &Cells,
        cells: usize,
        boards: &[u8],
        numbers: &[u32],
        next: &[u8],
    ) -> [i32; TOGETHER] {
        for line in (0..row_bytes(cells)).step_by(WIDE) {
            prefetch(next, line);
        }
        if cells <= WIDE {
            sums_of::<LOW>(row, near, cells, boards, numbers)
        } else {
            sums_of::<ALL>(row, near, cells, boards, numbers)
        }
    }

    /// The same for boards whose groups take so many vectors.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn sums_of<const VECTORS: usize>(
        row: &[u8],
        near: &Cells,
        cells: usize,
        boards: &[u8],
        numbers: &[u32],
    ) -> [i32; TOGETHER] {
        assert!(row.len() >= row_bytes(cells) + SLACK, "a row is whole");
        assert!(cells <= VECTORS * WIDE / GROUP, "a board fits");
        let count = boards.len() / cells;
        let are_there = numbers.iter().all(|&number| (number as usize) < count);
        assert!(are_there, "boards are there");
        // SAFETY: there are as many near cells as an array of 128 bits has bytes.
        let near = unsafe { _mm_loadu_si128(near.as_flattened().as_ptr().cast()) };
        let near = _mm512_castsi128_si512(near);
        let is_on_board = |first: usize| {
            let missing = (first + WIDE).saturating_sub(cells) as u32;
            u64::MAX.checked_shr(missing).unwrap_or(0)
        };
        let (low, high) = (is_on_board(0), is_on_board(WIDE));
        let mut sums = [0; TOGETHER];
        for (numbers, sums) in numbers.chunks(BLOCK).zip(sums.as_chunks_mut::<BLOCK>().0) {
            // The tiles near the slide, of one board.
            let tiles = |place: usize| {
                let number = numbers.get(place).copied().unwrap_or(numbers[0]);
                let board = boards.as_ptr().wrapping_add(number as usize * cells);
                // SAFETY: the board exists, and nothing is read beyond it.
                let board = unsafe {
                    let first = _mm512_maskz_loadu_epi8(low, board.cast());
                    if VECTORS == LOW {
                        _mm512_permutexvar_epi8(near, first)
                    } else {
                        let rest = board.wrapping_add(WIDE);
                        let rest = _mm512_maskz_loadu_epi8(high, rest.cast());
                        _mm512_permutex2var_epi8(first, near, rest)
                    }
                };
                _mm512_castsi512_si128(board)
            };
            // First by board: the tiles of four boards, every fourth one. Then by group: its tiles
            // of all boards.
            let four = |first: usize| {
                let four = _mm512_castsi128_si512(tiles(first));
                let four = _mm512_inserti32x4::<1>(four, tiles(first + 4));
                let four = _mm512_inserti32x4::<2>(four, tiles(first + 8));
                _mm512_inserti32x4::<3>(four, tiles(first + 12))
            };
            let (a, b, c, d) = (four(0), four(1), four(2), four(3));
            let (low_ab, low_cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
            let (high_ab, high_cd) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
            let by_group: [__m512i; GROUPS] = [
                _mm512_unpacklo_epi64(low_ab, low_cd),
                _mm512_unpackhi_epi64(low_ab, low_cd),
                _mm512_unpacklo_epi64(high_ab, high_cd),
                _mm512_unpackhi_epi64(high_ab, high_cd),
            ];
            let mut pairs = _mm512_setzero_si512();
            for (group, tiles) in by_group.into_iter().enumerate() {
                // SAFETY: the row is whole, and enough bytes follow it.
                let changes = unsafe {
                    let bytes = row.as_ptr().add(group * cells * GROUP);
                    changes::<VECTORS>(bytes, tiles)
                };
                let ones = _mm512_set1_epi8(1);
                pairs = _mm512_add_epi16(pairs, _mm512_maddubs_epi16(ones, changes));
            }
            let all = _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
            // SAFETY: there is room for a vector of sums.
            unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), all) };
        }
        sums
    }

    /// Returns the bytes that a group has for tiles: for each four, one on each of its cells.
    ///
    /// # Safety
    /// So many vectors must be readable at `group`.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    unsafe fn changes<const VECTORS: usize>(group: *const u8, tiles: __m512i) -> __m512i {
        // SAFETY: guaranteed by the caller.
        let read = |at: usize| unsafe { _mm512_loadu_si512(group.add(at * WIDE).cast()) };
        let place = _mm512_set1_epi32(0x03_02_01_00);
        // Of the tile, the bits that select among 64; of these, the highest selects two vectors.
        let tile = _mm512_and_si512(_mm512_slli_epi16::<2>(tiles), _mm512_set1_epi8(!3));
        let at = _mm512_or_si512(tile, place);
        let is_late = _mm512_movepi8_mask(at);
        let among = |first: usize| {
            let early = _mm512_permutex2var_epi8(read(first), at, read(first + 1));
            let late = _mm512_permutex2var_epi8(read(first + 2), at, read(first + 3));
            _mm512_mask_blend_epi8(is_late, early, late)
        };
        if VECTORS == LOW {
            return among(0);
        }
        let is_high = _mm512_test_epi8_mask(tiles, _mm512_set1_epi8(WIDE as i8));
        _mm512_mask_blend_epi8(is_high, among(0), among(LOW))
    }
}
