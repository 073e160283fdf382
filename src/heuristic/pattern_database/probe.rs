//! Distances read off a table.

use super::PatternDatabase;
use super::cell_set::{CellSet, neighbours};
use super::pattern::Pattern;
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
        self.placement(cells, blank).distance
    }

    /// What a search follows from slide to slide; as for [`Self::distance`].
    pub(crate) fn placement(&self, cells: &[usize], blank: usize) -> Placement {
        let state = self.state(cells, blank);
        Placement {
            cells: state.occupied,
            first_bit: (state.order * self.stride()) as u32,
            distance: self.distance_of(state),
        }
    }

    /// Walks down to the goal.
    fn distance_of(&self, mut state: State) -> u32 {
        // Modulo 4: the lower bit is the colour of the cells, the upper one the table's.
        let mut residue = self.bit(&state) << 1 | self.colour(&state);
        let mut distance = 0;
        while !self.is_goal(&state) {
            residue = (residue + 3) % 4;
            state = self.nearer(&state, residue >> 1);
            distance += 1;
        }
        distance
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

    fn bit(&self, state: &State) -> u32 {
        let bit = state.order * self.stride() + self.rows.row(state.occupied, state.blank);
        (self.words[bit / 64] >> (bit % 64) & 1) as u32
    }

    /// The state next to a state that is nearer: the one with the given bit, since those that are
    /// farther have the other.
    fn nearer(&self, state: &State, bit: u32) -> State {
        let shape = self.pattern.shape();
        let entry = self.rows.entry(state.occupied);
        let row = |cell| entry.row(region_shift::<E>(cell));
        let tiles = self.pattern.cells().len();
        let here = row(state.blank);
        (0..tiles)
            .flat_map(|tile| {
                let cell = usize::from(state.cells[tile]);
                neighbours(shape, cell).map(move |free| (tile, free))
            })
            .filter(|&(_, free)| !state.occupied.contains(free) && row(free) == here)
            .map(|(tile, free)| after(state, tile, free, tiles))
            .find(|next| self.bit(next) == bit)
            .expect("every state but the goal has one next to it that is nearer")
    }
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
