//! Training is reproducible and improves weights.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alike;
mod network;
mod ranks;
#[path = "../support/mod.rs"]
mod support;

use loyd::heuristic::learned::Weights;
use loyd::puzzle::{Board, Dice, Shape};
use loyd::training::{Course, Report, train};

fn course(threads: usize, generations: u32) -> Course {
    Course {
        seed: 7,
        threads,
        generations,
        solves: 1200,
        width: 60,
        epochs: 2,
        rate: 2.5,
        trials: 100,
        trial_width: 20,
    }
}

fn manhattan(rows: usize, columns: usize) -> Weights {
    Weights::manhattan(Shape::new(rows, columns).unwrap())
}

/// Returns the weights that a course learns from the Manhattan distance, and its reports.
fn run(course: &Course) -> (Weights, Vec<Report>) {
    let mut reports = Vec::new();
    let weights = train(course, manhattan(3, 4), &mut |report| {
        reports.push(report.clone());
    });
    (weights, reports)
}

fn tried(reports: &[Report]) -> Vec<f64> {
    let tried = reports.iter().filter_map(|report| match report {
        Report::Tried { moves, .. } => Some(*moves),
        _ => None,
    });
    tried.collect()
}

#[test]
fn the_same_course_gives_the_same_weights_on_any_number_of_threads() {
    let (weights, reports) = run(&course(1, 2));
    for threads in [2, 3] {
        assert_eq!(run(&course(threads, 2)), (weights.clone(), reports.clone()));
    }
    let other = Course {
        seed: 8,
        ..course(2, 2)
    };
    let (others, other) = run(&other);
    assert_ne!(others, weights);
    // The boards of the trials are others, too.
    assert_ne!(tried(&other)[0], tried(&reports)[0]);
}

#[test]
fn what_is_learned_makes_shorter_solutions() {
    let (weights, reports) = run(&course(2, 2));
    let moves = tried(&reports);
    let best = moves.iter().copied().fold(f64::INFINITY, f64::min);
    // Shortest solutions have a mean of 35.1 moves; those by the Manhattan distance are longer.
    assert!(moves[0] > 50.0, "{moves:?}");
    assert!((35.0..40.0).contains(&best), "{moves:?}");
    assert_ne!(weights, manhattan(3, 4));
}

#[test]
fn no_generation_changes_nothing() {
    let (weights, reports) = run(&course(1, 0));
    assert_eq!(weights, manhattan(3, 4));
    assert_eq!(tried(&reports).len(), 1);
}

/// Returns how many boards were tried, out of how many, and on how many the beam gave up, by report.
fn solving(reports: &[Report]) -> Vec<[usize; 3]> {
    let solving = reports.iter().filter_map(|report| match *report {
        Report::Solving {
            tried, of, failed, ..
        } => Some([tried, of, failed]),
        _ => None,
    });
    solving.collect()
}

fn samples(reports: &[Report]) -> Vec<usize> {
    let samples = reports.iter().filter_map(|report| match report {
        Report::Learning { samples, .. } => Some(*samples),
        _ => None,
    });
    samples.collect()
}

#[test]
fn a_course_says_how_far_it_is() {
    let (_, reports) = run(&course(1, 1));
    let all = [[512, 1200, 0], [1024, 1200, 0], [1200, 1200, 0]];
    assert_eq!(solving(&reports), all);
}

#[test]
fn generations_learn_from_the_last_three_and_try_what_they_learned_and_means() {
    let course = Course {
        solves: 100,
        trials: 30,
        ..course(2, 5)
    };
    let (_, reports) = run(&course);
    let samples = samples(&reports);
    for (generation, times) in [1.0, 2.0, 3.0, 3.0, 3.0].into_iter().enumerate() {
        let grown = samples[generation] as f64 / samples[0] as f64;
        assert!((times - 1.0..times + 0.5).contains(&grown), "{samples:?}");
    }
    assert!(samples[2] != samples[3] && samples[3] != samples[4]);

    let what = [
        "learned",
        "mean with the best before",
        "mean with the one before",
    ];
    let mut expected = vec!["before", what[0], what[1]];
    expected.extend([what; 4].iter().flatten());
    let told = reports.iter().filter_map(|report| match report {
        Report::Tried { what, .. } => Some(*what),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), expected);
    let moves = tried(&reports);
    for tried in [&moves[1..3], &moves[3..6], &moves[6..9]] {
        // A mean is something else than what was learned.
        assert!(tried[1..].iter().all(|&mean| mean != tried[0]), "{tried:?}");
    }
    // Each generation goes on from what the one before learned.
    assert!(moves[moves.len() - 3] < 43.0, "{moves:?}");
}

#[test]
fn the_weights_that_had_the_shortest_solutions_are_kept() {
    // Changes as large as these make some generations worse.
    let course = Course {
        solves: 100,
        trials: 30,
        rate: 30.0,
        ..course(2, 3)
    };
    let (weights, reports) = run(&course);
    let moves = tried(&reports);
    let best = moves.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(moves.last() > Some(&best), "{moves:?}");
    let again = Course {
        generations: 0,
        ..course
    };
    train(&again, weights, &mut |report| {
        assert!(matches!(report, Report::Tried { moves, .. } if *moves == best));
    });
}

