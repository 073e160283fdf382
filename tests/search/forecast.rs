//! The forecast of the iterations to come.

use loyd::heuristic::HeuristicKind;
use loyd::search::{Budget, Forecast, Iteration, Step, ida_star};

use crate::korf;

fn forecast(generated: &[u64]) -> Option<Forecast> {
    let numbered = (40..).step_by(2).zip(generated);
    let iterations: Vec<Iteration> = numbered
        .map(|(threshold, &generated)| Iteration {
            threshold,
            generated,
        })
        .collect();
    Forecast::of(&iterations)
}

fn expected(present: Option<u64>, next: u64) -> Option<Forecast> {
    Some(Forecast { present, next })
}

#[test]
fn nothing_is_said_before_two_iterations_are_over() {
    for generated in [&[][..], &[7], &[7, 50], &[0, 7, 1], &[7, 7, 1], &[9, 7, 1]] {
        assert_eq!(forecast(generated), None);
    }
}

#[test]
fn the_last_growth_goes_on() {
    assert_eq!(forecast(&[2, 10, 0]), expected(Some(50), 250));
    assert_eq!(
        forecast(&[1, 1000, 5000, 2000]),
        expected(Some(23_000), 125_000)
    );
    assert_eq!(forecast(&[2, 10, 50]), expected(Some(0), 250));
}

#[test]
fn an_iteration_beyond_what_was_expected_says_nothing_of_its_end() {
    assert_eq!(forecast(&[2, 10, 60]), expected(None, 300));
}

#[test]
fn there_is_no_number_too_large() {
    assert_eq!(
        forecast(&[1, u64::MAX, 0]),
        expected(Some(u64::MAX), u64::MAX)
    );
    let (half, whole) = (u64::MAX / 2, u64::MAX - 1);
    assert_eq!(forecast(&[half, whole, 5]).unwrap().next, u64::MAX);
}

#[test]
fn it_comes_true_within_a_factor_of_two() {
    let board = &korf::easiest_first()[12];
    let mut search = ida_star::solver(&board.problem, HeuristicKind::LinearConflict);
    let mut foretold: Vec<(u32, Forecast)> = Vec::new();
    while search.advance(Budget::nodes(1000)) == Step::Working {
        let iterations = search.iterations();
        let begun = foretold.last().map_or(0, |&(number, _)| number);
        let number = iterations.len() as u32;
        if let Some(forecast) = Forecast::of(&iterations)
            && number > begun
            && iterations[iterations.len() - 3].generated > 100
        {
            foretold.push((number, forecast));
        }
    }
    let iterations = search.iterations();
    let mut compared = 0;
    for (number, forecast) in foretold {
        // The last iteration is cut short by the solution.
        if (number as usize) + 1 < iterations.len() {
            let ratio = forecast.next as f64 / iterations[number as usize].generated as f64;
            assert!((0.5..2.0).contains(&ratio), "{ratio}");
            compared += 1;
        }
    }
    assert!(compared >= 1, "{iterations:?}");
}
