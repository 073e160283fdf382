//! The slides between two cells beside each other, numbered, for tables that have something for each.

use crate::puzzle::{Direction, Shape};

/// Each two cells beside each other have a number. There and back are one slide.
#[derive(Clone, Debug)]
pub(super) struct Slides {
    /// By the cell that the tile takes and the direction: the number of the two cells, doubled, and 1 more for the
    /// way back.
    numbers: Box<[[u16; 4]]>,
}

impl Slides {
    /// Bytes held for a shape.
    pub(super) const fn bytes(shape: Shape) -> usize {
        shape.cells() * size_of::<[u16; 4]>()
    }

    /// How many a shape has.
    pub(super) const fn count(shape: Shape) -> usize {
        2 * shape.cells() - shape.rows() - shape.columns()
    }

    /// Those of a shape; and by number the cell that the tile leaves, and the one after it that it takes.
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

    /// The number of the slide onto a cell in a direction, and 1, or −1 if it is the way back.
    #[inline]
    pub(super) fn number(&self, to: usize, direction: Direction) -> (usize, i32) {
        let number = self.numbers[to][direction as usize];
        (usize::from(number / 2), 1 - 2 * i32::from(number % 2))
    }
}
