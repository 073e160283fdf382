//! `Generate`: boards by seed.

use std::collections::HashSet;

use loyd::puzzle::generate::{Solvability, board_seed, scramble, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout, Parity};
use loyd::service::proto::generate_request::Kind;
use loyd::service::proto::{self, GenerateRequest, GenerateResponse};
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::harness::{
    Service, assert_for_ever, assert_reason, check_solution, in_time, milliseconds, read, reason,
    searched, violated, wire,
};
use crate::raw::{RawClient, frame};
use crate::support::shape;

fn ask(side: u32, kind: Option<Kind>) -> GenerateRequest {
    GenerateRequest {
        rows: side,
        seed: Some(42),
        kind,
        ..GenerateRequest::default()
    }
}

fn difficulty(min_moves: u32, max_moves: u32) -> Option<Kind> {
    Some(Kind::Difficulty(proto::Difficulty {
        min_moves,
        max_moves,
    }))
}

fn moves(moves: u32) -> Option<Kind> {
    Some(Kind::Scramble(proto::Scramble { moves }))
}

async fn generate(service: &Service, request: GenerateRequest) -> Result<GenerateResponse, Status> {
    let mut client = service.client().await;
    Ok(client.generate(request).await?.into_inner())
}

#[tokio::test]
async fn uniform_boards_are_those_of_their_seeds() {
    let service = Service::start().await;
    for (wire, solvability) in [
        (proto::Solvability::Unspecified, Solvability::Solvable),
        (proto::Solvability::Solvable, Solvability::Solvable),
        (proto::Solvability::Unsolvable, Solvability::Unsolvable),
    ] {
        for kind in [None, Some(Kind::Uniform(proto::Uniform {}))] {
            let request = GenerateRequest {
                columns: 5,
                count: 20,
                solvability: wire.into(),
                ..ask(4, kind)
            };
            let response = generate(&service, request).await.unwrap();
            assert_eq!((response.seed, response.boards.len()), (42, 20));
            let goal = Board::solved(shape(4, 5));
            for (index, generated) in response.boards.iter().enumerate() {
                assert_eq!(generated.seed, board_seed(42, index as u64));
                let board = read(generated.board.as_ref().unwrap());
                let expected = uniform(&goal, solvability, &mut Dice::new(generated.seed));
                assert_eq!(board, expected);
                assert_eq!(generated.optimal_length, None);
                assert_eq!(generated.solution, None);
            }
        }
    }
}

#[tokio::test]
async fn scrambled_boards_are_those_of_their_seeds() {
    let service = Service::start().await;
    let request = GenerateRequest {
        count: 5,
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Layout(proto::GoalLayout::Snail.into())),
        }),
        ..ask(4, moves(1_000))
    };
    let response = generate(&service, request).await.unwrap();
    let goal = GoalLayout::Snail.board(shape(4, 4));
    assert_eq!(response.boards.len(), 5);
    for generated in &response.boards {
        let board = read(generated.board.as_ref().unwrap());
        let expected = scramble(&goal, 1_000, &mut Dice::new(generated.seed));
        assert_eq!(board, expected);
        assert!(Parity::of(&board, &goal).solvable());
    }
    let none = generate(&service, ask(4, moves(0))).await.unwrap();
    let board = read(none.boards[0].board.as_ref().unwrap());
    assert_eq!(board, Board::solved(shape(4, 4)));
}

#[tokio::test]
async fn boards_of_a_difficulty_come_with_the_proof() {
    let service = Service::start().await;
    for (side, min, max) in [(3, 20, 25), (4, 20, 30), (3, 31, 31)] {
        let request = GenerateRequest {
            count: 3,
            ..ask(side, difficulty(min, max))
        };
        let response = generate(&service, request).await.unwrap();
        assert_eq!(response.boards.len(), 3);
        for generated in &response.boards {
            let start = read(generated.board.as_ref().unwrap());
            let solution = generated.solution.as_ref().unwrap();
            check_solution(&start, &Board::solved(start.shape()), solution);
            assert!(solution.optimal);
            assert_eq!(generated.optimal_length, Some(solution.length));
            assert!((min..=max).contains(&solution.length));
        }
    }
}

