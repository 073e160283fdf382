//! Look-up of distances in a table.

use super::PatternDatabase;
use super::cell_set::CellSet;
use super::pattern::Pattern;
use super::rank::{passing, rank};
use super::region::{RowEntry, region_shift};
use crate::heuristic::prefetch;

/// The placement of a pattern's tiles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) cells: CellSet,
    /// The offset in the table of the order of the tiles, in bits.
    pub(crate) first_bit: u32,
    pub(crate) distance: u32,
}

/// A state of a table.
#[derive(Clone, Copy)]
struct State {
    /// The cell of each tile, in the order of their homes.
    cells: [u8; Pattern::MAX_TILES],
    occupied: CellSet,
    /// One of the cells that the blank can reach.
    blank: usize,
    /// The rank of the order of the tiles.
    order: usize,
}

impl<E: RowEntry> PatternDatabase<E> {
    /// Returns the number of moves of the pattern's own tiles that bring them home.
    ///
    /// `cells` holds the cells of the tiles, in the order of their homes' cells. `blank` is any
    /// cell that the blank can reach without moving the tiles. The state must be reachable from the
    /// goal.
    ///
    /// # Panics
    /// If the number of cells is not the number of tiles, or a cell is off the board.
    #[must_use]
    pub fn distance(&self, cells: &[usize], blank: usize) -> u32 {
        let mut descent = self.descent(cells, blank);
        while descent.advance() {}
        descent.placement.distance
    }

    /// Starts the descent to the goal from a placement. The arguments are those of
    /// [`Self::distance`].
    pub(super) fn descent(&self, cells: &[usize], blank: usize) -> Descent<'_, E> {
        let state = self.state(cells, blank);
        self.prefetch_bit(&state);
        Descent {
            database: self,
            placement: Placement {
                cells: state.occupied,
                first_bit: (state.order * self.stride()) as u32,
                distance: 0,
            },
            state,
            residue: None,
            next: state,
            tried: 0,
            tile: 0,
            untried: CellSet::default(),
        }
    }

    fn state(&self, cells: &[usize], blank: usize) -> State {
        assert_eq!(cells.len(), self.pattern.cells().len(), "a cell a tile");
        let mut by_cell: Vec<(usize, u8)> = cells.iter().copied().zip(0..).collect();
        by_cell.sort_unstable();
        let sequence: Vec<u8> = by_cell.iter().map(|&(_, tile)| tile).collect();
        let mut state = State {
            cells: [0; Pattern::MAX_TILES],
            occupied: cells.iter().copied().collect(),
            blank,
            order: rank(&sequence),
        };
        for (of_state, &cell) in state.cells.iter_mut().zip(cells) {
            *of_state = cell as u8;
        }
        state
    }

    fn is_goal(&self, state: &State) -> bool {
        let is_home = state.order == 0 && state.occupied == self.pattern.cells();
        is_home && self.pattern.goal_region().contains(state.blank)
    }

    /// Returns 1 if the distance is odd, otherwise 0, by the chessboard colours of the cells.
    fn colour(&self, state: &State) -> u32 {
        let shape = self.pattern.shape();
        let colour = |cell| (shape.row(cell) + shape.column(cell)) as u32;
        let colours = |cells: CellSet| cells.iter().map(colour).sum::<u32>();
        (colours(state.occupied) + colours(self.pattern.cells())) % 2
    }

    /// Returns the position of a state's bit.
    fn place(&self, state: &State) -> usize {
        state.order * self.stride() + self.rows.row(state.occupied, state.blank)
    }

    fn prefetch_bit(&self, state: &State) {
        prefetch(&self.words, self.place(state) / 64);
    }

    fn bit(&self, state: &State) -> u32 {
        let place = self.place(state);
        (self.words[place / 64] >> (place % 64) & 1) as u32
    }
}

/// A descent from a state to the goal, one table access at a time. Each access waits for memory, so
/// descents through several tables are interleaved.
pub(super) struct Descent<'a, E> {
    database: &'a PatternDatabase<E>,
    /// The placement where the descent began, with the distance covered so far.
    placement: Placement,
    state: State,
    /// The state's distance modulo 4; none before the first access. The lower bit is the colour of
    /// the cells, the upper bit comes from the table.
    residue: Option<u32>,
    /// The state whose bit is read next: the current state or one of its neighbours.
    next: State,
    /// How many sets of moves have been started: first the [`Ways`] home of all tiles, then those
    /// away from home.
    tried: usize,
    /// The tile to move next, and its moves that have not been tried.
    tile: usize,
    untried: CellSet,
}

