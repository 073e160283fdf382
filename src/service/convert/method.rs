//! Reads the method of a request: the algorithm, the heuristic and what goes with them.

use super::reader::Reader;
use crate::engine::Wanted;
use crate::heuristic::{Correction, HeuristicKind};
use crate::puzzle::{Metric, Shape};
use crate::search::constructive::Variant;
use crate::search::plan::{self, Algorithm, Method, Objective, PlanError, Ratio, Stage};
use crate::service::proto;

/// The most corrections that a method may list: as many as exist.
const MAX_CORRECTIONS: usize = Correction::ALL.len();

const HEURISTIC: &str = "method.heuristic";

impl Reader {
    /// Reads the method, and reports faults in the combination of its fields.
    pub(super) fn method(
        &mut self,
        wire: Option<&proto::Method>,
        metric: Option<Metric>,
        objective: Option<Objective>,
        shape: Option<Shape>,
    ) -> Option<Method> {
        let Some(wire) = wire else {
            return Some(Method::default());
        };
        let algorithm = self.algorithm(wire.algorithm);
        let method = Method {
            algorithm: algorithm.flatten(),
            heuristic: self.heuristic(wire.heuristic, &wire.corrections),
            weight: self.weight(wire.weight),
            variant: self.variant(wire.variant),
        };
        let faults = match algorithm {
            Some(_) => plan::faults(metric, objective, shape, method),
            // Nothing is known about what goes with an unknown algorithm, but a heuristic has its sizes.
            None => {
                let fault = shape.and_then(|shape| plan::check_shape(shape, method).err());
                fault.into_iter().collect()
            }
        };
        for fault in faults {
            let field = match plan_field(&fault) {
                // The heuristic is present only because of its corrections.
                HEURISTIC if wire.heuristic == 0 => "method.corrections",
                field => field,
            };
            self.violation(field, fault);
        }
        algorithm.map(|_| method)
    }

    /// Checks that a search by tables is granted the memory that it holds from the start.
    pub(super) fn need(&mut self, shape: Shape, method: Method, wanted: Wanted) {
        let by_tables = method.heuristic == Some(HeuristicKind::PatternDatabase)
            && HeuristicKind::PatternDatabase.supports(shape);
        let least = Stage::IdaStar(HeuristicKind::PatternDatabase).fixed_bytes(shape);
        if by_tables && wanted.memory.is_some_and(|memory| memory < least) {
            let fault = format!(
                "too little: PATTERN_DATABASE needs {least} bytes on boards of {shape}; raise it, or leave method.heuristic out"
            );
            self.violation("limits.max_memory_bytes", fault);
        }
    }

    /// The weight, if there is one. An invalid weight is read as the least. The method is then
    /// faulted for having a weight at all if it must not have one, but not for its size.
    fn weight(&mut self, weight: f64) -> Option<Ratio> {
        if weight == 0.0 {
            return None;
        }
        let legal = Ratio::new(weight).filter(|weight| weight.get() <= 1000.0);
        if legal.is_none() {
            let range = format!("{weight} is out of range: 1 to 1000");
            self.violation("method.weight", range);
        }
        Some(legal.unwrap_or(Ratio::ONE))
    }

    fn variant(&mut self, variant: i32) -> Option<Variant> {
        use proto::Variant as Wire;
        match self.enumeration("method.variant", variant)? {
            Wire::Unspecified => None,
            Wire::Parberry => Some(Variant::Parberry),
            Wire::Hayes => Some(Variant::Hayes),
            Wire::Best => Some(Variant::Best),
        }
    }

