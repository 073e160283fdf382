use loyd::heuristic::HeuristicKind;
use loyd::puzzle::Dice;
use loyd::search::{Budget, Progress, Step, Stop, a_star, ida_star};

use crate::driving::run;
use crate::korf;
use crate::support::{random_problem, shape, walk};

#[test]
fn a_search_builds_its_tables_slice_by_slice() {
    // No other test here requests the walking distance of this shape.
    let problem = walk(shape(3, 5), 4, 40, &mut Dice::new(3));
    let mut solvers = [
        a_star::solver(&problem, HeuristicKind::WalkingDistance, 1.0),
        ida_star::solver(&problem, HeuristicKind::WalkingDistance),
    ];
    let mut turns = 0;
    let solution = loop {
        let solver = &mut solvers[turns % 2];
        assert_eq!(solver.progress(), Progress::default());
        turns += 1;
        match solver.advance(Budget::nodes(120_000)) {
            Step::Working => {}
            Step::Found(solution) => break solution,
            Step::Done(stop) => panic!("{stop:?}"),
        }
    };
    // Both worked on the 352,560 states of five columns, after the few of three rows.
    assert_eq!(turns, 352_560 / 10_000 + 1);
    let [_, other] = &mut solvers;
    assert_eq!(other.advance(Budget::UNLIMITED), Step::Done(Stop::Proven));
    let again = run(ida_star::solver(&problem, HeuristicKind::LinearConflict));
    assert_eq!(again.length(), solution.len());
}

#[test]
fn what_a_search_holds_that_waited_for_its_tables_is_freed_in_pieces() {
    let problem = random_problem(shape(3, 4), 7, &mut Dice::new(4));
    let mut solver = a_star::solver(&problem, HeuristicKind::WalkingDistance, 1.0);
    while solver.progress().expanded < 2_000 {
        assert_eq!(solver.advance(Budget::nodes(1000)), Step::Working);
    }
    let held = solver.progress().memory;
    assert!(!solver.shed(1));
    assert!((1..held).contains(&solver.progress().memory));
    while !solver.shed(1) {}
}

#[test]
fn walking_distance_finds_shortest_solutions() {
    let (mut walking, mut manhattan) = (0, 0);
    for board in &korf::easiest_first()[..12] {
        let run = run(ida_star::solver(
            &board.problem,
            HeuristicKind::WalkingDistance,
        ));
        assert_eq!((run.length(), run.stop), (board.length, Stop::Proven));
        walking += run.progress.generated;
        manhattan += board.nodes;
    }
    assert!(3 * walking < manhattan, "{walking} and {manhattan}");
}
