//! What a response tells about the search.

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout};
use loyd::service::proto::{self, Algorithm, Heuristic, Objective, StopReason};

use super::method;
use crate::harness::{Service, ask_for, check_solution, in_time, solved, wire};
use crate::support::published::{KORF_1985, PRINCETON};
use crate::support::shape;

#[tokio::test]
async fn the_method_that_is_asked_for_is_the_one_in_the_statistics() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let (tiles, optimal) = PRINCETON[3];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    for (objective, asked, algorithm, heuristic) in [
        (
            Objective::Optimal,
            method(Algorithm::AStar, Heuristic::Manhattan, 0.0),
            Algorithm::AStar,
            Heuristic::Manhattan,
        ),
        (
            Objective::Optimal,
            method(Algorithm::IdaStar, Heuristic::Unspecified, 0.0),
            Algorithm::IdaStar,
            Heuristic::LinearConflict,
        ),
        (
            Objective::Optimal,
            method(Algorithm::IdaStar, Heuristic::WalkingDistance, 0.0),
            Algorithm::IdaStar,
            Heuristic::WalkingDistance,
        ),
        (
            Objective::Fast,
            method(Algorithm::WeightedAStar, Heuristic::Manhattan, 3.0),
            Algorithm::WeightedAStar,
            Heuristic::Manhattan,
        ),
        (
            Objective::Fast,
            // The greatest weight.
            method(Algorithm::WeightedAStar, Heuristic::Manhattan, 1000.0),
            Algorithm::WeightedAStar,
            Heuristic::Manhattan,
        ),
        (
            Objective::Fast,
            method(Algorithm::Constructive, Heuristic::Unspecified, 0.0),
            Algorithm::Constructive,
            Heuristic::Unspecified,
        ),
    ] {
        let request = proto::SolveRequest {
            method: Some(asked),
            ..ask_for(objective, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        let statistics = response.statistics.clone().unwrap();
        assert_eq!(statistics.algorithm(), algorithm);
        assert_eq!(statistics.heuristic(), heuristic);
        let solution = response.solution.clone().unwrap();
        check_solution(&start, &solved(&start), &solution);
        let uses_open_list = matches!(algorithm, Algorithm::AStar | Algorithm::WeightedAStar);
        assert_eq!(statistics.peak_open > 0, uses_open_list);
        assert!(statistics.peak_memory_bytes > 0, "{algorithm:?}");
        if objective == Objective::Optimal {
            assert_eq!(solution.length as usize, optimal);
            assert_eq!(response.stop_reason(), StopReason::Proven);
        } else {
            assert_eq!(response.stop_reason(), StopReason::FirstFound);
        }
    }
}

#[tokio::test]
async fn corrections_add_up() {
    use Heuristic::{CornerTiles, LastMoves, LinearConflict, Manhattan, Unspecified};
    let service = Service::start().await;
    let mut client = service.client().await;
    let (tiles, optimal, _) = KORF_1985[1];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    let mut fewest = u64::MAX;
    // Each combination is stronger than the one before.
    for (heuristic, corrections, told) in [
        (Manhattan, &[][..], (Manhattan, &[][..])),
        (Unspecified, &[CornerTiles], (CornerTiles, &[])),
        (
            Manhattan,
            &[LastMoves, CornerTiles],
            (CornerTiles, &[LastMoves]),
        ),
        (
            LastMoves,
            &[CornerTiles, LinearConflict, LastMoves],
            (LinearConflict, &[CornerTiles, LastMoves]),
        ),
    ] {
        let asked = proto::Method {
            corrections: corrections.iter().map(|&name| name.into()).collect(),
            ..method(Algorithm::IdaStar, heuristic, 0.0)
        };
        let request = proto::SolveRequest {
            method: Some(asked),
            ..ask_for(Objective::Optimal, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.solution.unwrap().length, optimal as u32);
        let statistics = response.statistics.unwrap();
        let added: Vec<Heuristic> = statistics.corrections().collect();
        assert_eq!((statistics.heuristic(), &added[..]), told);
        assert!(statistics.nodes_generated < fewest);
        fewest = statistics.nodes_generated;
    }
}

#[tokio::test]
async fn each_iteration_is_told_with_its_threshold() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let (tiles, optimal, nodes) = KORF_1985[1];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    let request = proto::SolveRequest {
        method: Some(method(Algorithm::IdaStar, Heuristic::Manhattan, 0.0)),
        ..ask_for(Objective::Optimal, &start)
    };
    let response = client.solve(request.clone()).await.unwrap().into_inner();
    let statistics = response.statistics.unwrap();
    let thresholds: Vec<u32> = (35..=optimal as u32).step_by(2).collect();
    let told = statistics.thresholds.iter();
    let told: Vec<u32> = told.map(|iteration| iteration.threshold).collect();
    assert_eq!(told, thresholds);
    assert_eq!(statistics.iterations as usize, thresholds.len());
    let each = statistics.thresholds.iter();
    let sum: u64 = each.map(|iteration| iteration.nodes_generated).sum();
    // Korf counted one node more: the goal.
    assert_eq!((sum, statistics.nodes_generated), (nodes - 1, nodes - 1));

    // A limit in the middle reports the thresholds up to there.
    let limited = proto::SolveRequest {
        objective: Objective::Best.into(),
        limits: Some(proto::Limits {
            max_nodes: Some(100_000),
            ..proto::Limits::default()
        }),
        ..request
    };
    let response = client.solve(limited).await.unwrap().into_inner();
    assert_eq!(response.stop_reason(), StopReason::NodeLimit);
    let cut = response.statistics.unwrap().thresholds;
    assert_eq!(cut[..2], statistics.thresholds[..2]);
    assert!(cut.len() < thresholds.len());
}

#[tokio::test]
async fn fifteen_puzzles_are_proven_by_pattern_databases_whatever_the_goal() {
    // Room for the smallest tables of two goals: those in use make none.
    let service = Service::with(&["--table-memory", "8M"]).await;
    let mut client = service.client().await;
    let (tiles, optimal, _) = KORF_1985[0];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    for asked in [
        None,
        Some(method(Algorithm::IdaStar, Heuristic::PatternDatabase, 0.0)),
    ] {
        let request = proto::SolveRequest {
            method: asked,
            ..ask_for(Objective::Optimal, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.solution.unwrap().length as usize, optimal);
        let statistics = response.statistics.unwrap();
        assert_eq!(statistics.algorithm(), Algorithm::IdaStar);
        assert_eq!(statistics.heuristic(), Heuristic::PatternDatabase);
        assert!(statistics.nodes_generated < 200_000);
    }

    // The tables of a goal that nobody has asked for are built later, without delaying the answer.
    let goal = GoalLayout::Snail.board(shape(4, 4));
    let start = uniform(&goal, Solvability::Solvable, &mut Dice::new(5));
    let mut lengths = Vec::new();
    let mut heuristic = Heuristic::Unspecified;
    in_time(async {
        while heuristic != Heuristic::PatternDatabase {
            let request = proto::SolveRequest {
                goal: Some(proto::Goal {
                    goal: Some(proto::goal::Goal::Board(wire(&goal))),
                }),
                limits: Some(proto::Limits {
                    // Each is a different question, so that the cache answers none.
                    max_nodes: Some(100_000_000_000 - lengths.len() as u64),
                    ..proto::Limits::default()
                }),
                ..ask_for(Objective::Optimal, &start)
            };
            let response = client.solve(request).await.unwrap().into_inner();
            let solution = response.solution.unwrap();
            check_solution(&start, &goal, &solution);
            lengths.push(solution.length);
            heuristic = response.statistics.unwrap().heuristic();
        }
    })
    .await;
    assert!(lengths.iter().all(|length| *length == lengths[0]));
}
