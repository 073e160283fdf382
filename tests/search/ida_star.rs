mod batch;
mod both_ways;
mod pushes;

use loyd::heuristic::HeuristicKind;
use loyd::puzzle::{Dice, Problem};
use loyd::search::{Budget, Iteration, Step, Stop, a_star, ida_star};

use crate::driving::{run, run_sliced};
use crate::korf;
use crate::support::published::PRINCETON;
use crate::support::{all_distances, any_cell, goal, problem, random_problem, shape, walk};

#[test]
fn reproduces_korfs_node_counts_to_the_unit() {
    for board in &korf::easiest_first()[..20] {
        let run = run(ida_star::solver(&board.problem, HeuristicKind::Manhattan));
        assert_eq!(run.length(), board.length);
        assert_eq!(run.progress.generated + 1, board.nodes);
        assert_eq!(run.progress.lower_bound as usize, board.length);
        assert_eq!(run.stop, Stop::Proven);
    }
}

#[test]
fn iterations_rise_by_two_and_add_up() {
    let board = &korf::easiest_first()[3];
    let large = walk(shape(5, 5), 12, 120, &mut Dice::new(2));
    for problem in [&board.problem, &large] {
        let mut solver = ida_star::solver(problem, HeuristicKind::Manhattan);
        let root = HeuristicKind::Manhattan.lower_bound(problem);
        let first = Iteration {
            threshold: root,
            generated: 0,
        };
        assert_eq!(solver.iterations(), [first]);
        while solver.advance(Budget::nodes(1000)) == Step::Working {}
        let (iterations, progress) = (solver.iterations(), solver.progress());
        assert_eq!(iterations.len(), progress.iterations as usize);
        let thresholds = iterations.iter().map(|iteration| iteration.threshold);
        assert!(thresholds.eq((root..=progress.lower_bound).step_by(2)));
        // Each iteration looks at the nodes of the one before and more; the last ends at the goal.
        let complete = &iterations[..iterations.len() - 1];
        assert!(complete.is_sorted_by(|a, b| a.generated < b.generated));
        let sum: u64 = iterations.iter().map(|iteration| iteration.generated).sum();
        assert_eq!(sum, progress.generated);
    }
}

#[test]
fn better_heuristics_find_the_same_lengths_with_fewer_nodes() {
    let (mut manhattan, mut conflict, mut all) = (0, 0, 0);
    for board in &korf::easiest_first()[..20] {
        let nodes = |kind| {
            let run = run(ida_star::solver(&board.problem, kind));
            assert_eq!(run.length(), board.length);
            run.progress.generated
        };
        manhattan += board.nodes;
        conflict += nodes(HeuristicKind::LinearConflict);
        all += nodes(HeuristicKind::ALL_CORRECTIONS);
    }
    assert!(4 * conflict < manhattan, "{conflict} and {manhattan}");
    assert!(all < conflict, "{all} and {conflict}");
}

#[test]
fn solves_princetons_boards_as_a_star_does() {
    for (tiles, length) in PRINCETON {
        let problem = problem(4, 4, &tiles);
        for kind in [HeuristicKind::Manhattan, HeuristicKind::LinearConflict] {
            assert_eq!(run(ida_star::solver(&problem, kind)).length(), length);
            assert_eq!(run(a_star::solver(&problem, kind, 1.0)).length(), length);
        }
    }
}

#[test]
fn agrees_with_breadth_first_search_on_3x3_for_every_home() {
    let shape = shape(3, 3);
    let mut dice = Dice::new(5);
    for home in [8, 7, 4, 0] {
        let distances = all_distances(goal(shape, home));
        for _ in 0..400 {
            let problem = random_problem(shape, home, &mut dice);
            let distance = distances[problem.start()] as usize;
            for kind in [HeuristicKind::Manhattan, HeuristicKind::LinearConflict] {
                let ida_star = run(ida_star::solver(&problem, kind));
                assert_eq!(ida_star.length(), distance);
                assert_eq!(ida_star.progress.lower_bound as usize, distance);
                let a_star = run(a_star::solver(&problem, kind, 1.0));
                assert_eq!(a_star.length(), distance);
            }
        }
    }
}

#[test]
fn weak_heuristics_find_shortest_solutions_too() {
    let shape = shape(3, 3);
    let distances = all_distances(goal(shape, 8));
    let goal = goal(shape, 8);
    let mut boards: Vec<_> = distances.iter().filter(|&(_, &d)| d == 14).collect();
    boards.sort_by_key(|(board, _)| board.to_string());
    for (board, _) in boards.into_iter().take(40) {
        let problem = Problem::new(board, &goal).unwrap();
        for kind in [HeuristicKind::Discrete, HeuristicKind::Hamming] {
            assert_eq!(run(ida_star::solver(&problem, kind)).length(), 14);
        }
    }
}

/// Boards of more than 16 cells, and boards with lines that have no pattern: walks from the goal.
#[test]
fn agrees_with_a_star_on_other_shapes() {
    let mut dice = Dice::new(9);
    for (rows, columns) in [(5, 5), (2, 9), (6, 4), (3, 5), (2, 7), (10, 10), (17, 16)] {
        let shape = shape(rows, columns);
        for _ in 0..6 {
            let home = any_cell(shape, &mut dice);
            let problem = walk(shape, home, 40, &mut dice);
            let lengths = [HeuristicKind::Manhattan, HeuristicKind::LinearConflict].map(|kind| {
                let ida_star = run(ida_star::solver(&problem, kind)).length();
                assert_eq!(run(a_star::solver(&problem, kind, 1.0)).length(), ida_star);
                ida_star
            });
            assert_eq!(lengths[0], lengths[1]);
        }
    }
}

#[test]
fn runs_the_same_whatever_the_slices() {
    let small = problem(4, 4, &PRINCETON[4].0);
    let large = walk(shape(5, 5), 12, 120, &mut Dice::new(2));
    for problem in [small, large] {
        for kind in [HeuristicKind::Manhattan, HeuristicKind::LinearConflict] {
            let whole = run(ida_star::solver(&problem, kind));
            for nodes in [1, 2, 7, 1000] {
                let sliced = run_sliced(ida_star::solver(&problem, kind), Budget::nodes(nodes));
                assert_eq!(sliced, whole);
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
            let run = run(ida_star::solver(&problem, kind));
            assert_eq!(run.length(), 0);
            assert_eq!((run.progress.generated, run.progress.lower_bound), (0, 0));
        }
    }
}
