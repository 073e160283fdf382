//! Writes answers for the wire.

use std::time::Duration;

use crate::engine::StopReason;
use crate::heuristic::pushes::PushKind;
use crate::heuristic::{Correction, HeuristicKind};
use crate::puzzle::{Board, Direction, Parity};
use crate::search::plan::{Objective, Ratio, Stage};
use crate::search::{Iteration, Progress};
use crate::service::proto;

impl From<&Board> for proto::Board {
    fn from(board: &Board) -> Self {
        Self {
            rows: board.shape().rows() as u32,
            columns: board.shape().columns() as u32,
            tiles: board.tiles().map(u32::from).collect(),
        }
    }
}

/// Writes a duration.
pub fn duration(duration: Duration) -> prost_types::Duration {
    prost_types::Duration {
        seconds: i64::try_from(duration.as_secs()).unwrap_or(i64::MAX),
        nanos: duration.subsec_nanos().cast_signed(),
    }
}

/// Writes moves.
pub fn moves(moves: &[Direction]) -> Vec<i32> {
    moves
        .iter()
        .map(|direction| {
            i32::from(match direction {
                Direction::Up => proto::Direction::Up,
                Direction::Down => proto::Direction::Down,
                Direction::Left => proto::Direction::Left,
                Direction::Right => proto::Direction::Right,
            })
        })
        .collect()
}

/// Plays moves on a board. Returns, where wanted, the tile that each slides and the board after it.
pub fn tiles_and_boards(
    board: &mut Board,
    moves: &[Direction],
    include: proto::Include,
) -> (Vec<u32>, Vec<proto::Board>) {
    let mut tiles = Vec::new();
    let mut boards = Vec::new();
    if include == proto::Include::default() {
        return (tiles, boards);
    }
    for &direction in moves {
        let blank = board.blank();
        board.slide(direction);
        if include.tiles {
            tiles.push(u32::from(board.tile(blank)));
        }
        if include.boards {
            boards.push(proto::Board::from(&*board));
        }
    }
    (tiles, boards)
}

/// A solution without its moves.
pub fn solution(length: usize, lower_bound: u32) -> proto::Solution {
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let lower_bound = lower_bound.min(length);
    proto::Solution {
        length,
        lower_bound,
        optimal: length == lower_bound,
        ..proto::Solution::default()
    }
}

/// The statistics of an answer.
pub fn statistics(
    progress: &Progress,
    iterations: &[Iteration],
    by: Stage,
    queued: Duration,
    elapsed: Duration,
) -> proto::Statistics {
    let (algorithm, (heuristic, corrections)) = stage(by);
    proto::Statistics {
        nodes_expanded: progress.expanded,
        nodes_generated: progress.generated,
        peak_open: progress.peak_open,
        peak_memory_bytes: progress.peak_memory,
        iterations: progress.iterations,
        queued: Some(duration(queued)),
        elapsed: Some(duration(elapsed)),
        algorithm: algorithm.into(),
        heuristic: heuristic.into(),
        corrections,
        thresholds: iterations
            .iter()
            .map(|iteration| proto::Iteration {
                threshold: iteration.threshold,
                nodes_generated: iteration.generated,
            })
            .collect(),
    }
}

/// What is reported for a search without a heuristic.
const NO_HEURISTIC: (proto::Heuristic, Vec<i32>) = (proto::Heuristic::Unspecified, Vec::new());

