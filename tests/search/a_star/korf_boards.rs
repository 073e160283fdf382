//! What A* and weighted A* do on boards with published shortest lengths.

use loyd::heuristic::HeuristicKind;
use loyd::puzzle::Problem;
use loyd::search::{Budget, Stop, a_star};

use crate::driving::{Run, run_sliced};
use crate::korf::{self, KorfBoard};

const MEMORY: u64 = 256 << 20;

fn run(problem: &Problem, kind: HeuristicKind, weight: f64) -> Run {
    let budget = Budget {
        nodes: u64::MAX,
        memory: MEMORY,
        ..Budget::UNLIMITED
    };
    run_sliced(a_star::solver(problem, kind, weight), budget)
}

#[test]
fn a_board_of_50_moves_by_a_star_and_manhattan_within_memory() {
    let boards = korf::easiest_first();
    let board = boards.iter().find(|board| board.length == 50).unwrap();
    let run = run(&board.problem, HeuristicKind::Manhattan, 1.0);
    assert_eq!((run.length(), run.stop), (50, Stop::Proven));
    assert!(run.progress.peak_memory <= MEMORY);
}

/// The sum of the lengths divided by that of the shortest ones, and the nodes, at a weight.
fn weighted(boards: &[KorfBoard], weight: f64) -> (f64, u64) {
    let (mut length, mut shortest, mut nodes) = (0, 0, 0);
    for board in boards {
        let run = run(&board.problem, HeuristicKind::Manhattan, weight);
        assert_eq!(run.stop, Stop::FirstFound);
        assert!(run.length() >= board.length);
        assert!(run.length() as f64 <= weight * board.length as f64);
        assert!(run.progress.lower_bound as usize <= board.length);
        assert!(run.length() as f64 <= weight * f64::from(run.progress.lower_bound));
        length += run.length();
        shortest += board.length;
        nodes += run.progress.generated;
    }
    (length as f64 / shortest as f64, nodes)
}

#[test]
fn greater_weights_take_fewer_nodes_and_keep_their_bounds() {
    let boards = &korf::easiest_first()[..40];
    for board in boards {
        let run = run(&board.problem, HeuristicKind::Manhattan, 1.5);
        assert!(run.length() as f64 <= 1.25 * board.length as f64);
    }
    let runs = [1.5, 2.0, 3.0, 5.0].map(|weight| weighted(boards, weight));
    assert!(runs.is_sorted_by(|(a, _), (b, _)| a < b), "{runs:?}");
    assert!(runs.is_sorted_by(|(_, a), (_, b)| a > b), "{runs:?}");
}
