//! Where the blank belongs, which is what tables for goals go by.

use std::fmt;

use super::{Problem, Shape, Symmetry};

/// A shape and the blank's home cell, the same for all that are mirror images of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Home {
    shape: Shape,
    cell: usize,
}

impl Home {
    /// The home of problems of a shape whose blank belongs on `cell`.
    #[must_use]
    pub fn new(shape: Shape, cell: usize) -> Self {
        let symmetry = Symmetry::canonical(shape, cell);
        Self {
            shape: symmetry.shape(shape),
            cell: symmetry.cell(shape, cell),
        }
    }

    /// The home of problems of a shape whose blank belongs in a corner.
    #[must_use]
    pub fn corner(shape: Shape) -> Self {
        Self::new(shape, shape.cells() - 1)
    }

    /// The home of a problem.
    #[must_use]
    pub fn of(problem: &Problem) -> Self {
        Self::new(problem.shape(), problem.home())
    }

    /// All homes of a shape, each once; none for a shape that is higher than it is wide.
    pub fn all(shape: Shape) -> impl Iterator<Item = Self> {
        let homes = (0..shape.cells()).map(move |cell| (cell, Self::new(shape, cell)));
        homes
            .filter(move |(cell, home)| home.shape == shape && home.cell == *cell)
            .map(|(_, home)| home)
    }

    /// The shape, at least as wide as it is high.
    #[must_use]
    pub const fn shape(self) -> Shape {
        self.shape
    }

    /// The blank's cell, as close to the lower right corner as its mirror images allow.
    #[must_use]
    pub const fn cell(self) -> usize {
        self.cell
    }

    /// Whether the blank belongs in a corner.
    #[must_use]
    pub const fn is_corner(self) -> bool {
        self.cell == self.shape.cells() - 1
    }
}

impl fmt::Display for Home {
    /// The shape and the blank's cell: `4×4, blank at 15`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, blank at {}", self.shape, self.cell)
    }
}
