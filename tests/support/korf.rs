//! Korf's hundred boards of 1985, the standard benchmark of the 15-puzzle.

use loyd::puzzle::{Board, Problem, Shape};

pub(crate) struct KorfBoard {
    pub(crate) problem: Problem,
    /// The length of its shortest solutions, in moves.
    pub(crate) length: usize,
    /// The nodes of IDA* with the Manhattan distance, as published.
    pub(crate) nodes: u64,
}

/// All boards, those with the fewest nodes first.
pub(crate) fn easiest_first() -> Vec<KorfBoard> {
    let shape = Shape::new(4, 4).expect("sides in range");
    let goal = Board::solved(shape);
    let file = include_str!("../../src/bench/data/korf_1985_15puzzle.tsv");
    let mut boards: Vec<_> = file
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let tiles: Vec<u32> = fields[0]
                .split(',')
                .map(|tile| tile.parse().expect("a tile"))
                .collect();
            let start = Board::new(shape, &tiles).expect("a board");
            KorfBoard {
                problem: Problem::new(&start, &goal).expect("solvable"),
                length: fields[1].parse().expect("a length"),
                nodes: fields[2].parse().expect("a number of nodes"),
            }
        })
        .collect();
    boards.sort_by_key(|board| board.nodes);
    boards
}
