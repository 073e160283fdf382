//! Boards as small numbers, and moves on them.
//!
//! The tiles are read column by column without the blank, each by the place where the goal has it in this
//! order. A position holds the Lehmer code of this permutation: for each tile, how many later ones should
//! come before it. A vertical move leaves the order as it is. A horizontal one takes a tile past `rows − 1`
//! others, and exchanging two neighbours changes just their two digits. So positions are moved and ranked
//! without ever being decoded.
//!
//! Of the two permutations that differ only in the order of the last two tiles, the parity allows one for
//! each cell of the blank. The digit that distinguishes them has no weight in the rank, which makes ranks
//! dense over the solvable boards.

use std::ops::Range;

use crate::puzzle::{Board, Direction, goal_cell, plain_tile};

use super::Class;

/// The bits of one digit of the Lehmer code.
const DIGIT_BITS: usize = 4;

/// A board of a class, in the canonical mirror of that class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// The digits, the first tile's lowest.
    code: u64,
    rank: u32,
    /// The place of the blank's cell in reading order.
    blank: u8,
}

/// What all positions of a class have in common.
#[derive(Clone, Debug)]
pub(super) struct Positions {
    class: Class,
    rows: usize,
    cells: usize,
    /// The weight of each digit in the rank.
    weights: [u32; Class::MAX_CELLS],
    /// By the blank's place and the direction, whether a tile can slide. Tabulated, as divisions are slow.
    can_slide: [[bool; 4]; Class::MAX_CELLS],
}

impl Positions {
    pub(super) fn of(class: Class) -> Self {
        let cells = class.shape().cells();
        let mut weights = [0; Class::MAX_CELLS];
        // Half of (cells − 2 − i)!, which is 0 for the last two.
        for (i, weight) in weights[..cells - 3].iter_mut().enumerate() {
            *weight = (3..=cells as u32 - 2 - i as u32).product();
        }
        let mut positions = Self {
            class,
            rows: class.shape().rows(),
            cells,
            weights,
            can_slide: [[false; 4]; Class::MAX_CELLS],
        };
        for place in 0..cells {
            let cell = positions.cell(place);
            positions.can_slide[place] =
                Direction::ALL.map(|to| class.shape().neighbour(cell, to.opposite()).is_some());
        }
        positions
    }

    /// The goal.
    pub(super) fn goal(&self) -> Position {
        Position {
            code: 0,
            rank: 0,
            blank: self.place(self.class.home()) as u8,
        }
    }

    /// The position of a solvable board of the class.
    pub(super) fn position(&self, board: &Board) -> Position {
        let blank = self.place(board.blank());
        let mut position = Position {
            code: 0,
            rank: 0,
            blank: blank as u8,
        };
        let home = self.place(self.class.home());
        let mut earlier = 0_u32;
        let places = (0..self.cells).filter(|&place| place != blank);
        for (i, place) in places.enumerate() {
            let tile = board.tile(self.cell(place));
            let goal = self.place(goal_cell(self.class.home(), tile));
            let name = goal - usize::from(goal > home);
            let before = (earlier & ((1 << name) - 1)).count_ones();
            earlier |= 1 << name;
            position.set(i, name as u32 - before, self);
        }
        position
    }

    /// The index of a position in the order of all, from 0.
    pub(super) const fn index(&self, position: Position) -> usize {
        position.rank as usize * self.cells + position.blank as usize
    }

    /// The position with an index below the number of boards.
    pub(super) fn at_index(&self, index: usize) -> Position {
        self.at((index / self.cells) as u32, index % self.cells)
    }

    /// The position with a rank and a place of the blank.
    pub(super) fn at(&self, rank: u32, blank: usize) -> Position {
        self.with_parity(rank, blank, self.is_odd(blank))
    }

    /// The position with a rank and a place of the blank, solvable or not: `is_odd` says whether the sum of
    /// its digits is odd.
    pub(super) fn with_parity(&self, rank: u32, blank: usize, is_odd: bool) -> Position {
        let mut position = Position {
            code: 0,
            rank: 0,
            blank: blank as u8,
        };
        let (mut rest, mut sum) = (rank, u32::from(is_odd));
        for (i, &weight) in self.weights[..self.cells - 3].iter().enumerate() {
            position.set(i, rest / weight, self);
            sum += rest / weight;
            rest %= weight;
        }
        position.set(self.cells - 3, sum % 2, self);
        position
    }

