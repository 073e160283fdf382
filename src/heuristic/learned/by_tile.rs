//! Slides grouped by tile, so that a row can be looked up for many boards together.

use super::lookup::Lookup;

/// The slides that a vector has numbers for.
const BLOCK: usize = 32;

/// Slides by tile, each given by its index among the slides that were grouped.
#[derive(Debug)]
pub struct ByTile {
    /// The tiles, in the order in which they were given.
    tiles: Box<[u16; ByTile::MOST]>,
    /// The indices by tile, and room to write a whole vector behind them.
    places: Box<[u16; ByTile::MOST + BLOCK]>,
    /// The different tiles, each with the end of its indices.
    runs: Vec<(u16, u16)>,
}

impl ByTile {
    /// The most slides that are grouped at once.
    pub const MOST: usize = 256;

    /// Returns it without slides, or `None` where the processor cannot look boards up together.
    #[must_use]
    pub fn available() -> Option<Self> {
        Lookup::available().map(|_| Self {
            tiles: Box::new([0; Self::MOST]),
            places: Box::new([0; Self::MOST + BLOCK]),
            runs: Vec::new(),
        })
    }

    /// Groups slides, given by their tiles.
    ///
    /// # Panics
    /// If there are more than [`MOST`](Self::MOST).
    #[inline]
    #[allow(unsafe_code, reason = "as below")]
    pub fn group(&mut self, slides: impl ExactSizeIterator<Item = u16>) {
        let count = slides.len();
        for (tile, slide) in self.tiles[..count].iter_mut().zip(slides) {
            *tile = slide;
        }
        // SAFETY: the processor has the instructions; otherwise there would be no `ByTile`.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            x86::group(count, &self.tiles, &mut self.places, &mut self.runs);
        }
    }

    /// Returns each tile that slides, with the indices of its slides in their order, once they are
    /// grouped.
    #[inline]
    pub fn runs(&self) -> impl Iterator<Item = (usize, &[u16])> {
        let mut first = 0;
        self.runs.iter().map(move |&(tile, end)| {
            let places = &self.places[first..usize::from(end)];
            first = usize::from(end);
            (usize::from(tile), places)
        })
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "counting takes four times as long, as each count waits for the one before"
)]
mod x86 {
    use std::arch::x86_64::*;

    use super::{BLOCK, ByTile};

    const MOST: usize = ByTile::MOST;

    /// The numbers from 0 on.
    const NUMBERS: [u16; BLOCK] = {
        let mut numbers = [0; BLOCK];
        let mut at = 0;
        while at < BLOCK {
            numbers[at] = at as u16;
            at += 1;
        }
        numbers
    };

    /// Takes one tile after the other, and finds its slides.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(super) fn group(
        count: usize,
        tiles: &[u16; MOST],
        places: &mut [u16; MOST + BLOCK],
        runs: &mut Vec<(u16, u16)>,
    ) {
        runs.clear();
        let (tiles, _) = tiles.as_chunks::<BLOCK>();
        let tiles = &tiles[..count.div_ceil(BLOCK)];
        // The slides that are not yet in their places.
        let mut left = [u32::MAX; MOST / BLOCK];
        if !count.is_multiple_of(BLOCK) {
            left[count / BLOCK] = (1 << (count % BLOCK)) - 1;
        }
        // SAFETY: the array has as many bytes as a vector.
        let numbers = unsafe { _mm512_loadu_si512(NUMBERS.as_ptr().cast()) };
        let (mut block, mut end) = (0, 0);
        while block < tiles.len() {
            if left[block] == 0 {
                block += 1;
                continue;
            }
            let tile = tiles[block][left[block].trailing_zeros() as usize];
            let wanted = _mm512_set1_epi16(tile.cast_signed());
            for (at, (tiles, left)) in tiles.iter().zip(&mut left).enumerate().skip(block) {
                // SAFETY: the array has as many bytes as a vector.
                let tiles = unsafe { _mm512_loadu_si512(tiles.as_ptr().cast()) };
                let found = _mm512_mask_cmpeq_epi16_mask(*left, tiles, wanted);
                let numbers = _mm512_add_epi16(numbers, _mm512_set1_epi16((at * BLOCK) as i16));
                let numbers = _mm512_maskz_compress_epi16(found, numbers);
                let room = &mut places[end..][..BLOCK];
                // SAFETY: there is room for a vector.
                unsafe { _mm512_storeu_si512(room.as_mut_ptr().cast(), numbers) };
                end += found.count_ones() as usize;
                *left &= !found;
            }
            runs.push((tile, end as u16));
        }
    }
}
