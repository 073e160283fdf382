//! The slides between two neighbouring cells, numbered for tables that have an entry for each.

use crate::puzzle::{Direction, Shape};

/// Numbers for each two neighbouring cells. A slide and its opposite have the same number.
#[derive(Clone, Debug)]
pub(super) struct Slides {
    /// By the cell that the tile enters and the direction: twice the number of the two cells, plus
    /// 1 for the way back.
    numbers: Box<[[u16; 4]]>,
}

impl Slides {
    /// Returns the bytes held for a shape.
    pub(super) const fn bytes(shape: Shape) -> usize {
        shape.cells() * size_of::<[u16; 4]>()
    }

    /// Returns the number of slides of a shape.
    pub(super) const fn count(shape: Shape) -> usize {
        2 * shape.cells() - shape.rows() - shape.columns()
    }

    /// Numbers the slides of a shape. Also returns, by number, the cell that the tile leaves and
    /// the later cell that it enters.
    pub(super) fn new(shape: Shape) -> (Self, Vec<(usize, usize)>) {
        let mut numbers = vec![[0; 4]; shape.cells()];
        let mut ends = Vec::with_capacity(Self::count(shape));
        for from in 0..shape.cells() {
            for direction in [Direction::Right, Direction::Down] {
                if let Some(to) = shape.neighbour(from, direction) {
                    let number = 2 * ends.len() as u16;
                    numbers[to][direction as usize] = number;
                    numbers[from][direction.opposite() as usize] = number + 1;
                    ends.push((from, to));
                }
            }
        }
        let numbers = numbers.into();
        (Self { numbers }, ends)
    }

    /// Returns the number of the slide onto a cell in a direction, and 1, or −1 for the way back.
    #[inline]
    pub(super) fn number(&self, to: usize, direction: Direction) -> (usize, i32) {
        let number = self.numbers[to][direction as usize];
        (usize::from(number / 2), 1 - 2 * i32::from(number % 2))
    }
}