    /// The board of a position.
    pub(super) fn board(&self, position: Position) -> Board {
        let home = self.place(self.class.home());
        let mut names: Vec<usize> = (0..self.cells - 1).collect();
        let mut tiles = [0; Class::MAX_CELLS];
        let places = (0..self.cells).filter(|&place| place != position.blank());
        for (i, place) in places.enumerate() {
            let name = names.remove(position.digit(i) as usize);
            let goal = name + usize::from(name >= home);
            tiles[self.cell(place)] = plain_tile(self.class.home(), self.cell(goal));
        }
        Board::from_legal(self.class.shape(), |cell| tiles[cell])
    }

    /// Whether the digits of solvable boards add up to an odd number, by the blank's place: a horizontal move
    /// is `rows − 1` exchanges, a vertical one none.
    pub(super) const fn is_odd(&self, blank: usize) -> bool {
        let home = self.place(self.class.home());
        let columns_apart = (blank / self.rows).abs_diff(home / self.rows);
        columns_apart * (self.rows - 1) % 2 == 1
    }

    /// Whether a board with the blank at this place is an odd number of slides from the goal: the cells are
    /// coloured like a chessboard.
    pub(super) const fn is_odd_distance(&self, blank: usize) -> bool {
        let shape = self.class.shape();
        let (cell, home) = (self.cell(blank), self.class.home());
        let apart = shape.row(cell) + shape.column(cell) + shape.row(home) + shape.column(home);
        apart % 2 == 1
    }

    /// The digits that change by a slide that the edge allows.
    pub(super) const fn exchanged(&self, blank: usize, direction: Direction) -> Range<usize> {
        match direction {
            Direction::Up | Direction::Down => 0..0,
            Direction::Left => blank..blank + self.rows,
            Direction::Right => blank - self.rows..blank,
        }
    }

    /// The number of ranks that share their first digits.
    pub(super) fn sharing(&self, digits: usize) -> u32 {
        match digits.checked_sub(1) {
            Some(last) => self.weights[last],
            None => (3..self.cells as u32).product(),
        }
    }

    /// The sum of the digits of a rank.
    pub(super) fn sum_of_digits(&self, mut rank: u32) -> u32 {
        let mut sum = 0;
        for weight in &self.weights[..self.cells - 3] {
            sum += rank / weight;
            rank %= weight;
        }
        sum
    }

    /// The position after a tile has slid; `None` if the edge is in the way.
    pub(super) fn slide(&self, position: Position, direction: Direction) -> Option<Position> {
        let blank = usize::from(position.blank);
        if !self.can_slide[blank][direction as usize] {
            return None;
        }
        let mut next = position;
        match direction {
            Direction::Up => next.blank += 1,
            Direction::Down => next.blank -= 1,
            Direction::Left => {
                for i in (blank..blank + self.rows - 1).rev() {
                    next.exchange(i, self);
                }
                next.blank += self.rows as u8;
            }
            Direction::Right => {
                for i in blank - self.rows..blank - 1 {
                    next.exchange(i, self);
                }
                next.blank -= self.rows as u8;
            }
        }
        Some(next)
    }

    /// The positions after one, two and more tiles have been pushed.
    pub(super) fn pushes(
        &self,
        position: Position,
        direction: Direction,
    ) -> impl Iterator<Item = Position> + '_ {
        std::iter::successors(self.slide(position, direction), move |&position| {
            self.slide(position, direction)
        })
    }

    /// The place of a cell in reading order.
    const fn place(&self, cell: usize) -> usize {
        let shape = self.class.shape();
        shape.column(cell) * self.rows + shape.row(cell)
    }

    /// The cell at a place in reading order.
    const fn cell(&self, place: usize) -> usize {
        self.class
            .shape()
            .cell(place % self.rows, place / self.rows)
    }
}

impl Position {
    /// The rank of its permutation: below half the factorial of the number of tiles.
    pub(super) const fn rank(self) -> u32 {
        self.rank
    }

    /// The place of the blank's cell in reading order.
    pub(super) const fn blank(self) -> usize {
        self.blank as usize
    }

    const fn digit(self, i: usize) -> u32 {
        (self.code >> (DIGIT_BITS * i)) as u32 & ((1 << DIGIT_BITS) - 1)
    }

    const fn set(&mut self, i: usize, digit: u32, positions: &Positions) {
        let old = self.digit(i);
        self.code ^= ((digit ^ old) as u64) << (DIGIT_BITS * i);
        self.rank = self
            .rank
            .wrapping_add(digit.wrapping_sub(old).wrapping_mul(positions.weights[i]));
    }

    /// Exchanges the tiles `i` and `i + 1` without a branch: which comes first is a coin toss.
    const fn exchange(&mut self, i: usize, positions: &Positions) {
        let (first, second) = (self.digit(i), self.digit(i + 1));
        let in_order = (first <= second) as u32;
        self.set(i, second + in_order, positions);
        self.set(i + 1, first + in_order - 1, positions);
    }
}
