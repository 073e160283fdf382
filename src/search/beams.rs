//! Which beams a problem is solved by.

use crate::heuristic::learned;
use crate::puzzle::{Problem, Shape};

use super::beam::{self, Beam, End, Pass};
use super::widening::Beams;

/// Whether there are beams for boards of this shape.
#[must_use]
pub const fn supports(shape: Shape) -> bool {
    shape.cells() > 16
}

/// The beams for a problem of a supported shape.
#[must_use]
pub fn beams(problem: &Problem) -> Box<dyn Beams> {
    Box::new(Whole {
        problem: problem.clone(),
    })
}

/// Beams over whole boards, by the learned estimate where there is one.
struct Whole {
    problem: Problem,
}

impl Beams for Whole {
    fn prepare(&self, nodes: u64) -> bool {
        learned::prepare(self.problem.shape(), nodes)
    }

    fn beam(&self, width: usize, seed: u64) -> Option<Box<dyn Pass>> {
        let (problem, shape) = (&self.problem, self.problem.shape());
        if !beam::supports(shape) {
            return None;
        }
        // By turns: what one end misses the other often finds.
        let from = if seed % 2 == 0 { End::Start } else { End::Goal };
        let rows = learned::ready(shape);
        Some(
            match rows.and_then(|rows| Beam::learned(problem, from, rows, width, seed)) {
                Some(beam) => Box::new(beam),
                None => Box::new(Beam::bounded(problem, from, width, seed)),
            },
        )
    }

    fn bytes(&self, width: usize) -> u64 {
        beam::bytes(self.problem.shape(), width)
    }

    fn layers(&self) -> u32 {
        // On the mean somewhat less than n³ on n×n.
        let shape = self.problem.shape();
        (shape.cells() * (shape.rows() + shape.columns()) * 9 / 20) as u32
    }

    fn cost(&self) -> f64 {
        20.0 + 2.0 * self.problem.shape().cells() as f64
    }
}
