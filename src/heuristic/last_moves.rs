//! The last moves (Korf & Taylor, 1996): the last one brings a tile home from the cell where the
//! blank belongs, and the one before it brings another tile home from that tile's home. A tile
//! that is not on that side of its home has to go past it and back: two moves beyond its
//! Manhattan distance. Which tiles they are is open, so that the cheapest ending counts.

use crate::puzzle::{Direction, Problem, Shape};

use super::{Tiles, corner_tiles::CornerTiles};

/// Stands for a tile that no ending is about.
const NO_SLOT: u8 = u8::MAX;

/// The endings, and which cells are on the right side for their tiles. Sets of arrivals are sets
/// of bits: there are at most 4 last moves, each with 3 before it.
#[derive(Clone, Debug)]
pub(super) struct LastMoves {
    arrivals: Box<[Arrival]>,
    endings: Box<[Ending]>,
    /// For each set of corner tiles, the arrivals of these tiles.
    of_corner_tiles: Box<[u16; 256]>,
    /// The row of `ready` of each tile.
    slots: Box<[u8]>,
    /// For each tile that an ending is about, for each cell: the arrivals that it could make
    /// from there by a shortest way home.
    ready: Box<[u16]>,
    cells: usize,
}

/// A tile that comes home from a certain side.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    tile: usize,
    /// Its home.
    cell: usize,
    /// The way it slides.
    direction: Direction,
}

/// The last move, and those that can come before it.
#[derive(Clone, Copy, Debug)]
struct Ending {
    last: u16,
    before: u16,
}

/// The tiles that can slide home from a cell.
fn arrivals_from(problem: &Problem, cell: usize) -> impl Iterator<Item = Arrival> {
    let goal = problem.goal();
    Direction::ALL.into_iter().filter_map(move |direction| {
        let home = goal.shape().neighbour(cell, direction)?;
        Some(Arrival {
            tile: usize::from(goal.tile(home)),
            cell: home,
            direction,
        })
    })
}

impl Arrival {
    /// Whether a shortest way home from a cell can end like this.
    fn is_ready(self, shape: Shape, cell: usize) -> bool {
        let along = |cell| {
            if self.direction.is_vertical() {
                shape.row(cell)
            } else {
                shape.column(cell)
            }
        };
        match self.direction {
            Direction::Up | Direction::Left => along(cell) > along(self.cell),
            Direction::Down | Direction::Right => along(cell) < along(self.cell),
        }
    }
}

impl LastMoves {
    /// `corners` are the corner tiles, if they count as well.
    pub(super) fn new(problem: &Problem, corners: Option<&CornerTiles>) -> Self {
        let mut arrivals: Vec<Arrival> = arrivals_from(problem, problem.home()).collect();
        let mut endings = Vec::new();
        for last in 0..arrivals.len() {
            let first = arrivals.len();
            // The blank does not come from its home to go straight back.
            let before = arrivals_from(problem, arrivals[last].cell);
            arrivals.extend(before.filter(|before| before.tile != 0));
            endings.push(Ending {
                last: 1 << last,
                before: (first..arrivals.len()).fold(0, |bits, before| bits | 1 << before),
            });
        }

        let shape = problem.shape();
        let cells = shape.cells();
        let mut slots = vec![NO_SLOT; cells];
        let mut ready = Vec::new();
        let mut of_corner_tiles = Box::new([0; 256]);
        for (number, arrival) in arrivals.iter().enumerate() {
            let slot = &mut slots[arrival.tile];
            if *slot == NO_SLOT {
                *slot = (ready.len() / cells) as u8;
                ready.resize(ready.len() + cells, 0);
            }
            let ready = &mut ready[usize::from(*slot) * cells..][..cells];
            for (cell, ready) in ready.iter_mut().enumerate() {
                *ready |= u16::from(arrival.is_ready(shape, cell)) << number;
            }
            let corner = corners.map_or(0, |corners| corners.bit(arrival.cell));
            if corner == 0 {
                continue;
            }
            for (corner_tiles, arrivals) in of_corner_tiles.iter_mut().enumerate() {
                *arrivals |= u16::from(corner_tiles & usize::from(corner) != 0) << number;
            }
        }
        Self {
            arrivals: arrivals.into(),
            endings: endings.into(),
            of_corner_tiles,
            slots: slots.into(),
            ready: ready.into(),
            cells,
        }
    }

    /// The arrivals that a tile could make from a cell by a shortest way home.
    #[inline]
    pub(super) fn ready(&self, tile: usize, cell: usize) -> u16 {
        match self.slots[tile] {
            NO_SLOT => 0,
            slot => self.ready[usize::from(slot) * self.cells + cell],
        }
    }

    /// The same of all tiles of a board.
    pub(super) fn all_ready<T: Tiles>(&self, board: &T) -> u16 {
        (0..self.cells)
            .map(|cell| (board.tile(cell), cell))
            .filter(|&(tile, _)| tile != 0)
            .fold(0, |bits, (tile, cell)| bits | self.ready(tile, cell))
    }

    /// The tiles that have to go past their homes at the cheapest ending: 0, 1 or 2. The board
    /// is at least two moves from the goal. Tiles that pay as corner tiles, or that
    /// `pay_otherwise` for the moves along their column (true) or their row, pay nothing here.
    #[inline]
    pub(super) fn paying(
        &self,
        ready: u16,
        corner_tiles: u8,
        pay_otherwise: impl Fn(usize, bool) -> bool,
    ) -> u32 {
        let mut free = ready | self.of_corner_tiles[usize::from(corner_tiles)];
        if self.cheapest(free) == 0 {
            return 0;
        }
        for (number, arrival) in self.arrivals.iter().enumerate() {
            free |=
                u16::from(pay_otherwise(arrival.tile, arrival.direction.is_vertical())) << number;
        }
        self.cheapest(free)
    }

    /// The arrivals that are not free at the cheapest ending.
    #[inline]
    fn cheapest(&self, free: u16) -> u32 {
        let cost = |ending: &Ending| {
            u32::from(free & ending.last == 0) + u32::from(free & ending.before == 0)
        };
        self.endings.iter().map(cost).min().unwrap_or(0)
    }
}
