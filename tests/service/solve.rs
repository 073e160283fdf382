//! `Solve`: one solution, whole.

use std::time::Instant;

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout};
use loyd::service::proto::{self, Algorithm, Heuristic, Objective, StopReason};
use tokio::task::JoinSet;
use tonic::Code;

use crate::harness::{
    PATIENCE, Service, any_board, ask, ask_for, assert_for_ever, assert_reason, check_solution,
    hardest, hopeless, in_time, milliseconds, searched, solved, wire,
};
use crate::raw::{RawClient, frame};
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

fn seconds(duration: Option<prost_types::Duration>) -> f64 {
    let duration = duration.unwrap();
    duration.seconds as f64 + f64::from(duration.nanos) / 1e9
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
async fn best_answers_before_its_deadline() {
    let service = Service::start().await;
    // No timer of the client interferes: only the header counts.
    let mut raw = RawClient::connect(service.address).await;
    for side in 5..=10 {
        let start = any_board(side, side, side as u64);
        let request = frame(&ask_for(Objective::Best, &start));
        let begun = Instant::now();
        let answer = loop {
            let timeout = [("grpc-timeout", "150m")];
            let answer = raw.call("Solve", &timeout, request.clone()).await;
            if answer.status.code() == Code::Ok {
                break answer;
            }
            // A stall of the machine may make it late.
            assert_eq!(answer.status.code(), Code::DeadlineExceeded);
            assert!(begun.elapsed() < PATIENCE, "every one is late");
        };
        let response: proto::SolveResponse = answer.message();
        assert_eq!(response.stop_reason(), StopReason::Deadline);
        check_solution(&start, &solved(&start), &response.solution.unwrap());
        let elapsed = seconds(response.statistics.unwrap().elapsed);
        // No more than the margin is reserved for the way back.
        assert!(elapsed >= 0.13, "{elapsed}");
    }
}

#[tokio::test]
async fn best_answers_when_a_limit_comes_and_says_which() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(6, 6, 1);
    let none = proto::Limits::default();
    for (limits, reason) in [
        (
            proto::Limits {
                max_nodes: Some(1),
                ..none
            },
            StopReason::NodeLimit,
        ),
        (
            proto::Limits {
                max_time: Some(milliseconds(1)),
                ..none
            },
            StopReason::TimeLimit,
        ),
        (
            proto::Limits {
                max_memory_bytes: Some(1 << 20),
                max_time: Some(milliseconds(50)),
                ..none
            },
            StopReason::TimeLimit,
        ),
    ] {
        let request = proto::SolveRequest {
            limits: Some(limits),
            ..ask_for(Objective::Best, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.stop_reason(), reason);
        check_solution(&start, &solved(&start), &response.solution.unwrap());
    }
}

#[tokio::test]
async fn best_by_a_method_of_ones_own_says_why_it_ended() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(6, 6, 1);
    let limits = proto::Limits {
        max_memory_bytes: Some(1 << 20),
        max_time: Some(milliseconds(30_000)),
        ..proto::Limits::default()
    };
    for (algorithm, reason) in [
        (Algorithm::Constructive, StopReason::Exhausted),
        (Algorithm::AStar, StopReason::MemoryLimit),
    ] {
        let request = proto::SolveRequest {
            method: Some(method(algorithm, Heuristic::Unspecified, 0.0)),
            limits: Some(limits),
            ..ask_for(Objective::Best, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.stop_reason(), reason);
        let solution = response.solution.unwrap();
        assert!(!solution.optimal);
        check_solution(&start, &solved(&start), &solution);
        let held = response.statistics.unwrap().peak_memory_bytes;
        assert!((1..=1 << 20).contains(&held), "{algorithm:?} {held}");
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
async fn best_without_a_limit_takes_the_default_time() {
    let service = Service::with(&["--default-time", "50ms"]).await;
    let mut client = service.client().await;
    let request = ask_for(Objective::Best, &any_board(6, 6, 2));
    let response = in_time(client.solve(request)).await.unwrap().into_inner();
    assert_eq!(response.stop_reason(), StopReason::TimeLimit);
    let statistics = response.statistics.unwrap();
    let elapsed = seconds(statistics.elapsed);
    assert!(elapsed >= 0.05, "{elapsed}");
    // It waited for its first slice only, and not for all of the time.
    let queued = seconds(statistics.queued);
    assert!(0.0 < queued && queued < elapsed, "{queued} of {elapsed}");
}

#[tokio::test]
async fn a_100_by_100_fits_in_one_response_but_not_with_its_tiles() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(100, 100, 1);
    let request = ask_for(Objective::Fast, &start);
    let response = client.solve(request.clone()).await.unwrap().into_inner();
    let solution = response.solution.unwrap();
    assert!(solution.length > 1_000_000);
    check_solution(&start, &solved(&start), &solution);

    let request = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: true,
            boards: false,
        }),
        ..request
    };
    let status = client.solve(request).await.unwrap_err();
    assert_for_ever(&status, "RESPONSE_TOO_LARGE");
    assert!(status.message().contains("SolveStream"), "{status}");
}

