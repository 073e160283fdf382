//! How short solutions get in a given time, on a clock that advances only with the nodes. These lengths are
//! exact, where times measured on a machine would only be approximate.

use std::sync::Arc;
use std::time::Duration;

use loyd::puzzle::{Dice, Problem};
use loyd::search::anytime::beams::beams;
use loyd::search::anytime::widening::Widening;
use loyd::search::tables::Tables;
use loyd::search::{Budget, Search, Step};

use crate::support::{random_problem, shape};

/// The length of the shortest solution that beams find in so much time when a node takes `node`.
fn length(
    problem: &Problem,
    tables: &Arc<Tables>,
    time: Duration,
    node: Duration,
) -> Option<usize> {
    let mut search = Widening::new(beams(problem, tables));
    let mut best = None;
    loop {
        let spent = node.saturating_mul(search.progress().expanded as u32);
        let left = time.saturating_sub(spent);
        if left.is_zero() {
            return best;
        }
        let budget = Budget {
            time: Some(left),
            ..Budget::nodes(64)
        };
        match search.advance(budget) {
            Step::Working => {}
            Step::Found(solution) => {
                assert!(problem.replay(solution.moves().to_vec()).is_ok());
                let length = solution.len();
                best = Some(best.map_or(length, |best: usize| best.min(length)));
            }
            Step::Done(_) => return best,
        }
    }
}

#[test]
fn beams_make_the_most_of_their_time() {
    let tables = Arc::new(Tables::new());
    // The side of the board, milliseconds, nanoseconds a node, boards, and the greatest mean length allowed:
    // within two in a hundred of the one measured before.
    for (side, time, node, boards, most) in [
        (5, 20, 60, 20, 105),
        (6, 20, 60, 20, 182),
        (7, 20, 60, 20, 305),
        (8, 100, 60, 8, 467),
        (10, 100, 120, 8, 1_070),
        (16, 100, 150, 4, 5_580),
        (16, 1_000, 150, 1, 4_600),
        (32, 500, 250, 1, 53_400),
        (48, 2_500, 300, 1, 172_000),
    ] {
        let shape = shape(side, side);
        let mut dice = Dice::new(side as u64);
        let lengths = (0..boards).map(|_| {
            let problem = random_problem(shape, shape.cells() - 1, &mut dice);
            let (time, node) = (Duration::from_millis(time), Duration::from_nanos(node));
            let length = length(&problem, &tables, time, node);
            length.unwrap_or_else(|| panic!("{shape}: nothing in {time:?}"))
        });
        let mean = lengths.sum::<usize>() / boards;
        assert!(mean <= most, "{shape} in {time} ms: {mean}");
    }
}
