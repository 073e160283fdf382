//! `CheckSolvable`: the answer and its evidence.

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout, Parity};
use loyd::service::proto;
use tonic::{Code, Status};

use crate::harness::{Service, assert_reason, in_time, square, violated, wire};
use crate::raw::{RawClient, frame};
use crate::support::shape;

fn ask(board: proto::Board) -> proto::CheckSolvableRequest {
    proto::CheckSolvableRequest {
        board: Some(board),
        goal: None,
    }
}

fn evidence(parity: &Parity) -> proto::Parity {
    let cycles = parity.cycles.iter().map(|cycle| proto::Cycle {
        tiles: cycle.iter().copied().map(u32::from).collect(),
    });
    proto::Parity {
        inversions: parity.inversions,
        blank_row_from_bottom: parity.blank_row_from_bottom as u32,
        goal_blank_row_from_bottom: parity.goal_blank_row_from_bottom as u32,
        interchanges: parity.interchanges as u32,
        cycles: cycles.collect(),
        blank_distance: parity.blank_distance as u32,
    }
}

fn repair(parity: &Parity) -> proto::Exchange {
    let (cells, tiles) = (parity.exchange.cells, parity.exchange.tiles);
    proto::Exchange {
        first_cell: cells.0 as u32,
        second_cell: cells.1 as u32,
        first_tile: tiles.0.into(),
        second_tile: tiles.1.into(),
    }
}

#[tokio::test]
async fn loyds_own_puzzle_is_unsolvable_and_says_why() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut tiles: Vec<u32> = (1..16).chain([0]).collect();
    tiles.swap(13, 14);
    let response = client.check_solvable(ask(square(&tiles))).await.unwrap();
    let response = response.into_inner();
    assert!(!response.solvable && !response.already_solved);
    assert_eq!(
        response.parity,
        Some(proto::Parity {
            inversions: 1,
            blank_row_from_bottom: 1,
            goal_blank_row_from_bottom: 1,
            interchanges: 1,
            cycles: vec![proto::Cycle {
                tiles: vec![14, 15]
            }],
            blank_distance: 0,
        })
    );
    // The exchange that it names repairs the board.
    let repair = response.repair.unwrap();
    let (first, second) = (repair.first_cell as usize, repair.second_cell as usize);
    assert_eq!(
        [tiles[first], tiles[second]],
        [repair.first_tile, repair.second_tile]
    );
    tiles.swap(first, second);
    let repaired = client.check_solvable(ask(square(&tiles))).await.unwrap();
    assert!(repaired.into_inner().solvable);
}

#[tokio::test]
async fn blanks_on_different_rows_are_told_apart() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let goal = GoalLayout::RowsBlankFirst.board(shape(4, 2));
    let board = Board::new(goal.shape(), &[1, 0, 2, 3, 4, 5, 7, 6]).unwrap();
    let request = proto::CheckSolvableRequest {
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Board(wire(&goal))),
        }),
        ..ask(wire(&board))
    };
    let response = client.check_solvable(request.clone()).await.unwrap();
    let parity = proto::Parity {
        inversions: 1,
        blank_row_from_bottom: 4,
        goal_blank_row_from_bottom: 4,
        interchanges: 2,
        cycles: vec![
            proto::Cycle { tiles: vec![0, 1] },
            proto::Cycle { tiles: vec![6, 7] },
        ],
        blank_distance: 1,
    };
    // There are no two tiles in the first row.
    let repair = proto::Exchange {
        first_cell: 2,
        second_cell: 3,
        first_tile: 2,
        second_tile: 3,
    };
    let told = proto::CheckSolvableResponse {
        solvable: false,
        already_solved: false,
        parity: Some(parity.clone()),
        repair: Some(repair),
    };
    assert_eq!(response.into_inner(), told);

    // The blank two rows down, past the 3 and the 5.
    let board = Board::new(goal.shape(), &[1, 3, 2, 5, 4, 0, 7, 6]).unwrap();
    let request = proto::CheckSolvableRequest {
        board: Some(wire(&board)),
        ..request
    };
    let response = client.check_solvable(request).await.unwrap();
    let told = proto::CheckSolvableResponse {
        parity: Some(proto::Parity {
            inversions: 3,
            blank_row_from_bottom: 2,
            interchanges: 4,
            cycles: vec![
                proto::Cycle {
                    tiles: vec![0, 5, 3, 1],
                },
                proto::Cycle { tiles: vec![6, 7] },
            ],
            blank_distance: 3,
            ..parity
        }),
        repair: Some(proto::Exchange {
            first_cell: 0,
            second_cell: 1,
            first_tile: 1,
            second_tile: 3,
        }),
        ..told
    };
    assert_eq!(response.into_inner(), told);
}

