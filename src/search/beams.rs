//! Which beams a problem is solved by.

use crate::heuristic::manhattan::Distance;
use crate::puzzle::{Problem, Shape};

use super::beam::{Beam, Pass};
use super::widening::Beams;

/// Whether there are beams for boards of this shape.
#[must_use]
pub const fn supports(shape: Shape) -> bool {
    shape.cells() > 16
}

/// The beams for a problem of a supported shape.
#[must_use]
pub fn beams(problem: &Problem) -> Box<dyn Beams> {
    Box::new(ByDistance {
        problem: problem.clone(),
    })
}

struct ByDistance {
    problem: Problem,
}

impl Beams for ByDistance {
    fn beam(&self, width: usize, seed: u64) -> Option<Box<dyn Pass>> {
        let image = self.problem.mirrored(self.problem.canonical_symmetry());
        let beam = Beam::new(&self.problem, Distance::new(&image), width, seed)?;
        Some(Box::new(beam))
    }

    fn bytes(&self, width: usize) -> u64 {
        Beam::<Distance>::bytes(self.problem.shape(), width)
    }

    fn layers(&self) -> u32 {
        let shape = self.problem.shape();
        (shape.cells() * (shape.rows() + shape.columns()) / 2) as u32
    }

    fn cost(&self) -> f64 {
        16.0 + 2.0 * self.problem.shape().cells() as f64
    }
}
