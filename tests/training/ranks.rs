use loyd::heuristic::learned::near::NearWeights;
use loyd::heuristic::learned::{Network, Weights};
use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, Problem, Shape, Symmetry};
use loyd::training::{
    Course, Report, learn_near_network, rank_in_stages, rank_whole, rank_whole_near,
};

use crate::support::shape;

fn course(threads: usize, generations: u32) -> Course {
    Course {
        seed: 7,
        threads,
        generations,
        solves: 24,
        // Narrow enough for the stages to go on to the last cells.
        width: 48,
        epochs: 1,
        rate: 0.03,
        trials: 8,
        trial_width: 30,
    }
}

/// Returns the weights of all pairs of 5×5, none of which has learned to rank.
fn beginning(shape: Shape) -> NearWeights {
    let all = Weights::from_bytes(include_bytes!("../../weights/5x5.loyd")).unwrap();
    NearWeights::of(&all).fit(shape)
}

/// Returns the weights and the reports.
fn run(course: &Course, shape: Shape) -> (NearWeights, Vec<Report>) {
    let mut reports = Vec::new();
    let weights = rank_in_stages(course, beginning(shape), &mut |report| {
        reports.push(report.clone());
    });
    (weights, reports)
}

/// Does the same for whole boards of 5×5, from the Manhattan distance.
fn run_whole(course: &Course) -> (Weights, Vec<Report>) {
    let mut reports = Vec::new();
    let weights = rank_whole(
        course,
        Weights::manhattan(shape(5, 5)),
        None,
        &mut |report| {
            reports.push(report.clone());
        },
    );
    (weights, reports)
}

fn lengths(reports: &[Report]) -> Vec<f64> {
    let lengths = reports.iter().filter_map(|report| match report {
        Report::Tried { moves, .. } => Some(*moves),
        _ => None,
    });
    lengths.collect()
}

#[test]
fn the_same_course_gives_the_same_weights_on_any_number_of_threads() {
    let (weights, reports) = run(&course(1, 1), shape(8, 9));
    assert_eq!(
        run(&course(3, 1), shape(8, 9)),
        (weights.clone(), reports.clone())
    );
    let other = Course {
        seed: 8,
        ..course(2, 1)
    };
    assert_ne!(run(&other, shape(8, 9)).1, reports);
    assert!(reports.iter().any(|report| matches!(
        report,
        Report::Learning { samples, .. } if *samples > 1000
    )));
}

#[test]
fn what_is_learned_makes_shorter_solutions() {
    let course = Course {
        solves: 128,
        trials: 32,
        ..course(2, 1)
    };
    let (weights, reports) = run(&course, shape(8, 9));
    let tried = lengths(&reports);
    assert!(tried[1] < tried[0], "{tried:?}");
    assert!(weights != beginning(shape(8, 9)));
}

#[test]
fn tiles_near_each_other_learn_to_rank_whole_boards_and_a_network_beside_them() {
    let shape = shape(5, 7);
    let course = |threads| Course {
        solves: 200,
        width: 100,
        trials: 24,
        trial_width: 100,
        ..course(threads, 1)
    };
    let run = |threads| {
        let mut reports = Vec::new();
        let weights = rank_whole_near(&course(threads), beginning(shape), None, &mut |report| {
            reports.push(report.clone());
        });
        (weights, lengths(&reports))
    };
    let (weights, tried) = run(2);
    assert!(tried[1] < tried[0], "{tried:?}");
    let network = |threads| {
        let course = Course {
            solves: 40,
            rate: 0.01,
            ..course(threads)
        };
        learn_near_network(&course, weights.clone(), None, &mut |_| {})
    };
    let beside = network(1);
    assert_eq!(beside.shape(), shape);
    assert_eq!(beside.to_bytes(), network(3).to_bytes());

    let go_on = |network: Option<&Network>| {
        let mut reports = Vec::new();
        let course = Course {
            generations: 0,
            ..course(2)
        };
        rank_whole_near(&course, weights.clone(), network, &mut |report| {
            reports.push(report.clone());
        });
        lengths(&reports)
    };
    // Where there is a network, beams rank by it, too.
    assert_ne!(go_on(Some(&beside))[0], go_on(None)[0]);
}

/// Runs a course over whole boards of 2×7, which are small.
fn run_near(course: &Course, from: NearWeights) -> (NearWeights, Vec<Report>) {
    let mut reports = Vec::new();
    let weights = rank_whole_near(course, from, None, &mut |report| {
        reports.push(report.clone());
    });
    (weights, reports)
}

#[test]
fn the_weights_that_had_the_shortest_solutions_are_kept() {
    let mut has_lost = false;
    for seed in 1..=4 {
        // Changes as large as these make some generations worse.
        let course = Course {
            seed,
            solves: 60,
            rate: 0.6,
            trials: 30,
            ..course(2, 4)
        };
        let (weights, reports) = run_near(&course, beginning(shape(2, 7)));
        let tried = lengths(&reports);
        let best = tried.iter().copied().fold(f64::INFINITY, f64::min);
        has_lost |= best < tried[0] && tried.last() > Some(&best);
        let again = Course {
            generations: 0,
            ..course
        };
        assert_eq!(lengths(&run_near(&again, weights).1), [best]);
    }
    assert!(has_lost, "the last was always the best");
}

