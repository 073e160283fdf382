//! The values that options choose from, with their help texts.

use clap::ValueEnum;

use crate::puzzle;
use crate::service::proto;

/// What kind of solution is wanted.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Objective {
    /// The shortest solution found within the limits; never fails on a solvable board.
    #[default]
    Best,
    /// A proven shortest solution.
    Optimal,
    /// A solution proven no longer than --max-ratio times the shortest.
    Bounded,
    /// The first solution, whatever its length.
    Fast,
}

/// What counts as one move.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Metric {
    /// Each slide of one tile.
    #[default]
    SingleTile,
    /// Each push of a line of tiles.
    MultiTile,
}

/// A search algorithm.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// Optimal; its memory grows with the search. Breadth-first with --heuristic discrete.
    AStar,
    /// A* with the heuristic multiplied by --weight: faster, with longer solutions.
    WeightedAStar,
    /// Optimal, with next to no memory.
    IdaStar,
    /// Wider and wider beams: short solutions of boards of any size, for as long as there is time.
    Beam,
    /// Beams that bring the tiles home in groups, which beam does on large boards only.
    StagedBeam,
    /// Tile by tile, as people do it: boards of any size at once, long solutions.
    Constructive,
}

impl Algorithm {
    /// Returns the objective that it pursues by itself, with no other search before or after it.
    pub(super) const fn objective(self) -> Objective {
        match self {
            Self::AStar | Self::IdaStar => Objective::Optimal,
            Self::WeightedAStar | Self::Constructive => Objective::Fast,
            Self::Beam | Self::StagedBeam => Objective::Best,
        }
    }
}

/// A lower bound that guides a search.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heuristic {
    /// 0 on the goal, 1 elsewhere.
    Discrete,
    /// The number of misplaced tiles.
    Hamming,
    /// The sum of the tiles' taxicab distances.
    Manhattan,
    /// Manhattan, plus two moves for each tile that must leave its line.
    LinearConflict,
    /// Manhattan, plus two moves for each tile at home beside a corner whose own tile is not yet there.
    CornerTiles,
    /// Manhattan, plus up to four moves for the tiles that the last moves bring home.
    LastMoves,
    /// The moves between rows plus those between columns, each counted exactly; up to 5x5, 2x7
    /// and 3x6.
    WalkingDistance,
    /// The sum of exact table lookups for groups of tiles; for --algorithm ida-star on 4x4, 5x5, 4x5,
    /// 3x5, 3x6, 2x7 and 2x8.
    PatternDatabase,
}

/// A variant of the constructive solver.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Variant {
    /// Parberry 1995: row by row.
    Parberry,
    /// Hayes 2001: rows and columns in turn, with the last two tiles of a line as a special case.
    Hayes,
    /// Like Hayes, with the blank on the way that helps the other tiles most: the fewest moves.
    Best,
}

impl From<Variant> for proto::Variant {
    fn from(variant: Variant) -> Self {
        match variant {
            Variant::Parberry => Self::Parberry,
            Variant::Hayes => Self::Hayes,
            Variant::Best => Self::Best,
        }
    }
}

impl From<Objective> for proto::Objective {
    fn from(objective: Objective) -> Self {
        match objective {
            Objective::Best => Self::Best,
            Objective::Optimal => Self::Optimal,
            Objective::Bounded => Self::Bounded,
            Objective::Fast => Self::Fast,
        }
    }
}

impl From<Metric> for proto::Metric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::SingleTile => Self::SingleTile,
            Metric::MultiTile => Self::MultiTile,
        }
    }
}

impl From<Metric> for puzzle::Metric {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::SingleTile => Self::SingleTile,
            Metric::MultiTile => Self::MultiTile,
        }
    }
}

impl From<Algorithm> for proto::Algorithm {
    fn from(algorithm: Algorithm) -> Self {
        match algorithm {
            Algorithm::AStar => Self::AStar,
            Algorithm::WeightedAStar => Self::WeightedAStar,
            Algorithm::IdaStar => Self::IdaStar,
            Algorithm::Beam => Self::Beam,
            Algorithm::StagedBeam => Self::StagedBeam,
            Algorithm::Constructive => Self::Constructive,
        }
    }
}

impl From<Heuristic> for proto::Heuristic {
    fn from(heuristic: Heuristic) -> Self {
        match heuristic {
            Heuristic::Discrete => Self::Discrete,
            Heuristic::Hamming => Self::Hamming,
            Heuristic::Manhattan => Self::Manhattan,
            Heuristic::LinearConflict => Self::LinearConflict,
            Heuristic::CornerTiles => Self::CornerTiles,
            Heuristic::LastMoves => Self::LastMoves,
            Heuristic::WalkingDistance => Self::WalkingDistance,
            Heuristic::PatternDatabase => Self::PatternDatabase,
        }
    }
}
