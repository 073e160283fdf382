//! Which searches answer a question, and in which order: a pure function.

mod pushes;

use std::fmt;

use thiserror::Error;

use super::Stop;
use super::anytime::beams;
use super::constructive::Variant;
use super::ida_star::batch::{LARGE_BYTES, SMALL_BYTES, STRIP_BYTES};
use crate::heuristic::pushes::PushKind;
use crate::heuristic::{HeuristicKind, SMALL_CELLS};
use crate::puzzle::{Metric, Problem, Shape};

/// The kind of solution that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Objective {
    /// The shortest that can be found; ends early once it is proven optimal.
    #[default]
    Best,
    /// A shortest one, proven.
    Optimal,
    /// One proven no longer than this ratio × optimal.
    Bounded(Ratio),
    /// The first one.
    Fast,
}

impl Objective {
    /// Whether a solution of this length satisfies the objective, given the proven lower bound.
    #[must_use]
    pub fn is_met(self, length: usize, lower_bound: u32) -> bool {
        match self {
            Self::Best | Self::Optimal => length as u64 <= u64::from(lower_bound),
            Self::Bounded(ratio) => length as f64 <= ratio.get() * f64::from(lower_bound),
            Self::Fast => true,
        }
    }

    /// Why a search that has a solution of this length may end, given the proven lower bound.
    #[must_use]
    pub fn end(self, length: usize, lower_bound: u32) -> Option<Stop> {
        let is_optimal = length as u64 <= u64::from(lower_bound);
        self.is_met(length, lower_bound).then_some(match self {
            Self::Fast if !is_optimal => Stop::FirstFound,
            _ => Stop::Proven,
        })
    }

    /// Whether any solution is an acceptable answer when a limit comes before the proof.
    #[must_use]
    pub const fn takes_any(self) -> bool {
        matches!(self, Self::Best | Self::Fast)
    }
}

impl fmt::Display for Objective {
    /// Its name in the contract.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Best => "BEST",
            Self::Optimal => "OPTIMAL",
            Self::Bounded(_) => "BOUNDED",
            Self::Fast => "FAST",
        })
    }
}

/// A finite factor of at least 1: a weight, or a bound on a solution's excess.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(u64);

impl Ratio {
    /// The factor 1.
    pub const ONE: Self = Self(1.0_f64.to_bits());

    /// The largest factor: as a bound it admits every solution.
    pub const MAX: Self = Self(f64::MAX.to_bits());

    /// A factor; `None` if it is below 1, infinite or NaN.
    #[must_use]
    pub fn new(factor: f64) -> Option<Self> {
        // The bits of positive floats are in the order of the floats.
        (factor.is_finite() && factor >= 1.0).then(|| Self(factor.to_bits()))
    }

    /// The factor.
    #[must_use]
    pub const fn get(self) -> f64 {
        f64::from_bits(self.0)
    }
}

impl fmt::Debug for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// An algorithm that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// A*.
    AStar,
    /// A* with the heuristic multiplied by a weight.
    WeightedAStar,
    /// Iterative-deepening A*.
    IdaStar,
    /// Layered beam search with wider and wider beams.
    Beam,
    /// The same with staged beams, whatever the board.
    StagedBeam,
    /// Tile by tile.
    Constructive,
}

impl fmt::Display for Algorithm {
    /// Its name in the contract.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AStar => "A_STAR",
            Self::WeightedAStar => "WEIGHTED_A_STAR",
            Self::IdaStar => "IDA_STAR",
            Self::Beam => "BEAM",
            Self::StagedBeam => "STAGED_BEAM",
            Self::Constructive => "CONSTRUCTIVE",
        })
    }
}

/// The method that the asker wants. What is unset is chosen for the asker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Method {
    /// The algorithm.
    pub algorithm: Option<Algorithm>,
    /// The heuristic.
    pub heuristic: Option<HeuristicKind>,
    /// The weight of weighted A*.
    pub weight: Option<Ratio>,
    /// The variant of the constructive solver.
    pub variant: Option<Variant>,
}

