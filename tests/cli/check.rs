//! `loyd check`.

use std::io::{BufWriter, ErrorKind};

use loyd::cli::Exit;
use loyd::service::proto::{CheckSolvableResponse, Cycle, Exchange, Parity};

use crate::fake::{Closed, Fake, question, runtime};

const BOARD: &str = "1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 15 0 14";

/// What the service answers for [`BOARD`].
fn unsolvable() -> Fake {
    Fake {
        check: Ok(CheckSolvableResponse {
            solvable: false,
            already_solved: false,
            parity: Some(Parity {
                inversions: 1,
                blank_row_from_bottom: 1,
                goal_blank_row_from_bottom: 1,
                interchanges: 2,
                cycles: vec![Cycle {
                    tiles: vec![0, 15, 14],
                }],
                blank_distance: 1,
            }),
            repair: Some(Exchange {
                first_cell: 4,
                second_cell: 5,
                first_tile: 5,
                second_tile: 6,
            }),
        }),
        ..Fake::default()
    }
}

#[test]
fn an_unsolvable_board_comes_with_the_evidence_and_the_repair() {
    for ran in [
        unsolvable().run(&["check", BOARD], ""),
        unsolvable().run_remote(&["check", BOARD], ""),
    ] {
        assert_eq!(
            ran.output,
            "unsolvable\n\
             by inversions:\n  \
               15 stands before 14: 1\n  \
               1 inversion + 0 tiles passed by the blank = 1: odd\n\
             by interchanges:\n  \
               (0 15 14): 2\n  \
               2 interchanges + 1 step of the blank = 3: odd\n\
             to repair it, exchange 5 (row 2, column 1) and 6 (row 2, column 2)\n"
        );
        assert_eq!(ran.exit(), Exit::Unsolvable);
    }
}

#[test]
fn the_verdict_holds_whether_anybody_reads_it_or_not() {
    for (kind, exit) in [
        (ErrorKind::BrokenPipe, Exit::Unsolvable),
        (ErrorKind::StorageFull, Exit::Broken),
    ] {
        let (ask, mut input) = (question(&["check", BOARD]), std::io::empty());
        let mut output = Closed(kind);
        let answer = ask.answer(&mut input, &mut output, |_| Ok(unsolvable()));
        let ended = runtime().block_on(answer);
        assert_eq!(ended.unwrap_or_else(|failure| failure.exit()), exit);

        // The same if it shows only when all is written.
        let (ask, mut output) = (question(&["check", BOARD]), BufWriter::new(Closed(kind)));
        let answer = ask.answer(&mut input, &mut output, |_| Ok(unsolvable()));
        let ended = runtime().block_on(answer);
        assert_eq!(ended.unwrap_or_else(|failure| failure.exit()), exit);
    }
}

#[test]
fn a_solvable_board_is_done() {
    let mut fake = unsolvable();
    let solvable = CheckSolvableResponse {
        solvable: true,
        parity: Some(Parity {
            inversions: 1_003,
            blank_row_from_bottom: 2,
            goal_blank_row_from_bottom: 1,
            interchanges: 1,
            cycles: vec![Cycle { tiles: vec![0, 12] }, Cycle { tiles: vec![1, 2] }],
            blank_distance: 1,
        }),
        ..CheckSolvableResponse::default()
    };
    fake.check = Ok(solvable.clone());
    let ran = fake.run(&["check", BOARD], "");
    assert_eq!(
        ran.output,
        "solvable\n\
         by inversions:\n  \
           15 stands before 14: 1\n  \
           1,003 inversions + 3 tiles passed by the blank = 1,006: even\n\
         by interchanges:\n  \
           (0 12): 1\n  \
           (1 2): 1\n  \
           1 interchange + 1 step of the blank = 2: even\n"
    );
    assert_eq!(ran.exit(), Exit::Done);

    fake.check = Ok(CheckSolvableResponse {
        already_solved: true,
        ..solvable
    });
    assert!(
        fake.run(&["check", BOARD], "")
            .output
            .starts_with("solved already\n")
    );
}

#[test]
fn json_has_stable_names() {
    let ran = unsolvable().run(&["check", BOARD, "--json"], "");
    assert_eq!(ran.exit(), Exit::Unsolvable);
    let answer: serde_json::Value = serde_json::from_str(&ran.output).expect("one object");
    assert_eq!(
        answer,
        serde_json::json!({
            "board": BOARD,
            "goal": "1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 14 15 0",
            "solvable": false,
            "already_solved": false,
            "parity": {
                "inversions": 1,
                "blank_row_from_bottom": 1,
                "goal_blank_row_from_bottom": 1,
                "interchanges": 2,
                "cycles": [[0, 15, 14]],
                "blank_distance": 1,
            },
            "repair": {
                "first_cell": 4,
                "second_cell": 5,
                "first_tile": 5,
                "second_tile": 6,
            },
        })
    );
}
