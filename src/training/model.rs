//! The weights as numbers that can be learned, and how they learn.

use crate::heuristic::learned::{Rows, Transposition, Weights, pair_of, pairs_of};
use crate::puzzle::{Dice, Shape};

use super::samples::Samples;

/// A weight, and the sum of the squares of what it was told to change: Adagrad's (Duchi, Hazan &
/// Singer, 2011). They are read together, so they stand together.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    value: f32,
    squares: f32,
}

impl Weight {
    #[inline]
    fn learn(&mut self, error: f32, rate: f32) {
        self.squares += error * error;
        self.value -= rate * error / (self.squares + f32::MIN_POSITIVE).sqrt();
    }
}

/// How much a generation's samples are to be learned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lessons {
    /// How often each sample is seen.
    pub(super) epochs: u32,
    /// The first change of all weights of a board together, in moves; it falls to a twentieth.
    pub(super) rate: f32,
    pub(super) seed: u64,
}

/// The weights of [`Weights`], in moves, in the same order.
#[derive(Clone, Debug)]
pub(super) struct Model {
    shape: Shape,
    singles: Vec<Weight>,
    pairs: Vec<Weight>,
}

impl Model {
    pub(super) fn of(weights: &Weights) -> Self {
        let shape = weights.shape();
        let weight = |parts: i32| Weight {
            value: parts as f32 / Rows::UNIT as f32,
            squares: 0.0,
        };
        let singles = weights.singles().iter();
        let pairs = (0..Weights::pair_count(shape)).flat_map(|pair| weights.block(pair));
        Self {
            shape,
            singles: singles.map(|&single| weight(single.into())).collect(),
            pairs: pairs.map(|&pair| weight(pair.into())).collect(),
        }
    }

    /// The weights rounded to parts of a move.
    pub(super) fn weights(&self) -> Weights {
        let parts = |weight: &Weight| (weight.value * Rows::UNIT as f32).round();
        let singles = self.singles.iter().map(|single| parts(single) as i16);
        let pairs = self.pairs.iter().map(|pair| parts(pair) as i8);
        Weights::new(self.shape, singles.collect(), pairs.collect()).expect("as many as they were")
    }

    /// Learns from samples, in an order and from sides that the seed chooses.
    pub(super) fn learn(&mut self, samples: &Samples, lessons: Lessons) {
        let cells = self.shape.cells();
        let square = self.shape.rows() == self.shape.columns();
        let names = Transposition::new(self.shape);
        let mut dice = Dice::new(lessons.seed);
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        let features = (cells * (cells + 1) / 2) as f32;
        let total = u64::from(lessons.epochs) * samples.len() as u64;
        let mut done = 0;
        let mut image = vec![0; cells];
        let mut places = vec![0; cells * (cells - 1) / 2];
        for _ in 0..lessons.epochs {
            shuffle(&mut order, &mut dice);
            for &sample in &order {
                let past = done as f32 / total as f32;
                done += 1;
                let rate = lessons.rate / features * (1.0 - 0.95 * past);
                let (tiles, moves) = samples.get(sample as usize);
                if square && dice.below(2) == 1 {
                    for (cell, &tile) in tiles.iter().enumerate() {
                        image[names.cells[cell]] = names.tiles[usize::from(tile)] as u8;
                    }
                    self.step(&image, moves, rate, &mut places);
                } else {
                    self.step(tiles, moves, rate, &mut places);
                }
            }
        }
    }

    /// Learns that a board is so many moves from the goal.
    fn step(&mut self, tiles: &[u8], moves: f32, rate: f32, places: &mut [u32]) {
        let cells = tiles.len();
        let mut estimate = 0.0;
        for (cell, &tile) in tiles.iter().enumerate() {
            estimate += self.singles[usize::from(tile) * cells + cell].value;
        }
        let mut pair = 0;
        for (lower, &tile) in tiles.iter().enumerate() {
            for &other in &tiles[lower + 1..] {
                let place = (pair * cells + usize::from(tile)) * cells + usize::from(other);
                estimate += self.pairs[place].value;
                places[pair] = place as u32;
                pair += 1;
            }
        }
        let error = estimate - moves;
        for (cell, &tile) in tiles.iter().enumerate() {
            self.singles[usize::from(tile) * cells + cell].learn(error, rate);
        }
        for &place in &*places {
            self.pairs[place as usize].learn(error, rate);
        }
    }

    /// Forgets how much it was told: the next lessons change it as much as the first did.
    pub(super) fn refresh(&mut self) {
        for weight in self.singles.iter_mut().chain(&mut self.pairs) {
            weight.squares = 0.0;
        }
    }

    /// The mean of two models.
    pub(super) fn mean(&self, other: &Self) -> Self {
        let mean = |(a, b): (&Weight, &Weight)| Weight {
            value: (a.value + b.value) / 2.0,
            squares: (a.squares + b.squares) / 2.0,
        };
        Self {
            shape: self.shape,
            singles: self.singles.iter().zip(&other.singles).map(mean).collect(),
            pairs: self.pairs.iter().zip(&other.pairs).map(mean).collect(),
        }
    }

    /// The same estimates from smaller weights: what a tile on a cell means to all others alike
    /// goes from its pairs into its own weight. On square boards it is made symmetric, too.
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
                        let value = self.pairs[place(other, other_cell)].value;
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
                            self.pairs[place(other, other_cell)].value = matrix
                                [other * cells + other_cell]
                                - by_tile[other]
                                - by_cell[other_cell]
                                + mean;
                        }
                    }
                }
                self.singles[tile * cells + cell].value += mean * others;
            }
        }
    }

    fn symmetrise(&mut self) {
        let cells = self.shape.cells();
        let names = Transposition::new(self.shape);
        let before = self.clone();
        for tile in 0..cells {
            for cell in 0..cells {
                let image = names.tiles[tile] * cells + names.cells[cell];
                let weight = &mut self.singles[tile * cells + cell];
                weight.value = (weight.value + before.singles[image].value) / 2.0;
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
                    let image = before.pairs[(image * cells + one) * cells + two].value;
                    weight.value = (weight.value + image) / 2.0;
                }
            }
        }
    }
}

fn shuffle(order: &mut [u32], dice: &mut Dice) {
    for last in (1..order.len()).rev() {
        order.swap(last, dice.below(last as u32 + 1) as usize);
    }
}