#[tokio::test]
async fn each_board_can_be_had_alone_and_a_request_repeats_itself() {
    let service = Service::start().await;
    for kind in [None, moves(100), difficulty(10, 24)] {
        let request = GenerateRequest {
            count: 6,
            ..ask(3, kind)
        };
        let response = generate(&service, request.clone()).await.unwrap();
        assert_eq!(generate(&service, request).await.unwrap(), response);
        for generated in response.boards {
            let alone = GenerateRequest {
                seed: Some(generated.seed),
                ..ask(3, kind)
            };
            let alone = generate(&service, alone).await.unwrap();
            assert_eq!(alone.boards, [generated]);
        }
    }
}

#[tokio::test]
async fn without_a_seed_the_server_draws_one_and_returns_it() {
    let service = Service::start().await;
    let request = GenerateRequest {
        seed: None,
        ..ask(4, None)
    };
    let mut seeds = HashSet::new();
    for _ in 0..5 {
        let response = generate(&service, request.clone()).await.unwrap();
        assert_eq!(response.boards[0].seed, response.seed);
        let again = GenerateRequest {
            seed: Some(response.seed),
            ..request.clone()
        };
        assert_eq!(generate(&service, again).await.unwrap(), response);
        seeds.insert(response.seed);
    }
    assert_eq!(seeds.len(), 5);
}

#[tokio::test]
async fn a_thousand_boards_are_all_different() {
    let service = Service::start().await;
    let request = GenerateRequest {
        count: 1_000,
        ..ask(4, None)
    };
    let response = generate(&service, request).await.unwrap();
    let boards: HashSet<Vec<u32>> = response
        .boards
        .into_iter()
        .map(|generated| generated.board.unwrap().tiles)
        .collect();
    assert_eq!(boards.len(), 1_000);
}

#[tokio::test]
async fn the_largest_request_fits_in_a_response() {
    let service = Service::start().await;
    let request = GenerateRequest {
        count: 61,
        ..ask(128, None)
    };
    let response = generate(&service, request).await.unwrap();
    assert_eq!(response.boards.len(), 61);
    let request = GenerateRequest {
        count: 62,
        ..ask(128, None)
    };
    let status = generate(&service, request).await.unwrap_err();
    assert_eq!(violated(&status), ["count"]);
    assert!(status.message().contains("at most 61"), "{status}");
}

#[tokio::test]
async fn the_most_moves_that_may_be_asked_for_are_made() {
    let service = Service::start().await;
    let request = GenerateRequest {
        count: 10,
        ..ask(3, moves(1_000_000))
    };
    let response = generate(&service, request).await.unwrap();
    assert_eq!(response.boards.len(), 10);
}

#[tokio::test]
async fn a_range_without_boards_is_refused_with_the_possible_range() {
    let service = Service::start().await;
    let status = generate(&service, ask(3, difficulty(40, 50))).await;
    let status = status.unwrap_err();
    assert_eq!(violated(&status), ["difficulty.min_moves"]);
    let details = status.get_error_details();
    let fault = &details.bad_request().unwrap().field_violations[0];
    assert!(fault.description.contains("0 to 31"), "{status}");
    let status = generate(&service, ask(4, difficulty(9, 8))).await;
    assert_eq!(violated(&status.unwrap_err()), ["difficulty.max_moves"]);
}

#[tokio::test]
async fn a_goal_of_another_size_is_compared_with_what_the_request_has() {
    let service = Service::start().await;
    let request = GenerateRequest {
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Board(wire(&Board::solved(shape(3, 3))))),
        }),
        ..ask(4, None)
    };
    let status = generate(&service, request).await.unwrap_err();
    assert_eq!(violated(&status), ["goal.board"]);
    assert_eq!(
        status.message(),
        "goal.board: is 3×3, but rows and columns are 4×4"
    );
}

#[tokio::test]
async fn everything_that_is_wrong_is_named_at_once() {
    let service = Service::start().await;
    let request = GenerateRequest {
        rows: 4,
        columns: 129,
        count: 1_001,
        solvability: 7,
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Layout(-1)),
        }),
        limits: Some(proto::Limits {
            max_nodes: Some(0),
            ..proto::Limits::default()
        }),
        kind: moves(1_000_001),
        ..GenerateRequest::default()
    };
    let status = generate(&service, request).await.unwrap_err();
    let mut fields = violated(&status);
    fields.sort();
    assert_eq!(
        fields,
        [
            "columns",
            "count",
            "goal.layout",
            "limits.max_nodes",
            "scramble.moves",
            "solvability"
        ]
    );
    for (request, expected) in [
        (
            GenerateRequest {
                count: 11,
                ..ask(3, moves(1_000_000))
            },
            "scramble.moves",
        ),
        (
            GenerateRequest {
                solvability: proto::Solvability::Unsolvable.into(),
                ..ask(3, moves(3))
            },
            "solvability",
        ),
    ] {
        let status = generate(&service, request).await.unwrap_err();
        assert_eq!(violated(&status)[0], expected);
    }
}

