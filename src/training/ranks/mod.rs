//! Learning to rank, from which board of a layer led on.
//!
//! In each generation, beams by the best weights so far solve many boards, or bring them through
//! the stages. For some of their layers, the board that led to the first one at the end is put
//! beside others of that layer, and the weights learn to rank it first. The new weights, or their
//! mean with those before, are kept if solutions by them are shorter on boards from which nothing is
//! learned.

mod chances;
mod kind;
mod model;
mod network;
mod shares;
mod way;

use std::sync::Arc;

use kind::Kind;
use model::{Lessons, Model};

use super::solve::each;
use super::trial::{Worth, random_boards, trial_boards};
use super::{BATCH, Course, MODELS, Report};
use crate::heuristic::learned::near::{NearRows, NearWeights};
use crate::heuristic::learned::{Network, PairWeights, Ranking, Weights};
use crate::puzzle::generate::board_seed;
use crate::puzzle::{Board, Dice, Problem, Shape};
pub use crate::search::beam::LEAST_WIDTH;
use crate::search::beam::{End, Group};
use crate::search::tables::Tables;
use crate::search::{Budget, Solver, Step};
use way::{InStages, Way, Whole};

pub use network::{learn_near_network, learn_network};

/// The nodes by which a search is advanced, or tables are built, at a time.
const SLICE: u64 = 1 << 14;

/// Runs a course for boards that are solved in stages. Returns the best weights by solution length.
pub fn rank_in_stages(
    course: &Course,
    from: NearWeights,
    report: &mut dyn FnMut(&Report),
) -> NearWeights {
    rank::<_, InStages>(course, from, &NearRows::new, report)
}

/// Runs a course for whole boards, beside a network that stays as it is if there is one. Returns the
/// best weights by solution length.
///
/// # Panics
/// If the network is for boards of another shape.
pub fn rank_whole(
    course: &Course,
    from: Weights,
    network: Option<&Network>,
    report: &mut dyn FnMut(&Report),
) -> Weights {
    rank_beside(course, from, network, report)
}

/// Does the same for weights of tiles near each other.
///
/// # Panics
/// If the network is for boards of another shape.
pub fn rank_whole_near(
    course: &Course,
    from: NearWeights,
    network: Option<&Network>,
    report: &mut dyn FnMut(&Report),
) -> NearWeights {
    rank_beside(course, from, network, report)
}

fn rank_beside<K: Kind>(
    course: &Course,
    from: PairWeights<K>,
    network: Option<&Network>,
    report: &mut dyn FnMut(&Report),
) -> PairWeights<K> {
    let rows_of = |weights| {
        let mut rows = K::ranking(weights);
        if let Some(network) = network {
            rows.set_network(network.clone());
        }
        rows
    };
    rank::<_, Whole>(course, from, &rows_of, report)
}

/// Runs a course that starts from some weights. Beams look weights up in what `rows_of` makes of
/// them. Returns the best by solution length.
fn rank<K: Kind, W: Way<K>>(
    course: &Course,
    from: PairWeights<K>,
    rows_of: &dyn Fn(PairWeights<K>) -> W::Rows,
    report: &mut dyn FnMut(&Report),
) -> PairWeights<K> {
    let shape = from.shape();
    W::prepare(&problem(&Board::solved(shape)));
    let (trial, tables) = (Trial::new(shape, course), Arc::new(Tables::new()));
    let run_trial =
        |weights: &PairWeights<K>, generation, what, report: &mut dyn FnMut(&Report)| {
            let rows = Arc::new(rows_of(weights.clone()));
            let solver = |problem: &Problem, from, seed| {
                W::solver(
                    Arc::clone(&rows),
                    problem,
                    from,
                    course.trial_width,
                    seed,
                    &tables,
                )
            };
            trial.run(W::ends(), solver, generation, what, report)
        };
    // Weights that the puzzle's symmetries make alike are one weight from the beginning.
    let mut best = Model::of(&from).weights::<K>();
    let mut best_moves = run_trial(&best, 0, "before", report);
    for generation in 1..=course.generations {
        let before = Model::of(&best);
        let rows = Arc::new(rows_of(best.clone()));
        let groups = gather::<K, W>(course, generation, shape, &rows, &before, report);
        report(&Report::Learning {
            generation,
            samples: groups.len(),
        });
        let learned = learn(course, generation, W::times(course.width), &before, &groups);
        let mean = learned.mean(&before);
        for (what, candidate) in [("learned", learned), ("mean with the best before", mean)] {
            let weights = candidate.weights::<K>();
            let moves = run_trial(&weights, generation, what, report);
            if moves < best_moves {
                (best, best_moves) = (weights, moves);
            }
        }
    }
    best
}