#[tokio::test]
async fn the_boards_on_the_way_of_a_large_board_are_refused() {
    let service = Service::start().await;
    let mut client = service.client().await;
    for (side, seed) in [(20, 2), (64, 3)] {
        let request = proto::SolveRequest {
            include: Some(proto::Include {
                tiles: false,
                boards: true,
            }),
            ..ask_for(Objective::Fast, &any_board(side, side, seed))
        };
        let status = client.solve(request).await.unwrap_err();
        assert_for_ever(&status, "RESPONSE_TOO_LARGE");
    }
}

#[tokio::test]
async fn large_answers_that_are_made_at_once_are_whole_or_late() {
    let service = Service::start().await;
    let asked = frame(&proto::SolveRequest {
        include: Some(proto::Include {
            tiles: false,
            boards: true,
        }),
        ..ask_for(Objective::Fast, &any_board(16, 16, 2))
    });
    let answers = (1..=12).map(|number| {
        let (address, asked) = (service.address, asked.clone());
        tokio::spawn(async move {
            let mut raw = RawClient::connect(address).await;
            // The last one has time enough.
            let timeout = format!("{}m", if number == 12 { 30_000 } else { 30 * number });
            raw.call("Solve", &[("grpc-timeout", &timeout)], asked)
                .await
        })
    });
    let answers = futures_util::future::join_all(answers).await;
    for answer in answers {
        let answer = answer.unwrap();
        match answer.status.code() {
            Code::Ok => assert!(answer.body.len() > 1 << 20),
            Code::DeadlineExceeded => assert!(answer.body.is_empty()),
            code => panic!("{code:?}"),
        }
    }
}

#[tokio::test]
async fn one_connection_with_many_large_answers_does_not_keep_others_from_theirs() {
    let service = Service::start().await;
    let asked = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: false,
            boards: true,
        }),
        ..ask_for(Objective::Fast, &any_board(14, 14, 2))
    };
    let many = service.client().await;
    let mut answers: JoinSet<_> = (0..40)
        .map(|_| {
            let (mut many, asked) = (many.clone(), asked.clone());
            async move { many.solve(asked).await.map(drop) }
        })
        .collect();
    let mut other = service.client().await;
    in_time(answers.join_next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    in_time(other.solve(asked)).await.unwrap();
    let mut before = 0;
    while let Some(answer) = answers.try_join_next() {
        answer.unwrap().unwrap();
        before += 1;
    }
    assert!(before < 20, "{before} of 39 were answered before it");
}

#[tokio::test]
async fn what_cannot_fit_is_not_searched_for() {
    let service = Service::start().await;
    let mut client = service.client().await;
    // No proof of this is found in time, so the refusal cannot be the end of a search.
    let optimal = ask_for(Objective::Optimal, &any_board(64, 64, 3));
    let request = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: false,
            boards: true,
        }),
        ..optimal.clone()
    };
    let status = client.solve(request).await.unwrap_err();
    assert_for_ever(&status, "RESPONSE_TOO_LARGE");
    assert_eq!(
        status.message(),
        "even the shortest solution, with everything requested, does not fit in a response of 4 MiB: \
         use SolveStream, which sends it in chunks"
    );
    // The moves and their tiles alone would fit.
    let request = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: true,
            boards: false,
        }),
        limits: Some(proto::Limits {
            max_nodes: Some(1_000),
            ..proto::Limits::default()
        }),
        ..optimal
    };
    let status = client.solve(request).await.unwrap_err();
    assert_reason(&status, Code::ResourceExhausted, "NODE_LIMIT");
}

#[tokio::test]
async fn responses_just_below_the_limit_are_sent_and_those_above_refused() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut sent = 0;
    let mut refused = 0;
    // The boards along the way take about side⁵ bytes, so the limit is somewhere in between.
    for side in [12, 14, 16, 18, 20] {
        let start = any_board(side, side, 4);
        let request = proto::SolveRequest {
            include: Some(proto::Include {
                tiles: true,
                boards: true,
            }),
            ..ask_for(Objective::Fast, &start)
        };
        match client.solve(request).await {
            Ok(response) => {
                assert_eq!(refused, 0);
                sent += 1;
                let solution = response.into_inner().solution.unwrap();
                check_solution(&start, &solved(&start), &solution);
            }
            Err(status) => {
                refused += 1;
                assert_for_ever(&status, "RESPONSE_TOO_LARGE");
            }
        }
    }
    assert!(sent > 0 && refused > 0, "{sent} sent, {refused} refused");
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
