//! What a slide does to the patterns, and where its bit stands.

use std::sync::Arc;

use crate::heuristic::pattern_database::{
    Additive, PatternDatabase, RowEntry, Rows, Summand, passing, prefetch, region_shift,
};
use crate::puzzle::Shape;
use crate::search::blank_moves::{BlankMoves, MOVES};

use super::node::{Grid, Node, cells};

/// Stands for a move over the edge.
pub(super) const NO_CELL: u8 = u8::MAX;

/// A slide as one pattern's table sees it: by the blank's cell and its move.
#[derive(Clone, Copy)]
struct Slide<G: Grid> {
    /// The cell that the tile leaves and the one that it takes.
    cells: G::Cells,
    /// Where a row entry has the region of the blank's new cell.
    region_shift: u8,
    /// −1 when the tile passes others backwards in reading order, 0 otherwise.
    backwards: i8,
    /// The cells that it passes, on the problem's board; the blank's own for none.
    passed: [u8; 4],
}

struct Pattern<G: Grid> {
    database: Arc<PatternDatabase<G::Entry>>,
    rows: Arc<Rows<G::Entry>>,
    slides: Box<[Slide<G>]>,
}

/// A slide of one tile, looked up for one sum. All words are of one width, so that they are read
/// as they were written.
#[derive(Clone, Copy, Default)]
pub(super) struct Looked {
    pub(super) pattern: u32,
    pub(super) cells: u32,
    pub(super) order: u32,
    /// The number of the row entry, then the bit of the new state.
    place: u32,
    region_shift: u32,
}

/// The tables of two sums, or of one, for problems of one shape and home.
pub(super) struct Lookup<G: Grid> {
    patterns: Vec<Pattern<G>>,
    /// The pattern of each tile, sum by sum.
    pattern_of: Box<[u8]>,
    /// What a tile that passes another adds to its order's first bit, sum by sum.
    passing: Box<[i32]>,
    /// Where the blank gets to.
    targets: Box<[[u8; MOVES]]>,
    sums: usize,
}

impl<G: Grid> Lookup<G> {
    pub(super) fn new(additive: &Additive<G::Entry>) -> Self {
        let shape = additive.shape();
        let moves = BlankMoves::new(shape);
        let tiles = 1 << G::TILE_BITS;
        let mut lookup = Self {
            patterns: Vec::new(),
            pattern_of: vec![0; 2 * tiles].into_boxed_slice(),
            passing: vec![0; 2 * tiles * tiles].into_boxed_slice(),
            targets: (0..shape.cells())
                .map(|blank| {
                    std::array::from_fn(|blank_move| {
                        let to = moves.target(blank, blank_move);
                        to.map_or(NO_CELL, |cell| cell as u8)
                    })
                })
                .collect(),
            sums: additive.sums().len(),
        };
        for (sum, summands) in additive.sums().iter().enumerate() {
            for summand in summands {
                lookup.add(additive, &moves, sum, summand);
            }
        }
        lookup
    }

    fn add(
        &mut self,
        additive: &Additive<G::Entry>,
        moves: &BlankMoves,
        sum: usize,
        summand: &Summand<G::Entry>,
    ) {
        let tiles = summand.tiles(additive.home());
        let stride = summand.database().stride() as i32;
        for (number, &tile) in tiles.iter().enumerate() {
            let seen = sum << G::TILE_BITS | tile;
            self.pattern_of[seen] = self.patterns.len() as u8;
            for (other_number, &other) in tiles.iter().enumerate() {
                if number != other_number {
                    let rise = passing(number, other_number, tiles.len());
                    self.passing[seen << G::TILE_BITS | other] = rise * stride;
                }
            }
        }
        let slides = 0..additive.shape().cells() * MOVES;
        self.patterns.push(Pattern {
            database: Arc::clone(summand.database()),
            rows: Arc::clone(summand.database().row_numbers()),
            slides: slides
                .map(|slide| {
                    let blank = slide / MOVES;
                    // What no move leads to is never looked up.
                    let from = moves.target(blank, slide % MOVES).unwrap_or(blank);
                    seen(additive.shape(), summand, from, blank)
                })
                .collect(),
        });
    }

    /// Where the blank gets to by each move, or [`NO_CELL`].
    #[inline]
    pub(super) fn targets(&self, blank: u8) -> [u8; MOVES] {
        self.targets[usize::from(blank)]
    }