    fn algorithm(&mut self, algorithm: i32) -> Option<Option<Algorithm>> {
        use proto::Algorithm as Wire;
        let field = "method.algorithm";
        Some(match self.enumeration(field, algorithm)? {
            Wire::Unspecified => None,
            Wire::AStar => Some(Algorithm::AStar),
            Wire::WeightedAStar => Some(Algorithm::WeightedAStar),
            Wire::IdaStar => Some(Algorithm::IdaStar),
            Wire::Beam => Some(Algorithm::Beam),
            Wire::StagedBeam => Some(Algorithm::StagedBeam),
            Wire::Constructive => Some(Algorithm::Constructive),
            Wire::TableWalk => {
                self.violation(field, "TABLE_WALK cannot be requested: leave it out");
                return None;
            }
        })
    }

    /// The heuristic with its corrections, or without them if they are invalid.
    fn heuristic(&mut self, heuristic: i32, corrections: &[i32]) -> Option<HeuristicKind> {
        let base = self.base_heuristic(heuristic);
        let added = self.corrections(corrections);
        let base = base?;
        let Some(added) = added.filter(|added| !added.is_empty()) else {
            return base;
        };
        let corrected = base.unwrap_or(HeuristicKind::Manhattan).with(&added);
        if corrected.is_none() {
            let fix =
                "can only be added to MANHATTAN, LINEAR_CONFLICT, CORNER_TILES and LAST_MOVES";
            self.violation("method.corrections", fix);
        }
        corrected.or(base)
    }

    fn corrections(&mut self, corrections: &[i32]) -> Option<Vec<Correction>> {
        let listed = corrections.iter().take(MAX_CORRECTIONS).enumerate();
        // All are read, so that all faults are told.
        let added: Vec<_> = listed
            .map(|(i, &correction)| {
                self.correction(&format!("method.corrections[{i}]"), correction)
            })
            .collect();
        if corrections.len() > MAX_CORRECTIONS {
            let range = format!("{} are too many: there are only three", corrections.len());
            self.violation("method.corrections", range);
            return None;
        }
        added.into_iter().collect()
    }

    fn base_heuristic(&mut self, heuristic: i32) -> Option<Option<HeuristicKind>> {
        use proto::Heuristic as Wire;
        Some(match self.enumeration(HEURISTIC, heuristic)? {
            Wire::Unspecified => None,
            Wire::Discrete => Some(HeuristicKind::Discrete),
            Wire::Hamming => Some(HeuristicKind::Hamming),
            Wire::Manhattan => Some(HeuristicKind::Manhattan),
            Wire::LinearConflict => Some(HeuristicKind::LinearConflict),
            Wire::CornerTiles => Some(HeuristicKind::CornerTiles),
            Wire::LastMoves => Some(HeuristicKind::LastMoves),
            Wire::WalkingDistance => Some(HeuristicKind::WalkingDistance),
            Wire::PatternDatabase => Some(HeuristicKind::PatternDatabase),
        })
    }

    fn correction(&mut self, field: &str, correction: i32) -> Option<Correction> {
        use proto::Heuristic as Wire;
        match self.enumeration(field, correction)? {
            Wire::LinearConflict => Some(Correction::LinearConflict),
            Wire::CornerTiles => Some(Correction::CornerTiles),
            Wire::LastMoves => Some(Correction::LastMoves),
            other => {
                let name = other.as_str_name().trim_start_matches("HEURISTIC_");
                let fix = "is not a correction: use LINEAR_CONFLICT, CORNER_TILES or LAST_MOVES";
                self.violation(field, format!("{name} {fix}"));
                None
            }
        }
    }
}

/// The field of `Method` that an error is about.
const fn plan_field(error: &PlanError) -> &'static str {
    match error {
        PlanError::CannotProve { .. } | PlanError::NotInPushes { .. } => "method.algorithm",
        PlanError::WeightAboveRatio { .. } | PlanError::StrayWeight => "method.weight",
        PlanError::StrayHeuristic(_)
        | PlanError::BoundNotInPushes(_)
        | PlanError::WithoutDatabases(_)
        | PlanError::UnsupportedShape { .. } => HEURISTIC,
        PlanError::StrayVariant => "method.variant",
    }
}
