//! A beam whose solution is then shortened, window by window.

mod windows;

use crate::puzzle::{Problem, Shape, Solution};
use crate::search::beam::{self, Pass, Ready};
use crate::search::{Budget, Progress, Search, Step, Stop};

use windows::Windows;

/// On boards of at most so many cells the same time is better spent on a wider beam.
const MOST_CELLS: usize = 12 * 12;

/// Solutions of narrower beams are not worth the time either: that is better spent on width.
const LEAST_WIDTH: usize = 60;

/// What the windows take for each move of the solution: as much as so many nodes of the beam, and at least
/// this fraction of one of its layers.
const NODES_A_MOVE: f64 = 13.0;
const LEAST_SHARE: f64 = 0.03;

/// Works on the tables that windows need on boards of this shape, about as long as so many nodes of a search
/// take. Returns true once no work is left.
pub(super) fn prepare(shape: Shape, nodes: u64) -> bool {
    shape.cells() <= MOST_CELLS || beam::prepare(block(shape), nodes)
}

/// The beam, which goes on to shorten its solution where that is worthwhile for a beam that is planned to be
/// this wide, and the tables are ready. By then the beam's layers are gone, so that the bytes set aside for
/// them are more than enough.
pub(super) fn polished(
    problem: &Problem,
    beam: Box<dyn Pass>,
    width: usize,
    seed: u64,
) -> Box<dyn Pass> {
    let shape = problem.shape();
    if shape.cells() <= MOST_CELLS || width < LEAST_WIDTH {
        return beam;
    }
    let Some(ranking) = beam::ready(block(shape)) else {
        return beam;
    };
    Box::new(Polished {
        problem: problem.clone(),
        beam,
        width,
        seed,
        ranking,
        phase: Phase::Beam,
        past: Progress::default(),
    })
}

/// The shape of the block within which the blank stays during a window.
fn block(shape: Shape) -> Shape {
    shape.block(8)
}

/// A beam whose solution is then shortened. It finds the beam's own solution first, and then the shortened
/// one, if it has become shorter.
struct Polished {
    problem: Problem,
    beam: Box<dyn Pass>,
    /// The width that was planned for the beam, which windows do not exceed.
    width: usize,
    seed: u64,
    /// The tables that rank boards of a window, held from the beginning so that they stay.
    ranking: Ready,
    phase: Phase,
    /// The progress of the windows.
    past: Progress,
}

enum Phase {
    Beam,
    Windows(Box<Windows>),
    Over(Stop),
}

impl Pass for Polished {
    fn rest(&self, expected: u32) -> u32 {
        match &self.phase {
            Phase::Beam => {
                let share = (NODES_A_MOVE / self.width as f64).max(LEAST_SHARE);
                let windows = f64::from(expected) * share;
                self.beam.rest(expected) + windows as u32
            }
            Phase::Windows(windows) => windows.rest(),
            Phase::Over(_) => 1,
        }
    }

    fn is_stuck(&self) -> bool {
        matches!(self.phase, Phase::Beam) && self.beam.is_stuck()
    }

    fn makes_layers(&self) -> bool {
        !matches!(self.phase, Phase::Beam) || self.beam.makes_layers()
    }

    fn set_width(&mut self, width: usize) {
        match &mut self.phase {
            Phase::Windows(windows) => windows.set_width(width.min(self.width)),
            _ => self.beam.set_width(width),
        }
    }
}

impl Search for Polished {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        match &mut self.phase {
            Phase::Beam => {
                let step = self.beam.advance(budget);
                match &step {
                    Step::Working => {}
                    Step::Found(solution) => {
                        let (problem, ranking) = (&self.problem, self.ranking.clone());
                        let windows =
                            Windows::new(problem, solution, ranking, self.width, self.seed);
                        self.phase = Phase::Windows(Box::new(windows));
                    }
                    Step::Done(stop) => self.phase = Phase::Over(*stop),
                }
                step
            }
            // The beam's memory is set aside for the windows now.
            Phase::Windows(_) if !self.beam.shed(budget.nodes) => Step::Working,
            Phase::Windows(windows) => {
                let step = windows.advance(budget);
                self.past = windows.progress();
                if step != Step::Working {
                    self.past = self.past.at_rest();
                    self.phase = Phase::Over(Stop::FirstFound);
                }
                step
            }
            Phase::Over(stop) => Step::Done(*stop),
        }
    }

    fn progress(&self) -> Progress {
        self.beam.progress().alongside(self.past)
    }

    fn name(&self) -> &'static str {
        self.beam.name()
    }

    fn shed(&mut self, nodes: u64) -> bool {
        self.beam.shed(nodes)
    }
}
