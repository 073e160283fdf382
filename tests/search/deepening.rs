//! Constructive solvers that look farther and farther ahead.

use std::sync::Arc;
use std::time::Duration;

use loyd::puzzle::{Dice, Problem};
use loyd::search::constructive::Variant;
use loyd::search::deepening::Deepening;
use loyd::search::tables::Tables;
use loyd::search::{Budget, Progress, Search, Step, Stop};

use crate::constructive;
use crate::support::{random_problem, shape};

fn problem() -> Problem {
    random_problem(shape(40, 40), 1599, &mut Dice::new(40))
}

/// The lengths found, by slices of so many nodes, when so much time is left for findings and each node takes
/// so much of it.
fn lengths(nodes: u64, time: Option<Duration>, a_node: Duration) -> (Vec<usize>, Progress) {
    let problem = problem();
    let mut search = Deepening::new(&problem, &Arc::new(Tables::new()));
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
    let is_any_found = |seconds| {
        let time = Some(Duration::from_secs(seconds));
        !lengths(1000, time, Duration::ZERO).0.is_empty()
    };
    // Too little time beside the beam, enough, and so much that the first beam is a narrow one.
    assert_eq!([1, 5, 10].map(is_any_found), [false, true, false]);
}

#[test]
fn it_begins_nothing_that_will_not_be_over_in_time() {
    let (found, progress) = lengths(1000, Some(Duration::from_millis(1)), Duration::ZERO);
    assert!(found.is_empty());
    assert_eq!(progress.generated, 0);
    // As slow as this the first one takes nearly all the time that there is.
    let time = Duration::from_millis(300);
    let (fast, _) = lengths(1000, Some(time), Duration::ZERO);
    let (_, one) = lengths(1000, Some(time), LONG);
    let slow = time / one.generated as u32;
    let (slow, _) = lengths(1000, Some(time), slow.mul_f64(0.8));
    assert!(fast.len() > slow.len(), "{fast:?} {slow:?}");
    assert_eq!(slow.len(), 1);
}
