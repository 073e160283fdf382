//! The method that an asker wants.

use std::fmt;

use super::{Objective, Ratio};
use crate::heuristic::HeuristicKind;
use crate::search::constructive::Variant;

/// The weight of weighted A* when none is asked for.
const DEFAULT_WEIGHT: Ratio = Ratio::new(2.0).expect("at least 1");

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

/// The weight of weighted A*.
pub(super) fn weight(objective: Objective, method: Method) -> Ratio {
    method.weight.unwrap_or(match objective {
        Objective::Bounded(ratio) => ratio,
        _ => DEFAULT_WEIGHT,
    })
}
