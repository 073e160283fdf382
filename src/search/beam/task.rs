//! The problem as a beam sees it, and the end from which it begins.

use crate::heuristic::learned::{names_by_last_corner, renamed};
use crate::puzzle::{Board, Direction, Home, Problem, Solution, Symmetry};

/// The end from which a beam begins. Both ends are about equally good, and what one misses the other often
/// finds: the shorter of both solutions is as short as that of a beam of twice the width, and at 7×7 the
/// narrow beams that give up on a board seldom do so from both ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum End {
    /// From the start.
    #[default]
    Start,
    /// From the goal: the beam looks for the start, and the moves are reversed.
    Goal,
}

/// The problem as the beam sees it: turned so that the blank's home is as near to the lower right corner as
/// its mirror images allow.
pub(super) struct Task {
    problem: Problem,
    from: End,
    /// Maps the problem to its image.
    symmetry: Symmetry,
    start: Board,
    goal: Board,
}

impl Task {
    /// The image with its tiles [named after another goal](names_by_last_corner).
    pub(super) fn by_last_corner(problem: &Problem, from: End) -> Self {
        let seen = match from {
            End::Start => problem.clone(),
            End::Goal => problem.reversed(),
        };
        let symmetry = seen.canonical_symmetry();
        let image = seen.mirrored(symmetry);
        let goal = image.goal();
        let names = names_by_last_corner(&goal);
        Self {
            problem: problem.clone(),
            from,
            symmetry,
            start: renamed(image.start(), &names),
            goal: renamed(&goal, &names),
        }
    }

    /// The image of the start.
    pub(super) const fn start(&self) -> &Board {
        &self.start
    }

    /// The image of the goal.
    pub(super) const fn goal(&self) -> &Board {
        &self.goal
    }

    /// The solution of the problem that corresponds to moves of its image.
    pub(super) fn solution(&self, moves: Vec<Direction>) -> Option<Solution> {
        let back = self.symmetry.inverse();
        let moves = moves.into_iter().map(|slide| back.direction(slide));
        let moves = match self.from {
            End::Start => moves.collect(),
            End::Goal => moves.rev().map(Direction::opposite).collect(),
        };
        self.problem.replay(moves).ok()
    }
}

/// The blank's home as a beam from an end sees it.
#[must_use]
pub fn home(problem: &Problem, from: End) -> Home {
    match from {
        End::Start => Home::of(problem),
        End::Goal => Home::new(problem.shape(), problem.start().blank()),
    }
}
