//! When a solution is good enough.

use loyd::search::Stop;
use loyd::search::plan::{Objective, Ratio};

use Objective::{Best, Bounded, Fast, Optimal};

use super::ratio;

#[test]
fn ratios_are_finite_and_at_least_1() {
    for factor in [0.999, 0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Ratio::new(factor), None, "{factor}");
    }
    assert_eq!(Ratio::new(1.0), Some(Ratio::ONE));
    assert_eq!(Ratio::new(f64::MAX), Some(Ratio::MAX));
    let sorted = [1.0, 1.0 + f64::EPSILON, 1.5, 2.0, 1e9, f64::MAX].map(ratio);
    assert!(sorted.is_sorted_by(|a, b| a < b));
    assert_eq!(format!("{:?}", ratio(1.5)), "1.5");
}

#[test]
fn an_objective_is_met_by_what_is_proven() {
    for (objective, length, lower_bound, met) in [
        (Best, 53, 53, true),
        (Best, 53, 52, false),
        (Optimal, 53, 51, false),
        (Optimal, 0, 0, true),
        (Bounded(ratio(1.1)), 55, 50, true),
        (Bounded(ratio(1.1)), 56, 50, false),
        (Bounded(Ratio::ONE), 51, 50, false),
        (Fast, 1000, 2, true),
    ] {
        assert_eq!(
            objective.is_met(length, lower_bound),
            met,
            "{objective:?} {length} {lower_bound}"
        );
    }
}

#[test]
fn what_is_proven_is_proven_also_where_nobody_asked_for_it() {
    for (objective, length, end) in [
        (Best, 53, Some(Stop::Proven)),
        (Best, 55, None),
        (Bounded(ratio(1.1)), 55, Some(Stop::Proven)),
        (Bounded(ratio(1.1)), 59, None),
        (Fast, 53, Some(Stop::Proven)),
        (Fast, 55, Some(Stop::FirstFound)),
    ] {
        assert_eq!(objective.end(length, 53), end, "{objective:?} {length}");
    }
}

#[test]
fn best_and_fast_take_what_there_is_when_a_limit_comes() {
    let takes_any = [Best, Fast, Optimal, Bounded(Ratio::ONE)].map(Objective::takes_any);
    assert_eq!(takes_any, [true, true, false, false]);
}
