//! Pushing a tile by one cell: the blank goes round the tile, then the tile slides.

use crate::puzzle::Direction;

/// The clockwise steps round a tile, from the cell above it.
const CLOCKWISE: [Direction; 8] = [
    Direction::Right,
    Direction::Down,
    Direction::Down,
    Direction::Left,
    Direction::Left,
    Direction::Up,
    Direction::Up,
    Direction::Right,
];

/// The positions of a tile's sides on the ring of the eight cells round it, by direction.
const ON_RING: [usize; 4] = [0, 4, 6, 2];

/// A push: the blank goes round the tile from one of its sides to another, then onto its cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    steps: [Direction; 7],
    /// The number of steps, which is the number of moves.
    pub(super) length: usize,
}

/// By the side of the tile where the blank is and the direction of the push: the two ways round, the shorter
/// one first.
pub(super) static PUSHES: [[[Push; 2]; 4]; 4] = {
    let none = Push {
        steps: [Direction::Up; 7],
        length: 0,
    };
    let mut pushes = [[[none; 2]; 4]; 4];
    let mut i = 0;
    while i < 32 {
        let (from, to, clockwise) = (i / 8, i / 2 % 4, i % 2 == 1);
        let (push, other) = (
            Push::new(from, to, clockwise),
            Push::new(from, to, !clockwise),
        );
        let is_second = push.length > other.length || push.length == other.length && clockwise;
        pushes[from][to][is_second as usize] = push;
        i += 1;
    }
    pushes
};

impl Push {
    const fn new(from: usize, to: usize, clockwise: bool) -> Self {
        let mut steps = [Direction::ALL[to].opposite(); 7];
        let (mut at, end) = (ON_RING[from], ON_RING[to]);
        let mut length = 0;
        while at != end {
            steps[length] = if clockwise {
                CLOCKWISE[at]
            } else {
                CLOCKWISE[(at + 7) % 8].opposite()
            };
            at = (at + if clockwise { 1 } else { 7 }) % 8;
            length += 1;
        }
        Self {
            steps,
            length: length + 1,
        }
    }

    /// The steps of the blank.
    pub(super) fn steps(&self) -> &[Direction] {
        &self.steps[..self.length]
    }
}
