//! Bounds that are a sum over the tiles, where each tile pays for the cell it stands on.

use crate::puzzle::{Direction, Problem};

use super::{Heuristic, SMALL_CELLS, Slide, Tiles};

/// The cost of a tile on a cell.
pub trait TileCost: Send {
    /// Returns the cost in moves. Tile and cell are those of the board; the tile is never the
    /// blank.
    fn cost(&self, tile: usize, cell: usize) -> u32;

    /// The number of cells of the board.
    fn cells(&self) -> usize;

    /// Returns the total cost of all tiles.
    fn sum<T: Tiles>(&self, board: &T) -> u32 {
        (0..self.cells())
            .map(|cell| match board.tile(cell) {
                0 => 0,
                tile => self.cost(tile, cell),
            })
            .sum()
    }
}

/// The sum on boards of any size: a slide replaces one cost by another.
#[derive(Clone, Debug)]
pub struct PerTile<C>(pub C);

impl<C: TileCost> Heuristic for PerTile<C> {
    type State = u32;

    fn root<T: Tiles>(&self, board: &T) -> u32 {
        self.0.sum(board)
    }

    fn after_slide<T: Tiles>(&self, state: u32, slide: Slide, _: &T) -> u32 {
        state + self.0.cost(slide.tile, slide.to) - self.0.cost(slide.tile, slide.from)
    }

    fn value(state: u32) -> u32 {
        state
    }

    fn restore<T: Tiles>(&self, _: &T, value: u32) -> u32 {
        value
    }
}

/// The sum on boards of at most [`SMALL_CELLS`] cells. The change made by each slide of each tile
/// is looked up in a table of 1 KiB that stays in the nearest cache.
#[derive(Clone, Debug)]
pub struct SlideTable<C> {
    cost: C,
    change: Box<[i8; 1024]>,
}

impl<C: TileCost> SlideTable<C> {
    /// Tabulates the changes of a cost that differs by at most 127 between neighbouring cells.
    /// Returns `None` for boards of more than [`SMALL_CELLS`] cells.
    #[must_use]
    pub fn new(problem: &Problem, cost: C) -> Option<Self> {
        if problem.shape().cells() > SMALL_CELLS {
            return None;
        }
        let mut change = Box::new([0; 1024]);
        for slide in slides(problem) {
            let (to, from) = (
                cost.cost(slide.tile, slide.to),
                cost.cost(slide.tile, slide.from),
            );
            change[slide_index(slide)] = (i64::from(to) - i64::from(from)) as i8;
        }
        Some(Self { cost, change })
    }
}

impl<C: TileCost> Heuristic for SlideTable<C> {
    type State = u32;

    fn root<T: Tiles>(&self, board: &T) -> u32 {
        self.cost.sum(board)
    }

    #[inline]
    fn after_slide<T: Tiles>(&self, state: u32, slide: Slide, _: &T) -> u32 {
        state.wrapping_add_signed(i32::from(self.change[slide_index(slide)]))
    }

    #[inline]
    fn value(state: u32) -> u32 {
        state
    }

    fn restore<T: Tiles>(&self, _: &T, value: u32) -> u32 {
        value
    }
}

/// Returns the index of a slide on a small board, below 1024. The mask avoids the bounds check.
#[inline]
pub(super) const fn slide_index(slide: Slide) -> usize {
    (slide.from << 6 | (slide.direction as usize) << 4 | slide.tile) & 1023
}

/// Returns every slide of every tile.
pub(super) fn slides(problem: &Problem) -> impl Iterator<Item = Slide> {
    let shape = problem.shape();
    let cells = shape.cells();
    (0..cells).flat_map(move |from| {
        Direction::ALL.into_iter().flat_map(move |direction| {
            let to = shape.neighbour(from, direction);
            (1..cells).filter_map(move |tile| {
                to.map(|to| Slide {
                    tile,
                    from,
                    to,
                    direction,
                })
            })
        })
    })
}
