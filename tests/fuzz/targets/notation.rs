//! Boards and moves as people write them.

use loyd::puzzle::Board;
use loyd::puzzle::notation::{Grid, RunLengths, parse_board, parse_moves};

use super::{Target, Trait, about, trait_of};

pub(crate) const NOTATION: Target = Target {
    name: "notation",
    run,
    seeds,
    message_at: |_| None,
};

fn run(input: &[u8]) -> Trait {
    let text = String::from_utf8_lossy(input);
    let board = parse_board(&text, None);
    if let Ok(board) = &board {
        let shape = Some(board.shape());
        for written in [board.to_string(), Grid(board).to_string()] {
            assert_eq!(parse_board(&written, shape).as_ref(), Ok(board), "{text}");
        }
        assert_eq!(text.parse::<Board>().as_ref(), Ok(board));
    }
    let moves = parse_moves(&text);
    if let Ok(moves) = &moves {
        let written = RunLengths(moves).to_string();
        assert_eq!(parse_moves(&written).as_ref(), Ok(moves), "{text}");
    }
    let board = board.map_or_else(
        |error| error.to_string(),
        |board| about(board.shape().cells()),
    );
    let moves = moves.map_or_else(|error| error.to_string(), |moves| about(moves.len()));
    trait_of(&board) ^ trait_of(&moves).rotate_left(1)
}

fn seeds() -> Vec<Vec<u8>> {
    [
        "1 2 3 / 4 5 6 / 7 8 0",
        "1,2,3;4,5,6;7,8,_",
        "3\n1 2 3\n4 5 6\n7 8 0\n",
        "2 3\n1 2 3 4 5 x # the blank is x\n",
        "5 1 2 4 9 6 3 8 13 15 10 11 14 0 7 12",
        "URDDL",
        "R3D2, u 12 l",
        "R16777216",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
