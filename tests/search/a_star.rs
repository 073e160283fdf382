mod korf_boards;

use loyd::heuristic::HeuristicKind;
use loyd::puzzle::{Dice, Problem};
use loyd::search::{Budget, Step, Stop, a_star};

use crate::driving::{run, run_sliced};
use crate::support::{
    all_distances, any_cell, goal, neighbours, problem, random_problem, shape, walk,
};

/// The 3×3 boards at a distance, in a fixed order.
fn boards_at(distance: u32) -> Vec<Problem> {
    let shape = shape(3, 3);
    let goal = goal(shape, 8);
    let mut boards: Vec<_> = all_distances(goal.clone())
        .into_iter()
        .filter(|&(_, d)| d == distance)
        .map(|(board, _)| Problem::new(&board, &goal).unwrap())
        .collect();
    boards.sort_by_key(|problem| problem.start().to_string());
    boards
}

#[test]
fn better_heuristics_expand_fewer_nodes_at_24_moves() {
    const WEAKEST_FIRST: [HeuristicKind; 5] = [
        HeuristicKind::Discrete,
        HeuristicKind::Hamming,
        HeuristicKind::Manhattan,
        HeuristicKind::LinearConflict,
        HeuristicKind::ALL_CORRECTIONS,
    ];
    let mut sums = [0; 5];
    let boards: Vec<_> = boards_at(24).into_iter().step_by(800).collect();
    for problem in &boards {
        let expanded = WEAKEST_FIRST.map(|kind| {
            let run = run(a_star::solver(problem, kind, 1.0));
            assert_eq!(run.length(), 24);
            assert_eq!(run.stop, Stop::Proven);
            run.progress.expanded
        });
        assert!(expanded[0] > expanded[1], "{expanded:?}");
        assert!(expanded[1] > expanded[2], "{expanded:?}");
        assert!(expanded[2] > expanded[3], "{expanded:?}");
        for (sum, expanded) in sums.iter_mut().zip(expanded) {
            *sum += expanded;
        }
    }
    let means = sums.map(|sum| sum / boards.len() as u64);
    assert!((100_000..181_440).contains(&means[0]), "{means:?}");
    assert!((500..10_000).contains(&means[2]), "{means:?}");
    assert!(means[3] > means[4], "{means:?}");
}

#[test]
fn the_discrete_bound_makes_it_breadth_first() {
    // With 20 moves to go, all boards within 18 are expanded, and as many of those at 19 as it takes to reach
    // the goal.
    let problem = &boards_at(20)[17];
    let run = run(a_star::solver(problem, HeuristicKind::Discrete, 1.0));
    assert!(run.progress.expanded > boards_within(problem, 18));
    assert!(run.progress.expanded <= boards_within(problem, 19));
}

/// The number of boards within so many moves of the start.
fn boards_within(problem: &Problem, limit: u32) -> u64 {
    let mut seen = std::collections::HashSet::from([problem.start().clone()]);
    let mut layer = vec![problem.start().clone()];
    for _ in 0..limit {
        let mut next = Vec::new();
        for board in &layer {
            for neighbour in neighbours(board) {
                if seen.insert(neighbour.clone()) {
                    next.push(neighbour);
                }
            }
        }
        layer = next;
    }
    seen.len() as u64
}

#[test]
fn all_heuristics_agree_on_random_3x3_boards() {
    let shape = shape(3, 3);
    let mut dice = Dice::new(11);
    for home in [8, 1, 4] {
        let distances = all_distances(goal(shape, home));
        for i in 0..150 {
            let problem = random_problem(shape, home, &mut dice);
            let distance = distances[problem.start()] as usize;
            // With the weak heuristics each run looks at most of all boards.
            let weakest = if i < 3 { 0 } else { 2 };
            for kind in &HeuristicKind::ALL[weakest..] {
                let run = run(a_star::solver(&problem, *kind, 1.0));
                assert_eq!(run.length(), distance, "{kind:?}");
                assert_eq!(run.progress.lower_bound as usize, distance);
            }
        }
    }
}

