//! The mean of several weights, in which what each of them learned by chance weighs less.

use super::weights::{PairWeights, Pairs};

/// Returns the mean of a sum of so many, rounded to the nearest whole number, or 0 if there is nothing to
/// average.
pub(super) const fn rounded(sum: i32, count: i32) -> i32 {
    if count == 0 {
        return 0;
    }
    (2 * sum + count).div_euclid(2 * count)
}

impl<P: Pairs> PairWeights<P> {
    /// Returns the mean of weights of one shape, each rounded to the nearest part of a move.
    ///
    /// # Panics
    /// If there are none, or if they are of different shapes.
    #[must_use]
    pub fn mean(weights: &[Self]) -> Self {
        let parts: Vec<_> = weights.iter().map(Self::parts).collect();
        let (shape, singles, pairs) = parts[0];
        assert!(parts.iter().all(|part| part.0 == shape), "of one shape");
        let mean = |sum: i32| (sum as f32 / parts.len() as f32).round();
        let single = |place| mean(parts.iter().map(|part| i32::from(part.1[place])).sum()) as i16;
        let pair = |place| mean(parts.iter().map(|part| i32::from(part.2[place])).sum()) as i8;
        let singles = (0..singles.len()).map(single).collect();
        let pairs = (0..pairs.len()).map(pair).collect();
        Self::of_parts(shape, singles, pairs).expect("as many as each of them has")
    }
}
