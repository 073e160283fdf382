//! Random boards: the same boards from the same seed, in every release.

use super::{Board, Dice, Direction, Parity, Shape};

/// The two classes of boards. Each holds half of all boards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Solvability {
    /// Boards from which the goal can be reached.
    #[default]
    Solvable,
    /// The other boards.
    Unsolvable,
}

/// Returns the seed of board `index` of a batch that was requested with `seed`.
///
/// The seed of the first board is `seed` itself, so each board can be generated alone: request one
/// board with its own seed. The other seeds come from SplitMix64 (Steele, Lea & Flood, 2014),
/// started at `seed`.
#[must_use]
pub const fn board_seed(seed: u64, index: u64) -> u64 {
    if index == 0 {
        return seed;
    }
    let mut mix = seed.wrapping_add(index.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    mix = (mix ^ mix >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mix = (mix ^ mix >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    mix ^ mix >> 31
}

/// Returns a random board of the wanted class. All boards of the class, including the goal itself
/// if it is one of them, are exactly equally likely.
///
/// All cells are shuffled (Fisher & Yates, 1938), which makes each of the N! arrangements equally
/// likely. If the board is of the wrong class, the two tiles of [`Parity::exchange`] are exchanged.
/// Which cells these are depends on the blank's row alone, and the exchange leaves the blank where
/// it is. So a second exchange undoes the first, each board of one class is paired with one of the
/// other, and each wanted board comes from exactly two arrangements.
///
/// ```
/// use loyd::puzzle::generate::{Solvability, uniform};
/// use loyd::puzzle::{Board, Dice, Parity, Shape};
///
/// let goal = Board::solved(Shape::new(4, 4)?);
/// let board = uniform(&goal, Solvability::Solvable, &mut Dice::new(42));
/// assert!(Parity::of(&board, &goal).solvable());
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[must_use]
pub fn uniform(goal: &Board, wanted: Solvability, dice: &mut Dice) -> Board {
    let shape = goal.shape();
    let mut tiles: Vec<u16> = (0..shape.cells() as u16).collect();
    dice.shuffle(&mut tiles);
    let board = from_tiles(shape, &tiles);
    let parity = Parity::of(&board, goal);
    if parity.solvable() == (wanted == Solvability::Solvable) {
        return board;
    }
    let (left, right) = parity.exchange.cells;
    tiles.swap(left, right);
    from_tiles(shape, &tiles)
}

fn from_tiles(shape: Shape, tiles: &[u16]) -> Board {
    Board::from_legal(shape, |cell| tiles[cell])
}

/// Returns the board after `moves` random moves from the goal, none of which undoes the one before.
/// Takes time in proportion to `moves`.
///
/// ```
/// use loyd::puzzle::generate::scramble;
/// use loyd::puzzle::{Board, Dice, Shape};
///
/// let goal = Board::solved(Shape::new(2, 2)?);
/// // The tiles of a 2×2 board can only rotate: twelve moves bring them home.
/// assert_eq!(scramble(&goal, 12, &mut Dice::new(7)), goal);
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[must_use]
pub fn scramble(goal: &Board, moves: u32, dice: &mut Dice) -> Board {
    let mut walk = Walk::new(goal.clone());
    walk.steps(moves, dice);
    walk.into_board()
}

/// A random walk over boards that never undoes its last move.
#[derive(Clone, Debug)]
pub struct Walk {
    board: Board,
    last: Option<Direction>,
}

impl Walk {
    /// Starts the walk on a board.
    #[must_use]
    pub const fn new(board: Board) -> Self {
        Self { board, last: None }
    }

    /// Makes one move. All moves that do not undo the last one are equally likely. The dice choose
    /// among them in the order of [`Direction::ALL`].
    pub fn step(&mut self, dice: &mut Dice) {
        let back = self.last.map(Direction::opposite);
        let mut moves = [Direction::Up; 4];
        let mut count = 0;
        for direction in Direction::ALL {
            if Some(direction) != back && self.board.can_slide(direction) {
                moves[count] = direction;
                count += 1;
            }
        }
        let direction = moves[dice.below(count as u32) as usize];
        self.board.slide(direction);
        self.last = Some(direction);
    }

    /// Makes the given number of moves.
    pub fn steps(&mut self, moves: u32, dice: &mut Dice) {
        for _ in 0..moves {
            self.step(dice);
        }
    }

    /// Returns the current board.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Consumes the walk and returns the current board.
    #[must_use]
    pub fn into_board(self) -> Board {
        self.board
    }
}