/// The algorithm of a stage, its heuristic, and the corrections added to that.
fn stage(stage: Stage) -> (proto::Algorithm, (proto::Heuristic, Vec<i32>)) {
    use proto::Algorithm as Wire;
    match stage {
        Stage::TableWalk => (Wire::TableWalk, NO_HEURISTIC),
        Stage::Constructive(_) | Stage::Lookahead => (Wire::Constructive, NO_HEURISTIC),
        Stage::Beam => (Wire::Beam, NO_HEURISTIC),
        Stage::StagedBeam => (Wire::StagedBeam, NO_HEURISTIC),
        Stage::AStar(kind, Ratio::ONE) => (Wire::AStar, heuristic(kind)),
        Stage::AStar(kind, _) => (Wire::WeightedAStar, heuristic(kind)),
        Stage::IdaStar(kind) => (Wire::IdaStar, heuristic(kind)),
        Stage::PushIdaStar(PushKind::Lines) => (Wire::IdaStar, heuristic(HeuristicKind::Manhattan)),
        Stage::PushIdaStar(PushKind::Patterns) => {
            (Wire::IdaStar, heuristic(HeuristicKind::PatternDatabase))
        }
    }
}

/// The name of a heuristic; for a sum, the name of the first correction and those of the others.
fn heuristic(kind: HeuristicKind) -> (proto::Heuristic, Vec<i32>) {
    let name = match kind {
        HeuristicKind::Discrete => proto::Heuristic::Discrete,
        HeuristicKind::Hamming => proto::Heuristic::Hamming,
        HeuristicKind::Manhattan => proto::Heuristic::Manhattan,
        HeuristicKind::WalkingDistance => proto::Heuristic::WalkingDistance,
        HeuristicKind::PatternDatabase => proto::Heuristic::PatternDatabase,
        HeuristicKind::LinearConflict
        | HeuristicKind::CornerTiles
        | HeuristicKind::LastMoves
        | HeuristicKind::Combined(_) => {
            let corrections = kind.corrections().into_iter().flatten();
            let mut names = corrections.map(correction);
            let first = names.next().expect("there is one at the least");
            return (first, names.map(i32::from).collect());
        }
    };
    (name, Vec::new())
}

const fn correction(correction: Correction) -> proto::Heuristic {
    match correction {
        Correction::LinearConflict => proto::Heuristic::LinearConflict,
        Correction::CornerTiles => proto::Heuristic::CornerTiles,
        Correction::LastMoves => proto::Heuristic::LastMoves,
    }
}

/// Why the search ended.
pub const fn stop_reason(reason: StopReason) -> proto::StopReason {
    match reason {
        StopReason::Proven => proto::StopReason::Proven,
        StopReason::FirstFound => proto::StopReason::FirstFound,
        StopReason::NodeLimit => proto::StopReason::NodeLimit,
        StopReason::TimeLimit => proto::StopReason::TimeLimit,
        StopReason::MemoryLimit => proto::StopReason::MemoryLimit,
        StopReason::Deadline => proto::StopReason::Deadline,
        StopReason::Exhausted => proto::StopReason::Exhausted,
    }
}

/// The name of an objective, for labels and logs.
pub const fn objective_name(objective: Objective) -> &'static str {
    match objective {
        Objective::Best => "best",
        Objective::Optimal => "optimal",
        Objective::Bounded(_) => "bounded",
        Objective::Fast => "fast",
    }
}

/// Whether a board can be solved, and why.
pub fn check_response(start: &Board, goal: &Board) -> proto::CheckSolvableResponse {
    let parity = Parity::of(start, goal);
    let solvable = parity.solvable();
    let exchange = parity.exchange;
    proto::CheckSolvableResponse {
        solvable,
        already_solved: start == goal,
        parity: Some(proto::Parity {
            inversions: parity.inversions,
            blank_row_from_bottom: parity.blank_row_from_bottom as u32,
            goal_blank_row_from_bottom: parity.goal_blank_row_from_bottom as u32,
            interchanges: parity.interchanges as u32,
            cycles: parity
                .cycles
                .iter()
                .map(|cycle| proto::Cycle {
                    tiles: cycle.iter().copied().map(u32::from).collect(),
                })
                .collect(),
            blank_distance: parity.blank_distance as u32,
        }),
        repair: (!solvable).then(|| proto::Exchange {
            first_cell: exchange.cells.0 as u32,
            second_cell: exchange.cells.1 as u32,
            first_tile: u32::from(exchange.tiles.0),
            second_tile: u32::from(exchange.tiles.1),
        }),
    }
}
