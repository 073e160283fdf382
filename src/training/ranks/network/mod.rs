//! Learning of the network beside the weights, which adds what pairs of tiles cannot express about
//! which board leads on.
//!
//! The network learns from the boards that are solved with it. It learns from each batch of solves
//! once, in small steps, and the next batch is solved by what it has learned.

mod features;
mod model;

use std::sync::Arc;

use model::{Model, STEP};

use super::kind::Kind;
use super::way::{ENDS, end_of, whole};
use super::{BATCH, Course, Report, Trial, problem, random_boards};
use crate::heuristic::learned::near::NearWeights;
use crate::heuristic::learned::{Network, PairWeights, Ranking, Weights};
use crate::puzzle::generate::board_seed;
use crate::puzzle::{Dice, Problem};
use crate::search::beam::{Beam, Group};
use crate::training::solve::each;

/// The least fraction of the rate, at the end of a course.
const LAST_RATE: f32 = 0.02;

/// Runs a course for whole boards by fixed weights, starting from the network `from`. Returns the
/// best network by solution length of those that were learned and `from`.
pub fn learn_network(
    course: &Course,
    weights: Weights,
    from: Option<Network>,
    report: &mut dyn FnMut(&Report),
) -> Network {
    learn(course, weights, from, report)
}

/// Does the same beside weights of tiles near each other.
pub fn learn_near_network(
    course: &Course,
    weights: NearWeights,
    from: Option<Network>,
    report: &mut dyn FnMut(&Report),
) -> Network {
    learn(course, weights, from, report)
}

fn learn<K: Kind>(
    course: &Course,
    weights: PairWeights<K>,
    from: Option<Network>,
    report: &mut dyn FnMut(&Report),
) -> Network {
    let mut learner = Learner::new(course, K::ranking(weights), from.as_ref());
    let mut best_moves = learner.run_trial(0, "before", report);
    let mut best = from;
    for generation in 1..=course.generations {
        learner.learn(generation, report);
        let moves = learner.run_trial(generation, "learned", report);
        if moves < best_moves || best.is_none() {
            (best, best_moves) = (Some(learner.model.network()), moves);
        }
    }
    best.unwrap_or_else(|| learner.model.network())
}

/// A course in progress.
struct Learner<'a, R> {
    course: &'a Course,
    trial: Trial,
    dice: Dice,
    /// The weights, and beside them the current network.
    rows: Arc<R>,
    model: Model,
    /// The number of boards solved, in all generations.
    solved: usize,
}

impl<'a, R: Ranking> Learner<'a, R> {
    fn new(course: &'a Course, mut rows: R, from: Option<&Network>) -> Self {
        let shape = rows.shape();
        let mut dice = Dice::new(course.seed);
        let model = Model::new(shape, from, &mut dice);
        rows.set_network(model.network());
        Self {
            course,
            trial: Trial::new(shape, course),
            dice,
            rows: Arc::new(rows),
            model,
            solved: 0,
        }
    }

    /// Runs a generation.
    fn learn(&mut self, generation: u32, report: &mut dyn FnMut(&Report)) {
        let of = self.course.solves;
        let (mut tried, mut failed) = (0, 0);
        while tried < of {
            let boards = BATCH.min(of - tried);
            let (groups, lost) = self.gather(boards);
            tried += boards;
            failed += lost;
            report(&Report::Solving {
                generation,
                tried,
                of,
                failed,
            });
            if self.model.is_new() {
                self.model.set_sharpness(&groups);
            }
            let all = of * self.course.generations as usize;
            let past = self.solved as f32 / all as f32;
            let rate = self.course.rate * (1.0 - past).max(LAST_RATE);
            for groups in groups.chunks(STEP) {
                self.model
                    .learn(groups, rate, self.course.threads, &mut self.dice);
            }
            self.solved += boards;
            let network = self.model.network();
            let rows = Arc::get_mut(&mut self.rows).expect("no beam is left that looks");
            rows.set_network(network);
        }
    }

    /// Collects groups of boards of the beams that solve the given number of boards, with ranks
    /// that do not include the network. Also returns the number of boards that were not solved.
    fn gather(&mut self, boards: usize) -> (Vec<Group>, usize) {
        let starts = random_boards(self.rows.shape(), boards, &mut self.dice);
        let (rows, width) = (&self.rows, self.course.width);
        let seed = board_seed(self.course.seed, self.solved as u64);
        let found = each(&starts, self.course.threads, |index, start| {
            let seed = seed.wrapping_add(index);
            let (problem, from) = (problem(start), end_of(seed));
            let beam = Beam::learned(&problem, from, Arc::clone(rows), width, seed)?;
            let mut groups = beam.leaders(seed)?;
            let network = rows.network()?;
            for group in &mut groups {
                group.ranks = group.ranks_with(|tiles| {
                    -network.of(&network.sums(tiles)) as f32 / Network::UNIT as f32
                });
            }
            Some(groups)
        });
        let lost = found.iter().filter(|found| found.is_none()).count();
        (found.into_iter().flatten().flatten().collect(), lost)
    }

    /// Returns the mean length of solutions by the current network.
    fn run_trial(
        &self,
        generation: u32,
        what: &'static str,
        report: &mut dyn FnMut(&Report),
    ) -> f64 {
        let solver = |problem: &Problem, from, seed| {
            let rows = Arc::clone(&self.rows);
            whole(rows, problem, from, self.course.trial_width, seed)
        };
        self.trial.run(&ENDS, solver, generation, what, report)
    }
}
