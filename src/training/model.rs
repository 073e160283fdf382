//! The weights as trainable numbers, and how they are learned.

use std::sync::Arc;

use super::alike::Alike;
use super::plain::Plain;
use super::samples::Samples;
use super::weight::{Weight, means_by_number, means_of};
use crate::heuristic::learned::Weights;
use crate::puzzle::{Dice, Shape};

/// The initial sum of squares: practically none, but enough to avoid a division by zero.
const CALM: f32 = f32::MIN_POSITIVE;

/// How a generation's samples are to be learned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lessons {
    /// How often each sample is seen.
    pub(super) epochs: u32,
    /// The first change of all weights of a board together, in moves. It falls to a twentieth.
    pub(super) rate: f32,
    pub(super) seed: u64,
}

/// The weights of [`Weights`], in moves. Weights that are [alike](Alike) are stored once.
#[derive(Clone, Debug)]
pub(super) struct Model {
    shape: Shape,
    alike: Arc<Alike>,
    singles: Vec<Weight>,
    pairs: Vec<Weight>,
}

impl Model {
    /// Creates a model of weights. Where weights that are alike differ, it takes their mean.
    pub(super) fn of(weights: &Weights) -> Self {
        let (shape, singles, pairs) = weights.parts();
        let alike = Arc::new(Alike::new(shape));
        let singles = singles.iter().map(|&single| single.into());
        let pairs = pairs.iter().map(|&pair| pair.into());
        Self {
            shape,
            singles: means(&alike.singles, singles),
            pairs: means(&alike.pairs, pairs),
            alike,
        }
    }

    /// Returns the weights, rounded to parts of a move.
    pub(super) fn weights(&self) -> Weights {
        let value = |weights: &[Weight], number: u32| weights[number as usize].value;
        let singles = self.alike.singles.iter();
        let pairs = self.alike.pairs.iter();
        let mut plain = Plain {
            shape: self.shape,
            singles: singles.map(|&one| value(&self.singles, one)).collect(),
            pairs: pairs.map(|&one| value(&self.pairs, one)).collect(),
        };
        plain.settle();
        plain.rounded()
    }

    /// Learns from samples, in an order that the seed determines.
    pub(super) fn learn(&mut self, samples: &Samples, lessons: Lessons) {
        let cells = self.shape.cells();
        let mut dice = Dice::new(lessons.seed);
        let mut order: Vec<u32> = (0..samples.len() as u32).collect();
        let features = (cells * (cells + 1) / 2) as f32;
        let total = u64::from(lessons.epochs) * samples.len() as u64;
        let mut done = 0;
        let mut present = Present::default();
        for _ in 0..lessons.epochs {
            dice.shuffle(&mut order);
            for &sample in &order {
                let past = done as f32 / total as f32;
                done += 1;
                let rate = lessons.rate / features * (1.0 - 0.95 * past);
                let (tiles, moves) = samples.get(sample as usize);
                self.step(tiles, moves, rate, &mut present);
            }
        }
    }

    /// Learns that a board is the given number of moves from the goal.
    fn step(&mut self, tiles: &[u8], moves: f32, rate: f32, present: &mut Present) {
        let cells = tiles.len();
        present.singles.clear();
        present.pairs.clear();
        for (cell, &tile) in tiles.iter().enumerate() {
            let place = usize::from(tile) * cells + cell;
            present.singles.push(self.alike.singles[place]);
        }
        let mut block = 0;
        for (lower, &tile) in tiles.iter().enumerate() {
            for &other in &tiles[lower + 1..] {
                let place = block + usize::from(tile) * cells + usize::from(other);
                present.pairs.push(self.alike.pairs[place]);
                block += cells * cells;
            }
        }
        let sum = |weights: &[Weight], numbers: &[u32]| -> f32 {
            let values = numbers.iter().map(|&one| weights[one as usize].value);
            values.sum()
        };
        let estimate = sum(&self.singles, &present.singles) + sum(&self.pairs, &present.pairs);
        let error = estimate - moves;
        for &single in &present.singles {
            self.singles[single as usize].learn(error, rate, CALM);
        }
        for &pair in &present.pairs {
            self.pairs[pair as usize].learn(error, rate, CALM);
        }
    }

    /// Returns the mean of two models.
    pub(super) fn mean(&self, other: &Self) -> Self {
        Self {
            shape: self.shape,
            alike: Arc::clone(&self.alike),
            singles: means_of(&self.singles, &other.singles),
            pairs: means_of(&self.pairs, &other.pairs),
        }
    }
}

/// The numbers of a board's weights.
#[derive(Debug, Default)]
struct Present {
    singles: Vec<u32>,
    pairs: Vec<u32>,
}

/// Returns, for each number, the mean of the parts of a move that have it.
fn means(numbers: &[u32], parts: impl Iterator<Item = i32>) -> Vec<Weight> {
    let count = numbers.iter().max().map_or(0, |&most| most as usize + 1);
    means_by_number(numbers.iter().copied(), parts, count)
}
