//! Boards are always legal.

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, BoardViolation, Dice, Direction};

use crate::{board, for_all_boards, shape, shuffle, solved};

#[test]
fn a_board_holds_the_tiles_it_was_given() {
    for (rows, columns) in [(2, 2), (4, 4), (2, 8), (2, 9), (3, 6), (128, 128), (2, 128)] {
        let board = uniform(
            &solved(rows, columns),
            Solvability::Solvable,
            &mut Dice::new(3),
        );
        let tiles: Vec<u32> = board.tiles().map(u32::from).collect();
        assert_eq!(tiles.len(), rows * columns);
        assert_eq!(Board::new(shape(rows, columns), &tiles), Ok(board.clone()));
        assert_eq!(board.tile(board.blank()), 0);
        for (tile, &cell) in board.cells_by_tile().iter().enumerate() {
            assert_eq!(usize::from(board.tile(usize::from(cell))), tile);
        }
    }
}

#[test]
fn all_broken_rules_are_told_at_once() {
    let error = Board::new(shape(2, 3), &[1, 9, 1, 3, 7, 3, 1]).expect_err("no board");
    assert_eq!(
        error.violations,
        [
            BoardViolation::Count {
                expected: 6,
                found: 7
            },
            BoardViolation::OutOfRange {
                cell: 1,
                tile: 9,
                highest: 5
            },
            BoardViolation::Duplicate {
                cell: 2,
                tile: 1,
                first: 0
            },
            BoardViolation::OutOfRange {
                cell: 4,
                tile: 7,
                highest: 5
            },
            BoardViolation::Duplicate {
                cell: 5,
                tile: 3,
                first: 3
            },
            BoardViolation::Duplicate {
                cell: 6,
                tile: 1,
                first: 0
            },
            BoardViolation::Missing { tile: 0 },
            BoardViolation::Missing { tile: 2 },
            BoardViolation::Missing { tile: 4 },
            BoardViolation::Missing { tile: 5 },
        ]
    );
    assert_eq!(error.omitted, 0);
    let cells: Vec<_> = error.violations.iter().map(BoardViolation::cell).collect();
    assert_eq!(cells[..4], [None, Some(1), Some(2), Some(4)]);
    assert_eq!(
        Board::new(shape(2, 2), &[0, 1, 2, 2]).map_err(|error| error.to_string()),
        Err("not a board: cell 3: tile 2 is already on cell 2; tile 3 is missing".into())
    );
}

#[test]
fn of_very_many_broken_rules_the_rest_is_counted() {
    let error = Board::new(shape(128, 128), &[]).expect_err("no board");
    assert_eq!(error.violations.len(), 16);
    assert_eq!(error.omitted, 16_384 + 1 - 16);
    assert!(
        error
            .to_string()
            .ends_with("; tile 14 is missing; and 16369 more")
    );
    let error = Board::new(shape(2, 2), &[u32::MAX; 100_000]).expect_err("no board");
    assert_eq!(error.violations.len(), 16);
    assert_eq!(error.omitted, 1 + 100_000 + 4 - 16);
}

#[test]
fn a_tile_slides_into_the_blank_and_back() {
    let mut board = board("1 2 3 / 4 0 5 / 6 7 8");
    for (direction, expected) in [
        (Direction::Up, "1 2 3 / 4 7 5 / 6 0 8"),
        (Direction::Right, "1 2 3 / 4 7 5 / 0 6 8"),
        (Direction::Down, "1 2 3 / 0 7 5 / 4 6 8"),
        (Direction::Left, "1 2 3 / 7 0 5 / 4 6 8"),
    ] {
        let before = board.clone();
        assert!(board.can_slide(direction));
        assert!(board.slide(direction));
        assert_eq!(board.to_string(), expected);
        let mut back = board.clone();
        assert!(back.slide(direction.opposite()));
        assert_eq!(back, before);
    }
}

#[test]
fn the_edge_stops_a_slide_and_leaves_the_board_as_it_is() {
    for (rows, columns) in [(2, 2), (3, 3), (2, 5), (5, 2), (5, 5)] {
        let shape = shape(rows, columns);
        let mut board = solved(rows, columns);
        let mut dice = Dice::new(8);
        for _ in 0..500 {
            shuffle(&mut board, 1, &mut dice);
            let (row, column) = (shape.row(board.blank()), shape.column(board.blank()));
            for (direction, free) in [
                (Direction::Up, row + 1 < rows),
                (Direction::Down, row > 0),
                (Direction::Left, column + 1 < columns),
                (Direction::Right, column > 0),
            ] {
                let mut after = board.clone();
                assert_eq!(board.can_slide(direction), free);
                assert_eq!(after.slide(direction), free);
                assert_eq!(after == board, !free);
            }
        }
    }
}

#[test]
fn many_slides_keep_a_large_board_legal() {
    let mut board = solved(128, 128);
    let back = shuffle(&mut board, 200_000, &mut Dice::new(2));
    let tiles: Vec<u32> = board.tiles().map(u32::from).collect();
    assert_eq!(Board::new(shape(128, 128), &tiles), Ok(board.clone()));
    assert!(back.iter().all(|&direction| board.slide(direction)));
    assert_eq!(board, solved(128, 128));
}

#[test]
fn there_are_as_many_boards_as_permutations() {
    for (rows, columns, expected) in [(2, 2, 24), (2, 3, 720), (2, 4, 40_320)] {
        let mut boards = std::collections::HashSet::new();
        for_all_boards(shape(rows, columns), |board| {
            boards.insert(board.clone());
        });
        assert_eq!(boards.len(), expected);
    }
}

#[test]
#[should_panic(expected = "cell 4 is off the board")]
fn there_are_no_tiles_off_the_board() {
    let _ = solved(2, 2).tile(4);
}

#[test]
fn boards_print_in_one_line() {
    assert_eq!(solved(2, 6).to_string(), "1 2 3 4 5 6 / 7 8 9 10 11 0");
    assert_eq!(format!("{:?}", solved(2, 2)), "[1 2 / 3 0]");
}
