use loyd::heuristic::learned::near::{self, NearWeights};
use loyd::puzzle::Shape;
use loyd::training::{Course, Report, rank};

use crate::support::shape;

fn course(threads: usize, generations: u32) -> Course {
    Course {
        seed: 7,
        threads,
        generations,
        solves: 24,
        width: 60,
        epochs: 1,
        rate: 0.03,
        trials: 8,
        trial_width: 30,
    }
}

/// The weights, and what was said on the way.
fn run(course: &Course, shape: Shape) -> (NearWeights, Vec<Report>) {
    let mut reports = Vec::new();
    let weights = rank(course, near::lifted(shape).unwrap(), &mut |report| {
        reports.push(report.clone());
    });
    (weights, reports)
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
        solves: 256,
        trials: 32,
        ..course(2, 1)
    };
    let (weights, reports) = run(&course, shape(8, 9));
    let tried: Vec<f64> = reports
        .iter()
        .filter_map(|report| match report {
            Report::Tried { moves, .. } => Some(*moves),
            _ => None,
        })
        .collect();
    assert!(tried[1] < tried[0], "{tried:?}");
    assert_ne!(Some(weights), near::lifted(shape(8, 9)));
}

#[test]
fn no_generation_changes_nothing() {
    let (weights, reports) = run(&course(1, 0), shape(8, 9));
    assert_eq!(Some(weights), near::lifted(shape(8, 9)));
    assert_eq!(reports.len(), 1);
}
