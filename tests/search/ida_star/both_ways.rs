use loyd::heuristic::HeuristicKind;
use loyd::heuristic::pattern_database::{Partition, Tables, Tier, Watch};
use loyd::puzzle::{Dice, Problem};
use loyd::search::ida_star::batch::{Guide, Large, STRIP_BYTES, Small};
use loyd::search::ida_star::both_ways::{self, Probe, Rival};
use loyd::search::{Budget, Solver, Step, a_star, ida_star};

use crate::driving::{run, run_sliced};
use crate::korf;
use crate::support::{all_distances, goal, random_problem, shape, walk};

/// Guides of the 15-puzzle for every home, up to symmetry.
fn guides() -> Vec<Guide<Small>> {
    let mut tables = Tables::new();
    let mut guide = |home| {
        let partitions = Tier::SixSixThree.partitions(home).unwrap();
        let additive = tables.additive(&partitions, 2, &Watch::default());
        Guide::new(additive.unwrap()).unwrap()
    };
    [15, 14, 10].map(&mut guide).into()
}

fn both_ways(guides: &[Guide<Small>], problem: &Problem) -> Solver {
    let begin = |problem: &Problem| guides.iter().find_map(|guide| guide.solver(problem));
    both_ways::solver(problem, Probe::SMALL, begin, None).unwrap()
}

#[test]
fn both_sides_are_held_until_one_is_chosen() {
    let guides = guides();
    let problem = &korf::easiest_first()[50].problem;
    let alone = guides[0].solver(problem).unwrap().progress().memory;
    let mut both = both_ways(&guides, problem);
    assert_eq!(both.progress().memory, 2 * alone);
    both.advance(Budget::nodes(10 * Probe::SMALL.nodes));
    assert_eq!(both.progress().memory, alone);
    assert_eq!(both.progress().peak_memory, 2 * alone);
}

#[test]
fn solves_korfs_boards_with_fewer_nodes() {
    let guides = guides();
    let (mut moves, mut nodes, mut one_way) = (0, 0, 0);
    for board in korf::easiest_first() {
        let run_of = run(both_ways(&guides, &board.problem));
        assert_eq!(run_of.length(), board.length);
        assert_eq!(run_of.progress.lower_bound as usize, board.length);
        moves += run_of.length();
        nodes += run_of.progress.generated;
        let solver = guides[0].solver(&board.problem).unwrap();
        one_way += run(solver).progress.generated;
    }
    assert_eq!(moves, 5305);
    assert!(10 * nodes < 9 * one_way, "{nodes} and {one_way}");
}

#[test]
fn agrees_with_breadth_first_search_from_every_home() {
    let shape = shape(3, 3);
    let mut dice = Dice::new(2);
    let probe = Probe {
        nodes: 20,
        growth: 2.0,
    };
    for home in [8, 3, 4] {
        let distances = all_distances(goal(shape, home));
        for _ in 0..300 {
            let problem = random_problem(shape, home, &mut dice);
            let begin =
                |problem: &Problem| Some(ida_star::solver(problem, HeuristicKind::Manhattan));
            let run = run(both_ways::solver(&problem, probe, begin, None).unwrap());
            assert_eq!(run.length(), distances[problem.start()] as usize);
        }
    }
}

#[test]
fn takes_the_side_that_there_is() {
    let mut dice = Dice::new(3);
    let problem = random_problem(shape(3, 3), 8, &mut dice);
    let length = run(a_star::solver(&problem, HeuristicKind::Manhattan, 1.0)).length();
    for wanted in [true, false] {
        let begin = |side: &Problem| {
            let is_forward = *side == problem;
            (is_forward == wanted).then(|| ida_star::solver(side, HeuristicKind::Manhattan))
        };
        let solver = both_ways::solver(&problem, Probe::SMALL, begin, None).unwrap();
        assert_eq!(run(solver).length(), length);
    }
    assert!(both_ways::solver(&problem, Probe::SMALL, |_| None, None).is_none());
}

#[test]
fn a_rival_is_tried_where_both_sides_are_hard_and_goes_on_if_it_is_better() {
    let guides = guides();
    let by_guide = |problem: &Problem| guides.iter().find_map(|guide| guide.solver(problem));
    let by_manhattan = |problem: &Problem| -> Option<Solver> {
        Some(ida_star::solver(problem, HeuristicKind::Manhattan))
    };
    // Manhattan distance takes 25 million nodes here, the guide 3,000.
    let board = &korf::easiest_first()[20];
    let guide = guides[0].clone();
    let rival: Rival = Box::new(move |problem| guide.solver(problem));
    let solver = both_ways::solver(&board.problem, Probe::SMALL, by_manhattan, Some(rival));
    let helped = run_sliced(solver.unwrap(), Budget::nodes(10_000));
    assert_eq!(helped.length(), board.length);
    assert!(
        helped.progress.generated < 600_000,
        "{}",
        helped.progress.generated
    );

    // Here the guide takes more than that, and the rival would take hours.
    let boards = korf::easiest_first();
    let board = boards
        .iter()
        .rev()
        .find(|board| run(by_guide(&board.problem).unwrap()).progress.generated > 700_000);
    let board = board.expect("there is one so hard");
    let rival: Rival = Box::new(move |problem| by_manhattan(problem));
    let solver = both_ways::solver(&board.problem, Probe::SMALL, by_guide, Some(rival)).unwrap();
    let mut solver = solver;
    while solver.advance(Budget::nodes(10_000)) == Step::Working {}
    let sum: u64 = solver
        .iterations()
        .iter()
        .map(|iteration| iteration.generated)
        .sum();
    assert_eq!(sum, solver.progress().generated);
    let alone = run(both_ways(&guides, &board.problem));
    assert_eq!(alone.length(), board.length);
    assert_eq!(solver.progress().lower_bound as usize, board.length);
    let more = solver.progress().generated - alone.progress.generated;
    assert!((500_000..510_000).contains(&more), "{more}");
}

