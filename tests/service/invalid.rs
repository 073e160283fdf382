//! Invalid requests: every fault at once, by its path.

use loyd::puzzle::Board;
use loyd::service::proto::{self, Algorithm, Heuristic, Objective, SolveRequest};
use tonic::Code;

use crate::harness::{Service, ask, assert_reason, hardest, milliseconds, square, violated, wire};
use crate::support::shape;

fn board(rows: u32, columns: u32, tiles: &[u32]) -> proto::Board {
    proto::Board {
        rows,
        columns,
        tiles: tiles.to_vec(),
    }
}

#[tokio::test]
async fn every_fault_of_a_board_has_its_cell() {
    let service = Service::start().await;
    let mut client = service.client().await;
    for (board, fields) in [
        (square(&[]), vec!["board.tiles"]),
        (square(&[0]), vec!["board.tiles"]),
        (square(&[1, 2, 0]), vec!["board.tiles"]),
        (square(&[0; 129 * 129]), vec!["board.tiles"]),
        // The first 0 is legal, its duplicates are not, and the tiles they replace are missing.
        (square(&[0, 0, 2, 3]), vec!["board.tiles[1]", "board.tiles"]),
        (square(&[1, 2, 4, 0]), vec!["board.tiles[2]", "board.tiles"]),
        (board(2, 3, &[1, 2, 3, 4, 0]), vec!["board.tiles"]),
        (board(1, 4, &[1, 2, 3, 0]), vec!["board.rows"]),
        (
            board(129, 1, &[1, 2, 3, 0]),
            vec!["board.rows", "board.columns"],
        ),
        (board(3, 0, &[1, 2, 3, 0]), vec!["board.columns"]),
        (
            board(u32::MAX, u32::MAX, &[]),
            vec!["board.rows", "board.columns"],
        ),
    ] {
        let status = client.solve(ask(board.clone())).await.unwrap_err();
        let found = violated(&status);
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        if board.tiles.len() == 5 {
            // A wrong number of tiles; any other faults follow from that.
            assert_eq!(found[0], fields[0]);
        } else {
            assert_eq!(found, fields);
        }
    }
}

#[tokio::test]
async fn all_faults_are_named_at_once() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let request = SolveRequest {
        board: Some(square(&[0, 1, 2, 2])),
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Layout(77)),
        }),
        objective: 9,
        max_ratio: 0.0,
        limits: Some(proto::Limits {
            max_nodes: Some(0),
            max_time: Some(prost_types::Duration {
                seconds: -1,
                nanos: 0,
            }),
            max_memory_bytes: Some(1),
        }),
        method: Some(proto::Method {
            algorithm: 99,
            heuristic: -5,
            weight: f64::NAN,
            variant: 42,
            corrections: vec![Heuristic::LastMoves.into(), Heuristic::Manhattan.into(), -1],
        }),
        metric: 12,
        include: None,
    };
    let expected = [
        "board.tiles",
        "board.tiles[3]",
        "goal.layout",
        "limits.max_memory_bytes",
        "limits.max_nodes",
        "limits.max_time",
        "method.algorithm",
        "method.corrections[1]",
        "method.corrections[2]",
        "method.heuristic",
        "method.variant",
        "method.weight",
        "metric",
        "objective",
    ];
    let status = client.solve(request.clone()).await.unwrap_err();
    let mut fields = violated(&status);
    fields.sort();
    assert_eq!(fields, expected);

    let stream = proto::SolveStreamRequest {
        solve: Some(request),
        moves_per_message: 65_537,
        progress_interval: Some(milliseconds(9)),
        final_only: false,
    };
    let status = client.solve_stream(stream).await.unwrap_err();
    let mut fields = violated(&status);
    fields.sort();
    let mut of_stream: Vec<String> = expected
        .iter()
        .map(|field| format!("solve.{field}"))
        .chain(["moves_per_message".into(), "progress_interval".into()])
        .collect();
    of_stream.sort();
    assert_eq!(fields, of_stream);
}

