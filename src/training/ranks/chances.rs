//! How likely each board of a group is to lead, by its rank.

use crate::search::beam::GROUP;

/// The candidates for the sharpness: the least, the factor between two of them, and their number.
const LEAST_SHARPNESS: f32 = 0.05;
const SHARPER: f32 = 1.25;
const SHARPNESS_STEPS: i32 = 20;

/// The number of groups that is enough to determine the sharpness.
pub(super) const ENOUGH: usize = 4000;

/// Returns the chances of boards to lead, by their ranks: the logarithm of a chance falls by the
/// sharpness with each move.
pub(super) fn chances(ranks: [f32; GROUP], sharpness: f32) -> [f32; GROUP] {
    let least = ranks.into_iter().fold(f32::INFINITY, f32::min);
    let parts = ranks.map(|rank| (sharpness * (least - rank)).exp());
    let sum: f32 = parts.iter().sum();
    parts.map(|part| part / sum)
}

/// Returns by how much the logarithm of a board's chance to lead falls with each move that it ranks
/// behind another, as it explains best the groups whose first board led. The wider a beam, the
/// closer a board must be to the first to be able to lead. With any other sharpness, the weights
/// would first of all learn to be greater or smaller.
pub(super) fn sharpness(groups: &[[f32; GROUP]]) -> f32 {
    let likelihood = |sharpness: f32| -> f64 {
        let logarithms = groups
            .iter()
            .map(|&ranks| f64::from(chances(ranks, sharpness)[0].max(f32::MIN_POSITIVE).ln()));
        logarithms.sum()
    };
    let steps = (0..SHARPNESS_STEPS).map(|step| LEAST_SHARPNESS * SHARPER.powi(step));
    let told = steps.map(|sharpness| (likelihood(sharpness), sharpness));
    let best = told.max_by(|one, other| one.0.total_cmp(&other.0));
    best.map_or(LEAST_SHARPNESS, |(_, sharpness)| sharpness)
}
