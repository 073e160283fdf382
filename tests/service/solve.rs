//! `Solve`: one solution, whole.

mod best;
mod large;
mod statistics;

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout};
use loyd::service::proto::{self, Algorithm, Heuristic, Objective, StopReason};
use tonic::Code;

use crate::harness::{
    Service, any_board, ask, ask_for, assert_reason, check_solution, hardest, hopeless, in_time,
    searched, solved, wire,
};
use crate::support::published::{KORF_1985, PRINCETON};
use crate::support::shape;

fn method(algorithm: Algorithm, heuristic: Heuristic, weight: f64) -> proto::Method {
    proto::Method {
        algorithm: algorithm.into(),
        heuristic: heuristic.into(),
        weight,
        ..proto::Method::default()
    }
}

#[tokio::test]
async fn the_hardest_8_puzzle_takes_31_moves() {
    let service = Service::start().await;
    let mut client = service.client().await;
    for objective in [Objective::Unspecified, Objective::Best, Objective::Optimal] {
        let request = proto::SolveRequest {
            objective: objective.into(),
            ..ask(hardest())
        };
        let response = client.solve(request).await.unwrap().into_inner();
        let solution = response.solution.clone().unwrap();
        assert_eq!((solution.length, solution.lower_bound), (31, 31));
        assert!(solution.optimal && solution.tiles.is_empty() && solution.boards.is_empty());
        let start = Board::new(shape(3, 3), &hardest().tiles).unwrap();
        check_solution(&start, &solved(&start), &solution);
        assert_eq!(response.stop_reason(), StopReason::Proven);
        let statistics = response.statistics.unwrap();
        assert_eq!(statistics.algorithm(), Algorithm::TableWalk);
        assert_eq!(statistics.heuristic(), Heuristic::Unspecified);
        assert_eq!(statistics.nodes_expanded, 31);
        assert!(statistics.queued.is_some() && statistics.elapsed.is_some());
    }
}

#[tokio::test]
async fn published_15_puzzles_get_their_lengths() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let korf = KORF_1985.iter().map(|(tiles, length, _)| (tiles, *length));
    let princeton = PRINCETON.iter().map(|(tiles, length)| (tiles, *length));
    for (tiles, length) in korf.chain(princeton) {
        let start = Board::new(shape(4, 4), tiles).unwrap();
        let request = ask_for(Objective::Optimal, &start);
        let response = client.solve(request).await.unwrap().into_inner();
        let solution = response.solution.unwrap();
        check_solution(&start, &solved(&start), &solution);
        assert_eq!(solution.length as usize, length);
        assert!(solution.optimal);
    }
}

#[tokio::test]
async fn every_goal_is_reached() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let size = shape(3, 4);
    let mut dice = Dice::new(3);
    let layouts = [
        (proto::GoalLayout::Unspecified, GoalLayout::RowsBlankLast),
        (proto::GoalLayout::RowsBlankLast, GoalLayout::RowsBlankLast),
        (
            proto::GoalLayout::RowsBlankFirst,
            GoalLayout::RowsBlankFirst,
        ),
        (
            proto::GoalLayout::ColumnsBlankLast,
            GoalLayout::ColumnsBlankLast,
        ),
        (proto::GoalLayout::Snail, GoalLayout::Snail),
        (proto::GoalLayout::Snake, GoalLayout::Snake),
    ];
    let mut goals: Vec<(proto::goal::Goal, Board)> = layouts
        .into_iter()
        .map(|(wire, layout)| (proto::goal::Goal::Layout(wire.into()), layout.board(size)))
        .collect();
    let any = uniform(&Board::solved(size), Solvability::Unsolvable, &mut dice);
    goals.push((proto::goal::Goal::Board(wire(&any)), any));
    for (goal, target) in goals {
        let start = uniform(&target, Solvability::Solvable, &mut dice);
        let request = proto::SolveRequest {
            goal: Some(proto::Goal { goal: Some(goal) }),
            ..ask_for(Objective::Fast, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        check_solution(&start, &target, &response.solution.unwrap());
    }
}

#[tokio::test]
async fn tiles_and_boards_come_when_they_are_asked_for() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(4, 5, 1);
    for (tiles, boards) in [(true, false), (false, true), (true, true)] {
        let request = proto::SolveRequest {
            include: Some(proto::Include { tiles, boards }),
            ..ask_for(Objective::Fast, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        let solution = response.solution.unwrap();
        assert_eq!(!solution.tiles.is_empty(), tiles);
        assert_eq!(!solution.boards.is_empty(), boards);
        check_solution(&start, &solved(&start), &solution);
    }
}

#[tokio::test]
async fn a_solved_board_takes_no_moves_whatever_the_limits() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let least = proto::Limits {
        max_nodes: Some(1),
        max_time: Some(prost_types::Duration {
            seconds: 0,
            nanos: 1,
        }),
        max_memory_bytes: Some(1 << 20),
    };
    for (rows, columns) in [(2, 2), (4, 4), (5, 7), (128, 128)] {
        let start = Board::solved(shape(rows, columns));
        for objective in [Objective::Best, Objective::Optimal, Objective::Fast] {
            for limits in [None, Some(least)] {
                let request = proto::SolveRequest {
                    limits,
                    ..ask_for(objective, &start)
                };
                let response = client.solve(request).await.unwrap().into_inner();
                let solution = response.solution.clone().unwrap();
                assert_eq!((solution.length, solution.optimal), (0, true));
                assert_eq!(response.stop_reason(), StopReason::Proven);
            }
        }
    }
}

#[tokio::test]
async fn each_variant_of_the_constructive_solver_can_be_asked_for() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(10, 10, 5);
    let mut lengths = Vec::new();
    for variant in [
        proto::Variant::Unspecified,
        proto::Variant::Best,
        proto::Variant::Hayes,
        proto::Variant::Parberry,
    ] {
        let request = proto::SolveRequest {
            method: Some(proto::Method {
                variant: variant.into(),
                ..method(Algorithm::Constructive, Heuristic::Unspecified, 0.0)
            }),
            ..ask_for(Objective::Fast, &start)
        };
        let answer = client.solve(request).await.unwrap().into_inner();
        let solution = answer.solution.unwrap();
        check_solution(&start, &solved(&start), &solution);
        lengths.push(solution.length);
    }
    assert_eq!(lengths[0], lengths[1]);
    assert!(lengths[1] < lengths[2] && lengths[2] < lengths[3]);

    let stray = proto::SolveRequest {
        method: Some(proto::Method {
            variant: proto::Variant::Hayes.into(),
            ..method(Algorithm::IdaStar, Heuristic::Unspecified, 0.0)
        }),
        ..ask_for(Objective::Optimal, &start)
    };
    let status = client.solve(stray).await.unwrap_err();
    assert!(status.message().starts_with("method.variant: "));
}