#[tokio::test]
async fn a_fault_of_one_field_hides_none_of_another() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let by = |algorithm: Algorithm| proto::Method {
        algorithm: algorithm.into(),
        ..proto::Method::default()
    };
    let weighing = |method| proto::Method {
        weight: 3.0,
        ..method
    };
    let guided = |heuristic: Heuristic, method| proto::Method {
        heuristic: heuristic.into(),
        ..method
    };
    let strays = |method| proto::Method {
        variant: proto::Variant::Parberry.into(),
        ..weighing(method)
    };
    let using = |method| SolveRequest {
        method: Some(method),
        ..ask(hardest())
    };
    let ida_star = by(Algorithm::IdaStar);
    let constructive = by(Algorithm::Constructive);
    let walking = guided(Heuristic::WalkingDistance, ida_star.clone());
    let mut doubled = wire(&Board::solved(shape(10, 10)));
    doubled.tiles[0] = 2;
    for (request, fields) in [
        (
            using(strays(ida_star.clone())),
            vec!["method.weight", "method.variant"],
        ),
        (
            SolveRequest {
                metric: proto::Metric::MultiTile.into(),
                ..using(guided(Heuristic::Manhattan, strays(by(Algorithm::AStar))))
            },
            vec![
                "method.algorithm",
                "method.weight",
                "method.variant",
                "method.heuristic",
            ],
        ),
        // The shape of a board is known even though its tiles are wrong.
        (
            SolveRequest {
                board: Some(doubled),
                ..using(walking.clone())
            },
            vec!["board.tiles[1]", "board.tiles", "method.heuristic"],
        ),
        // So is the heuristic even though its corrections are wrong.
        (
            SolveRequest {
                board: Some(wire(&Board::solved(shape(10, 10)))),
                ..using(proto::Method {
                    corrections: vec![-1],
                    ..walking
                })
            },
            vec!["method.corrections[0]", "method.heuristic"],
        ),
        // And the heuristic even though the algorithm is wrong.
        (
            SolveRequest {
                board: Some(wire(&Board::solved(shape(10, 10)))),
                ..using(guided(
                    Heuristic::WalkingDistance,
                    strays(by(Algorithm::TableWalk)),
                ))
            },
            vec!["method.algorithm", "method.heuristic"],
        ),
        // No objective takes such a ratio.
        (
            SolveRequest {
                objective: 9,
                max_ratio: -1.0,
                ..ask(hardest())
            },
            vec!["objective", "max_ratio"],
        ),
        (
            SolveRequest {
                objective: 9,
                max_ratio: 1.5,
                ..ask(hardest())
            },
            vec!["objective"],
        ),
        // A method that proves nothing cannot prove a ratio.
        (
            SolveRequest {
                objective: Objective::Bounded.into(),
                max_ratio: 0.5,
                ..using(constructive.clone())
            },
            vec!["max_ratio", "method.algorithm"],
        ),
        // There is a ratio for every weight.
        (
            SolveRequest {
                objective: Objective::Bounded.into(),
                max_ratio: 0.5,
                ..using(weighing(by(Algorithm::WeightedAStar)))
            },
            vec!["max_ratio"],
        ),
        (
            SolveRequest {
                metric: 9,
                ..using(weighing(constructive))
            },
            vec!["metric", "method.weight"],
        ),
        // What a search holds from the start.
        (
            SolveRequest {
                board: Some(wire(&Board::solved(shape(4, 4)))),
                limits: Some(proto::Limits {
                    max_memory_bytes: Some(1 << 20),
                    ..proto::Limits::default()
                }),
                ..using(guided(Heuristic::PatternDatabase, ida_star.clone()))
            },
            vec!["limits.max_memory_bytes"],
        ),
        // A fault of the method itself does not hide the others.
        (
            using(proto::Method {
                variant: 42,
                ..weighing(ida_star)
            }),
            vec!["method.variant", "method.weight"],
        ),
        // What a weight would prove is unknown while it is invalid.
        (
            SolveRequest {
                objective: Objective::Optimal.into(),
                ..using(proto::Method {
                    weight: 0.5,
                    ..by(Algorithm::WeightedAStar)
                })
            },
            vec!["method.weight"],
        ),
    ] {
        let status = client.solve(request.clone()).await.unwrap_err();
        assert_eq!(violated(&status), fields, "{request:?}");
    }
}

#[tokio::test]
async fn what_is_required_is_missed() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let status = client.solve(SolveRequest::default()).await.unwrap_err();
    assert_eq!(violated(&status), ["board"]);
    let stream = proto::SolveStreamRequest::default();
    let status = client.solve_stream(stream).await.unwrap_err();
    assert_eq!(violated(&status), ["solve"]);
}

