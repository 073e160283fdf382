//! Every weight by itself, to be made small enough for a byte.

use crate::heuristic::learned::{Rows, Transposition, Weights, pair_of, pairs_of};
use crate::puzzle::Shape;

/// The weights of [`Weights`], in moves, in the same order.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub(super) shape: Shape,
    pub(super) singles: Vec<f32>,
    pub(super) pairs: Vec<f32>,
}

impl Plain {
    /// The weights rounded to parts of a move.
    pub(super) fn rounded(&self) -> Weights {
        let parts = |weight: &f32| (weight * Rows::UNIT as f32).round();
        let singles = self.singles.iter().map(|single| parts(single) as i16);
        let pairs = self.pairs.iter().map(|pair| parts(pair) as i8);
        Weights::new(self.shape, singles.collect(), pairs.collect()).expect("as many as they were")
    }

    /// The same estimates from smaller weights: what a tile on a cell means to all others alike
    /// goes from its pairs into its own weight. That is done one tile after the other, so that on
    /// square boards it is made symmetric again.
    pub(super) fn settle(&mut self) {
        for _ in 0..3 {
            self.centre();
        }
        if self.shape.rows() == self.shape.columns() {
            self.symmetrise();
        }
    }

    /// In the pairs of a tile on a cell the mean of those with any one tile, and of those with any
    /// one cell, becomes 0.
    ///
    /// The others always stand one on each cell. So what is subtracted from all pairs of a row or
    /// column of the matrix by tile and cell is added once to the sum, whichever cells they have.
    fn centre(&mut self) {
        let cells = self.shape.cells();
        let others = (cells - 1) as f32;
        let mut matrix = vec![0.0_f32; cells * cells];
        for tile in 0..cells {
            for cell in 0..cells {
                let place = |other: usize, other_cell: usize| {
                    let (pair, first, second) = if cell < other_cell {
                        (pair_of(cells, cell, other_cell), tile, other)
                    } else {
                        (pair_of(cells, other_cell, cell), other, tile)
                    };
                    (pair * cells + first) * cells + second
                };
                let there = |other: usize, other_cell: usize| other != tile && other_cell != cell;
                let mut by_tile = vec![0.0; cells];
                let mut by_cell = vec![0.0; cells];
                let mut sum = 0.0;
                for other in (0..cells).filter(|&other| other != tile) {
                    for other_cell in (0..cells).filter(|&other| other != cell) {
                        let value = self.pairs[place(other, other_cell)];
                        matrix[other * cells + other_cell] = value;
                        by_tile[other] += value / others;
                        by_cell[other_cell] += value / others;
                        sum += value;
                    }
                }
                let mean = sum / (others * others);
                for other in 0..cells {
                    for other_cell in 0..cells {
                        if there(other, other_cell) {
                            self.pairs[place(other, other_cell)] = matrix
                                [other * cells + other_cell]
                                - by_tile[other]
                                - by_cell[other_cell]
                                + mean;
                        }
                    }
                }
                self.singles[tile * cells + cell] += mean * others;
            }
        }
    }

    /// Every weight becomes its mean with that of its image in the diagonal.
    fn symmetrise(&mut self) {
        let cells = self.shape.cells();
        let names = Transposition::new(self.shape);
        let before = self.clone();
        for tile in 0..cells {
            for cell in 0..cells {
                let image = names.tiles[tile] * cells + names.cells[cell];
                let weight = &mut self.singles[tile * cells + cell];
                *weight = (*weight + before.singles[image]) / 2.0;
            }
        }
        for (pair, (lower, upper)) in pairs_of(cells).enumerate() {
            let (first, second) = (names.cells[lower], names.cells[upper]);
            let image = pair_of(cells, first.min(second), first.max(second));
            for tile in 0..cells {
                for other in 0..cells {
                    let (one, two) = (names.tiles[tile], names.tiles[other]);
                    let (one, two) = if first < second {
                        (one, two)
                    } else {
                        (two, one)
                    };
                    let weight = &mut self.pairs[(pair * cells + tile) * cells + other];
                    let image = before.pairs[(image * cells + one) * cells + two];
                    *weight = (*weight + image) / 2.0;
                }
            }
        }
    }
}