#[test]
fn weights_bound_the_length_and_the_lower_bound_stays_proven() {
    let shape = shape(3, 3);
    let mut dice = Dice::new(13);
    let distances = all_distances(goal(shape, 8));
    let mut generated = [0; 4];
    for _ in 0..300 {
        let problem = random_problem(shape, 8, &mut dice);
        let optimal = distances[problem.start()];
        for kind in [HeuristicKind::Manhattan, HeuristicKind::LinearConflict] {
            for (weight, sum) in [1.0, 1.5, 2.0, 5.0].into_iter().zip(&mut generated) {
                let run = run(a_star::solver(&problem, kind, weight));
                assert!(run.length() as f64 <= weight * f64::from(optimal));
                assert!(run.progress.lower_bound <= optimal);
                assert!(run.progress.lower_bound >= kind.lower_bound(&problem));
                let stop = if weight > 1.0 {
                    Stop::FirstFound
                } else {
                    Stop::Proven
                };
                assert_eq!(run.stop, stop);
                *sum += run.progress.generated;
            }
        }
    }
    assert!(generated.is_sorted_by(|a, b| a > b), "{generated:?}");
}

#[test]
fn boards_that_are_reached_again_by_fewer_moves_are_expanded_again() {
    // Otherwise the lower bound would be wrong on a few boards.
    let shape = shape(2, 3);
    for home in 0..6 {
        for (board, optimal) in all_distances(goal(shape, home)) {
            let problem = Problem::new(&board, &goal(shape, home)).unwrap();
            for weight in [2.0, 3.0] {
                let run = run(a_star::solver(&problem, HeuristicKind::Hamming, weight));
                assert!(run.length() as f64 <= weight * f64::from(optimal));
                assert!(run.progress.lower_bound <= optimal, "{board}");
            }
        }
    }
}

#[test]
fn a_weight_below_1_or_no_number_counts_as_1() {
    let problem = problem(3, 3, &[8, 6, 7, 2, 5, 4, 3, 0, 1]);
    for weight in [1.0, 0.5, -3.0, f64::NAN, f64::NEG_INFINITY] {
        let run = run(a_star::solver(&problem, HeuristicKind::Manhattan, weight));
        assert_eq!((run.length(), run.stop), (31, Stop::Proven));
    }
    let run = run(a_star::solver(
        &problem,
        HeuristicKind::Manhattan,
        f64::INFINITY,
    ));
    assert!(run.length() >= 31);
    assert_eq!(run.stop, Stop::FirstFound);
    // Beyond a million weights make no difference.
    for weight in [1e6, 1e20] {
        let solver = a_star::solver(&problem, HeuristicKind::Manhattan, weight);
        assert_eq!(crate::driving::run(solver), run);
    }
}

#[test]
fn solves_shapes_of_every_packing() {
    let mut dice = Dice::new(17);
    for (rows, columns) in [(2, 2), (4, 4), (3, 6), (16, 16), (16, 17), (128, 128)] {
        let shape = shape(rows, columns);
        let home = any_cell(shape, &mut dice);
        let problem = walk(shape, home, 24, &mut dice);
        for kind in [
            HeuristicKind::Hamming,
            HeuristicKind::Manhattan,
            HeuristicKind::LinearConflict,
        ] {
            let exact = run(a_star::solver(&problem, kind, 1.0)).length();
            let weighted = run(a_star::solver(&problem, kind, 3.0)).length();
            assert!(exact <= 24 && weighted <= 3 * exact);
        }
    }
}

