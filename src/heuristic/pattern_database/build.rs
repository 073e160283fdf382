//! Building of tables: breadth-first from the goal, level by level.
//!
//! Here a row holds one bit for each order of the tiles. All states of a row are reached from those
//! of a few other rows by moving the tile of a given cell, which changes all their orders in the
//! same way. So each level is *pulled*: a row looks up the last level's states in the neighbouring
//! rows, and no two threads write to the same row.
//!
//! The distances of the states of one row are all even or all odd, by the chessboard colours of the
//! cells, and the distances of neighbours differ by one. So a state next to the last level is
//! either new or belongs to the level before it, which is what its own row still holds. Nothing
//! else has to be remembered.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::puzzle::Shape;
use crate::share_out::share_out;

use super::cell_set::CellSet;
use super::pattern::Pattern;
use super::rank::{moved, orders};
use super::region::{RowEntry, Rows, choices, regions};
use super::transpose::transpose;
use super::words::Words;

/// State shared by a build and those who watch it.
#[derive(Debug, Default)]
pub struct Watch {
    total: AtomicU64,
    done: AtomicU64,
    cancelled: AtomicBool,
}

/// Why a table was not built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotBuilt {
    /// The watch was cancelled.
    #[error("the building of pattern databases was cancelled")]
    Cancelled,
    /// The table is larger than may be built.
    #[error("a pattern database is larger than those that may be built")]
    TooLarge,
}

impl Watch {
    /// Returns the approximate fraction that is done, from 0 to 1.
    #[must_use]
    pub fn fraction(&self) -> f64 {
        let total = self.total.load(Ordering::Relaxed).max(1);
        (self.done.load(Ordering::Relaxed) as f64 / total as f64).min(1.0)
    }

    /// Asks the build to stop. It stops within some milliseconds, but the rows are first numbered
    /// and linked to the end (a third of a second on boards of 25 cells), a table that is being read
    /// from its file is first read to the end, and one that is already built is written to its file.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Counts states as done that need not be searched.
    pub(super) fn skip_states(&self, states: u64) {
        self.done.fetch_add(states, Ordering::Relaxed);
    }

