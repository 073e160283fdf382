//! Boards and moves as people write them, and as they get them wrong.

use loyd::puzzle::Direction::{Down, Left, Right, Up};
use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::notation::{
    BoardNotationError, Grid, Letters, MAX_MOVES, MovesNotationError, Place, RunLengths,
    parse_board, parse_moves,
};
use loyd::puzzle::{Board, BoardViolation, Dice, Direction, ShapeError};
use proptest::prelude::*;

use crate::{board, shape, solved};

fn board_error(text: &str) -> BoardNotationError {
    parse_board(text, None).expect_err("no board")
}

#[test]
fn one_board_can_be_written_in_many_ways() {
    for text in [
        "4 8 0 / 6 1 2 / 7 5 3",
        "4 8 0/6 1 2/7 5 3",
        "4,8,0,6,1,2,7,5,3",
        "4, 8, 0; 6, 1, 2; 7, 5, 3",
        "4\t8\t_\r\n6\t1\t2\r\n7\t5\t3\r\n",
        "  4 8 .\n\n  6 1 2\n  7 5 3\n\n",
        "4 8 x / 6 1 2 / 7 5 3 /",
        "04 08 00 06 01 02 07 05 03",
        "3\n4 8 0\n6 1 2\n7 5 3\n",
        "# solvable\n3 # the size\n4 8 0 # 1st\n6 1 2\n7 5 3",
        "3 4 8 0 6 1 2 7 5 3",
        "3\n4 8 0 6 1\n2 7 5 3",
        "3 3\n4 8 0\n6 1 2\n7 5 3",
        "3 3 4 8 0 6 1 2 7 5 3",
    ] {
        assert_eq!(board(text).to_string(), "4 8 0 / 6 1 2 / 7 5 3", "{text:?}");
    }
}

#[test]
fn a_rectangle_needs_rows_or_a_size() {
    let expected = "1 2 3 4 / 5 6 7 0";
    assert_eq!(board("1 2 3 4 / 5 6 7 0").to_string(), expected);
    assert_eq!(board("1 2 3 4; 5 6 7 0").to_string(), expected);
    assert_eq!(board("2 4 / 1 2 3 4 / 5 6 7 0").to_string(), expected);
    assert_eq!(board("2 4 1 2 3 4 5 6 7 0").to_string(), expected);
    let flat = "1 2 3 4 5 6 7 0";
    assert_eq!(
        board_error(flat),
        BoardNotationError::NotSquare { count: 8 }
    );
    let wide = parse_board(flat, Some(shape(2, 4))).expect("a board");
    assert_eq!(wide.to_string(), expected);
    let high = parse_board(flat, Some(shape(4, 2))).expect("a board");
    assert_eq!(high.to_string(), "1 2 / 3 4 / 5 6 / 7 0");
}

#[test]
fn a_header_is_told_from_a_board_by_its_numbers() {
    // Both are sixteen numbers that begin with 2 7.
    assert_eq!(
        board("2 7 1 3 4 5 6 8 9 10 11 12 13 14 15 0").shape(),
        shape(4, 4)
    );
    assert_eq!(
        board("2 7 1 2 3 4 5 6 7 8 9 10 11 12 13 0").shape(),
        shape(2, 7)
    );
    // Both are four rows of two numbers.
    assert_eq!(board("3 2 / 1 4 / 5 0 / 6 7").shape(), shape(4, 2));
    assert_eq!(board("3 2 / 1 4 / 5 0 / 2 3").shape(), shape(3, 2));
}

#[test]
fn a_given_shape_must_be_the_boards() {
    for text in ["1 2 3 / 4 5 0", "2 3 1 2 3 4 5 0"] {
        assert!(parse_board(text, Some(shape(2, 3))).is_ok(), "{text:?}");
        assert_eq!(
            parse_board(text, Some(shape(3, 3))),
            Err(BoardNotationError::OtherShape {
                expected: shape(3, 3),
                found: shape(2, 3),
            })
        );
    }
    assert_eq!(
        parse_board("1 2 3 0", Some(shape(3, 3))),
        Err(BoardNotationError::Count {
            expected: shape(3, 3),
            found: 4
        })
    );
}

