use loyd::heuristic::learned::{Network, UNITS, Weights};
use loyd::puzzle::{Dice, Shape};
use loyd::training::{Course, Report, learn_network};

use crate::alike::transposed;
use crate::support::{random_problem, shape};

fn course(threads: usize, generations: u32) -> Course {
    Course {
        seed: 7,
        threads,
        generations,
        solves: 600,
        width: 100,
        epochs: 1,
        rate: 0.004,
        trials: 60,
        trial_width: 100,
    }
}

/// Returns the network that a course on 4×5 learns beside the Manhattan distance, and the trials'
/// mean lengths.
fn run(course: &Course, from: Option<Network>) -> (Network, Vec<f64>) {
    run_on(shape(4, 5), course, from)
}

/// Does the same on boards of a shape.
fn run_on(shape: Shape, course: &Course, from: Option<Network>) -> (Network, Vec<f64>) {
    let mut tried = Vec::new();
    let network = learn_network(course, Weights::manhattan(shape), from, &mut |report| {
        match report {
            Report::Tried { moves, .. } => tried.push(*moves),
            // Beams this wide solve most boards.
            Report::Solving { tried, failed, .. } => assert!(2 * failed < *tried),
            Report::Learning { .. } => {}
        }
    });
    (network, tried)
}

#[test]
fn the_same_course_gives_the_same_network_on_any_number_of_threads() {
    let course = |threads| Course {
        solves: 40,
        ..course(threads, 2)
    };
    let (network, tried) = run(&course(1), None);
    let again = run(&course(3), None);
    assert_eq!(again.0.to_bytes(), network.to_bytes());
    assert_eq!(again.1, tried);
    let other = Course {
        seed: 8,
        ..course(2)
    };
    assert_ne!(run(&other, None).0.to_bytes(), network.to_bytes());
}

#[test]
fn what_is_learned_makes_shorter_solutions() {
    let (network, tried) = run(&course(2, 2), None);
    assert_eq!(tried.len(), 3);
    assert!(tried[2] < tried[1] && tried[1] < tried[0], "{tried:?}");
    // A course that continues begins with what the first one learned.
    let (same, again) = run(&course(2, 0), Some(network.clone()));
    assert_eq!(same.to_bytes(), network.to_bytes());
    assert_eq!(again, tried[2..]);
}

#[test]
fn a_course_of_no_generation_comes_to_a_network_that_tells_next_to_nothing() {
    let (network, tried) = run(&course(1, 0), None);
    assert_eq!(tried.len(), 1);
    let goal: Vec<u8> = (1..20).chain([0]).collect();
    assert!(network.of(&network.sums(&goal)).abs() < Network::UNIT / 8 * UNITS as i32 / 32);
}

#[test]
fn the_network_that_had_the_shortest_solutions_is_kept() {
    let mut has_lost = false;
    for seed in 1..=4 {
        // Changes as large as these make some generations worse.
        let course = Course {
            seed,
            solves: 200,
            width: 60,
            rate: 0.04,
            trials: 100,
            trial_width: 20,
            ..course(2, 3)
        };
        let (network, tried) = run_on(shape(3, 4), &course, None);
        let best = tried.iter().copied().fold(f64::INFINITY, f64::min);
        has_lost |= tried.last() > Some(&best);
        let again = Course {
            generations: 0,
            ..course
        };
        assert_eq!(run_on(shape(3, 4), &again, Some(network)).1, [best]);
    }
    assert!(has_lost, "the last was always the best");
}

#[test]
fn squares_are_learned_together_with_their_images_in_the_diagonal() {
    let course = Course {
        solves: 1024,
        width: 60,
        trials: 1,
        ..course(2, 2)
    };
    let weights = Weights::manhattan(shape(3, 3));
    let network = learn_network(&course, weights, None, &mut |_| {});
    let mut dice = Dice::new(5);
    let told = |tiles: &[u8]| f64::from(network.of(&network.sums(tiles)));
    let told: Vec<[f64; 2]> = (0..500)
        .map(|_| {
            let problem = random_problem(shape(3, 3), 8, &mut dice);
            let tiles: Vec<u8> = problem.start().tiles().map(|tile| tile as u8).collect();
            [told(&tiles), told(&transposed(3, &tiles))]
        })
        .collect();
    let sum = |of: &dyn Fn(&[f64; 2]) -> f64| told.iter().map(of).sum::<f64>();
    let mean = sum(&|[one, _]| *one) / told.len() as f64;
    let spread = sum(&|[one, _]| (one - mean).powi(2));
    let apart = sum(&|[one, image]| (one - image).powi(2));
    // Images are nearly the same; without their being learned, this is 0.13.
    assert!(apart / spread < 0.08, "{}", apart / spread);
}
