//! Last moves (Korf & Taylor, 1996). The last move brings a tile home from the cell where the blank
//! belongs, and the move before it brings another tile home from that tile's home. A tile that is
//! not on that side of its home has to go past its home and back: two moves beyond its Manhattan
//! distance. It is not known which tiles these will be, so the cheapest ending counts.

use crate::puzzle::{Direction, Problem, Shape};

use super::{Tiles, corner_tiles::CornerTiles};

/// Marks a tile that is part of no ending.
const NO_SLOT: u8 = u8::MAX;

/// The endings, and the cells that are on the right side for their tiles. Sets of arrivals are bit
/// sets: there are at most 4 last moves, each with at most 3 before it.
#[derive(Clone, Debug)]
pub(super) struct LastMoves {
    arrivals: Box<[Arrival]>,
    endings: Box<[Ending]>,
    /// The arrivals of the tiles in each set of corner tiles.
    of_corner_tiles: Box<[u16; 256]>,
    /// The row of `ready` for each tile.
    slots: Box<[u8]>,
    /// For each tile that is part of an ending, and for each cell: the arrivals that the tile can
    /// make from there on a shortest way home.
    ready: Box<[u16]>,
    cells: usize,
}

/// A tile that comes home from a given side.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    tile: usize,
    /// The tile's home.
    cell: usize,
    /// The direction in which the tile slides.
    direction: Direction,
}

/// A last move, and the moves that can come before it.
#[derive(Clone, Copy, Debug)]
struct Ending {
    last: u16,
    before: u16,
}

/// Returns the tiles that can slide home from a cell.
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
    /// Returns whether a shortest way home from a cell can end with this arrival.
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
    /// Finds the endings of a problem. `corners` are the corner tiles, if they count as well.
    pub(super) fn new(problem: &Problem, corners: Option<&CornerTiles>) -> Self {
        let mut arrivals: Vec<Arrival> = arrivals_from(problem, problem.home()).collect();
        let mut endings = Vec::new();
        for last in 0..arrivals.len() {
            let first = arrivals.len();
            // The blank does not come from its home only to go straight back.
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

    /// Returns the arrivals that a tile can make from a cell on a shortest way home.
    #[inline]
    pub(super) fn ready(&self, tile: usize, cell: usize) -> u16 {
        match self.slots[tile] {
            NO_SLOT => 0,
            slot => self.ready[usize::from(slot) * self.cells + cell],
        }
    }

    /// Returns the arrivals that the tiles of a board can make on their shortest ways home.
    pub(super) fn all_ready<T: Tiles>(&self, board: &T) -> u16 {
        (0..self.cells)
            .map(|cell| (board.tile(cell), cell))
            .filter(|&(tile, _)| tile != 0)
            .fold(0, |bits, (tile, cell)| bits | self.ready(tile, cell))
    }

    /// Returns how many tiles, from 0 to 2, have to go past their homes in the cheapest ending. The
    /// board is at least two moves from the goal. Tiles that pay as corner tiles pay nothing here,
    /// nor do those that `pay_otherwise` for the moves along their column (true) or row (false).
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

    /// Returns the number of arrivals that are not free in the cheapest ending.
    #[inline]
    fn cheapest(&self, free: u16) -> u32 {
        let cost = |ending: &Ending| {
            u32::from(free & ending.last == 0) + u32::from(free & ending.before == 0)
        };
        self.endings.iter().map(cost).min().unwrap_or(0)
    }
}
