//! All weights individually, to be made small enough for a byte.

use super::weight::to_parts;
use crate::heuristic::learned::{Weights, pair_place, pairs_of};
use crate::puzzle::Shape;

/// The weights of [`Weights`], in moves, in the same order.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub(super) shape: Shape,
    pub(super) singles: Vec<f32>,
    pub(super) pairs: Vec<f32>,
}

impl Plain {
    /// Returns the weights, rounded to parts of a move.
    pub(super) fn rounded(&self) -> Weights {
        let singles = self.singles.iter().map(|&single| to_parts(single) as i16);
        let pairs = self.pairs.iter().map(|&pair| to_parts(pair) as i8);
        Weights::of_parts(self.shape, singles.collect(), pairs.collect())
            .expect("as many as they were")
    }

    /// Makes weights smaller without changing any estimate: what a tile on a cell contributes
    /// equally with all others moves from its pairs into its own weight.
    pub(super) fn settle(&mut self) {
        for _ in 0..ROUNDS {
            self.centre();
        }
    }

    /// Reduces, in the pairs of a tile on a cell, the mean of those with any one tile, and of those
    /// with any one cell.
    ///
    /// This is done for all at once, and treats tiles and cells alike, so that weights that are
    /// [alike](super::alike) stay alike.
    fn centre(&mut self) {
        let cells = self.shape.cells();
        let stands = (0..cells).flat_map(|tile| (0..cells).map(move |cell| (tile, cell)));
        let shifts: Vec<Shift> = stands.map(|(tile, cell)| self.shift(tile, cell)).collect();
        let shift = |tile: usize, cell: usize| &shifts[tile * cells + cell];
        let mut pairs = self.pairs.iter_mut();
        for (lower, upper) in pairs_of(cells) {
            for tile in 0..cells {
                for (other, pair) in (0..cells).zip(pairs.by_ref()) {
                    *pair -= shift(tile, lower).of(other, upper);
                    *pair -= shift(other, upper).of(tile, lower);
                }
            }
        }
        for (single, shift) in self.singles.iter_mut().zip(&shifts) {
            *single += shift.sum();
        }
    }

    /// Returns what moves from the pairs of a tile on a cell into its own weight: half of the
    /// means, because the other tile of each pair takes as much. The blank and its home are left
    /// out: pairs with one of them have no inverse.
    fn shift(&self, tile: usize, cell: usize) -> Shift {
        let cells = self.shape.cells();
        let tiles = || (1..cells).filter(|&other| other != tile);
        let places = || (0..cells - 1).filter(|&other| other != cell);
        let mut shift = Shift {
            by_tile: vec![0.0; cells],
            by_cell: vec![0.0; cells],
        };
        let (tile_part, cell_part) = (0.5 / places().count() as f32, 0.5 / tiles().count() as f32);
        for other in tiles() {
            for other_cell in places() {
                let place = pair_place(cells, (tile, cell), (other, other_cell));
                let value = self.pairs[place];
                shift.by_tile[other] += value * tile_part;
                shift.by_cell[other_cell] += value * cell_part;
            }
        }
        // The part that the means by tile and by cell have in common counts once.
        let tile_mean = shift.by_tile.iter().sum::<f32>() / tiles().count() as f32;
        let cell_mean = shift.by_cell.iter().sum::<f32>() / places().count() as f32;
        tiles().for_each(|other| shift.by_tile[other] -= tile_mean / 2.0);
        places().for_each(|other| shift.by_cell[other] -= cell_mean / 2.0);
        shift
    }
}

/// The number of times that means are halved.
const ROUNDS: usize = 6;

/// What is subtracted from all pairs of a tile on a cell.
///
/// The other tiles always stand one on each cell. So the sum of what is subtracted by tile and by
/// cell is the same whichever cells they are on.
struct Shift {
    by_tile: Vec<f32>,
    by_cell: Vec<f32>,
}

impl Shift {
    fn of(&self, other: usize, other_cell: usize) -> f32 {
        self.by_tile[other] + self.by_cell[other_cell]
    }

    fn sum(&self) -> f32 {
        self.by_tile.iter().chain(&self.by_cell).sum()
    }
}
