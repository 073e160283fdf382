//! One search of a plan.

use super::Ratio;
use crate::heuristic::pushes::PushKind;
use crate::heuristic::{HeuristicKind, SMALL_CELLS};
use crate::puzzle::{Metric, Problem, Shape};
use crate::search::constructive::Variant;
use crate::search::ida_star::batch::{LARGE_BYTES, SMALL_BYTES, STRIP_BYTES};

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
    pub(in crate::search) fn prepare(self, problem: &Problem, nodes: u64) -> bool {
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
    pub(in crate::search) fn or_fallback(self, problem: &Problem) -> Self {
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
