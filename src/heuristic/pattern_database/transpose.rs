//! Transposition of a table: from rows with a bit per order to orders with a bit per row.

use crate::share_out::share_out;

/// The number of 64×64-bit blocks that are transposed together in each direction. Eight words are a
/// cache line, so lines are read and written whole.
const TILE: usize = 8;

/// Returns the words of one order: one bit per row, rounded up to whole words.
pub(super) const fn stride_words(rows: usize) -> usize {
    rows.div_ceil(64)
}

/// Transposes a table: bit `o` of row `r` becomes bit `r` of order `o`. `words` receives the orders
/// one after the other, each of [`stride_words`] words.
pub(super) fn transpose<'a>(
    row: impl Fn(usize) -> &'a [u64] + Sync,
    rows: usize,
    threads: usize,
    words: &mut [u64],
) {
    let stride = stride_words(rows);
    let chunks = words.chunks_mut(stride * 64 * TILE).enumerate();
    share_out(chunks, threads, |chunks| {
        let mut tile = vec![0; 64 * TILE * TILE];
        for (chunk, words) in chunks {
            for first in (0..stride).step_by(TILE) {
                gather(&row, rows, first * 64, chunk * TILE, &mut tile);
                tile.as_chunks_mut().0.iter_mut().for_each(flip);
                spread(&tile, words, stride, first);
            }
        }
    });
}

/// Reads 512 rows from `first_row`, eight words of each from `first_word`, as blocks of 64 rows by
/// one word. The block of the `b`-th 64 rows and their `c`-th word is number `b · 8 + c` of the tile,
/// one word per row.
fn gather<'a>(
    row: &impl Fn(usize) -> &'a [u64],
    rows: usize,
    first_row: usize,
    first_word: usize,
    tile: &mut [u64],
) {
    tile.fill(0);
    for number in first_row..rows.min(first_row + 64 * TILE) {
        let (block, line) = ((number - first_row) / 64, (number - first_row) % 64);
        let words = row(number);
        let words = &words[first_word..words.len().min(first_word + TILE)];
        for (column, &word) in words.iter().enumerate() {
            tile[(block * TILE + column) * 64 + line] = word;
        }
    }
}

/// Writes the blocks of a tile to its orders: each column has 64 orders, whose blocks are side by
/// side.
fn spread(tile: &[u64], words: &mut [u64], stride: usize, first: usize) {
    let width = TILE.min(stride - first);
    for (order, words) in words.chunks_mut(stride).enumerate() {
        let (column, line) = (order / 64, order % 64);
        for (block, word) in words[first..first + width].iter_mut().enumerate() {
            *word = tile[(block * TILE + column) * 64 + line];
        }
    }
}

/// Transposes a block of 64×64 bits, halves first, then quarters (Warren, *Hacker's Delight*, 2002,
/// 7–3).
fn flip(block: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width != 0 {
        let mut line = 0;
        while line < 64 {
            let exchanged = (block[line] >> width ^ block[line + width]) & mask;
            block[line] ^= exchanged << width;
            block[line + width] ^= exchanged;
            line = (line + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}
