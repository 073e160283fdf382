//! `loyd generate`.

use clap::error::ErrorKind;
use loyd::cli::Exit;
use loyd::service::proto::generate_request::Kind;
use loyd::service::proto::{
    Board, Difficulty, Direction, GenerateRequest, GenerateResponse, GeneratedBoard, Scramble,
    Solution, Solvability, Uniform,
};

use crate::fake::{Fake, parse};

fn maker() -> Fake {
    let board = |tiles: &[u32]| Board {
        rows: 2,
        columns: 2,
        tiles: tiles.to_vec(),
    };
    Fake {
        generate: Ok(GenerateResponse {
            seed: u64::MAX,
            boards: vec![
                GeneratedBoard {
                    board: Some(board(&[1, 2, 0, 3])),
                    seed: u64::MAX - 1,
                    optimal_length: Some(1),
                    solution: Some(Solution {
                        moves: vec![Direction::Left.into()],
                        length: 1,
                        lower_bound: 1,
                        optimal: true,
                        ..Solution::default()
                    }),
                },
                GeneratedBoard {
                    board: Some(board(&[0, 3, 2, 1])),
                    seed: 5,
                    ..GeneratedBoard::default()
                },
            ],
        }),
        ..Fake::default()
    }
}

fn asked(arguments: &[&str]) -> GenerateRequest {
    let fake = maker();
    assert_eq!(fake.run(arguments, "").exit(), Exit::Done);
    fake.asked().generate.expect("asked")
}

#[test]
fn each_board_is_a_line_that_reads_back() {
    for ran in [
        maker().run(&["generate", "2"], ""),
        maker().run_remote(&["generate", "2"], ""),
    ] {
        assert_eq!(
            ran.output,
            "1 2 / 0 3 # seed 18446744073709551614, 1 move\n0 3 / 2 1 # seed 5\n"
        );
        for line in ran.output.lines() {
            let board: loyd::puzzle::Board = line.parse().expect("a board");
            assert!(line.starts_with(&board.to_string()));
        }
    }
}

#[test]
fn json_keeps_all_bits_of_the_seeds() {
    let ran = maker().run(&["generate", "2", "--json"], "");
    let answer: serde_json::Value = serde_json::from_str(&ran.output).expect("one object");
    assert_eq!(
        answer,
        serde_json::json!({
            "seed": "18446744073709551615",
            "boards": [
                {
                    "board": "1 2 / 0 3",
                    "seed": "18446744073709551614",
                    "optimal_length": 1,
                    "moves": "L",
                },
                { "board": "0 3 / 2 1", "seed": "5", "optimal_length": null, "moves": null },
            ],
        })
    );
}

#[test]
fn sizes_are_square_or_said_in_full() {
    for (size, rows, columns) in [("4", 4, 4), ("3x5", 3, 5), ("5X3", 5, 3), ("2×9", 2, 9)] {
        let request = asked(&["generate", size]);
        assert_eq!((request.rows, request.columns), (rows, columns));
    }
    for size in ["1", "129", "3x", "x", "3x4x5", "-4", "four", "3x1"] {
        let error = parse(&["generate", "--", size]).expect_err("no size");
        assert_eq!(error.kind(), ErrorKind::ValueValidation, "{size}");
    }
}

#[test]
fn every_kind_reaches_the_service() {
    let request = asked(&[
        "generate",
        "4",
        "--count",
        "7",
        "--seed",
        "9",
        "--unsolvable",
    ]);
    assert_eq!((request.count, request.seed), (7, Some(9)));
    assert_eq!(request.solvability(), Solvability::Unsolvable);
    assert_eq!(request.kind, Some(Kind::Uniform(Uniform {})));

    let request = asked(&["generate", "4", "--scramble", "30"]);
    assert_eq!((request.count, request.seed), (1, None));
    assert_eq!(request.solvability(), Solvability::Solvable);
    assert_eq!(request.kind, Some(Kind::Scramble(Scramble { moves: 30 })));

    let request = asked(&[
        "generate",
        "3",
        "--min-moves",
        "20",
        "--max-moves",
        "24",
        "--max-nodes",
        "1000",
    ]);
    let difficulty = Difficulty {
        min_moves: 20,
        max_moves: 24,
    };
    assert_eq!(request.kind, Some(Kind::Difficulty(difficulty)));
    assert_eq!(request.limits.expect("limits").max_nodes, Some(1000));
}

#[test]
fn one_end_of_a_range_of_lengths_is_enough() {
    for (option, min_moves, max_moves) in [("--min-moves", 7, u32::MAX), ("--max-moves", 0, 7)] {
        let request = asked(&["generate", "3", option, "7"]);
        let difficulty = Difficulty {
            min_moves,
            max_moves,
        };
        assert_eq!(request.kind, Some(Kind::Difficulty(difficulty)));
    }
}

#[test]
fn kinds_exclude_each_other() {
    for (arguments, kind) in [
        (
            &["--scramble", "3", "--uniform"][..],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--scramble", "3", "--min-moves", "1", "--max-moves", "2"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--scramble", "3", "--unsolvable"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--min-moves", "1", "--max-moves", "2", "--unsolvable"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--min-moves", "1", "--unsolvable"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--max-moves", "1", "--unsolvable"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--max-moves", "1", "--scramble", "3"],
            ErrorKind::ArgumentConflict,
        ),
        (
            &["--uniform", "--max-moves", "1"],
            ErrorKind::ArgumentConflict,
        ),
    ] {
        let error = parse(&[&["generate", "4"], arguments].concat()).expect_err("a refusal");
        assert_eq!(error.kind(), kind, "{arguments:?}");
    }
}

#[test]
fn a_board_that_is_none_is_not_printed() {
    let mut fake = maker();
    if let Ok(answer) = &mut fake.generate {
        answer.boards[0].board = Some(Board {
            rows: 2,
            columns: 2,
            tiles: vec![1, 1, 2, 0],
        });
    }
    for arguments in [&["generate", "2"][..], &["generate", "2", "--json"]] {
        let ran = fake.run(arguments, "");
        assert_eq!(ran.exit(), Exit::Broken);
        assert_eq!(ran.output, "");
    }
}
