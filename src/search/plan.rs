//! Which searches answer a question, and in which order: a pure function.

mod fault;
mod method;
mod objective;
mod pushes;
mod stage;

use super::anytime::beams;
use super::constructive::Variant;
use crate::heuristic::{HeuristicKind, SMALL_CELLS};
use crate::puzzle::{Metric, Shape};

pub use fault::{PlanError, check, check_shape, faults};
pub use method::{Algorithm, Method};
pub use objective::{Objective, Ratio};
pub use stage::Stage;

use method::weight;

/// The tables that a problem has, in the metric of the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// The exact distances of all boards with its shape and blank's home.
    pub distances: bool,
    /// Pattern databases.
    pub guide: bool,
}

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
