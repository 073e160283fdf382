//! The exact distance of every board of a small shape.

mod class;
mod position;

pub use class::Class;

pub(crate) use position::Position;

use position::Positions;

use crate::puzzle::{Board, Direction, Metric, Problem};

/// The number of moves from each solvable board of a [`Class`] to the plain goal, one byte a
/// board, by breadth-first search backwards from the goal.
///
/// ```
/// use loyd::puzzle::Shape;
/// use loyd::search::distance_table::{Class, DistanceTable};
///
/// let class = Class::new(Shape::new(2, 2)?, 3).expect("small enough");
/// let table = DistanceTable::new(class);
/// assert_eq!(table.distances().iter().max(), Some(&6));
/// # Ok::<(), loyd::puzzle::ShapeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DistanceTable {
    positions: Positions,
    class: Class,
    distances: Box<[u8]>,
}

/// A distance not known yet; the greatest of all is 55.
const UNKNOWN: u8 = u8::MAX;

impl DistanceTable {
    /// Searches the whole class: some milliseconds for 3×3, some tens of them for 2×5.
    #[must_use]
    pub fn new(class: Class) -> Self {
        let positions = Positions::of(class);
        let mut distances = vec![UNKNOWN; class.boards()].into_boxed_slice();
        // Each position with the direction of the last slide.
        let mut layer = vec![(positions.goal(), None)];
        let mut next_layer = Vec::new();
        let mut distance = 0;
        distances[positions.index(positions.goal())] = distance;
        while !layer.is_empty() {
            distance += 1;
            for (position, last) in layer.drain(..) {
                for direction in Direction::ALL {
                    if last.is_some_and(|last| is_idle(class.metric(), last, direction)) {
                        continue;
                    }
                    for next in pushes(&positions, class.metric(), position, direction) {
                        let known = &mut distances[positions.index(next)];
                        if *known == UNKNOWN {
                            *known = distance;
                            next_layer.push((next, Some(direction)));
                        }
                    }
                }
            }
            std::mem::swap(&mut layer, &mut next_layer);
        }
        Self {
            positions,
            class,
            distances,
        }
    }

    /// The boards this table is for.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The least number of moves that solve a problem; none when it is of another class.
    #[must_use]
    pub fn distance(&self, problem: &Problem) -> Option<u32> {
        self.position(problem)
            .map(|position| u32::from(self.distance_at(position)))
    }

    /// The distances of all solvable boards of the class, by their index.
    #[must_use]
    pub fn distances(&self) -> &[u8] {
        &self.distances
    }

    /// The board with an index into [`Self::distances`]: canonical, aiming at the plain goal
    /// with the blank at the class's home.
    #[must_use]
    pub fn board(&self, index: usize) -> Option<Board> {
        (index < self.distances.len()).then(|| self.positions.board(index))
    }

    /// The bytes that the table holds.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.distances.len()
    }

    /// The position of a problem in its canonical mirror; none when it is of another class.
    pub(crate) fn position(&self, problem: &Problem) -> Option<Position> {
        let class = Class::of(problem).map(|class| class.counted_in(self.class.metric()));
        (class == Some(self.class)).then(|| {
            let mirrored = problem.mirrored(problem.canonical_symmetry());
            self.positions.position(mirrored.start())
        })
    }

    /// The distance of a position of this class.
    pub(crate) fn distance_at(&self, position: Position) -> u8 {
        self.distances[self.positions.index(position)]
    }

    /// The positions after one move in a direction: after one slide, or after pushing one, two
    /// and more tiles.
    pub(crate) fn moves(
        &self,
        position: Position,
        direction: Direction,
    ) -> impl Iterator<Item = Position> + '_ {
        pushes(&self.positions, self.class.metric(), position, direction)
    }
}

fn pushes(
    positions: &Positions,
    metric: Metric,
    position: Position,
    direction: Direction,
) -> impl Iterator<Item = Position> + '_ {
    let most = match metric {
        Metric::SingleTile => 1,
        Metric::MultiTile => usize::MAX,
    };
    std::iter::successors(positions.slide(position, direction), move |&position| {
        positions.slide(position, direction)
    })
    .take(most)
}

/// Whether a move after another leads nowhere that was not nearer: back, or along the same line.
fn is_idle(metric: Metric, last: Direction, next: Direction) -> bool {
    match metric {
        Metric::SingleTile => next == last.opposite(),
        Metric::MultiTile => next.is_vertical() == last.is_vertical(),
    }
}