#[test]
fn an_error_tells_the_place() {
    let place = |line, column| Place { line, column };
    assert_eq!(
        board_error("1 2 3\n4 ö 6\n7 8 0"),
        BoardNotationError::Word {
            place: place(2, 3),
            word: "ö".into()
        }
    );
    assert_eq!(
        board_error("1 2 3\n4 5\n7 8 0"),
        BoardNotationError::Ragged {
            place: place(2, 1),
            row: 2,
            expected: 3,
            found: 2
        }
    );
    assert_eq!(
        board_error("3\n1 2 3\n4 5 0"),
        BoardNotationError::Header { side: 3, found: 6 }
    );
    assert_eq!(
        board_error("1 / 2 / 3 / 0"),
        BoardNotationError::Shape(ShapeError {
            rows: 4,
            columns: 1
        })
    );
    for empty in ["", " \n/;,\n", "# 1 2 3 0"] {
        assert_eq!(board_error(empty), BoardNotationError::Empty);
    }
    let BoardNotationError::Illegal { place, error } = board_error("3\n1 2 3\n4 5 6\n7 9 5") else {
        panic!("the numbers are wrong");
    };
    assert_eq!(place, Some(Place { line: 4, column: 3 }));
    assert_eq!(
        error.violations,
        [
            BoardViolation::OutOfRange {
                cell: 7,
                tile: 9,
                highest: 8
            },
            BoardViolation::Duplicate {
                cell: 8,
                tile: 5,
                first: 4
            },
            BoardViolation::Missing { tile: 0 },
            BoardViolation::Missing { tile: 8 },
        ]
    );
}

#[test]
fn errors_say_what_would_be_right() {
    for (text, message) in [
        (
            "1 2 3",
            "3 numbers do not make a square: separate the rows with /, ; or line breaks, or write the size first",
        ),
        (
            "1 2 -3 0",
            "line 1, column 5: \"-3\" is neither the number of a tile nor a blank (0, _, . or x)",
        ),
        (
            // Spaces that take several bytes are a column each.
            "1\u{3000}2\u{3000}-3 0",
            "line 1, column 5: \"-3\" is neither the number of a tile nor a blank (0, _, . or x)",
        ),
        (
            "1 2 / 3 3",
            "line 1, column 9: not a board: cell 3: tile 3 is already on cell 2; \
             tile 0 is missing",
        ),
        (
            "3 / 1 2 / 3 0",
            "a size of 3 needs 3 times 3 numbers, but 4 follow",
        ),
    ] {
        assert_eq!(board_error(text).to_string(), message);
    }
}

#[test]
fn a_long_word_is_cut_and_a_mark_says_so() {
    for word in ["9".repeat(1_000_000), "tile".repeat(250_000)] {
        let BoardNotationError::Word { place, word } = board_error(&format!("1 2 {word} 3")) else {
            panic!("the word is no tile");
        };
        assert_eq!(place, Place { line: 1, column: 5 });
        assert_eq!(word.chars().count(), 17);
        assert!(word.ends_with('…'), "{word}");
    }
    let BoardNotationError::Word { word, .. } = board_error("1 2 ninety-nine-tile 3") else {
        panic!("the word is no tile");
    };
    assert_eq!(word, "ninety-nine-tile");
}

#[test]
fn numbers_beyond_the_largest_board_are_not_read() {
    let mut text = "128 128\n".to_owned() + &solved(128, 128).to_string();
    assert_eq!(board(&text), solved(128, 128));
    text.push_str("\n1 and the words after it");
    assert_eq!(
        board_error(&text),
        BoardNotationError::TooMany {
            place: Place { line: 3, column: 1 }
        }
    );
}