#[test]
fn a_rival_that_cannot_be_made_or_is_not_needed_changes_nothing() {
    let guides = guides();
    let by_guide = |problem: &Problem| guides.iter().find_map(|guide| guide.solver(problem));
    let boards = korf::easiest_first();
    for board in [&boards[5], &boards[97]] {
        let alone = run(both_ways(&guides, &board.problem));
        let none: Rival = Box::new(|_| None);
        let solver = both_ways::solver(&board.problem, Probe::SMALL, by_guide, Some(none));
        let run = run(solver.unwrap());
        assert_eq!(run.length(), board.length);
        assert!(run.progress.generated <= alone.progress.generated + 100);
    }
}

#[test]
fn runs_the_same_whatever_the_slices_and_adds_up_its_iterations() {
    let guides = guides();
    let boards = korf::easiest_first();
    for board in [&boards[10], &boards[50]] {
        let whole = run(both_ways(&guides, &board.problem));
        let mut solver = both_ways(&guides, &board.problem);
        while solver.advance(Budget::nodes(200)) == Step::Working {}
        let iterations = solver.iterations();
        assert!(iterations.is_sorted_by(|a, b| a.threshold < b.threshold));
        let sum: u64 = iterations.iter().map(|iteration| iteration.generated).sum();
        assert_eq!(sum, solver.progress().generated);
        let sliced = run_sliced(both_ways(&guides, &board.problem), Budget::nodes(1000));
        assert_eq!(sliced.length(), whole.length());
    }
}

#[test]
fn a_goal_that_a_part_has_brought_back_is_handed_out_without_nodes() {
    let guides = guides();
    let mut handed_out = 0;
    for board in &korf::easiest_first()[40..60] {
        let mut solver = both_ways(&guides, &board.problem);
        while solver.advance(Budget::nodes(500)) == Step::Working {
            let Some(mut part) = solver.split(u64::MAX) else {
                continue;
            };
            while part.advance(Budget::nodes(1000)) {}
            solver.join(part);
            if let Step::Found(solution) = solver.advance(Budget::nodes(0)) {
                assert_eq!(solution.len(), board.length);
                handed_out += 1;
                break;
            }
        }
    }
    assert!(handed_out > 0);
}

#[test]
fn standard_partitions_solve_rectangles_and_the_24_puzzle() {
    let mut dice = Dice::new(7);
    let windmill = Partition::standard(shape(5, 5), 24).unwrap();
    assert_eq!(windmill.len(), 2);
    for (rows, columns) in [(5, 5), (2, 7), (2, 8), (3, 5), (3, 6), (4, 5)] {
        for shape in [shape(rows, columns), shape(columns, rows)] {
            for home in 0..shape.cells() {
                let partitions = Partition::standard(shape, home);
                assert!(partitions.is_some(), "{shape} {home}");
            }
        }
    }
    assert_eq!(Partition::windmill(25), None);
    assert_eq!(Partition::standard(shape(2, 3), 5), None);
    assert_eq!(Partition::standard(shape(4, 4), 15), None);
    for (rows, columns, home) in [(3, 5, 14), (7, 2, 13)] {
        let shape = shape(rows, columns);
        let partitions = Partition::standard(shape, home).unwrap();
        let additive = Tables::new().additive(&partitions, 2, &Watch::default());
        let guide = Guide::<Small>::new(additive.unwrap()).unwrap();
        for _ in 0..3 {
            let problem = walk(shape, home, 60, &mut dice);
            let a_star = run(a_star::solver(&problem, HeuristicKind::LinearConflict, 1.0));
            let run = run(guide.solver(&problem).unwrap());
            assert_eq!(run.length(), a_star.length());
            assert!(run.progress.memory < STRIP_BYTES);
        }
    }
    let shape = shape(3, 6);
    let partitions = Partition::standard(shape, 17).unwrap();
    let additive = Tables::new().additive(&partitions, 2, &Watch::default());
    let guide = Guide::<Large>::new(additive.unwrap()).unwrap();
    let problem = walk(shape, 17, 80, &mut dice);
    let a_star = run(a_star::solver(&problem, HeuristicKind::LinearConflict, 1.0));
    assert_eq!(
        run(guide.solver(&problem).unwrap()).length(),
        a_star.length()
    );
}