/// The tables that a problem has, in the metric of the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// The exact distances of all boards with its shape and blank's home.
    pub distances: bool,
    /// Pattern databases.
    pub guide: bool,
}

/// One search of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Descent through the table of exact distances.
    TableWalk,
    /// Tile by tile.
    Constructive(Variant),
    /// Tile by tile, with a growing look-ahead.
    Lookahead,
    /// A*, weighted unless the weight is 1.
    AStar(HeuristicKind, Ratio),
    /// Wider and wider beams, beside the last stage of the plan if that is one that proves.
    Beam,
    /// The same with staged beams, whatever the board.
    StagedBeam,
    /// Iterative-deepening A*.
    IdaStar(HeuristicKind),
    /// Iterative-deepening A* that counts pushes.
    PushIdaStar(PushKind),
}

impl Stage {
    /// The bytes that the search holds from its beginning, whatever its budget; 0 if they are only a few
    /// thousand.
    #[must_use]
    pub const fn fixed_bytes(self, shape: Shape) -> u64 {
        match self {
            // One search from each end.
            Self::IdaStar(HeuristicKind::PatternDatabase) => {
                let is_square = shape.rows() == shape.columns();
                2 * match shape.cells() <= SMALL_CELLS {
                    true if is_square => SMALL_BYTES,
                    true => STRIP_BYTES,
                    false => LARGE_BYTES,
                }
            }
            _ => 0,
        }
    }

    /// Works on the tables that its search needs, for about as long as so many nodes take. Returns true once
    /// nothing is left to do.
    pub(super) fn prepare(self, problem: &Problem, nodes: u64) -> bool {
        match self {
            Self::AStar(heuristic, _) | Self::IdaStar(heuristic) => {
                heuristic.prepare(problem, nodes)
            }
            Self::PushIdaStar(kind) => kind.prepare(problem, nodes),
            _ => true,
        }
    }

    /// What a stage that is [prepared](Self::prepare) runs: with another heuristic if there is no room for the
    /// tables of its own.
    #[must_use]
    pub(super) fn or_fallback(self, problem: &Problem) -> Self {
        match self {
            Self::AStar(heuristic, weight) => Self::AStar(heuristic.or_fallback(problem), weight),
            Self::IdaStar(heuristic) => Self::IdaStar(heuristic.or_fallback(problem)),
            Self::PushIdaStar(kind) => Self::PushIdaStar(kind.or_fallback(problem)),
            stage => stage,
        }
    }

    /// The algorithm's name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TableWalk => "table_walk",
            Self::Constructive(_) | Self::Lookahead => "constructive",
            Self::AStar(_, Ratio::ONE) => "a_star",
            Self::AStar(..) => "weighted_a_star",
            Self::Beam => "beam",
            Self::StagedBeam => "staged_beam",
            Self::IdaStar(_) | Self::PushIdaStar(_) => "ida_star",
        }
    }

    /// Whether its lower bounds hold in a metric. A table walk counts in whichever metric is asked for.
    #[must_use]
    pub const fn proves_in(self, metric: Metric) -> bool {
        match self {
            Self::TableWalk => true,
            Self::PushIdaStar(_) => matches!(metric, Metric::MultiTile),
            Self::Constructive(_)
            | Self::Lookahead
            | Self::Beam
            | Self::StagedBeam
            | Self::AStar(..)
            | Self::IdaStar(_) => {
                matches!(metric, Metric::SingleTile)
            }
        }
    }
}

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

/// The weight of weighted A* when none is asked for.
const DEFAULT_WEIGHT: Ratio = Ratio(2.0_f64.to_bits());

/// Boards of up to this many cells have few enough arrangements for A* to finish.
const A_STAR_CELLS: usize = 12;

/// Boards of up to this many cells get a constructive solution so soon that a proof may as well have it for
/// comparison.
const CHEAP_CELLS: usize = 100;