#[test]
fn generations_try_what_they_learned_and_its_mean_with_the_best_before() {
    let (_, reports) = run_near(&course(2, 2), beginning(shape(2, 7)));
    let told = reports.iter().filter_map(|report| match report {
        Report::Tried { what, .. } => Some(*what),
        _ => None,
    });
    let what = ["learned", "mean with the best before"];
    assert_eq!(
        told.collect::<Vec<_>>(),
        ["before", what[0], what[1], what[0], what[1]]
    );
    let tried = lengths(&reports);
    // A mean is something else than what was learned, and than what was before.
    assert!(tried[2] != tried[1] && tried[2] != tried[0], "{tried:?}");
}

#[test]
fn leaders_come_to_rank_first() {
    let course = Course {
        solves: 200,
        width: 60,
        epochs: 2,
        trials: 100,
        trial_width: 20,
        ..course(2, 2)
    };
    let mut tried = Vec::new();
    rank_whole(
        &course,
        Weights::manhattan(shape(3, 4)),
        None,
        &mut |report| {
            if let Report::Tried { moves, .. } = report {
                tried.push(*moves);
            }
        },
    );
    // Shortest solutions have a mean of 35.1 moves. Each generation also tries a mean.
    assert!(tried[1] < 48.0 && tried[3] < 45.0, "{tried:?}");
}

#[test]
fn tiles_near_each_other_share_what_they_learn_and_are_tried_from_both_ends() {
    let course = Course {
        solves: 100,
        width: 60,
        trials: 50,
        trial_width: 20,
        ..course(2, 1)
    };
    let tried = lengths(&run_near(&course, beginning(shape(2, 7))).1);
    // From one end, solutions have a mean of 86 moves. Without shared weights, they come to 72.7.
    assert!(tried[0] < 80.0 && tried[1] < 72.2, "{tried:?}");
}

#[test]
fn each_generation_solves_other_boards_and_each_seed_has_its_own() {
    let samples = |seed| {
        let course = Course {
            seed,
            rate: 1e-30,
            ..course(2, 2)
        };
        let (weights, reports) = run_near(&course, beginning(shape(2, 7)));
        assert!(weights == beginning(shape(2, 7)));
        let samples = reports.iter().filter_map(|report| match report {
            Report::Solving {
                tried, of, failed, ..
            } => {
                assert_eq!([*tried, *of, *failed], [24, 24, 0]);
                None
            }
            Report::Learning { samples, .. } => Some(*samples),
            Report::Tried { .. } => None,
        });
        samples.collect::<Vec<_>>()
    };
    // Nothing is learned, so that the beams differ by their boards alone.
    let (one, other) = (samples(7), samples(8));
    assert!(one[0] != one[1] && one[0] != other[0], "{one:?} {other:?}");
}

#[test]
fn weights_of_squares_are_alike_for_mirror_images_and_files_of_them_lose_nothing() {
    let course = Course {
        solves: 2,
        trials: 1,
        ..course(2, 1)
    };
    let (weights, _) = run(&course, shape(9, 9));
    let read = NearWeights::from_bytes(&weights.to_bytes());
    assert!(read == Ok(weights.clone()));
    let goal = Board::solved(shape(9, 9));
    let mut dice = Dice::new(1);
    for _ in 0..100 {
        let start = uniform(&goal, Solvability::Solvable, &mut dice);
        let problem = Problem::new(&start, &goal).unwrap();
        let image = problem.mirrored(Symmetry::TRANSPOSITION);
        let of = |problem: &Problem| {
            let tiles: Vec<u8> = problem.start().tiles().map(|tile| tile as u8).collect();
            weights.of_board(&tiles)
        };
        assert_eq!(of(&problem), of(&image));
    }
}

#[test]
fn no_generation_changes_nothing() {
    let (weights, reports) = run(&course(1, 0), shape(8, 9));
    assert!(weights == beginning(shape(8, 9)));
    assert_eq!(reports.len(), 1);
}

#[test]
fn whole_boards_teach_ranks_too() {
    let course = |threads| Course {
        solves: 128,
        width: 200,
        trials: 50,
        trial_width: 100,
        ..course(threads, 2)
    };
    let (weights, reports) = run_whole(&course(1));
    assert_eq!(run_whole(&course(2)), (weights.clone(), reports.clone()));
    let tried = lengths(&reports);
    assert!(tried.len() == 5 && tried[1] < tried[0], "{tried:?}");
    assert!(weights != Weights::manhattan(shape(5, 5)));
    assert!(Weights::from_bytes(&weights.to_bytes()) == Ok(weights));
}