#[tokio::test]
async fn bounded_is_within_its_ratio() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let (tiles, optimal, _) = KORF_1985[3];
    let start = Board::new(shape(4, 4), &tiles).unwrap();
    for max_ratio in [1.0, 1.1, 1.5, 3.0] {
        let request = proto::SolveRequest {
            max_ratio,
            ..ask_for(Objective::Bounded, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.stop_reason(), StopReason::Proven);
        let solution = response.solution.unwrap();
        check_solution(&start, &solved(&start), &solution);
        assert!(f64::from(solution.length) <= max_ratio * optimal as f64);
        assert!(f64::from(solution.length) <= max_ratio * f64::from(solution.lower_bound));
    }
}

#[tokio::test]
async fn beams_find_a_solution_when_they_are_asked_for() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(6, 6, 1);
    for algorithm in [Algorithm::Beam, Algorithm::StagedBeam] {
        let request = proto::SolveRequest {
            method: Some(method(algorithm, Heuristic::Unspecified, 0.0)),
            limits: Some(proto::Limits {
                max_memory_bytes: Some(4 << 20),
                ..proto::Limits::default()
            }),
            ..ask_for(Objective::Fast, &start)
        };
        let response = in_time(client.solve(request)).await.unwrap().into_inner();
        assert_eq!(response.stop_reason(), StopReason::FirstFound);
        check_solution(&start, &solved(&start), &response.solution.unwrap());
        let statistics = response.statistics.unwrap();
        assert_eq!(statistics.algorithm(), algorithm);
        assert_eq!(statistics.heuristic(), Heuristic::Unspecified);
    }
}

#[tokio::test]
async fn many_at_once_on_one_connection_all_get_their_own_answers() {
    let service = Service::start().await;
    let client = service.client().await;
    let calls: Vec<_> = (0..100)
        .map(|seed| {
            let mut client = client.clone();
            tokio::spawn(async move {
                let start = any_board(3, 3, seed);
                let request = ask_for(Objective::Optimal, &start);
                let response = client.solve(request).await.unwrap().into_inner();
                check_solution(&start, &solved(&start), &response.solution.unwrap());
            })
        })
        .collect();
    for call in calls {
        in_time(call).await.unwrap();
    }
}

#[tokio::test]
async fn a_cancelled_call_makes_room_for_the_next() {
    let service = Service::with(&["--queue", "1", "--workers", "1"]).await;
    let mut client = service.client().await;
    for number in 0..10 {
        // Its first event shows that it has the only place.
        let request = proto::SolveStreamRequest {
            solve: Some(hopeless(number)),
            ..proto::SolveStreamRequest::default()
        };
        let mut stream = in_time(async {
            loop {
                match client.solve_stream(request.clone()).await {
                    Ok(response) => break response.into_inner(),
                    Err(status) => assert_reason(&status, Code::ResourceExhausted, "OVERLOADED"),
                }
            }
        })
        .await;
        in_time(stream.message()).await.unwrap().unwrap();
        drop(stream);
        in_time(async { while client.solve(searched(number)).await.is_err() {} }).await;
    }
}