/// Collects the groups of a generation, with ranks that do not include the estimate being learned.
fn gather<K: Kind, W: Way<K>>(
    course: &Course,
    generation: u32,
    shape: Shape,
    rows: &Arc<W::Rows>,
    model: &Model,
    report: &mut dyn FnMut(&Report),
) -> Vec<Group> {
    let seed = board_seed(course.seed, u64::from(generation));
    let mut dice = Dice::new(seed);
    let times = W::times(course.width);
    let mut groups = Vec::new();
    let (mut tried, mut failed) = (0, 0);
    while tried < course.solves {
        let boards = random_boards(shape, BATCH.min(course.solves - tried), &mut dice);
        let seed = seed.wrapping_add(tried as u64);
        let found = each(&boards, course.threads, |index, start| {
            let (problem, seed) = (problem(start), seed.wrapping_add(index));
            let mut groups = W::leaders(Arc::clone(rows), &problem, course.width, seed)?;
            for group in &mut groups {
                group.ranks = group.ranks_with(|tiles| -times * model.of_board(tiles));
            }
            Some(groups)
        });
        tried += boards.len();
        failed += found.iter().filter(|found| found.is_none()).count();
        groups.extend(found.into_iter().flatten().flatten());
        report(&Report::Solving {
            generation,
            tried,
            of: course.solves,
            failed,
        });
    }
    groups
}

/// Returns the model after the lessons of a generation, where `times` is the factor of the weights
/// in ranks: the mean of two models that learned the lessons in different orders.
fn learn(course: &Course, generation: u32, times: f32, before: &Model, groups: &[Group]) -> Model {
    let sharpness = before.sharpness(groups, times);
    let models = each(&MODELS, course.threads, |_, number| {
        let mut model = before.clone();
        model.learn(
            groups,
            Lessons {
                epochs: course.epochs,
                rate: course.rate,
                times,
                sharpness,
                seed: board_seed(course.seed ^ number, u64::from(generation)),
            },
        );
        model
    });
    models[0].mean(&models[1])
}

/// Measures a ranking by the lengths of solutions.
struct Trial {
    shape: Shape,
    boards: Vec<Board>,
    threads: usize,
}

impl Trial {
    fn new(shape: Shape, course: &Course) -> Self {
        Self {
            shape,
            boards: trial_boards(shape, course),
            threads: course.threads,
        }
    }

    /// Returns the mean over the boards of the shortest solution that searches from the given ends
    /// find. Each problem has its own seed.
    fn run(
        &self,
        ends: &[End],
        solver: impl Fn(&Problem, End, u64) -> Solver + Sync,
        generation: u32,
        what: &'static str,
        report: &mut dyn FnMut(&Report),
    ) -> f64 {
        let lengths = each(&self.boards, self.threads, |index, start| {
            let problem = problem(start);
            let found = ends.iter().filter_map(|&from| {
                let mut beam = solver(&problem, from, index);
                loop {
                    match beam.advance(Budget::nodes(SLICE)) {
                        Step::Working => {}
                        Step::Found(solution) => return Some(solution.moves().len()),
                        Step::Done(_) => return None,
                    }
                }
            });
            found.min()
        });
        Worth::of(self.shape, &lengths).report(generation, what, report)
    }
}

/// Returns the problem of bringing a board home.
fn problem(start: &Board) -> Problem {
    Problem::new(start, &Board::solved(start.shape())).expect("boards that are drawn can be solved")
}
