//! Constructive solvers that look farther and farther ahead.

use std::sync::Arc;
use std::time::Duration;

use loyd::puzzle::{Dice, Problem};
use loyd::search::anytime::lookahead::{self, Lookahead};
use loyd::search::constructive::Variant;
use loyd::search::tables::Tables;
use loyd::search::{Budget, Progress, Search, Step, Stop};

use crate::constructive;
use crate::support::{random_problem, shape};

fn problem() -> Problem {
    random_problem(shape(40, 40), 1599, &mut Dice::new(40))
}

/// The lengths found, by slices of so many nodes, when findings remain useful for `time` and each node takes
/// `a_node`.
fn lengths(nodes: u64, time: Option<Duration>, a_node: Duration) -> (Vec<usize>, Progress) {
    let problem = problem();
    let mut search = Lookahead::new(&problem, &Arc::new(Tables::new()));
    let mut found = Vec::new();
    loop {
        let spent = a_node.saturating_mul(search.progress().generated as u32);
        let budget = Budget {
            time: time.map(|time| time.saturating_sub(spent)),
            ..Budget::nodes(nodes)
        };
        match search.advance(budget) {
            Step::Working => {}
            Step::Found(solution) => {
                assert!(problem.replay(solution.moves().to_vec()).is_ok());
                found.push(solution.len());
            }
            Step::Done(stop) => {
                assert_eq!(stop, Stop::Exhausted);
                assert_eq!(search.advance(budget), Step::Done(stop));
                return (found, search.progress());
            }
        }
    }
}

const LONG: Duration = Duration::from_secs(3600);

#[test]
fn the_farther_it_looks_the_shorter_the_solution() {
    let first = constructive::solve(&Arc::new(Tables::new()), &problem(), Variant::Best);
    let (found, progress) = lengths(u64::MAX, None, Duration::ZERO);
    assert!(!found.is_empty());
    let all = [&[first], &*found].concat();
    assert!(all.is_sorted_by(|before, after| before > after), "{all:?}");
    assert!(progress.generated > 0);
    assert_eq!(progress.memory, 0);
    assert!(progress.peak_memory > 0);
}

#[test]
fn slices_change_nothing() {
    let (whole, in_all) = lengths(u64::MAX, None, Duration::ZERO);
    let (sliced, progress) = lengths(1, None, Duration::ZERO);
    assert_eq!(sliced, whole);
    assert_eq!(progress.generated, in_all.generated);
}

#[test]
fn it_takes_no_time_that_beams_make_more_of() {
    let (found, progress) = lengths(u64::MAX, Some(LONG), Duration::ZERO);
    assert!(found.is_empty());
    assert_eq!(progress.generated, 0);
}

#[test]
fn it_looks_farther_before_a_beam_that_has_no_narrow_one_before_it() {
    let is_any_found = |millis| {
        let time = Some(Duration::from_millis(millis));
        !lengths(1000, time, Duration::ZERO).0.is_empty()
    };
    // Too little time besides the beam, enough, and so much that the first beam is a narrow one.
    let found = [500, 2_000, 10_000].map(is_any_found);
    assert_eq!(found, [false, true, false]);
}

#[test]
fn it_begins_nothing_that_will_not_be_over_in_time() {
    let (found, progress) = lengths(1000, Some(Duration::from_millis(1)), Duration::ZERO);
    assert!(found.is_empty());
    assert_eq!(progress.generated, 0);
}

#[test]
fn it_looks_as_far_ahead_as_it_can_to_be_over_in_time() {
    let time = Duration::from_millis(150);
    let run = |nanos| {
        let a_node = Duration::from_nanos(nanos);
        let (found, progress) = lengths(1000, Some(time), a_node);
        let spent = a_node * progress.generated as u32;
        assert!(spent < time, "{nanos} ns a node: {spent:?}");
        assert_eq!(found.len(), 1, "{nanos} ns a node");
        (found[0], spent)
    };
    let (fast, _) = run(0);
    let (slower, most) = run(10);
    let (slowest, _) = run(50);
    assert!(
        fast < slower && slower < slowest,
        "{fast} {slower} {slowest}"
    );
    assert!(most > time / 2, "{most:?} of {time:?}");
}

#[test]
fn it_takes_no_longer_when_there_is_more_time_than_was_said() {
    let problem = problem();
    let tables = Arc::new(Tables::new());
    let (short, a_node) = (Duration::from_millis(150), Duration::from_nanos(50));
    // After a quarter of its time, the asker with the least time leaves, and another has longer.
    let nodes = |then: Duration| {
        let mut search = Lookahead::new(&problem, &tables);
        loop {
            let spent = a_node.saturating_mul(search.progress().generated as u32);
            let (due, asker) = if spent < short / 4 {
                (short, 0)
            } else {
                (then, 1)
            };
            let step = search.advance(Budget {
                time: Some(due.saturating_sub(spent)),
                asker,
                ..Budget::nodes(1000)
            });
            if let Step::Done(_) = step {
                return search.progress().generated;
            }
        }
    };
    let alone = nodes(short);
    // With much more time, beams make better use of it.
    let joined = nodes(LONG);
    assert!(joined <= alone, "{joined} nodes, {alone} alone");
}

#[test]
fn a_slow_machine_has_no_time_for_beams_that_a_fast_one_has_time_for() {
    let problem = problem();
    let tables = Arc::new(Tables::new());
    let generated_after = |first: Duration| {
        let slowness = lookahead::slowness(problem.shape(), first);
        let mut search = Lookahead::new(&problem, &tables).at_slowness(slowness);
        // Time passes as if each node took 100 ns.
        let mut left = Duration::from_millis(400);
        while let Step::Working | Step::Found(_) = search.advance(Budget {
            time: Some(left),
            ..Budget::nodes(1000)
        }) {
            let spent = Duration::from_nanos(100 * search.progress().generated);
            left = Duration::from_millis(400).saturating_sub(spent);
        }
        search.progress().generated
    };
    let (fast, slow) = (Duration::from_millis(10), Duration::from_millis(50));
    assert!(
        generated_after(slow) > 5 * generated_after(fast),
        "the slow one spends all of its time"
    );
}
