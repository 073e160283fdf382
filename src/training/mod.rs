//! Learning the weights of an estimate from the solutions that a beam finds by it.
//!
//! In each generation, the current beam solves many boards; each board on a solution is labelled
//! with the number of moves that remained; and the weights learn from these samples. The learned
//! weights, their mean with the best so far and their mean with those of the generation before are
//! tried on boards from which nothing is learned. The best by the length of the beam's solutions
//! are kept.
//!
//! Good weights then learn to rank from which board led on ([`rank_whole`]); those of tiles near
//! each other learn nothing else ([`rank_in_stages`], [`rank_whole_near`]). A network beside them
//! learns what pairs of tiles cannot express ([`learn_network`], [`learn_near_network`]).
//!
//! This module uses the searches, and only the command line uses it. The same course gives the same
//! weights on any number of threads.

mod alike;
mod model;
mod plain;
mod ranks;
mod samples;
mod solve;
mod starts;
mod trial;
mod weight;

use std::sync::Arc;

pub use ranks::{
    LEAST_WIDTH, learn_near_network, learn_network, rank_in_stages, rank_whole, rank_whole_near,
};

use model::{Lessons, Model};
use samples::Samples;
use solve::{Beam, board_of, each, solve_all};
use starts::Starts;
use trial::Trial;

use crate::heuristic::learned::{Ranking, Rows, Weights};
use crate::puzzle::generate::board_seed;
use crate::puzzle::{Board, Dice};

/// The solves between two reports, and before new boards join the starts.
const BATCH: usize = 512;

/// The generations whose samples are used.
const REMEMBERED: usize = 3;

/// How much wider the beam is that retries boards on which the first beam gave up.
const WIDER: usize = 4;

/// One board in this many of a batch may be retried by the wider beam.
const STUCK: usize = 32;

/// The numbers of the models that learn the same lessons in different orders, to be averaged.
const MODELS: [u64; 2] = [1, 2];

/// What a course consists of.
#[derive(Clone, Debug)]
pub struct Course {
    /// The seed of all randomness.
    pub seed: u64,
    /// The threads to use. The result does not depend on their number.
    pub threads: usize,
    /// The number of generations.
    pub generations: u32,
    /// The solves of a generation.
    pub solves: usize,
    /// The width of the beam that solves.
    pub width: usize,
    /// How often each sample is seen in a generation.
    pub epochs: u32,
    /// How much the first lesson changes the estimate of its board, in moves; where ranks are
    /// learned, how much it changes a weight.
    pub rate: f32,
    /// The number of boards that decide between weights.
    pub trials: usize,
    /// The width of the beam on those boards.
    pub trial_width: usize,
}

/// The progress of a course.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// Boards were solved in a generation.
    Solving {
        /// The generation, from 1.
        generation: u32,
        /// The boards tried so far.
        tried: usize,
        /// The boards to try.
        of: usize,
        /// How many of the tried boards the beam gave up on.
        failed: usize,
    },
    /// Learning from samples begins.
    Learning {
        /// The generation, from 1.
        generation: u32,
        /// The number of samples.
        samples: usize,
    },
    /// Weights were tried on the trial boards.
    Tried {
        /// The generation, from 1; 0 for the initial weights.
        generation: u32,
        /// What was tried.
        what: &'static str,
        /// The mean length of the solutions. A board without a solution counts as twice the typical
        /// length.
        moves: f64,
        /// The number of boards without a solution.
        failed: usize,
    },
}

/// Runs a course that starts from some weights. Returns the best by solution length.
pub fn train(course: &Course, from: Weights, report: &mut dyn FnMut(&Report)) -> Weights {
    let shape = from.shape();
    let trial = Trial::new(shape, course);
    let mut starts = Starts::new(shape);
    let mut memory: Vec<Samples> = Vec::new();
    let mut best = from;
    let mut best_moves = trial.run(&best, 0, "before", report);
    let mut model = Model::of(&best);
    for generation in 1..=course.generations {
        let beam = Beam {
            rows: Arc::new(Rows::new(best.clone())),
            width: course.width,
        };
        let samples = gather(course, generation, &beam, &mut starts, report);
        memory.push(samples);
        if memory.len() > REMEMBERED {
            memory.remove(0);
        }
        let mut all = Samples::new(shape.cells());
        memory.iter().for_each(|samples| all.append(samples));
        report(&Report::Learning {
            generation,
            samples: all.len(),
        });
        let learned = learn(course, generation, &model, &all);
        let mut candidates = vec![("learned", learned.clone())];
        candidates.push(("mean with the best before", learned.mean(&Model::of(&best))));
        if generation > 1 {
            candidates.push(("mean with the one before", learned.mean(&model)));
        }
        for (what, candidate) in candidates {
            let weights = candidate.weights();
            let moves = trial.run(&weights, generation, what, report);
            if moves < best_moves {
                (best, best_moves) = (weights, moves);
            }
        }
        model = learned;
    }
    best
}

/// Collects the samples of a generation.
fn gather(
    course: &Course,
    generation: u32,
    beam: &Beam,
    starts: &mut Starts,
    report: &mut dyn FnMut(&Report),
) -> Samples {
    let shape = beam.rows.shape();
    let seed = board_seed(course.seed, u64::from(generation));
    let mut dice = Dice::new(seed);
    let mut samples = Samples::new(shape.cells());
    let (mut tried, mut failed) = (0, 0);
    while tried < course.solves {
        let boards: Vec<Board> = (0..BATCH.min(course.solves - tried))
            .map(|_| starts.draw(&mut dice))
            .collect();
        let outcomes = solve_all(
            beam,
            &boards,
            seed.wrapping_add(tried as u64),
            course.threads,
        );
        tried += boards.len();
        let mut stuck = Vec::new();
        for (outcome, board) in outcomes.iter().zip(&boards) {
            outcome.add_to(&mut samples);
            let inside = outcome.inside.iter().map(|tiles| board_of(shape, tiles));
            match &outcome.path {
                Some(path) => {
                    inside.for_each(|board| starts.inside.add(board));
                    let tiles = &path[dice.below(path.len() as u32) as usize];
                    starts.ways.add(board_of(shape, tiles));
                }
                None => {
                    stuck.push(board.clone());
                    stuck.extend(inside.take(1));
                }
            }
        }
        failed += outcomes.iter().filter(|one| one.path.is_none()).count();
        // There is most to learn where the beam gives up, and a wider beam may find a solution. It
        // takes long, so only some boards are retried where there are many.
        stuck.truncate(boards.len() / STUCK);
        let wider = Beam {
            rows: Arc::clone(&beam.rows),
            width: WIDER * beam.width,
        };
        for outcome in solve_all(&wider, &stuck, seed, course.threads) {
            outcome.add_to(&mut samples);
        }
        report(&Report::Solving {
            generation,
            tried,
            of: course.solves,
            failed,
        });
    }
    samples
}

/// Returns the model after the lessons of a generation: the mean of two models that learned them in
/// different orders.
fn learn(course: &Course, generation: u32, model: &Model, samples: &Samples) -> Model {
    let models = each(&MODELS, course.threads, |_, number| {
        let mut model = model.clone();
        let lessons = Lessons {
            epochs: course.epochs,
            rate: course.rate,
            seed: board_seed(course.seed ^ number, u64::from(generation)),
        };
        model.learn(samples, lessons);
        model
    });
    models[0].mean(&models[1])
}
