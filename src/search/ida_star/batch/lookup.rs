//! How a slide changes the patterns, and where the bit for it is.

use std::array;
use std::sync::Arc;

use crate::heuristic::pattern_database::{
    Additive, PatternDatabase, RowEntry, RowTables, Rows, Summand, passing, region_shift,
};
use crate::heuristic::prefetch;
use crate::puzzle::Shape;
use crate::search::blank_moves::{BlankMoves, MOVES};

use super::change::Change;
use super::grid::{Grid, cells};
use super::node::Node;
use super::seen::{Seen, TILES};

/// A slide into the blank.
#[derive(Clone, Copy, Default)]
pub(super) struct Towards {
    /// The cell that the tile leaves.
    pub(super) from: u8,
    /// The number of the slide: the blank's cell and its move.
    slide: u8,
}

impl Towards {
    /// The blank's move.
    #[inline]
    pub(super) const fn blank_move(self) -> usize {
        self.slide as usize % MOVES
    }
}

/// A slide as one pattern's table sees it: by the blank's cell and its move.
#[derive(Clone, Copy)]
struct Slide<G: Grid> {
    /// The cell that the tile leaves and the one that it takes.
    cells: G::Cells,
    row: InRow,
    /// −1 when the tile passes others backwards in reading order, 0 otherwise.
    backwards: i8,
    /// The cells that it passes, on the problem's board; the blank's own for none.
    passed: [u8; 4],
}

/// Where in a row entry the region of a blank's new cell is.
#[derive(Clone, Copy, Default)]
struct InRow {
    /// The pattern whose row entry has it.
    pattern: u8,
    region_shift: u8,
}

/// The most slides of a board; a power of two, so that a look-up needs no range check.
const SLIDES: usize = 32 * MOVES;

/// The number of one of `P` patterns, in a form that the compiler knows to be in range: no check, and no
/// division.
#[inline(always)]
pub(super) const fn within<const P: usize>(number: u8) -> usize {
    let number = number as usize;
    if P.is_power_of_two() || number < P {
        number % P.next_power_of_two()
    } else {
        0
    }
}

struct Pattern<G: Grid> {
    database: Arc<PatternDatabase<G::Entry>>,
    rows: Arc<Rows<G::Entry>>,
    slides: Box<[Slide<G>; SLIDES]>,
}

/// A slide of one tile, looked up for one sum.
#[derive(Clone, Copy, Default)]
pub(super) struct Looked {
    pub(super) cells: u32,
    /// The order of the tiles after the slide, and the distance before it; see [`Node`].
    pub(super) order: u32,
    /// The number of the row entry, later the bit of the new state.
    place: u32,
    row: InRow,
    pub(super) seen: Seen,
}

impl Looked {
    /// The pattern whose tile moved.
    #[inline]
    pub(super) const fn pattern(&self) -> u8 {
        self.row.pattern
    }
}

impl<G: Grid, const P: usize, const W: usize> Node<G, P, W> {
    /// Applies the result of a look-up to the pattern whose tile moved.
    #[inline(always)]
    pub(super) fn place(&mut self, looked: &Looked, change: Change) {
        let pattern = within::<P>(looked.pattern());
        self.cells[pattern] = cells::<G>(looked.cells);
        self.orders[pattern] = looked.order ^ change.flips();
        let sum = &mut self.sums[looked.seen.sum()];
        *sum = change.applied_to(*sum);
    }
}

/// The tables of one or two sums, for problems of one shape and home.
pub(super) struct Lookup<G: Grid> {
    patterns: Vec<Pattern<G>>,
    /// The pattern of each tile, sum by sum.
    pattern_of: [u8; Seen::COUNT],
    /// What a tile that passes another adds to the first bit of its order, sum by sum.
    passing: Box<[[i32; TILES]; Seen::COUNT]>,
    /// The slides into each cell.
    slides: [[Towards; MOVES]; SLIDES / MOVES],
    /// The set of moves that the blank has on each cell.
    moves: [u8; SLIDES / MOVES],
    sums: usize,
}

