//! Shortest solutions of small boards, read off a distance table.

use std::sync::Arc;

use crate::puzzle::{Direction, Problem, Solution, Symmetry};
use crate::search::{Budget, Progress, Search, Step, Stop};

use super::{DistanceTable, Position};

/// Walks downhill through a [`DistanceTable`]: every step is one move nearer to the goal.
///
/// ```
/// use std::sync::Arc;
/// use loyd::puzzle::{Board, GoalLayout, Problem, Shape};
/// use loyd::search::distance_table::{Class, DistanceTable};
/// use loyd::search::distance_table::table_walk::TableWalk;
/// use loyd::search::{Budget, Search, Step};
///
/// let shape = Shape::new(3, 3)?;
/// let board = Board::new(shape, &[8, 6, 7, 2, 5, 4, 3, 0, 1])?;
/// let problem = Problem::new(&board, &GoalLayout::RowsBlankLast.board(shape))?;
/// let class = Class::of(&problem).expect("small enough");
/// let table = DistanceTable::new(class);
/// let mut walk = TableWalk::new(Arc::new(table), &problem).expect("of one class");
/// let Step::Found(solution) = walk.advance(Budget::UNLIMITED) else {
///     unreachable!()
/// };
/// assert_eq!(solution.len(), 31);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TableWalk {
    table: Arc<DistanceTable>,
    problem: Problem,
    /// Maps the table's mirror back to the problem.
    back: Symmetry,
    position: Position,
    /// The distance of the position.
    distance: u8,
    moves: Vec<Direction>,
    progress: Progress,
    done: bool,
}

impl TableWalk {
    /// Prepares a walk; `None` if the table is of another class than the problem.
    #[must_use]
    pub fn new(table: Arc<DistanceTable>, problem: &Problem) -> Option<Self> {
        let position = table.position(problem)?;
        let distance = table.distance_at(position);
        Some(Self {
            problem: problem.clone(),
            back: problem.canonical_symmetry().inverse(),
            position,
            distance,
            moves: Vec::with_capacity(usize::from(distance)),
            progress: Progress {
                lower_bound: u32::from(distance),
                ..Progress::default()
            },
            done: false,
            table,
        })
    }

    /// Makes a move that brings the goal one move nearer. Returns false at the goal.
    fn descend(&mut self) -> bool {
        let Some(nearer) = self.distance.checked_sub(1) else {
            return false;
        };
        self.progress.expanded += 1;
        for direction in Direction::ALL {
            for (more, next) in self.table.moves(self.position, direction).enumerate() {
                self.progress.generated += 1;
                if self.table.is_at(next, nearer) {
                    let direction = self.back.direction(direction);
                    self.moves.extend(std::iter::repeat_n(direction, 1 + more));
                    self.position = next;
                    self.distance = nearer;
                    return true;
                }
            }
        }
        true
    }
}

impl Search for TableWalk {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.done {
            return Step::Done(Stop::Proven);
        }
        let end = self.progress.generated.saturating_add(budget.nodes);
        while self.descend() {
            if self.progress.generated >= end {
                return Step::Working;
            }
        }
        self.done = true;
        let solution = self
            .problem
            .replay(std::mem::take(&mut self.moves))
            .expect("the table's moves lead to the goal");
        Step::Found(solution)
    }

    fn progress(&self) -> Progress {
        self.progress
    }
}