#[tokio::test]
async fn a_solved_board_is_already_solved() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let tiles: Vec<u32> = (1..9).chain([0]).collect();
    let response = client.check_solvable(ask(square(&tiles))).await.unwrap();
    let response = response.into_inner();
    assert!(response.solvable && response.already_solved);
    assert_eq!(response.repair, None);
    let parity = response.parity.unwrap();
    assert_eq!((parity.inversions, parity.interchanges), (0, 0));
    assert!(parity.cycles.is_empty());
}

#[tokio::test]
async fn the_evidence_is_that_of_both_proofs_for_boards_of_any_size_and_goal() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut dice = Dice::new(1);
    for (rows, columns) in [(2, 2), (3, 3), (3, 4), (4, 3), (7, 2), (5, 5), (128, 128)] {
        for (layout, wire_layout) in [
            (GoalLayout::Snail, proto::GoalLayout::Snail),
            (
                GoalLayout::RowsBlankFirst,
                proto::GoalLayout::RowsBlankFirst,
            ),
        ] {
            let goal = layout.board(shape(rows, columns));
            for wanted in [Solvability::Solvable, Solvability::Unsolvable] {
                let board = uniform(&goal, wanted, &mut dice);
                let request = proto::CheckSolvableRequest {
                    goal: Some(proto::Goal {
                        goal: Some(proto::goal::Goal::Layout(wire_layout.into())),
                    }),
                    ..ask(wire(&board))
                };
                let response = client.check_solvable(request).await.unwrap().into_inner();
                let solvable = wanted == Solvability::Solvable;
                let parity = Parity::of(&board, &goal);
                assert_eq!(parity.solvable_by_inversions(), solvable);
                assert_eq!(parity.solvable_by_interchanges(), solvable);
                let expected = proto::CheckSolvableResponse {
                    solvable,
                    already_solved: board == goal,
                    parity: Some(evidence(&parity)),
                    repair: (!solvable).then(|| repair(&parity)),
                };
                assert_eq!(response, expected);
            }
        }
    }
}

#[tokio::test]
async fn large_answers_that_are_not_read_are_bounded() {
    // On a busy machine so many calls take longer than answers usually wait for their peer.
    let service = Service::with(&["--memory", "24M", "--stall-timeout", "10m"]).await;
    // Tiles that have changed places in pairs have the most cycles: 64 KB as they are sent.
    let cells = 128 * 128;
    let mut tiles: Vec<u32> = (1..cells - 1).map(|tile| ((tile - 1) ^ 1) + 1).collect();
    tiles.extend([cells - 1, 0]);
    let large = frame(&ask(square(&tiles)));
    let small = frame(&ask(square(&[1, 2, 3, 0])));
    let mut unread = Vec::new();
    let mut refused = 0;
    let mut raw = RawClient::with_window(service.address, 0).await;
    for number in 0..480 {
        if number == 240 {
            raw = RawClient::with_window(service.address, 0).await;
        }
        let answer = raw.open("CheckSolvable", &[], large.clone()).await;
        match Status::from_header_map(answer.headers()) {
            None => unread.push(answer),
            Some(status) => {
                assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
                refused += 1;
            }
        }
    }
    assert!((50..=200).contains(&refused), "{refused}");
    let answer = raw.open("CheckSolvable", &[], small).await;
    assert!(Status::from_header_map(answer.headers()).is_none());
    // Who does not want an answer any more makes room for the next.
    drop(unread);
    in_time(async {
        loop {
            let answer = raw.open("CheckSolvable", &[], large.clone()).await;
            if Status::from_header_map(answer.headers()).is_none() {
                break;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn it_finds_fault_with_all_fields_at_once() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let request = proto::CheckSolvableRequest {
        board: None,
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Layout(99)),
        }),
    };
    let status = client.check_solvable(request).await.unwrap_err();
    assert_eq!(violated(&status), ["board", "goal.layout"]);
    let request = proto::CheckSolvableRequest {
        goal: Some(proto::Goal {
            goal: Some(proto::goal::Goal::Board(wire(&Board::solved(shape(2, 3))))),
        }),
        ..ask(wire(&Board::solved(shape(3, 2))))
    };
    let status = client.check_solvable(request).await.unwrap_err();
    assert_eq!(violated(&status), ["goal.board"]);
}
