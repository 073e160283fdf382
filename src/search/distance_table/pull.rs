//! The effect of one slide on a whole row of boards: those with the blank on the same cell.
//!
//! A slide changes a few digits of a rank, by amounts that depend on these digits alone. So a row is pulled
//! from another one in runs of whole words where only the digits above a word change, by parts of words where
//! others do, and unchanged where the slide is vertical.

use crate::puzzle::Direction;

use super::bits::WORD_BOARDS;
use super::position::{Position, Positions};

/// The length of rows, and the pieces in which they are processed.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// The number of words in a row.
    pub(super) words: usize,
    /// The number of words processed at once: those whose first two digits are the same, so no run of words
    /// that stay together is longer.
    pub(super) chunk: usize,
    /// A word with all its boards.
    pub(super) full: u64,
    /// By word, whether the digits above it add up to an odd number.
    is_odd: Box<[bool]>,
}

impl Layout {
    pub(super) fn of(positions: &Positions) -> Self {
        let words = sharing(positions, 0);
        Self {
            words,
            chunk: sharing(positions, 2),
            full: (1 << positions.sharing(0).min(WORD_BOARDS)) - 1,
            is_odd: (0..words as u32)
                .map(|word| positions.sum_of_digits(word * WORD_BOARDS) % 2 == 1)
                .collect(),
        }
    }
}

/// The number of words of a row that share their first `digits` digits.
fn sharing(positions: &Positions, digits: usize) -> usize {
    (positions.sharing(digits) / WORD_BOARDS).max(1) as usize
}

/// Where the boards of one row are taken by one slide, as seen from the row they come to.
#[derive(Clone, Debug)]
pub(super) struct Pull {
    /// The blank's place in the row that it pulls from.
    pub(super) from: usize,
    /// The number of words that are only exchanged among themselves.
    block: usize,
    how: How,
}

/// How words are pulled. Of two of a kind, one is for an even and one for an odd sum of the digits above a
/// word.
#[derive(Clone, Debug)]
enum How {
    /// Runs of so many words stay together. For each run of a block, the word of the block that it comes
    /// from.
    Runs { run: usize, from: Box<[usize]> },
    /// Words are split. For each word of a block, the parts that it is made of.
    Parts([Box<[Box<[Part]>]>; 2]),
    /// Words are shuffled within themselves.
    Shuffle([Box<Shuffle>; 2]),
}

/// Some bits of a word.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The word of the block that they come from.
    from: usize,
    /// How far they are rotated to the left.
    turn: u32,
    /// Which bits they are, after the rotation.
    mask: u64,
}

/// Where the bits of each byte of a word go. Up to 36 parts would do the same.
type Shuffle = [[u64; 256]; 8];

impl Pull {
    /// What comes to the row with the blank at a place from the row that a slide leads to: the result of the
    /// inverse slide. `None` when the edge is in the way.
    pub(super) fn new(
        positions: &Positions,
        layout: &Layout,
        blank: usize,
        direction: Direction,
    ) -> Option<Self> {
        let from = positions.slide(positions.at(0, blank), direction)?.blank();
        let digits = positions.exchanged(blank, direction);
        if digits.is_empty() {
            let (block, run) = (layout.chunk, layout.chunk);
            let how = How::Runs {
                run,
                from: [0].into(),
            };
            return Some(Self { from, block, how });
        }
        let block = sharing(positions, digits.start);
        let run = sharing(positions, digits.end);
        let source = |rank, is_odd| {
            let position = positions.with_parity(rank, blank, is_odd);
            let next = positions.slide(position, direction);
            next.map_or(0, Position::rank)
        };
        let by_parity = [positions.is_odd(blank), !positions.is_odd(blank)];
        let boards = layout.full.count_ones();
        let how = if positions.sharing(digits.end) >= WORD_BOARDS {
            let words = (0..block).step_by(run);
            let from = words.map(|word| source(word as u32 * WORD_BOARDS, false) / WORD_BOARDS);
            How::Runs {
                run,
                from: from.map(|word| word as usize).collect(),
            }
        } else if block > 1 {
            How::Parts(by_parity.map(|is_odd| {
                let firsts = (0..block as u32).map(|word| word * WORD_BOARDS);
                firsts
                    .map(|first| parts((first..first + boards).map(|rank| source(rank, is_odd))))
                    .collect()
            }))
        } else {
            How::Shuffle(
                by_parity.map(|is_odd| shuffle((0..boards).map(|rank| source(rank, is_odd)))),
            )
        };
        Some(Self { from, block, how })
    }

