//! The exact distance of every board of a small shape.

mod bits;
mod bytes;
mod class;
mod position;
mod pull;
mod sweep;
pub mod table_walk;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

pub use class::Class;
pub use sweep::Sweep;

pub(crate) use position::Position;

use bits::Bits;
use position::Positions;

use crate::puzzle::{Board, Direction, Metric, Problem};

/// The number of moves from each solvable board of a [`Class`] to the plain goal: one bit a board where moves
/// are slides, a byte where they are pushes.
///
/// ```
/// use loyd::puzzle::Shape;
/// use loyd::search::distance_table::{Class, DistanceTable};
///
/// let class = Class::new(Shape::new(2, 2)?, 3).expect("small enough");
/// let table = DistanceTable::new(class);
/// assert_eq!(table.counts(), [1, 2, 2, 2, 2, 2, 1]);
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DistanceTable {
    class: Class,
    positions: Positions,
    entries: Entries,
    /// The number of boards at each distance.
    counts: Box<[u64]>,
}

#[derive(Clone, Debug)]
enum Entries {
    Bits(Bits),
    Bytes(Box<[u8]>),
}

impl DistanceTable {
    /// Searches the whole class on this thread: in a millisecond for 3×3, a few milliseconds for 2×5, a
    /// second for 3×4 and 2×6. A [`Sweep`] does the same in steps and on several threads.
    #[must_use]
    pub fn new(class: Class) -> Self {
        if class.metric() == Metric::MultiTile {
            return bytes::table(class);
        }
        let mut sweep = Sweep::new(class);
        loop {
            match sweep.advance(NonZeroUsize::MIN) {
                ControlFlow::Continue(more) => sweep = more,
                ControlFlow::Break(table) => return table,
            }
        }
    }

    /// The class of the boards that this table is for.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The least number of moves that solve a problem; `None` when it is of another class.
    #[must_use]
    pub fn distance(&self, problem: &Problem) -> Option<u32> {
        self.position(problem)
            .map(|position| u32::from(self.distance_at(position)))
    }

    /// The number of boards at each distance, from 0 to the greatest.
    #[must_use]
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The distances of all solvable boards of the class, by index. In a table of one bit a board, each takes
    /// a walk to the goal.
    pub fn distances(&self) -> impl Iterator<Item = u8> + '_ {
        (0..self.class.boards()).map(|index| self.distance_at(self.positions.at_index(index)))
    }

    /// The board with an index into [`Self::distances`]: canonical, aiming at the plain goal with the blank
    /// at the class's home.
    #[must_use]
    pub fn board(&self, index: usize) -> Option<Board> {
        (index < self.class.boards()).then(|| self.positions.board(self.positions.at_index(index)))
    }

    /// The bytes that the table holds.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.entries {
            Entries::Bits(bits) => bits.bytes(),
            Entries::Bytes(bytes) => bytes.len(),
        }
    }

    /// The position of a problem in its canonical mirror; `None` when it is of another class.
    pub(crate) fn position(&self, problem: &Problem) -> Option<Position> {
        let class = Class::of(problem).and_then(|class| class.counted_in(self.class.metric()));
        (class == Some(self.class)).then(|| {
            let mirrored = problem.mirrored(problem.canonical_symmetry());
            self.positions.position(mirrored.start())
        })
    }

    /// The distance of a position of this class.
    pub(crate) fn distance_at(&self, position: Position) -> u8 {
        match &self.entries {
            Entries::Bits(bits) => bits.distance(&self.positions, position),
            Entries::Bytes(bytes) => bytes[self.positions.index(position)],
        }
    }

    /// Whether a position is at a distance, given that it is one move from a position at the next greater
    /// one.
    pub(crate) fn is_at(&self, position: Position, distance: u8) -> bool {
        match &self.entries {
            Entries::Bits(bits) => bits.is_at(position, distance),
            Entries::Bytes(bytes) => bytes[self.positions.index(position)] == distance,
        }
    }

    /// The positions after one move in a direction: after one slide, or after pushing one, two and more
    /// tiles.
    pub(crate) fn moves(
        &self,
        position: Position,
        direction: Direction,
    ) -> impl Iterator<Item = Position> + '_ {
        let most = match self.class.metric() {
            Metric::SingleTile => 1,
            Metric::MultiTile => usize::MAX,
        };
        self.positions.pushes(position, direction).take(most)
    }
}