    pub(super) fn expect_states(&self, states: u64) {
        self.total.fetch_add(states, Ordering::Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// The states of one row in this many are counted for [`Watch`]: counting all takes a tenth of the
/// time.
const COUNTED: usize = 32;

/// The rows that one thread takes at a time.
const CHUNK: usize = 64;

/// A row whose states are one move away from those of another row, and how the move changes an
/// order. The rows are of different halves. There are more neighbours than rows, so both numbers
/// share a word.
#[derive(Clone, Copy, Debug)]
struct Neighbour(u32);

impl Neighbour {
    /// For the moves of [`Pattern::MAX_TILES`] tiles from one place in the sequence to another.
    const ORDER_BITS: u32 = 6;

    const fn new(row: u32, order: usize) -> Self {
        Self(row << Self::ORDER_BITS | order as u32)
    }

    const fn row(self) -> usize {
        (self.0 >> Self::ORDER_BITS) as usize
    }

    const fn order(self) -> usize {
        (self.0 % (1 << Self::ORDER_BITS)) as usize
    }
}

/// One half of the rows: those with even distances or those with odd ones.
struct Half {
    /// The states of the last level of these rows, row after row.
    front: Vec<u64>,
    /// Which rows have states in the last level.
    is_live: Vec<bool>,
    /// The second lowest bit of each state's distance.
    bits: Vec<u64>,
    /// The neighbours of all rows, and for each row where they begin.
    neighbours: Vec<Neighbour>,
    begins: Vec<u32>,
}

/// The place of a row: its half and its number there.
#[derive(Clone, Copy)]
struct Place {
    half: bool,
    row: u32,
}

struct Build<'a, E> {
    pattern: &'a Pattern,
    rows: &'a Rows<E>,
    places: Vec<Place>,
    halves: [Half; 2],
    /// For each move of a tile from one place in the sequence to another, the new rank of each
    /// order; none where the tile keeps its place.
    orders: Vec<Option<Box<[u16]>>>,
    row_words: usize,
}

/// Returns about the bytes that building the table of a pattern takes, beside the table itself: the
/// table is allocated when the levels are complete, and by then half of what they took is free.
pub(super) fn bytes(pattern: &Pattern, rows: usize) -> usize {
    let tiles = pattern.cells().len();
    let row_words = orders(tiles).div_ceil(64);
    // Its part of `front`, `is_live`, `bits` and `begins`, and its place.
    let row = 2 * row_words * size_of::<u64>()
        + size_of::<bool>()
        + size_of::<u32>()
        + size_of::<Place>();
    let neighbours = 2 * moves(pattern.shape(), tiles) * size_of::<Neighbour>();
    let orders = tiles * tiles * orders(tiles) * size_of::<u16>();
    let all = rows * row + neighbours + orders;
    // The table of a tiny shape has gaps, which make it larger.
    all.saturating_sub(size_of::<u64>() * pattern.words(rows))
}

/// Returns the moves of `tiles` tiles between all the cells of a shape that lead from one half of the
/// rows to the other: along each edge between two cells, with each choice of cells for the others.
fn moves(shape: Shape, tiles: usize) -> usize {
    let (rows, columns) = (shape.rows(), shape.columns());
    let edges = rows * (columns - 1) + columns * (rows - 1);
    edges * choices(shape.cells() - 2, tiles - 1)
}

/// Builds the words of a table: see [`PatternDatabase`](super::PatternDatabase).
pub(super) fn words<E: RowEntry>(
    pattern: &Pattern,
    rows: &Rows<E>,
    threads: usize,
    watch: &Watch,
) -> Result<Words, NotBuilt> {
    let mut build = Build::new(pattern, rows);
    let mut distance = 0_u32;
    while build.level(distance + 1, threads, watch)? {
        distance += 1;
    }
    let Build { places, halves, .. } = build;
    let [even, odd] = halves.map(|half| half.bits);
    let row_words = orders(pattern.cells().len()).div_ceil(64);
    let row = |row: usize| {
        let place = places[row];
        let half = if place.half { &odd } else { &even };
        &half[place.row as usize * row_words..][..row_words]
    };
    let length = pattern.words(rows.count());
    Ok(Words::built(length, |words| {
        transpose(row, rows.count(), threads, words);
    }))
}

impl<'a, E: RowEntry> Build<'a, E> {
    /// Numbers and links all rows, and sets the goal.
    fn new(pattern: &'a Pattern, rows: &'a Rows<E>) -> Self {
        let shape = pattern.shape();
        let tiles = pattern.cells().len();
        let row_words = orders(tiles).div_ceil(64);
        let occupied: Vec<CellSet> = occupied(shape.cells(), tiles).collect();
        let (places, counts) = places(pattern, rows, &occupied);
        let mut build = Self {
            pattern,
            rows,
            halves: counts.map(|count| Half::new(count as usize, row_words, moves(shape, tiles))),
            places,
            orders: (0..tiles * tiles)
                .map(|way| {
                    let (from, to) = (way / tiles, way % tiles);
                    // Between neighbouring cells there are fewer cells than in a row.
                    let is_possible = from != to && from.abs_diff(to) < shape.columns();
                    is_possible.then(|| moved(tiles, from, to))
                })
                .collect(),
            row_words,
        };
        // In the order in which the rows of each half were numbered.
        for (cells, region) in with_regions(shape, &occupied) {
            build.link(cells, region);
        }
        for half in &mut build.halves {
            half.begins.push(half.neighbours.len() as u32);
        }
        build.begin();
        build
    }

    /// Records which rows are one move away from a row.
    fn link(&mut self, cells: CellSet, region: CellSet) {
        let shape = self.pattern.shape();
        let tiles = cells.len();
        let home = region.iter().next().expect("a region has cells");
        let place = self.places[self.rows.row(cells, home)];
        let half = &mut self.halves[usize::from(place.half)];
        half.begins.push(half.neighbours.len() as u32);
        for tile_cell in cells.iter() {
            let beside = shape.neighbours(tile_cell);
            for free in beside.filter(|&free| region.contains(free)) {
                let after = cells.toggled(tile_cell).toggled(free);
                let before_cell =
                    |cells: CellSet, cell| cells.iter().filter(|&occupied| occupied < cell).count();
                // A pull goes the other way: from the free cell to the tile's.
                let from = before_cell(after, free);
                let to = before_cell(cells, tile_cell);
                let row = self.places[self.rows.row(after, tile_cell)].row;
                half.neighbours.push(Neighbour::new(row, from * tiles + to));
            }
        }
    }

    /// Sets the only state at distance 0, the goal: its tiles stand in order.
    fn begin(&mut self) {
        let region = self.pattern.goal_region();
        let blank = region.iter().next().expect("the blank has a home");
        let place = self.places[self.rows.row(self.pattern.cells(), blank)];
        let half = &mut self.halves[usize::from(place.half)];
        half.front[place.row as usize * self.row_words] = 1;
        half.is_live[place.row as usize] = true;
    }

    /// Finds the states at a distance from those at one less. Returns false if there are none.
    fn level(&mut self, distance: u32, threads: usize, watch: &Watch) -> Result<bool, NotBuilt> {
        let [even, odd] = &mut self.halves;
        let (last, next) = if distance.is_multiple_of(2) {
            (odd, even)
        } else {
            (even, odd)
        };
        let last = &*last;
        let orders = &self.orders;
        let row_words = self.row_words;
        let is_set = distance & 2 != 0;
        let Half {
            front,
            is_live,
            bits,
            neighbours,
            begins,
        } = next;
        let (neighbours, begins) = (&*neighbours, &*begins);
        let chunks = front
            .chunks_mut(CHUNK * row_words)
            .zip(bits.chunks_mut(CHUNK * row_words))
            .zip(is_live.chunks_mut(CHUNK));
        let any = AtomicBool::new(false);
        share_out(chunks.enumerate(), threads, |chunks| {
            let mut pulled = vec![0; row_words];
            for (chunk, ((front, bits), is_live)) in chunks.take_while(|_| !watch.is_cancelled()) {
                let rows = front
                    .chunks_mut(row_words)
                    .zip(bits.chunks_mut(row_words))
                    .zip(is_live);
                for (row, ((front, bits), is_live)) in (chunk * CHUNK..).zip(rows) {
                    let around = &neighbours[begins[row] as usize..begins[row + 1] as usize];
                    let is_pulled = last.pull(around, orders, &mut pulled);
                    if !is_pulled && !*is_live {
                        continue;
                    }
                    *is_live = settle(&mut pulled, front, is_set.then_some(bits));
                    if *is_live {
                        any.store(true, Ordering::Relaxed);
                        if row % COUNTED == 0 {
                            let states: u32 = front.iter().map(|word| word.count_ones()).sum();
                            let about = u64::from(states) * COUNTED as u64;
                            watch.done.fetch_add(about, Ordering::Relaxed);
                        }
                    }
                }
            }
        });
        if watch.is_cancelled() {
            return Err(NotBuilt::Cancelled);
        }
        Ok(any.into_inner())
    }
}

impl Half {
    fn new(rows: usize, row_words: usize, neighbours: usize) -> Self {
        Self {
            front: vec![0; rows * row_words],
            is_live: vec![false; rows],
            bits: vec![0; rows * row_words],
            neighbours: Vec::with_capacity(neighbours),
            begins: Vec::with_capacity(rows + 1),
        }
    }

    /// Collects the states one move away from this half's last level. Returns false if there are
    /// none.
    fn pull(
        &self,
        neighbours: &[Neighbour],
        orders: &[Option<Box<[u16]>>],
        pulled: &mut [u64],
    ) -> bool {
        let mut any = false;
        for neighbour in neighbours {
            let row = neighbour.row();
            if !self.is_live[row] {
                continue;
            }
            let from = &self.front[row * pulled.len()..][..pulled.len()];
            match &orders[neighbour.order()] {
                None => {
                    for (into, &from) in pulled.iter_mut().zip(from) {
                        *into |= from;
                    }
                }
                Some(orders) => scatter(from, orders, pulled),
            }
            any = true;
        }
        any
    }
}

/// Moves each state's bit to its new order.
fn scatter(from: &[u64], orders: &[u16], into: &mut [u64]) {
    for (&word, orders) in from.iter().zip(orders.chunks(64)) {
        let mut word = word;
        while word != 0 {
            let order = usize::from(orders[word.trailing_zeros() as usize]);
            into[order / 64] |= 1 << (order % 64);
            word &= word - 1;
        }
    }
}

/// Keeps the new ones of the states pulled into a row, and sets their bits. Returns false if none
/// are new.
fn settle(pulled: &mut [u64], front: &mut [u64], bits: Option<&mut [u64]>) -> bool {
    let mut any = 0;
    for (pulled, front) in pulled.iter_mut().zip(front.iter_mut()) {
        *front = *pulled & !*front;
        *pulled = 0;
        any |= *front;
    }
    if let Some(bits) = bits {
        for (bits, &front) in bits.iter_mut().zip(&*front) {
            *bits |= front;
        }
    }
    any != 0
}

/// Numbers the rows of each half, in the order of the sets of occupied cells. Returns their places
/// and how many each half has.
fn places<E: RowEntry>(
    pattern: &Pattern,
    rows: &Rows<E>,
    occupied: &[CellSet],
) -> (Vec<Place>, [u32; 2]) {
    let shape = pattern.shape();
    let is_odd = |cells: CellSet| {
        let colour = |cell| shape.row(cell) + shape.column(cell);
        cells.iter().map(colour).sum::<usize>() % 2 != 0
    };
    let goal_is_odd = is_odd(pattern.cells());
    let unset = Place {
        half: false,
        row: 0,
    };
    let mut places = vec![unset; rows.count()];
    let mut counts = [0; 2];
    for (cells, region) in with_regions(shape, occupied) {
        let half = is_odd(cells) != goal_is_odd;
        let blank = region.iter().next().expect("a region has cells");
        let count = &mut counts[usize::from(half)];
        places[rows.row(cells, blank)] = Place { half, row: *count };
        *count += 1;
    }
    (places, counts)
}

/// Returns each set of cells that tiles may occupy with every region that it leaves to the blank.
fn with_regions(shape: Shape, occupied: &[CellSet]) -> impl Iterator<Item = (CellSet, CellSet)> {
    occupied.iter().flat_map(move |&cells| {
        let regions = regions(shape, cells).into_iter();
        regions.map(move |region| (cells, region))
    })
}

/// Returns all sets of `tiles` of the first `cells` cells.
fn occupied(cells: usize, tiles: usize) -> impl Iterator<Item = CellSet> {
    (0..1_u32 << cells)
        .map(CellSet::from_bits)
        .filter(move |set| set.len() == tiles)
}
