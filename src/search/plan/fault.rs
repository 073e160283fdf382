//! Why a method cannot do what is asked of it.

use thiserror::Error;

use super::method::weight;
use super::{Algorithm, Method, Objective, Ratio, pushes};
use crate::heuristic::HeuristicKind;
use crate::puzzle::{Metric, Shape};

/// A method that cannot do what is asked of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PlanError {
    /// The algorithm cannot prove what the objective wants.
    #[error(
        "{algorithm} cannot prove what {objective} asks for: choose {}, or leave the choice to the server",
        provers(*metric)
    )]
    CannotProve {
        /// The algorithm asked for.
        algorithm: Algorithm,
        /// The objective asked for.
        objective: Objective,
        /// The metric asked for, if it is known.
        metric: Option<Metric>,
    },
    /// The weight admits solutions that the objective's ratio does not.
    #[error(
        "a weight of {weight:?} bounds solutions only by that factor, which is more than the ratio of {ratio:?}: lower the weight"
    )]
    WeightAboveRatio {
        /// The weight asked for.
        weight: Ratio,
        /// The ratio asked for.
        ratio: Ratio,
    },
    /// A weight without weighted A*.
    #[error("a weight is only for WEIGHTED_A_STAR: leave it out")]
    StrayWeight,
    /// A variant of an algorithm that has none.
    #[error("a variant is only for CONSTRUCTIVE: leave it out")]
    StrayVariant,
    /// A heuristic for an algorithm that uses none.
    #[error("{0} uses no heuristic: leave it out")]
    StrayHeuristic(Algorithm),
    /// An algorithm that cannot use pattern databases.
    #[error("{0} cannot use PATTERN_DATABASE: choose IDA_STAR, or another heuristic")]
    WithoutDatabases(Algorithm),
    /// An algorithm that cannot count pushes.
    #[error(
        "{algorithm} counts only slides of single tiles: for MULTI_TILE choose {}, or leave the choice to the server",
        pushers(*objective)
    )]
    NotInPushes {
        /// The algorithm asked for.
        algorithm: Algorithm,
        /// The objective asked for, if it is known.
        objective: Option<Objective>,
    },
    /// A heuristic that says nothing about pushes.
    #[error("{0} counts only slides of single tiles: for MULTI_TILE leave the heuristic out")]
    BoundNotInPushes(HeuristicKind),
    /// A heuristic that does not exist for boards of this shape.
    #[error(
        "{heuristic} is for boards {}, and this one is {shape}: choose LINEAR_CONFLICT, or leave the heuristic out",
        heuristic.sizes()
    )]
    UnsupportedShape {
        /// The heuristic asked for.
        heuristic: HeuristicKind,
        /// The size of the board.
        shape: Shape,
    },
}

/// The algorithms that prove in a metric; if it is unknown, those that prove in both.
const fn provers(metric: Option<Metric>) -> &'static str {
    match metric {
        Some(Metric::SingleTile) => "A_STAR or IDA_STAR",
        Some(Metric::MultiTile) | None => "IDA_STAR",
    }
}

/// The algorithms that count pushes and serve an objective; if it is unknown, those that serve all.
const fn pushers(objective: Option<Objective>) -> &'static str {
    match objective {
        Some(Objective::Best | Objective::Fast) => "IDA_STAR or CONSTRUCTIVE",
        Some(Objective::Optimal | Objective::Bounded(_)) | None => "IDA_STAR",
    }
}

/// Whether the method exists for boards of the shape.
///
/// # Errors
/// When it does not.
pub fn check_shape(shape: Shape, method: Method) -> Result<(), PlanError> {
    match method.heuristic {
        Some(heuristic) if !heuristic.supports(shape) => {
            Err(PlanError::UnsupportedShape { heuristic, shape })
        }
        _ => Ok(()),
    }
}

/// Whether the method can do what the objective asks.
///
/// # Errors
/// When it cannot: the first of its [`faults`].
pub fn check(
    metric: Metric,
    objective: Objective,
    shape: Shape,
    method: Method,
) -> Result<(), PlanError> {
    let faults = faults(Some(metric), Some(objective), Some(shape), method);
    faults.first().map_or(Ok(()), |&fault| Err(fault))
}

/// All that is wrong with a method.
///
/// Where the metric, the objective or the shape is unknown, only the faults that do not depend on it are returned.
#[must_use]
pub fn faults(
    metric: Option<Metric>,
    objective: Option<Objective>,
    shape: Option<Shape>,
    method: Method,
) -> Vec<PlanError> {
    let algorithm = method.algorithm;
    let in_pushes = metric == Some(Metric::MultiTile);
    let not_in_pushes = algorithm.filter(|&algorithm| in_pushes && !pushes::has(algorithm));
    let stray_weight = method.weight.is_some() && algorithm != Some(Algorithm::WeightedAStar);
    let stray_variant = method.variant.is_some() && algorithm != Some(Algorithm::Constructive);
    [
        not_in_pushes.map(|algorithm| PlanError::NotInPushes {
            algorithm,
            objective,
        }),
        stray_weight.then_some(PlanError::StrayWeight),
        stray_variant.then_some(PlanError::StrayVariant),
        heuristic_fault(in_pushes, shape, method),
        objective.and_then(|objective| proof_fault(metric, objective, method)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Why the heuristic cannot be used: the reason whose remedy leaves no other.
fn heuristic_fault(in_pushes: bool, shape: Option<Shape>, method: Method) -> Option<PlanError> {
    let heuristic = method.heuristic?;
    let algorithm = method.algorithm;
    if in_pushes && algorithm != Some(Algorithm::Constructive) {
        return Some(PlanError::BoundNotInPushes(heuristic));
    }
    if let Some(algorithm) = algorithm.filter(|&algorithm| proves_nothing(algorithm)) {
        return Some(PlanError::StrayHeuristic(algorithm));
    }
    if let Some(fault) = shape.and_then(|shape| check_shape(shape, method).err()) {
        return Some(fault);
    }
    let by_databases = heuristic == HeuristicKind::PatternDatabase;
    algorithm
        .filter(|&algorithm| by_databases && algorithm != Algorithm::IdaStar)
        .map(PlanError::WithoutDatabases)
}

/// Why the algorithm does not prove what the objective asks for.
fn proof_fault(metric: Option<Metric>, objective: Objective, method: Method) -> Option<PlanError> {
    let algorithm = method.algorithm?;
    let cannot_prove = PlanError::CannotProve {
        algorithm,
        objective,
        metric,
    };
    let is_weighted = algorithm == Algorithm::WeightedAStar;
    let weight = weight(objective, method);
    match objective {
        Objective::Optimal | Objective::Bounded(_) if proves_nothing(algorithm) => {
            Some(cannot_prove)
        }
        Objective::Optimal if is_weighted && weight > Ratio::ONE => Some(cannot_prove),
        Objective::Bounded(ratio) if is_weighted && weight > ratio => {
            Some(PlanError::WeightAboveRatio { weight, ratio })
        }
        _ => None,
    }
}

/// Whether the algorithm only finds solutions, without a heuristic or a bound.
const fn proves_nothing(algorithm: Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::Constructive | Algorithm::Beam | Algorithm::StagedBeam
    )
}
