//! The named target patterns.

use std::collections::HashSet;

use loyd::puzzle::{Board, GoalLayout};

use crate::shape;

#[test]
fn the_patterns_are_what_their_names_say() {
    for (layout, square, wide, high, narrow) in [
        (
            GoalLayout::RowsBlankLast,
            "1 2 3 / 4 5 6 / 7 8 0",
            "1 2 3 4 / 5 6 7 8 / 9 10 11 0",
            "1 2 3 / 4 5 6 / 7 8 9 / 10 11 0",
            "1 2 / 3 0",
        ),
        (
            GoalLayout::RowsBlankFirst,
            "0 1 2 / 3 4 5 / 6 7 8",
            "0 1 2 3 / 4 5 6 7 / 8 9 10 11",
            "0 1 2 / 3 4 5 / 6 7 8 / 9 10 11",
            "0 1 / 2 3",
        ),
        (
            GoalLayout::ColumnsBlankLast,
            "1 4 7 / 2 5 8 / 3 6 0",
            "1 4 7 10 / 2 5 8 11 / 3 6 9 0",
            "1 5 9 / 2 6 10 / 3 7 11 / 4 8 0",
            "1 3 / 2 0",
        ),
        (
            GoalLayout::Snail,
            "1 2 3 / 8 0 4 / 7 6 5",
            "1 2 3 4 / 10 11 0 5 / 9 8 7 6",
            "1 2 3 / 10 11 4 / 9 0 5 / 8 7 6",
            "1 2 / 0 3",
        ),
        (
            GoalLayout::Snake,
            "1 2 3 / 6 5 4 / 7 8 0",
            "1 2 3 4 / 8 7 6 5 / 9 10 11 0",
            "1 2 3 / 6 5 4 / 7 8 9 / 0 11 10",
            "1 2 / 0 3",
        ),
    ] {
        for (rows, columns, expected) in
            [(3, 3, square), (3, 4, wide), (4, 3, high), (2, 2, narrow)]
        {
            assert_eq!(layout.board(shape(rows, columns)).to_string(), expected);
        }
    }
}

#[test]
fn each_pattern_holds_every_tile_once_whatever_the_size() {
    let sizes = (2..=9).flat_map(|rows| (2..=9).map(move |columns| (rows, columns)));
    for (rows, columns) in sizes.chain([(127, 128), (2, 128), (128, 2)]) {
        let shape = shape(rows, columns);
        for layout in GoalLayout::ALL {
            let board = layout.board(shape);
            let tiles: Vec<u32> = board.tiles().map(u32::from).collect();
            assert_eq!(Board::new(shape, &tiles), Ok(board));
        }
    }
}

#[test]
fn patterns_that_follow_a_way_lead_from_each_tile_to_a_neighbour() {
    for (rows, columns) in [(2, 2), (2, 7), (7, 2), (5, 5), (6, 4), (9, 8)] {
        let shape = shape(rows, columns);
        for layout in [GoalLayout::Snail, GoalLayout::Snake] {
            let mut way = layout.board(shape).cells_by_tile();
            way.rotate_left(1);
            assert_eq!(way[0], 0);
            for step in way.windows(2) {
                assert_eq!(shape.distance(step[0].into(), step[1].into()), 1);
            }
        }
    }
}

#[test]
fn from_3_by_3_on_the_patterns_differ_and_the_first_is_the_default() {
    let boards: HashSet<Board> = GoalLayout::ALL
        .iter()
        .map(|layout| layout.board(shape(3, 3)))
        .collect();
    assert_eq!(boards.len(), 5);
    assert_eq!(GoalLayout::default(), GoalLayout::ALL[0]);
    assert_eq!(
        GoalLayout::default().board(shape(3, 3)),
        Board::solved(shape(3, 3))
    );
}
