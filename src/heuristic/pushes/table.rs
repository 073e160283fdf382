//! The exact number of pushes of every colouring of one class.

use crate::heuristic::SMALL_CELLS;
use crate::heuristic::pile::Pile;
use crate::heuristic::shared_table::TableBuilder;
use crate::puzzle::{Direction, Shape};

use super::ranks::{BLANK, Colours, Ranks};

/// The most lines of a small board.
pub(super) const MAX_LINES: usize = SMALL_CELLS / Shape::MIN_SIDE;

/// A shape, the blank's home in its lower right quarter, and the colour of the tiles of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) shape: Shape,
    pub(super) home: u8,
    pub(super) colours: [u8; MAX_LINES],
}

impl Class {
    /// Returns the colours of the goal.
    fn goal(&self) -> Colours {
        (0..self.shape.cells()).fold(0, |colours, cell| {
            let colour = if cell == usize::from(self.home) {
                BLANK
            } else {
                u32::from(self.colours[self.shape.row(cell)])
            };
            colours | colour << (2 * cell)
        })
    }
}

/// The pushes from each colouring to the goal's, by the axis of the first push.
#[derive(Debug)]
pub(super) struct Table {
    ranks: Ranks,
    /// First the distances whose first push is along a row, then those along a column, each plus [`KNOWN`].
    distances: [Box<[u8]>; 2],
}

/// Is added to distances, so that 0 is one that is not known yet: memory that is zero at first comes from the
/// system without being written.
const KNOWN: u8 = 1;

impl Table {
    /// Returns the least number of pushes of a solution whose first push is vertical, or
    /// horizontal.
    #[inline]
    pub(super) fn distance(&self, colours: Colours, vertical: bool) -> u32 {
        u32::from(self.distances[usize::from(vertical)][self.ranks.of(colours)] - KNOWN)
    }

    pub(super) fn bytes(&self) -> usize {
        self.ranks.bytes() + 2 * self.distances[0].len()
    }
}

/// A table under construction: a breadth-first search from the goal that advances in slices.
#[derive(Debug)]
pub(super) struct Building {
    table: Table,
    /// The neighbours of each cell, if any: along the row, then along the column.
    beside: [[[Option<u8>; 2]; 2]; SMALL_CELLS],
    /// The colourings to expand, by the axis of their first push.
    layer: [Pile<Colours>; 2],
    /// The colourings one push farther away.
    next: [Pile<Colours>; 2],
    distance: u8,
}

impl TableBuilder for Building {
    type Class = Class;
    type Plan = Ranks;
    type Table = Table;

    fn plan(class: &Class) -> Ranks {
        Ranks::new(class.shape, class.goal())
    }

    fn need(ranks: &Ranks) -> usize {
        // At most about three tenths of the colourings are in the layers of both axes.
        let layers = Pile::<Colours>::bytes(ranks.states() / 10 * 3, 4);
        ranks.bytes() + 2 * ranks.states() + layers
    }

    fn begin(class: &Class, ranks: Ranks) -> Self {
        let goal = class.goal();
        let mut distances = [0, 1].map(|_| vec![0; ranks.states()].into_boxed_slice());
        for distances in &mut distances {
            distances[ranks.of(goal)] = KNOWN;
        }
        let mut beside = [[[None; 2]; 2]; SMALL_CELLS];
        for (cell, beside) in beside.iter_mut().enumerate().take(class.shape.cells()) {
            use Direction::{Down, Left, Right, Up};
            *beside = [[Left, Right], [Up, Down]].map(|axis| {
                axis.map(|side| class.shape.neighbour(cell, side).map(|cell| cell as u8))
            });
        }
        Self {
            table: Table { ranks, distances },
            beside,
            layer: [Pile::of(goal), Pile::of(goal)],
            next: [Pile::new(), Pile::new()],
            distance: 0,
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        for _ in 0..states {
            let axis = usize::from(self.layer[0].is_empty());
            if let Some(colours) = self.layer[axis].pop() {
                self.expand(colours, 1 - axis);
            } else {
                std::mem::swap(&mut self.layer, &mut self.next);
                self.distance += 1;
                if self.layer.iter().all(Pile::is_empty) {
                    return true;
                }
            }
        }
        false
    }

    fn finish(self) -> Option<Table> {
        Some(self.table)
    }

    fn bytes(table: &Table) -> usize {
        table.bytes()
    }
}

impl Building {
    /// Undoes all pushes along an axis that lead to a colouring.
    fn expand(&mut self, colours: Colours, axis: usize) {
        let Table { ranks, distances } = &mut self.table;
        // Only the blank's cell has both bits set.
        let blank = (colours & colours >> 1 & 0x5555_5555).trailing_zeros() / 2;
        for side in 0..2 {
            let (mut colours, mut blank) = (colours, blank as usize);
            while let Some(from) = self.beside[blank][axis][side] {
                let from = usize::from(from);
                let change = BLANK ^ (colours >> (2 * from) & 3);
                colours ^= change << (2 * from) | change << (2 * blank);
                blank = from;
                let distance = &mut distances[axis][ranks.of(colours)];
                if *distance == 0 {
                    *distance = KNOWN + self.distance + 1;
                    self.next[axis].push(colours);
                }
            }
        }
    }
}
