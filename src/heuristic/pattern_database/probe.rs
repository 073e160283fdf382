//! Distances read off a table.

use super::PatternDatabase;
use super::cell_set::{CellSet, neighbours};
use super::pattern::Pattern;
use super::prefetch::prefetch;
use super::rank::{passing, rank};
use super::region::{RowEntry, region_shift};

/// Where the tiles of a pattern stand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) cells: CellSet,
    /// Where the order of the tiles begins in the table, in bits.
    pub(crate) first_bit: u32,
    pub(crate) distance: u32,
}

/// A state of a table.
#[derive(Clone, Copy)]
struct State {
    /// The cell of each tile, in the order of their homes.
    cells: [u8; Pattern::MAX_TILES],
    occupied: CellSet,
    /// One of the cells that the blank can get to.
    blank: usize,
    /// The rank of the tiles' order.
    order: usize,
}

impl<E: RowEntry> PatternDatabase<E> {
    /// In how many moves of its own the pattern comes home.
    ///
    /// `cells` tells where the tiles stand, in the order of their homes' cells; `blank` is any
    /// cell that the blank can get to without moving them. Only for what can be reached from the
    /// goal.
    ///
    /// # Panics
    /// When there are not as many cells as tiles, or one is off the board.
    #[must_use]
    pub fn distance(&self, cells: &[usize], blank: usize) -> u32 {
        let mut descent = self.descent(cells, blank);
        while descent.advance() {}
        descent.placement.distance
    }

    /// The way down to the goal from where the tiles stand; as for [`Self::distance`].
    pub(super) fn descent(&self, cells: &[usize], blank: usize) -> Descent<'_, E> {
        let state = self.state(cells, blank);
        self.call_for(&state);
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

    /// Whether the distance is odd, by the colours of the cells as on a chessboard.
    fn colour(&self, state: &State) -> u32 {
        let shape = self.pattern.shape();
        let colour = |cell| (shape.row(cell) + shape.column(cell)) as u32;
        let colours = |cells: CellSet| cells.iter().map(colour).sum::<u32>();
        (colours(state.occupied) + colours(self.pattern.cells())) % 2
    }

    /// Where the bit of a state is.
    fn place(&self, state: &State) -> usize {
        state.order * self.stride() + self.rows.row(state.occupied, state.blank)
    }

    fn call_for(&self, state: &State) {
        prefetch(&self.words, self.place(state) / 64);
    }

    fn bit(&self, state: &State) -> u32 {
        let place = self.place(state);
        (self.words[place / 64] >> (place % 64) & 1) as u32
    }
}

/// A walk down from a state to the goal, one look at the table at a time. Each look waits for
/// memory, so that walks through several tables do well to take turns.
pub(super) struct Descent<'a, E> {
    database: &'a PatternDatabase<E>,
    /// Where it began, and how far it has come.
    placement: Placement,
    state: State,
    /// The state's distance modulo 4; none before the first look. The lower bit is the colour of
    /// the cells, the upper one the table's.
    residue: Option<u32>,
    /// Whose bit is looked at next: the state's own or that of one next to it.
    next: State,
    /// How many of the ways of its tiles have been begun: first the [`Ways`] home of all of them,
    /// then those away from it.
    tried: usize,
    /// The tile whose turn it is, and where it may go as far as that has not been tried.
    tile: usize,
    untried: CellSet,
}

/// Where a tile may go from a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ways {
    /// Nearer to its home. The pattern mostly comes nearer to the goal by these.
    home: CellSet,
    away: CellSet,
}

impl Ways {
    /// Those of all tiles of a pattern from all cells, tile by tile.
    pub(super) fn all(pattern: &Pattern) -> Box<[Self]> {
        let shape = pattern.shape();
        let of_tile = |home: usize| (0..shape.cells()).map(move |cell| (home, cell));
        let all = pattern.cells().iter().flat_map(of_tile);
        all.map(|(home, cell)| {
            let is_nearer = |&to: &usize| shape.distance(to, home) < shape.distance(cell, home);
            let (home, away) = neighbours(shape, cell).partition::<Vec<_>, _>(is_nearer);
            Self {
                home: home.into_iter().collect(),
                away: away.into_iter().collect(),
            }
        })
        .collect()
    }
}

impl<E: RowEntry> Descent<'_, E> {
    /// Looks at one more bit, which has been called for; false when the goal is reached.
    fn advance(&mut self) -> bool {
        if self.residue.is_some() && self.database.is_goal(&self.state) {
            return false;
        }
        let bit = self.database.bit(&self.next);
        match self.residue {
            None => self.residue = Some(bit << 1 | self.database.colour(&self.state)),
            Some(residue) => {
                // What is next to the state is nearer or farther, and that differs in this bit.
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

    /// Calls for the bit of another state next to this one.
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
        self.database.call_for(&self.next);
    }
}

/// Where several patterns' tiles stand, and how far that is from their goals.
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

/// The state after a tile has gone to a free cell beside it.
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
