//! Solutions counted in pushes of lines of tiles.

use loyd::puzzle::Board;
use loyd::service::proto::solve_stream_response::Event;
use loyd::service::proto::{self, Algorithm, Heuristic, Metric, Objective, StopReason};

use crate::harness::{Service, any_board, ask, ask_for, hardest, play, solved, violated};
use crate::support::published::KORF_1985;
use crate::support::shape;

fn in_pushes(request: proto::SolveRequest) -> proto::SolveRequest {
    proto::SolveRequest {
        metric: Metric::MultiTile.into(),
        ..request
    }
}

fn by(algorithm: Algorithm, heuristic: Heuristic) -> Option<proto::Method> {
    Some(proto::Method {
        algorithm: algorithm.into(),
        heuristic: heuristic.into(),
        ..proto::Method::default()
    })
}

/// The number of runs in one direction.
fn pushes(moves: &[i32]) -> u32 {
    moves.chunk_by(|a, b| a == b).count() as u32
}

fn check(start: &Board, solution: &proto::Solution) {
    let mut board = start.clone();
    play(&mut board, &solution.moves, &[], &[]);
    assert_eq!(board, solved(start));
    assert_eq!(solution.length, pushes(&solution.moves));
    assert!(solution.lower_bound <= solution.length);
    assert_eq!(solution.optimal, solution.lower_bound == solution.length);
}

#[tokio::test]
async fn each_metric_has_its_own_shortest_solution() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = Board::new(shape(3, 3), &hardest().tiles).unwrap();
    for _ in 0..3 {
        let slides = client.solve(ask(hardest())).await.unwrap().into_inner();
        assert_eq!(slides.solution.unwrap().length, 31);
        let request = in_pushes(ask(hardest()));
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.stop_reason(), StopReason::Proven);
        let solution = response.solution.unwrap();
        check(&start, &solution);
        assert!(solution.optimal);
        assert_eq!(solution.length, 20);
    }
}

#[tokio::test]
async fn a_15_puzzle_is_proven_by_pattern_databases() {
    let service = Service::with(&["--max-time", "10m"]).await;
    let mut client = service.client().await;
    let (tiles, length, _) = KORF_1985[0];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    let mut lengths = Vec::new();
    for method in [None, by(Algorithm::IdaStar, Heuristic::Unspecified)] {
        let request = proto::SolveRequest {
            method,
            ..in_pushes(ask_for(Objective::Optimal, &start))
        };
        let response = client.solve(request).await.unwrap().into_inner();
        let statistics = response.statistics.unwrap();
        assert_eq!(statistics.algorithm(), Algorithm::IdaStar);
        assert_eq!(statistics.heuristic(), Heuristic::PatternDatabase);
        let solution = response.solution.unwrap();
        check(&start, &solution);
        assert!(solution.optimal && (solution.length as usize) < length);
        lengths.push(solution.length);
    }
    assert_eq!(lengths[0], lengths[1]);
}

#[tokio::test]
async fn large_boards_have_lengths_in_pushes_too() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(12, 9, 4);
    for objective in [Objective::Best, Objective::Fast] {
        let request = proto::SolveRequest {
            limits: Some(proto::Limits {
                max_nodes: Some(200_000),
                ..proto::Limits::default()
            }),
            ..in_pushes(ask_for(objective, &start))
        };
        let response = client.solve(request).await.unwrap().into_inner();
        let solution = response.solution.unwrap();
        check(&start, &solution);
        assert!((solution.length as usize) < solution.moves.len());
    }
}

#[tokio::test]
async fn a_stream_counts_pushes_across_its_messages() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(10, 10, 3);
    for final_only in [false, true] {
        let request = proto::SolveStreamRequest {
            solve: Some(in_pushes(ask_for(Objective::Fast, &start))),
            moves_per_message: 7,
            final_only,
            ..proto::SolveStreamRequest::default()
        };
        let mut events = client.solve_stream(request).await.unwrap().into_inner();
        let mut moves = Vec::new();
        let mut summary = None;
        while let Some(response) = events.message().await.unwrap() {
            match response.event.unwrap() {
                Event::Moves(chunk) => moves.extend(chunk.moves),
                Event::Improvement(improvement) => {
                    assert!(improvement.length == 0 || final_only);
                }
                Event::Summary(last) => summary = Some(last),
                Event::Progress(_) => {}
            }
        }
        let solution = summary.unwrap().solution.unwrap();
        check(&start, &proto::Solution { moves, ..solution });
    }
}

#[tokio::test]
async fn what_counts_single_tiles_alone_is_refused() {
    let service = Service::start().await;
    let mut client = service.client().await;
    for (algorithm, heuristic, field) in [
        (Algorithm::AStar, Heuristic::Unspecified, "method.algorithm"),
        (
            Algorithm::WeightedAStar,
            Heuristic::Unspecified,
            "method.algorithm",
        ),
        (Algorithm::IdaStar, Heuristic::Manhattan, "method.heuristic"),
        (
            Algorithm::Unspecified,
            Heuristic::LinearConflict,
            "method.heuristic",
        ),
    ] {
        let request = proto::SolveRequest {
            method: by(algorithm, heuristic),
            ..in_pushes(ask(hardest()))
        };
        let status = client.solve(request.clone()).await.unwrap_err();
        assert_eq!(violated(&status), [field]);
        let stream = proto::SolveStreamRequest {
            solve: Some(request),
            ..proto::SolveStreamRequest::default()
        };
        let status = client.solve_stream(stream).await.unwrap_err();
        assert_eq!(violated(&status), [format!("solve.{field}")]);
    }
}
