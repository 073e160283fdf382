//! Learning the weights of an estimate from the solutions that a beam finds by it.
//!
//! One generation after the other: the present beam solves many boards; each board on a way is
//! labelled with the moves that remained; the weights learn from these; and those of the present
//! generation, of the one before and their mean are tried on boards that nothing is learned
//! from. The best by the length of the beam's solutions go on. Good weights learn to rank by what led on
//! ([`rank_whole`]); those of tiles near each other learn nothing else ([`rank_in_stages`], [`rank_whole_near`]). What pairs of tiles
//! do not tell a network learns beside them ([`learn_network`], [`learn_near_network`]). Stands above the searches; only the
//! command line uses it. The same course gives the same weights, on any number of threads.

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
use solve::{Beam, each, solvable, solve_all};
use starts::Starts;
use trial::Trial;

use crate::heuristic::learned::{Ranking, Rows, Weights};
use crate::puzzle::generate::board_seed;
use crate::puzzle::{Board, Dice};

/// Solves between two reports, and before new boards come among the starts.
const BATCH: usize = 512;

/// Generations whose samples are looked at.
const REMEMBERED: usize = 3;

/// How much wider the beam is that looks at boards on which the other gave up.
const WIDER: usize = 4;

/// One in so many boards of a batch may be looked at by that one.
const STUCK: usize = 32;

/// The models that learn the same lessons in different orders, to be averaged.
const PUPILS: u64 = 2;

/// What is to be done.
#[derive(Clone, Debug)]
pub struct Course {
    /// Everything random comes from it.
    pub seed: u64,
    /// Threads to use; the result is the same on any number of them.
    pub threads: usize,
    /// How many generations.
    pub generations: u32,
    /// The solves of a generation.
    pub solves: usize,
    /// The width of the beam that solves.
    pub width: usize,
    /// How often each sample is looked at in a generation.
    pub epochs: u32,
    /// How much the first lesson changes the estimate of its board, in moves; where ranks are learned,
    /// how much it changes a weight.
    pub rate: f32,
    /// Boards that decide between weights.
    pub trials: usize,
    /// The width of the beam on those.
    pub trial_width: usize,
}

/// How far a course has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// Boards solved in a generation.
    Solving {
        /// The generation, from 1.
        generation: u32,
        /// The boards tried so far.
        tried: usize,
        /// The boards to try.
        of: usize,
        /// How many of them the beam gave up.
        failed: usize,
    },
    /// Learning from samples.
    Learning {
        /// The generation, from 1.
        generation: u32,
        /// The samples.
        samples: usize,
    },
    /// What weights were worth on the trial boards.
    Tried {
        /// The generation, from 1; 0 for the weights to begin with.
        generation: u32,
        /// What was tried.
        what: &'static str,
        /// The mean moves of the solutions; a board without counts as twice its size.
        moves: f64,
        /// The boards without solution.
        failed: usize,
    },
}

/// Runs a course that begins with some weights; the best by solution length.
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

/// The samples of a generation.
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
            let inside = outcome.inside.iter();
            let inside = inside.filter_map(|tiles| solvable(shape, tiles));
            match &outcome.path {
                Some(path) => {
                    inside.for_each(|board| starts.inside.add(board));
                    let tiles = &path[dice.below(path.len() as u32) as usize];
                    if let Some(board) = solvable(shape, tiles) {
                        starts.ways.add(board);
                    }
                }
                None => {
                    stuck.push(board.clone());
                    stuck.extend(inside.take(1));
                }
            }
        }
        failed += outcomes.iter().filter(|one| one.path.is_none()).count();
        // Where the beam gives up it has most to learn: a wider one may tell. That takes long, so
        // that it is not done for all where they are many.
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

/// The model after the lessons of a generation: the mean of two that learned them in different
/// orders.
fn learn(course: &Course, generation: u32, model: &Model, samples: &Samples) -> Model {
    let pupils: Vec<u64> = (1..=PUPILS).collect();
    let pupils = each(&pupils, course.threads, |_, number| {
        let mut pupil = model.clone();
        pupil.refresh();
        let lessons = Lessons {
            epochs: course.epochs,
            rate: course.rate,
            seed: board_seed(course.seed ^ number, u64::from(generation)),
        };
        pupil.learn(samples, lessons);
        pupil
    });
    pupils[0].mean(&pupils[1])
}
