//! A weight that learns.

use crate::heuristic::learned::Rows;

/// A weight in moves, and the sum of the squares of what it was told to change: Adagrad's (Duchi, Hazan &
/// Singer, 2011). They are read together, so they stand together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    pub(super) value: f32,
    pub(super) squares: f32,
}

impl Weight {
    /// Changes by at most about the rate, the less the more it was told before; `calm` counts as told before.
    #[inline]
    pub(super) fn learn(&mut self, change: f32, rate: f32, calm: f32) {
        self.squares += change * change;
        self.value -= rate * change / (self.squares + calm).sqrt();
    }
}

/// The means of the same weights that learned different things.
pub(super) fn means_of(weights: &[Weight], others: &[Weight]) -> Vec<Weight> {
    let mean = |(a, b): (&Weight, &Weight)| Weight {
        value: (a.value + b.value) / 2.0,
        squares: (a.squares + b.squares) / 2.0,
    };
    weights.iter().zip(others).map(mean).collect()
}

/// For each of so many numbers the mean of the parts of a move that have it, in moves; nothing for numbers that none
/// has.
pub(super) fn means_by_number(
    numbers: impl Iterator<Item = u32>,
    parts: impl Iterator<Item = i32>,
    count: usize,
) -> Vec<Weight> {
    let mut sums = vec![(0, 0); count];
    for (number, parts) in numbers.zip(parts) {
        let (sum, count) = &mut sums[number as usize];
        *sum += parts;
        *count += Rows::UNIT;
    }
    let weight = |(sum, count): (i32, i32)| Weight {
        value: sum as f32 / count.max(1) as f32,
        squares: 0.0,
    };
    sums.into_iter().map(weight).collect()
}