#[tokio::test]
async fn options_that_cannot_be_are_refused() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let objective = |objective: Objective, max_ratio| SolveRequest {
        objective: objective.into(),
        max_ratio,
        ..ask(hardest())
    };
    let method = |algorithm: Algorithm, heuristic: Heuristic, weight| proto::Method {
        algorithm: algorithm.into(),
        heuristic: heuristic.into(),
        weight,
        ..proto::Method::default()
    };
    let by = |objective: Objective, method| SolveRequest {
        objective: objective.into(),
        method: Some(method),
        ..ask(hardest())
    };
    let in_time = |seconds, nanos| SolveRequest {
        limits: Some(proto::Limits {
            max_time: Some(prost_types::Duration { seconds, nanos }),
            ..proto::Limits::default()
        }),
        ..ask(hardest())
    };
    let other_size = SolveRequest {
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Board(wire(&Board::solved(shape(4, 4))))),
        }),
        ..ask(hardest())
    };
    let none = Heuristic::Unspecified;
    for (request, field) in [
        (objective(Objective::Bounded, f64::NAN), "max_ratio"),
        (objective(Objective::Bounded, f64::INFINITY), "max_ratio"),
        (objective(Objective::Bounded, 0.99), "max_ratio"),
        (objective(Objective::Bounded, 0.0), "max_ratio"),
        (objective(Objective::Best, 1.5), "max_ratio"),
        (objective(Objective::Best, f64::NAN), "max_ratio"),
        (
            by(Objective::Optimal, method(Algorithm::Beam, none, 0.0)),
            "method.algorithm",
        ),
        (
            by(Objective::Fast, method(Algorithm::TableWalk, none, 0.0)),
            "method.algorithm",
        ),
        (
            by(
                Objective::Optimal,
                method(Algorithm::Constructive, none, 0.0),
            ),
            "method.algorithm",
        ),
        (
            by(
                Objective::Optimal,
                method(Algorithm::WeightedAStar, none, 0.0),
            ),
            "method.algorithm",
        ),
        (
            SolveRequest {
                method: Some(method(Algorithm::AStar, Heuristic::PatternDatabase, 0.0)),
                ..ask(wire(&Board::solved(shape(4, 4))))
            },
            "method.heuristic",
        ),
        (
            by(
                Objective::Best,
                method(Algorithm::IdaStar, Heuristic::PatternDatabase, 0.0),
            ),
            "method.heuristic",
        ),
        (
            SolveRequest {
                method: Some(method(Algorithm::IdaStar, Heuristic::WalkingDistance, 0.0)),
                ..ask(wire(&Board::solved(shape(6, 6))))
            },
            "method.heuristic",
        ),
        (
            by(
                Objective::Best,
                proto::Method {
                    corrections: vec![Heuristic::LastMoves.into()],
                    ..method(Algorithm::IdaStar, Heuristic::WalkingDistance, 0.0)
                },
            ),
            "method.corrections",
        ),
        (
            by(
                Objective::Best,
                proto::Method {
                    corrections: vec![Heuristic::LastMoves.into(); 4],
                    ..method(Algorithm::IdaStar, none, 0.0)
                },
            ),
            "method.corrections",
        ),
        (
            by(
                Objective::Fast,
                method(Algorithm::Constructive, Heuristic::Manhattan, 0.0),
            ),
            "method.heuristic",
        ),
        // A heuristic given only by its corrections.
        (
            by(
                Objective::Fast,
                proto::Method {
                    corrections: vec![Heuristic::LastMoves.into()],
                    ..method(Algorithm::Beam, none, 0.0)
                },
            ),
            "method.corrections",
        ),
        (
            by(
                Objective::Fast,
                method(Algorithm::WeightedAStar, none, 1_001.0),
            ),
            "method.weight",
        ),
        (
            by(Objective::Fast, method(Algorithm::WeightedAStar, none, 0.5)),
            "method.weight",
        ),
        (
            by(Objective::Fast, method(Algorithm::AStar, none, 2.0)),
            "method.weight",
        ),
        (in_time(0, 0), "limits.max_time"),
        (in_time(0, -1), "limits.max_time"),
        (in_time(1, 1_000_000_000), "limits.max_time"),
        (in_time(i64::MIN, 0), "limits.max_time"),
        (in_time(315_576_000_001, 0), "limits.max_time"),
        (in_time(i64::MAX, 0), "limits.max_time"),
        (
            SolveRequest {
                metric: 9,
                ..ask(hardest())
            },
            "metric",
        ),
        (other_size, "goal.board"),
    ] {
        let status = client.solve(request.clone()).await.unwrap_err();
        assert_eq!(violated(&status), [field], "{request:?}");
    }
}