#[test]
fn a_grid_is_aligned() {
    let text = Grid(&board("0 2 / 1 3")).to_string();
    assert_eq!(text, "0 2\n1 3");
    let wide = Grid(&solved(2, 51)).to_string();
    let lines: Vec<&str> = wide.lines().collect();
    assert!(lines[0].starts_with("  1   2   3"));
    assert!(lines[1].ends_with(" 99 100 101   0"));
    assert_eq!(lines[0].len(), 51 * 4 - 1);
    assert_eq!(lines[1].len(), 51 * 4 - 1);
}

#[test]
fn moves_are_letters_with_or_without_counts() {
    let expected = [Right, Right, Right, Down, Down, Up, Left];
    for text in [
        "RRRDDUL",
        "rrrddul",
        "R3D2UL",
        "R1 R2, d2\n U L",
        "R03D02U01L1",
    ] {
        assert_eq!(parse_moves(text), Ok(expected.to_vec()), "{text:?}");
    }
    assert_eq!(parse_moves(" \n"), Ok(vec![]));
    assert_eq!(Letters(&expected).to_string(), "RRRDDUL");
    assert_eq!(RunLengths(&expected).to_string(), "R3D2UL");
}

#[test]
fn what_is_no_move_is_refused_at_its_place() {
    let character = |line, column, character| {
        Err(MovesNotationError::Character {
            place: Place { line, column },
            character,
        })
    };
    assert_eq!(parse_moves("RRX"), character(1, 3, 'X'));
    assert_eq!(parse_moves("R\nR 3"), character(2, 3, '3'));
    assert_eq!(parse_moves("3R"), character(1, 1, '3'));
    assert_eq!(parse_moves("R-1"), character(1, 2, '-'));
    assert_eq!(parse_moves("R٣"), character(1, 2, '٣'));
    assert_eq!(
        parse_moves("U R00"),
        Err(MovesNotationError::ZeroCount {
            place: Place { line: 1, column: 4 }
        })
    );
}

#[test]
fn counts_cannot_make_lists_without_end() {
    let full = parse_moves(&format!("R{MAX_MOVES}")).expect("as many as may be");
    assert_eq!(full.len(), 16_777_216);
    assert!(full.iter().all(|&direction| direction == Right));
    for text in [
        "U2R16777215".to_owned(),
        "UUR999999999".to_owned(),
        format!("U2R{}", "9".repeat(100_000)),
    ] {
        let column = text.find('R').expect("an R") + 1;
        assert_eq!(
            parse_moves(&text),
            Err(MovesNotationError::TooMany {
                place: Place { line: 1, column }
            })
        );
    }
}

fn any_board() -> impl Strategy<Value = Board> {
    (2..=20_usize, 2..=20_usize, any::<u64>()).prop_map(|(rows, columns, seed)| {
        uniform(
            &solved(rows, columns),
            Solvability::Solvable,
            &mut Dice::new(seed),
        )
    })
}

fn any_moves() -> impl Strategy<Value = Vec<Direction>> {
    prop::collection::vec(prop::sample::select(&Direction::ALL), 0..200)
}

proptest! {
    #[test]
    fn a_printed_board_reads_back(board in any_board()) {
        let shape = board.shape();
        let line = board.to_string();
        let grid = Grid(&board).to_string();
        let flat = line.replace('/', "");
        let header = format!("{} {}\n{flat}", shape.rows(), shape.columns());
        for text in [&line, &grid, &header] {
            prop_assert_eq!(parse_board(text, None), Ok(board.clone()));
        }
        prop_assert_eq!(parse_board(&flat, Some(shape)), Ok(board));
    }

    #[test]
    fn printed_moves_read_back(moves in any_moves()) {
        prop_assert_eq!(parse_moves(&Letters(&moves).to_string()), Ok(moves.clone()));
        prop_assert_eq!(parse_moves(&RunLengths(&moves).to_string()), Ok(moves));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[0-9UDLRudlrx_.,;/# \n\\PC]{0,60}") {
        if let Ok(board) = parse_board(&text, None) {
            prop_assert_eq!(parse_board(&board.to_string(), None), Ok(board));
        }
        if let Ok(moves) = parse_moves(&text) {
            prop_assert_eq!(parse_moves(&Letters(&moves).to_string()), Ok(moves));
        }
    }
}
