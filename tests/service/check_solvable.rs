//! `CheckSolvable`: the answer and its evidence.

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, GoalLayout, Parity};
use loyd::service::proto;

use crate::harness::{Service, square, violated, wire};
use crate::support::shape;

fn ask(board: proto::Board) -> proto::CheckSolvableRequest {
    proto::CheckSolvableRequest {
        board: Some(board),
        goal: None,
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
    // The exchange that it names repairs it.
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
                assert_eq!(response.solvable, wanted == Solvability::Solvable);
                assert_eq!(response.repair.is_none(), response.solvable);
                let parity = response.parity.unwrap();
                let expected = Parity::of(&board, &goal);
                assert_eq!(parity.inversions, expected.inversions);
                let exchanges: usize = parity
                    .cycles
                    .iter()
                    .map(|cycle| cycle.tiles.len() - 1)
                    .sum();
                assert_eq!(parity.interchanges as usize, exchanges);
                let even = (parity.interchanges + parity.blank_distance) % 2 == 0;
                assert_eq!(even, response.solvable);
            }
        }
    }
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