/// The moves of a tile from a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ways {
    /// The cells nearer to the tile's home. Most moves that bring the pattern closer to the goal
    /// are of this kind.
    home: CellSet,
    away: CellSet,
}

impl Ways {
    /// Returns the moves of all tiles of a pattern from all cells, tile by tile.
    pub(super) fn all(pattern: &Pattern) -> Box<[Self]> {
        let shape = pattern.shape();
        let of_tile = |home: usize| (0..shape.cells()).map(move |cell| (home, cell));
        let all = pattern.cells().iter().flat_map(of_tile);
        all.map(|(home, cell)| {
            let is_nearer = |&to: &usize| shape.distance(to, home) < shape.distance(cell, home);
            let (home, away) = shape.neighbours(cell).partition::<Vec<_>, _>(is_nearer);
            Self {
                home: home.into_iter().collect(),
                away: away.into_iter().collect(),
            }
        })
        .collect()
    }
}

impl<E: RowEntry> Descent<'_, E> {
    /// Reads one more bit, which has been prefetched. Returns false once the goal is reached.
    fn advance(&mut self) -> bool {
        if self.residue.is_some() && self.database.is_goal(&self.state) {
            return false;
        }
        let bit = self.database.bit(&self.next);
        match self.residue {
            None => self.residue = Some(bit << 1 | self.database.colour(&self.state)),
            Some(residue) => {
                // A neighbour is nearer or farther by one, and the two cases differ in this bit.
                let nearer = (residue + 3) % 4;
                if bit == nearer >> 1 {
                    self.residue = Some(nearer);
                    self.state = self.next;
                    self.placement.distance += 1;
                    self.tried = 0;
                    self.untried = CellSet::default();
                }
            }
        }
        let is_under_way = !self.database.is_goal(&self.state);
        if is_under_way {
            self.try_next();
        }
        is_under_way
    }

    /// Prefetches the bit of the next neighbour of the state.
    fn try_next(&mut self) {
        let state = &self.state;
        let pattern = &self.database.pattern;
        let tiles = pattern.cells().len();
        let entry = self.database.rows.entry(state.occupied);
        let row = |cell| entry.row(region_shift::<E>(cell));
        let free = loop {
            if let Some(free) = self.untried.iter().next() {
                self.untried = self.untried.toggled(free);
                if row(free) == row(state.blank) {
                    break free;
                }
                continue;
            }
            assert!(
                self.tried < 2 * tiles,
                "all states but the goal have a nearer one"
            );
            self.tile = self.tried % tiles;
            let cell = usize::from(state.cells[self.tile]);
            let ways = self.database.ways[self.tile * pattern.shape().cells() + cell];
            let ways = if self.tried < tiles {
                ways.home
            } else {
                ways.away
            };
            self.untried = ways.without(state.occupied);
            self.tried += 1;
        };
        self.next = after(state, self.tile, free, tiles);
        self.database.prefetch_bit(&self.next);
    }
}

/// Runs the descents to their ends and returns the placements, with their distances.
pub(super) fn placements<E: RowEntry>(mut descents: Vec<Descent<'_, E>>) -> Vec<Placement> {
    let mut is_under_way = true;
    while is_under_way {
        is_under_way = false;
        for descent in &mut descents {
            is_under_way |= descent.advance();
        }
    }
    let placement = |descent: Descent<'_, E>| descent.placement;
    descents.into_iter().map(placement).collect()
}

/// Returns the state after a tile has moved to a free cell beside it.
fn after(state: &State, tile: usize, free: usize, tiles: usize) -> State {
    let cell = usize::from(state.cells[tile]);
    let between = cell.min(free) + 1..cell.max(free);
    let passed = (0..tiles).filter(|&other| between.contains(&usize::from(state.cells[other])));
    let rise: i32 = passed.map(|other| passing(tile, other, tiles)).sum();
    let rise = if free > cell { rise } else { -rise };
    let mut next = *state;
    next.order = (next.order as i32 + rise) as usize;
    next.occupied = next.occupied.toggled(cell).toggled(free);
    next.cells[tile] = free as u8;
    next.blank = cell;
    next
}
