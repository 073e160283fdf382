//! A weight that is learned.

use crate::heuristic::learned::Weights;

/// A weight in moves, and the sum of the squares of its gradients, as in Adagrad (Duchi, Hazan &
/// Singer, 2011). The two are read together, so they are stored together.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    pub(super) value: f32,
    pub(super) squares: f32,
}

impl Weight {
    /// Changes the weight by at most about the rate, and by less the larger its past changes were.
    /// `calm` counts as past changes.
    #[inline]
    pub(super) fn learn(&mut self, change: f32, rate: f32, calm: f32) {
        self.squares += change * change;
        self.value -= rate * change / (self.squares + calm).sqrt();
    }
}

/// Returns the means of the same weights from two courses of learning. They have no past changes, so that the next
/// lessons change them as much as the first did.
pub(super) fn means_of(weights: &[Weight], others: &[Weight]) -> Vec<Weight> {
    let mean = |(a, b): (&Weight, &Weight)| Weight {
        value: (a.value + b.value) / 2.0,
        squares: 0.0,
    };
    weights.iter().zip(others).map(mean).collect()
}

/// Converts a weight into parts of a move. A later cast to an integer saturates.
pub(super) fn to_parts(weight: f32) -> f32 {
    (weight * Weights::UNIT as f32).round()
}

/// For each number below `count`, returns the mean in moves of those parts of a move that have the
/// number, or 0 if none has it.
pub(super) fn means_by_number(
    numbers: impl Iterator<Item = u32>,
    parts: impl Iterator<Item = i32>,
    count: usize,
) -> Vec<Weight> {
    let mut sums = vec![(0, 0); count];
    for (number, parts) in numbers.zip(parts) {
        let (sum, count) = &mut sums[number as usize];
        *sum += parts;
        *count += Weights::UNIT;
    }
    let weight = |(sum, count): (i32, i32)| Weight {
        value: sum as f32 / count.max(1) as f32,
        squares: 0.0,
    };
    sums.into_iter().map(weight).collect()
}