#[tokio::test]
async fn a_wrong_size_hides_no_other_fault_and_makes_none_up() {
    let service = Service::start().await;
    for (request, expected) in [
        (ask(1, None), vec!["rows"]),
        // Without columns there are as many as rows, so the columns are not at fault.
        (ask(0, None), vec!["rows"]),
        (
            ask(1, difficulty(10, 5)),
            vec!["rows", "difficulty.max_moves"],
        ),
        (ask(1, difficulty(5, 10)), vec!["rows"]),
    ] {
        let status = generate(&service, request).await.unwrap_err();
        assert_eq!(violated(&status), expected);
    }
}

#[tokio::test]
async fn a_limit_ends_the_search_for_a_difficult_board() {
    let service = Service::start().await;
    let request = GenerateRequest {
        limits: Some(proto::Limits {
            max_nodes: Some(1_000),
            ..proto::Limits::default()
        }),
        ..ask(4, difficulty(60, 80))
    };
    let status = generate(&service, request).await.unwrap_err();
    let (code, name, metadata) = reason(&status);
    assert_eq!(
        (code, name.as_str()),
        (Code::ResourceExhausted, "NODE_LIMIT")
    );
    assert!(metadata["nodes_generated"].parse::<u64>().unwrap() >= 1_000);
    // There is neither a proof nor a solution to mention.
    assert!(!status.message().contains("BEST"), "{status}");
}

#[tokio::test]
async fn the_search_for_a_difficult_board_keeps_its_time() {
    let service = Service::start().await;
    let request = GenerateRequest {
        limits: Some(proto::Limits {
            max_time: Some(milliseconds(50)),
            ..proto::Limits::default()
        }),
        // Hardly any board is that far from its goal.
        ..ask(5, difficulty(190, 200))
    };
    let status = in_time(generate(&service, request)).await.unwrap_err();
    assert_reason(&status, Code::ResourceExhausted, "TIME_LIMIT");
}

#[tokio::test]
async fn the_deadline_ends_the_search_for_a_difficult_board() {
    let service = Service::start().await;
    // No timer of the client interferes.
    let mut raw = RawClient::connect(service.address).await;
    let timeout = [("grpc-timeout", "50m")];
    let answer = raw
        .call("Generate", &timeout, frame(&ask(5, difficulty(190, 200))))
        .await;
    assert_reason(&answer.status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
}

#[tokio::test]
async fn a_cancelled_search_for_boards_makes_room_for_the_next_call() {
    let service = Service::with(&["--queue", "1", "--workers", "1"]).await;
    let mut client = service.client().await;
    let mut searching = client.clone();
    let hopeless = ask(5, difficulty(190, 200));
    let call = tokio::spawn(async move {
        // Until it has the place.
        while let Err(status) = searching.generate(hopeless.clone()).await {
            assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
        }
    });
    // Others get none then. Each asks for another board, of which no answer is kept.
    let refused = in_time(async {
        let mut boards = 1..;
        loop {
            if let Err(status) = client.solve(searched(boards.next().unwrap())).await {
                break status;
            }
        }
    })
    .await;
    assert_reason(&refused, Code::ResourceExhausted, "OVERLOADED");
    assert!(!call.is_finished());
    call.abort();
    in_time(async { while client.solve(searched(0)).await.is_err() {} }).await;
}

#[tokio::test]
async fn boards_for_which_there_will_never_be_memory_are_refused() {
    let service = Service::with(&["--memory", "8M"]).await;
    let request = GenerateRequest {
        count: 100,
        ..ask(100, None)
    };
    let status = generate(&service, request).await.unwrap_err();
    assert_for_ever(&status, "MEMORY_LIMIT");
    assert_eq!(
        generate(&service, ask(100, None))
            .await
            .unwrap()
            .boards
            .len(),
        1
    );
}