    /// Adds to `sum` what comes to the chunk that begins at the word `start` from the row `source`, as far as
    /// it comes from that row's `fresh` chunks.
    pub(super) fn add(
        &self,
        layout: &Layout,
        start: usize,
        source: &[u64],
        fresh: &[bool],
        sum: &mut [u64],
    ) {
        let is_local = self.block <= layout.chunk;
        if is_local && !fresh[start / layout.chunk] {
            return;
        }
        // Where the pieces of the chunk that lie in one block begin, and where the block does.
        let span = if self.block == 1 {
            layout.chunk
        } else {
            self.block.min(layout.chunk)
        };
        for (i, sum) in sum.chunks_exact_mut(span).enumerate() {
            let begin = start + i * span;
            let block = if is_local {
                begin
            } else {
                begin - begin % self.block
            };
            let is_odd = layout.is_odd[begin..]
                .iter()
                .map(|&is_odd| usize::from(is_odd));
            match &self.how {
                How::Runs { run, from } => {
                    let runs = from[(begin - block) / run..].iter();
                    for (sum, from) in sum.chunks_exact_mut(*run).zip(runs) {
                        let from = block + from;
                        if fresh[from / layout.chunk] {
                            for (sum, word) in sum.iter_mut().zip(&source[from..]) {
                                *sum |= word;
                            }
                        }
                    }
                }
                How::Parts(words) => {
                    let words = words.each_ref().map(|words| &words[begin - block..]);
                    for (i, (sum, is_odd)) in sum.iter_mut().zip(is_odd).enumerate() {
                        for part in &words[is_odd][i] {
                            *sum |= source[block + part.from].rotate_left(part.turn) & part.mask;
                        }
                    }
                }
                How::Shuffle(shuffles) => {
                    let words = source[begin..].iter().zip(is_odd);
                    for (sum, (word, is_odd)) in sum.iter_mut().zip(words) {
                        for (byte, bits) in word.to_le_bytes().into_iter().zip(&*shuffles[is_odd]) {
                            *sum |= bits[usize::from(byte)];
                        }
                    }
                }
            }
        }
    }
}

/// The parts of a word, by the ranks that its boards come from.
fn parts(sources: impl Iterator<Item = u32>) -> Box<[Part]> {
    let mut parts: Vec<Part> = Vec::new();
    for (bit, rank) in (0..).zip(sources) {
        let from = (rank / WORD_BOARDS) as usize;
        let turn = (bit - rank as i32 % WORD_BOARDS as i32).rem_euclid(64) as u32;
        match parts
            .iter_mut()
            .find(|part| part.from == from && part.turn == turn)
        {
            Some(part) => part.mask |= 1 << bit,
            None => parts.push(Part {
                from,
                turn,
                mask: 1 << bit,
            }),
        }
    }
    parts.into()
}

/// How a word is shuffled, by the ranks that its boards come from.
fn shuffle(sources: impl Iterator<Item = u32>) -> Box<Shuffle> {
    let mut shuffle = Box::new([[0; 256]; 8]);
    for (bit, rank) in sources.enumerate() {
        let bytes = &mut shuffle[rank as usize / 8];
        for (byte, bits) in bytes.iter_mut().enumerate() {
            *bits |= ((byte as u64 >> (rank % 8)) & 1) << bit;
        }
    }
    shuffle
}