#[tokio::test]
async fn a_goal_of_another_size_is_named_beside_tiles_that_are_wrong() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let goal = |board| {
        let goal = Some(proto::goal::Goal::Board(board));
        Some(proto::Goal { goal })
    };
    let request = SolveRequest {
        goal: goal(wire(&Board::solved(shape(4, 4)))),
        ..ask(square(&[1, 2, 3, 4, 5, 6, 7, 7, 0]))
    };
    let status = client.solve(request).await.unwrap_err();
    assert_eq!(
        violated(&status),
        ["board.tiles[7]", "board.tiles", "goal.board"]
    );
    let request = SolveRequest {
        goal: goal(square(&[1, 1, 3, 0])),
        ..ask(hardest())
    };
    let status = client.solve(request).await.unwrap_err();
    assert_eq!(
        violated(&status),
        ["goal.board.tiles[1]", "goal.board.tiles", "goal.board"]
    );
}

#[tokio::test]
async fn progress_comes_within_an_hour() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let stream = |interval| proto::SolveStreamRequest {
        solve: Some(ask(hardest())),
        progress_interval: Some(interval),
        ..proto::SolveStreamRequest::default()
    };
    for interval in [9, 3_600_001] {
        let status = client.solve_stream(stream(milliseconds(interval))).await;
        assert_eq!(violated(&status.unwrap_err()), ["progress_interval"]);
    }
    for interval in [10, 3_600_000] {
        let events = client.solve_stream(stream(milliseconds(interval))).await;
        assert!(events.is_ok());
    }
}

#[tokio::test]
async fn the_servers_own_longest_side_holds() {
    let service = Service::with(&["--max-side", "4"]).await;
    let mut client = service.client().await;
    let largest = client.solve(ask(wire(&Board::solved(shape(4, 4)))));
    assert!(largest.await.is_ok());
    let status = client.solve(ask(wire(&Board::solved(shape(4, 5)))));
    assert_eq!(violated(&status.await.unwrap_err()), ["board.columns"]);
    let tiles: Vec<u32> = (1..25).chain([0]).collect();
    let status = client.solve(ask(square(&tiles))).await.unwrap_err();
    assert_eq!(violated(&status), ["board.tiles"]);
}

#[tokio::test]
async fn only_so_many_faults_are_listed_one_by_one() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let status = client
        .solve(ask(board(100, 100, &[0; 10_000])))
        .await
        .unwrap_err();
    assert_reason(&status, Code::InvalidArgument, "INVALID_REQUEST");
    let fields = violated(&status);
    assert!((2..1_000).contains(&fields.len()), "{}", fields.len());
    assert!(status.message().len() < 1_000);
}

#[tokio::test]
async fn the_longest_list_of_faults_fits_in_the_headers_that_clients_take() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut tiles: Vec<u32> = (0..128 * 128).collect();
    tiles[128 * 127..].fill(u32::MAX);
    let board = square(&tiles);
    let illegal = f64::MIN_POSITIVE / -3.0;
    let request = proto::SolveStreamRequest {
        solve: Some(SolveRequest {
            goal: Some(proto::Goal {
                goal: Some(proto::goal::Goal::Board(board.clone())),
            }),
            objective: i32::MIN,
            max_ratio: illegal,
            limits: Some(proto::Limits {
                max_nodes: Some(0),
                max_time: Some(milliseconds(0)),
                max_memory_bytes: Some(0),
            }),
            method: Some(proto::Method {
                algorithm: i32::MIN,
                heuristic: i32::MIN,
                weight: illegal,
                variant: i32::MIN,
                corrections: vec![i32::MIN; 1_000],
            }),
            metric: i32::MIN,
            ..ask(board)
        }),
        moves_per_message: u32::MAX,
        progress_interval: Some(milliseconds(0)),
        ..proto::SolveStreamRequest::default()
    };
    let status = client.solve_stream(request).await.unwrap_err();
    assert!(violated(&status).len() > 40);
    // Clients in Java and Python take 8 KiB, names and 32 bytes for each header included.
    let details = status.details().len().div_ceil(3) * 4;
    assert!(details + 3 * status.message().len() < 7_500, "{details}");
}