#[test]
fn keeps_within_its_memory() {
    let hard = problem(
        4,
        4,
        &[13, 6, 8, 12, 15, 14, 0, 10, 11, 7, 4, 5, 9, 1, 3, 2],
    );
    let large = random_problem(shape(20, 20), 399, &mut Dice::new(19));
    for (problem, optimal) in [(hard, 57), (large, u32::MAX)] {
        for memory in [600_000, 1 << 20, 5_000_000, 1 << 24] {
            let mut solver = a_star::solver(&problem, HeuristicKind::Manhattan, 1.0);
            let budget = Budget {
                nodes: 5,
                memory,
                ..Budget::UNLIMITED
            };
            let step = loop {
                let step = solver.advance(budget);
                assert!(solver.progress().peak_memory <= memory);
                if step != Step::Working {
                    break step;
                }
            };
            assert_eq!(step, Step::Done(Stop::Memory));
            let progress = solver.progress();
            // It stops because memory is short, not long before.
            assert!(
                progress.memory > memory / 3,
                "{} of {memory}",
                progress.memory
            );
            assert!(progress.lower_bound >= HeuristicKind::Manhattan.lower_bound(&problem));
            assert!(progress.lower_bound <= optimal);
        }
    }
}

#[test]
fn keeps_within_its_memory_whichever_part_of_it_is_about_to_grow() {
    let hard = problem(
        4,
        4,
        &[13, 6, 8, 12, 15, 14, 0, 10, 11, 7, 4, 5, 9, 1, 3, 2],
    );
    for memory in (600_000..1_400_000).step_by(7_000) {
        let mut solver = a_star::solver(&hard, HeuristicKind::Manhattan, 1.0);
        let budget = Budget {
            memory,
            ..Budget::UNLIMITED
        };
        assert_eq!(solver.advance(budget), Step::Done(Stop::Memory));
        let peak = solver.progress().peak_memory;
        assert!(peak <= memory, "{peak} of {memory}");
    }
}

#[test]
fn what_exists_twice_while_it_grows_counts_twice() {
    let hard = problem(
        4,
        4,
        &[13, 6, 8, 12, 15, 14, 0, 10, 11, 7, 4, 5, 9, 1, 3, 2],
    );
    let mut solver = a_star::solver(&hard, HeuristicKind::Manhattan, 1.0);
    let mut most = 0;
    let has_grown = (0..100_000).any(|_| {
        assert_eq!(solver.advance(Budget::nodes(1)), Step::Working);
        let progress = solver.progress();
        most = progress.memory.max(most);
        progress.peak_memory > most
    });
    assert!(has_grown);
}

#[test]
fn gives_up_at_once_without_memory() {
    let problem = problem(3, 3, &[8, 6, 7, 2, 5, 4, 3, 0, 1]);
    let budget = Budget {
        nodes: u64::MAX,
        memory: 0,
        ..Budget::UNLIMITED
    };
    let run = run_sliced(
        a_star::solver(&problem, HeuristicKind::Manhattan, 1.0),
        budget,
    );
    assert_eq!((run.stop, run.progress.expanded), (Stop::Memory, 0));
    assert_eq!(run.progress.lower_bound, 21);
}

#[test]
fn runs_the_same_whatever_the_slices() {
    let small = problem(3, 3, &[8, 6, 7, 2, 5, 4, 3, 0, 1]);
    let large = walk(shape(5, 5), 12, 120, &mut Dice::new(2));
    for problem in [small, large] {
        for kind in [
            HeuristicKind::Manhattan,
            HeuristicKind::LinearConflict,
            HeuristicKind::ALL_CORRECTIONS,
        ] {
            for weight in [1.0, 2.0] {
                let whole = run(a_star::solver(&problem, kind, weight));
                for nodes in [1, 2, 7, 1000] {
                    let solver = a_star::solver(&problem, kind, weight);
                    assert_eq!(run_sliced(solver, Budget::nodes(nodes)), whole);
                }
            }
        }
    }
}

#[test]
fn the_goal_itself_needs_no_moves() {
    for (rows, columns) in [(2, 2), (4, 4), (6, 6)] {
        let shape = shape(rows, columns);
        let goal = goal(shape, 1);
        let problem = Problem::new(&goal, &goal).unwrap();
        for kind in HeuristicKind::ALL {
            let run = run(a_star::solver(&problem, kind, 1.0));
            assert_eq!((run.length(), run.stop), (0, Stop::Proven));
            assert_eq!((run.progress.expanded, run.progress.peak_open), (0, 1));
        }
    }
}