impl<G: Grid> Lookup<G> {
    pub(super) fn new(additive: &Additive<G::Entry>) -> Self {
        let shape = additive.shape();
        let moves = BlankMoves::new(shape);
        let from = |number: usize| {
            let blank = number / MOVES;
            let is_cell = blank < shape.cells();
            is_cell
                .then(|| moves.target(blank, number % MOVES))
                .flatten()
        };
        let towards = |number| Towards {
            from: from(number).unwrap_or_default() as u8,
            slide: number as u8,
        };
        let has_move = |number: usize| u8::from(from(number).is_some()) << (number % MOVES);
        let mut lookup = Self {
            patterns: Vec::new(),
            pattern_of: [0; Seen::COUNT],
            passing: Box::new([[0; TILES]; Seen::COUNT]),
            slides: array::from_fn(|blank| array::from_fn(|to| towards(blank * MOVES + to))),
            moves: array::from_fn(|blank| (0..MOVES).map(|to| has_move(blank * MOVES + to)).sum()),
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
        let this = self.patterns.len() as u8;
        for (number, &tile) in tiles.iter().enumerate() {
            let seen = Seen::number_of(sum, tile);
            self.pattern_of[seen] = this;
            for (other_number, &other) in tiles.iter().enumerate() {
                if number != other_number {
                    let rise = passing(number, other_number, tiles.len());
                    self.passing[seen][other] = rise * stride;
                }
            }
        }
        let shape = additive.shape();
        let slide = |number: usize| {
            // Slides that no move makes are never looked up.
            let blank = (number / MOVES).min(shape.cells() - 1);
            let from = moves.target(blank, number % MOVES).unwrap_or(blank);
            slide(shape, summand, this, from, blank)
        };
        self.patterns.push(Pattern {
            database: Arc::clone(summand.database()),
            rows: Arc::clone(summand.database().row_numbers()),
            slides: Box::new(array::from_fn(slide)),
        });
    }

    /// The slides into the blank by each of its moves, and the set of those that exist.
    #[inline]
    pub(super) fn slides(&self, blank: u8) -> (&[Towards; MOVES], u8) {
        let blank = usize::from(blank) % self.moves.len();
        (&self.slides[blank], self.moves[blank])
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
                    rows: pattern.rows.tables(),
                    slides: &pattern.slides,
                }
            }),
            pattern_of: &self.pattern_of,
            passing: &self.passing,
        }
    }
}

/// One pattern's table. It fills a cache line, so that its address follows from its number by a shift.
#[repr(align(64))]
struct Table<'a, G: Grid> {
    words: &'a [u64],
    rows: RowTables<'a, G::Entry>,
    slides: &'a [Slide<G>; SLIDES],
}

/// The tables of all patterns, with their pointers resolved: this takes long enough to be done once for many
/// look-ups.
pub(super) struct Tables<'a, G: Grid, const P: usize> {
    patterns: [Table<'a, G>; P],
    pattern_of: &'a [u8; Seen::COUNT],
    passing: &'a [[i32; TILES]; Seen::COUNT],
}

impl<G: Grid, const P: usize> Tables<'_, G, P> {
    /// Computes the effect of the slide of a tile into the blank in one sum, and prefetches the entry of its
    /// row.
    #[inline(always)]
    pub(super) fn look<const W: usize>(
        &self,
        node: &Node<G, P, W>,
        seen: Seen,
        towards: Towards,
    ) -> Looked {
        let number = within::<P>(self.pattern_of[seen.number()]);
        let pattern = &self.patterns[number];
        let slide = &pattern.slides[usize::from(towards.slide) % SLIDES];
        let cells: u32 = (node.cells[number] ^ slide.cells).into();
        let passing = &self.passing[seen.number()];
        // No branch: whether a tile passes others depends on the sum, which is unpredictable.
        let mut rise = 0;
        for &cell in &slide.passed[..G::PASSED] {
            rise += passing[node.board.tile(usize::from(cell)) % TILES];
        }
        let backwards = i32::from(slide.backwards);
        let rise = (rise ^ backwards) - backwards;
        let place = pattern.rows.entry_number(cells);
        prefetch(pattern.rows.entries, place);
        Looked {
            cells,
            order: node.orders[number].wrapping_add_signed(rise),
            place: place as u32,
            row: slide.row,
            seen,
        }
    }

    /// Reads the entry, and prefetches the word with the bit of the new state.
    #[inline(always)]
    pub(super) fn find(&self, looked: &mut Looked) {
        let pattern = &self.patterns[within::<P>(looked.pattern())];
        let entry = &pattern.rows.entries[looked.place as usize];
        looked.place = first_bit(looked.order) + entry.row(u32::from(looked.row.region_shift));
        prefetch(pattern.words, looked.place as usize / 64);
    }

    /// Reads the bit, and tells how the slide changes the distance.
    #[inline(always)]
    pub(super) fn change(&self, looked: &Looked) -> Change {
        let words = self.patterns[within::<P>(looked.pattern())].words;
        let bits = words[looked.place as usize / 64] >> (looked.place % 64);
        Change::new(looked.order, bits, looked.seen.is_greatest())
    }
}

/// Where an order begins in its table, in bits.
#[inline]
const fn first_bit(order: u32) -> u32 {
    order & !(u64::BITS - 1)
}

/// The slide of a tile from a cell to the blank's, in the mirror of a table.
fn slide<G: Grid>(
    shape: Shape,
    summand: &Summand<G::Entry>,
    pattern: u8,
    from: usize,
    blank: usize,
) -> Slide<G> {
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
        row: InRow {
            pattern,
            region_shift: region_shift::<G::Entry>(left) as u8,
        },
        backwards: if left < taken { 0 } else { -1 },
        passed,
    }
}