/// Chooses the searches for a question.
///
/// `ready` says which tables of this metric, shape and blank's home are at hand. The stages run in order
/// until the objective is met; the findings of each count.
///
/// # Errors
/// When the method cannot do what the objective asks.
pub fn plan(
    metric: Metric,
    shape: Shape,
    objective: Objective,
    method: Method,
    ready: Ready,
) -> Result<Vec<Stage>, PlanError> {
    check(metric, objective, shape, method)?;
    if metric == Metric::MultiTile {
        return Ok(pushes::stages(shape, objective, method, ready.distances));
    }
    if let Some(algorithm) = method.algorithm {
        return Ok(stages_by(algorithm, objective, method));
    }
    if ready.distances && method.heuristic.is_none() {
        return Ok(vec![Stage::TableWalk]);
    }
    // Until its tables are ready, the search begins with another heuristic.
    let databases = HeuristicKind::PatternDatabase;
    let proof = Stage::IdaStar(match method.heuristic {
        None if databases.supports(shape) => databases,
        heuristic => heuristic.unwrap_or_default(),
    });
    // Only IDA* can use pattern databases.
    let others = method.heuristic.filter(|&heuristic| heuristic != databases);
    let heuristic = others.unwrap_or_default();
    let is_soon = ready.guide && proof == Stage::IdaStar(databases);
    if is_soon && shape.cells() <= SMALL_CELLS && objective != Objective::Fast {
        // The proof takes milliseconds: there is no time for solutions other than a first one.
        return Ok(match objective {
            Objective::Optimal => vec![proof],
            _ => vec![Stage::Constructive(Variant::Best), proof],
        });
    }

    let mut stages = Vec::new();
    if objective != Objective::Optimal || shape.cells() <= CHEAP_CELLS {
        stages.push(Stage::Constructive(Variant::Best));
    }
    if objective == Objective::Best && beams::are_staged(shape) {
        stages.push(Stage::Lookahead);
    }
    match objective {
        Objective::Fast => return Ok(stages),
        Objective::Optimal => {}
        // Good solutions and a growing bound meet sooner than a weighted search proves.
        _ if beams::suit(shape) => stages.push(Stage::Beam),
        Objective::Bounded(ratio) => stages.push(Stage::AStar(heuristic, ratio)),
        Objective::Best => stages.extend(weighted(shape, heuristic)),
    }
    if shape.cells() <= A_STAR_CELLS {
        stages.push(Stage::AStar(heuristic, Ratio::ONE));
    }
    // Also where A* was tried first: A* may run out of memory, IDA* cannot.
    stages.push(proof);
    Ok(stages)
}

/// The stages for an algorithm that was asked for.
fn stages_by(algorithm: Algorithm, objective: Objective, method: Method) -> Vec<Stage> {
    let heuristic = method.heuristic.unwrap_or_default();
    let chosen = match algorithm {
        Algorithm::AStar => Stage::AStar(heuristic, Ratio::ONE),
        Algorithm::WeightedAStar => Stage::AStar(heuristic, weight(objective, method)),
        Algorithm::IdaStar => Stage::IdaStar(heuristic),
        Algorithm::Beam => Stage::Beam,
        Algorithm::StagedBeam => Stage::StagedBeam,
        Algorithm::Constructive => Stage::Constructive(method.variant.unwrap_or_default()),
    };
    // BEST must have a solution to return when a limit comes.
    match objective {
        Objective::Best if algorithm != Algorithm::Constructive => {
            vec![Stage::Constructive(Variant::Best), chosen]
        }
        _ => vec![chosen],
    }
}

/// Weighted searches that soon find better solutions, on the way to a proof, where boards are too small for
/// beams.
fn weighted(shape: Shape, heuristic: HeuristicKind) -> impl Iterator<Item = Stage> {
    let weights: &[f64] = match shape.cells() {
        0..=A_STAR_CELLS => &[],
        _ => &[3.0, 1.5],
    };
    let weights = weights.iter().filter_map(|&weight| Ratio::new(weight));
    weights.map(move |weight| Stage::AStar(heuristic, weight))
}

fn weight(objective: Objective, method: Method) -> Ratio {
    method.weight.unwrap_or(match objective {
        Objective::Bounded(ratio) => ratio,
        _ => DEFAULT_WEIGHT,
    })
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
