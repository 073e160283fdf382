//! Boards and moves as people write them.

use loyd::puzzle::Board;
use loyd::puzzle::notation::{Grid, RunLengths, parse_board, parse_moves};

use super::Target;

pub(crate) const NOTATION: Target = Target {
    name: "notation",
    run,
    seeds,
    message_at: |_| None,
};

fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    if let Ok(board) = parse_board(&text, None) {
        let shape = Some(board.shape());
        for written in [board.to_string(), Grid(&board).to_string()] {
            assert_eq!(parse_board(&written, shape).as_ref(), Ok(&board), "{text}");
        }
        assert_eq!(text.parse::<Board>(), Ok(board));
    }
    if let Ok(moves) = parse_moves(&text) {
        let written = RunLengths(&moves).to_string();
        assert_eq!(parse_moves(&written), Ok(moves), "{text}");
    }
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
