//! The plans for questions that count pushes of lines of tiles.

use super::{Algorithm, CHEAP_CELLS, Method, Objective, Stage, beams, weighted};
use crate::heuristic::HeuristicKind;
use crate::heuristic::pushes::PushKind;
use crate::puzzle::Shape;
use crate::search::constructive::Variant;

/// The stages for a question whose method has been checked.
pub(super) fn stages(
    shape: Shape,
    objective: Objective,
    method: Method,
    table_ready: bool,
) -> Vec<Stage> {
    let proof = Stage::PushIdaStar(PushKind::of(shape));
    let first = Stage::Constructive(Variant::Best);
    match method.algorithm {
        Some(Algorithm::Constructive) => {
            return vec![Stage::Constructive(method.variant.unwrap_or_default())];
        }
        Some(_) if objective == Objective::Best => return vec![first, proof],
        Some(_) => return vec![proof],
        None if table_ready => return vec![Stage::TableWalk],
        None => {}
    }
    let mut stages = Vec::new();
    if objective != Objective::Optimal || shape.cells() <= CHEAP_CELLS {
        stages.push(first);
    }
    // Solutions of few slides usually have few pushes, though none is proven shortest.
    if objective == Objective::Best {
        if beams::are_staged(shape) {
            stages.push(Stage::Lookahead);
        }
        if beams::suit(shape) {
            stages.push(Stage::Beam);
        } else {
            stages.extend(weighted(shape, HeuristicKind::default()));
        }
    }
    if objective != Objective::Fast {
        stages.push(proof);
    }
    stages
}

/// Whether the algorithm counts pushes.
pub(super) const fn has(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::IdaStar | Algorithm::Constructive)
}