    /// The number of patterns of all sums together.
    pub(super) const fn patterns(&self) -> usize {
        self.patterns.len()
    }

    /// Whether there are two sums.
    pub(super) const fn is_double(&self) -> bool {
        self.sums == 2
    }

    /// The tables themselves.
    pub(super) fn tables<const P: usize>(&self) -> Tables<'_, G, P> {
        Tables {
            patterns: std::array::from_fn(|number| {
                let pattern = &self.patterns[number.min(self.patterns.len() - 1)];
                Table {
                    words: pattern.database.words(),
                    rows: &pattern.rows,
                    slides: &pattern.slides,
                }
            }),
            lookup: self,
        }
    }
}

/// One pattern's table.
struct Table<'a, G: Grid> {
    words: &'a [u64],
    rows: &'a Rows<G::Entry>,
    slides: &'a [Slide<G>],
}

/// The tables of all patterns, followed to where their words are: that takes long enough to be
/// done once for many look-ups.
pub(super) struct Tables<'a, G: Grid, const P: usize> {
    patterns: [Table<'a, G>; P],
    lookup: &'a Lookup<G>,
}

impl<G: Grid, const P: usize> Tables<'_, G, P> {
    /// Works out what the slide of a tile into the blank does in one sum, and calls for the entry
    /// of its row.
    #[inline(always)]
    pub(super) fn look<const W: usize>(
        &self,
        node: &Node<G, P, W>,
        sum: usize,
        tile: usize,
        blank_move: usize,
    ) -> Looked {
        let seen = sum << G::TILE_BITS | tile;
        let number = self.lookup.pattern_of[seen];
        let pattern = &self.patterns[usize::from(number)];
        let slide = &pattern.slides[usize::from(node.blank) * MOVES + blank_move];
        let cells: u32 = (node.cells[usize::from(number)] ^ slide.cells).into();
        let passing = &self.lookup.passing[seen << G::TILE_BITS..][..1 << G::TILE_BITS];
        // No branch: whether a tile passes others depends on the sum, which nobody foresees.
        let mut rise = 0;
        for &cell in &slide.passed[..G::PASSED] {
            rise += passing[node.board.tile(usize::from(cell))];
        }
        let backwards = i32::from(slide.backwards);
        let rise = (rise ^ backwards) - backwards;
        let place = pattern.rows.entry_number(cells);
        prefetch(pattern.rows.entries(), place);
        Looked {
            pattern: u32::from(number),
            cells,
            order: node.orders[usize::from(number)].wrapping_add_signed(rise),
            place: place as u32,
            region_shift: u32::from(slide.region_shift),
        }
    }

    /// Reads the entry, and calls for the word where the bit of the new state stands.
    #[inline(always)]
    pub(super) fn find(&self, looked: &mut Looked) {
        let pattern = &self.patterns[looked.pattern as usize];
        let entry = pattern.rows.entries()[looked.place as usize];
        looked.place = looked.order + entry.row(looked.region_shift);
        prefetch(pattern.words, looked.place as usize / 64);
    }

    /// The second lowest bit of the distance of what was looked up.
    #[inline(always)]
    pub(super) fn bit(&self, looked: &Looked) -> u32 {
        let words = self.patterns[looked.pattern as usize].words;
        (words[looked.place as usize / 64] >> (looked.place % 64) & 1) as u32
    }
}

/// The slide of a tile from a cell to the blank's, in the mirror of a table.
fn seen<G: Grid>(shape: Shape, summand: &Summand<G::Entry>, from: usize, blank: usize) -> Slide<G> {
    let image = |cell| summand.symmetry().cell(shape, cell);
    let back = summand.symmetry().inverse();
    let image_shape = summand.database().pattern().shape();
    let (left, taken) = (image(from), image(blank));
    let mut passed = [blank as u8; 4];
    let between = left.min(taken) + 1..left.max(taken);
    for (passed, cell) in passed.iter_mut().zip(between.clone()) {
        *passed = back.cell(image_shape, cell) as u8;
    }
    Slide {
        cells: cells::<G>(1 << left ^ 1 << taken),
        region_shift: region_shift::<G::Entry>(left) as u8,
        backwards: if left < taken { 0 } else { -1 },
        passed,
    }
}