#[test]
fn a_board_without_a_solution_counts_as_twice_the_typical_length() {
    let course = Course {
        solves: 1536,
        width: 1,
        trials: 20,
        trial_width: 1,
        ..course(2, 1)
    };
    let mut reports = Vec::new();
    let weights = train(&course, manhattan(5, 5), &mut |report| {
        reports.push(report.clone());
    });
    // Shortest solutions of random boards have a mean of about 100 moves.
    let before = Report::Tried {
        generation: 0,
        what: "before",
        moves: 200.0,
        failed: 20,
    };
    assert_eq!(reports[0], before);
    assert_eq!(weights, manhattan(5, 5));
    // Only few boards are solved, which are near the goal. Later batches have more of them, as they
    // start from inside earlier beams.
    let [[_, _, first], [_, _, second], [_, _, third]] = solving(&reports)[..] else {
        panic!("{reports:?}");
    };
    assert!((490..512).contains(&first), "{first}");
    assert!(third - second < 420, "{second} {third}");
}

#[test]
fn some_boards_on_which_a_beam_gives_up_are_solved_by_a_wider_one() {
    let course = Course {
        solves: 512,
        width: 2,
        trials: 1,
        ..course(2, 1)
    };
    let mut reports = Vec::new();
    train(&course, manhattan(4, 4), &mut |report| {
        reports.push(report.clone());
    });
    let [[_, _, failed]] = solving(&reports)[..] else {
        panic!("{reports:?}");
    };
    // What the beam solves by itself is near the goal: it has about as many samples as solutions of
    // random boards have moves.
    assert!(failed > 490, "{failed}");
    let samples = samples(&reports)[0];
    assert!((600..2000).contains(&samples), "{samples}");
}

#[test]
fn what_is_learned_is_the_number_of_moves() {
    // The beams hold all boards of this size, so that all their solutions are shortest ones.
    let course = Course {
        solves: 600,
        width: 400,
        trials: 1000,
        trial_width: 2,
        epochs: 3,
        ..course(2, 4)
    };
    let weights = train(&course, manhattan(2, 3), &mut |_| {});
    let distances = support::all_distances(Board::solved(weights.shape()));
    let errors = distances.iter().map(|(board, &distance)| {
        let tiles: Vec<u8> = board.tiles().map(|tile| tile as u8).collect();
        f64::from(weights.of(&tiles)) / f64::from(Weights::UNIT) - f64::from(distance)
    });
    let errors: Vec<f64> = errors.collect();
    let mean = |sum: f64| sum / errors.len() as f64;
    let (error, size) = (
        mean(errors.iter().sum()),
        mean(errors.iter().map(|one| one.abs()).sum()),
    );
    assert!(error.abs() < 0.5 && size < 1.1, "{error} {size}");

    let all = Course {
        trial_width: 400,
        generations: 0,
        ..course
    };
    train(&all, weights, &mut |report| {
        let Report::Tried { moves, .. } = report else {
            panic!("{report:?}");
        };
        let mean = mean(
            distances
                .values()
                .map(|&distance| f64::from(distance))
                .sum(),
        );
        assert!((moves - mean).abs() < 0.3, "{moves} {mean}");
    });
}

/// Returns the inverse of a board with the blank at home: tile a stands on b's home if tile b stood
/// on a's.
fn inverse(tiles: &[u8]) -> Vec<u8> {
    let mut inverse = vec![0; tiles.len()];
    for (cell, &tile) in tiles[..tiles.len() - 1].iter().enumerate() {
        inverse[usize::from(tile) - 1] = cell as u8 + 1;
    }
    inverse
}

fn with_blank_at_home(cells: usize, dice: &mut Dice) -> Vec<u8> {
    let mut tiles: Vec<u8> = (1..cells as u8).collect();
    dice.shuffle(&mut tiles);
    tiles.push(0);
    tiles
}

#[test]
fn a_board_and_its_inverse_are_as_far_from_the_goal() {
    for (rows, columns) in [(3, 3), (2, 4)] {
        let shape = support::shape(rows, columns);
        let distances = support::all_distances(Board::solved(shape));
        let mut seen = 0;
        for (board, distance) in &distances {
            let tiles: Vec<u8> = board.tiles().map(|tile| tile as u8).collect();
            if tiles.last() == Some(&0) {
                let inverse: Vec<u32> = inverse(&tiles).into_iter().map(u32::from).collect();
                assert_eq!(distances[&Board::new(shape, &inverse).unwrap()], *distance);
                seen += 1;
            }
        }
        assert_eq!(seen, distances.len() / shape.cells());
    }
}

#[test]
fn boards_that_are_alike_are_estimated_alike() {
    let weights = train(&course(2, 1), manhattan(3, 3), &mut |_| {});
    assert_ne!(weights, manhattan(3, 3));
    assert_eq!(weights, weights.transposed());
    let mut dice = Dice::new(1);
    for weights in [weights, run(&course(2, 1)).0] {
        for _ in 0..100 {
            let board = with_blank_at_home(weights.shape().cells(), &mut dice);
            let difference = weights.of(&board) - weights.of(&inverse(&board));
            // The difference is at most what rounding the weights causes.
            assert!(difference.abs() <= Weights::UNIT, "{difference} {board:?}");
        }
    }
}
