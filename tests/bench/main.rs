//! Suites of boards and the figures of their runs.
#![cfg(feature = "service")]

use std::sync::Arc;
use std::time::Duration;

use loyd::bench::{
    Case, CpuTime, Figures, Lengths, Reached, Run, Suite, Workers, best_by, read_cases, run,
};
use loyd::heuristic::HeuristicKind;
use loyd::puzzle::Shape;
use loyd::search::distance_table::Class;
use loyd::search::tables::Tables;

fn took(milliseconds: u64, length: Option<usize>) -> Run {
    Run {
        length,
        time: Duration::from_millis(milliseconds),
        wall: Duration::from_millis(2 * milliseconds),
        nodes: 1000 * milliseconds,
        lower_bound: 20,
    }
}

/// A random board of this side.
fn random_case(side: usize) -> Case {
    let boards = Suite::Uniform {
        shape: Shape::new(side, side).expect("a side in range"),
        count: 1,
        seed: 1,
    };
    boards.cases().expect("a board").remove(0)
}

#[test]
fn the_figures_are_of_the_solved_boards() {
    let mut runs: Vec<Run> = (1..=100).map(|i| took(i, Some(i as usize))).collect();
    runs.push(took(10_000, None));
    let figures = Figures::of(&runs);
    assert_eq!((figures.boards, figures.solved), (101, 100));
    assert_eq!((figures.mean, figures.mean_length), (50.5, 50.5));
    assert_eq!((figures.median, figures.p95), (50.0, 95.0));
    assert_eq!((figures.p99, figures.max), (99.0, 100.0));
    assert_eq!((figures.mean_wall, figures.max_wall), (101.0, 200.0));
    assert_eq!((figures.mean_nodes, figures.max_nodes), (50_500.0, 100_000));
    // A microsecond for each node, including those of the unsolved board.
    assert!((figures.per_node - 1000.0).abs() < 1e-6);
    let none = Figures::of(&[took(5, None)]);
    assert_eq!((none.boards, none.solved, none.max), (1, 0, 0.0));
    assert_eq!(Figures::of(&[]), Figures::default());
    // Nor are they printed as -0.
    assert!(none.mean.is_sign_positive() && none.mean_length.is_sign_positive());
    // Half of three are two.
    let three = Figures::of(&[1, 2, 3].map(|time| took(time, Some(1))));
    assert_eq!((three.median, three.p95), (2.0, 3.0));
}

/// What was reached: the times in milliseconds and the lengths of the first and the best solution, and the bound.
fn reached(first: (u64, usize), best: (u64, usize), lower_bound: u32) -> Reached {
    let at = |(time, length)| (Duration::from_millis(time), length);
    Reached {
        first: at(first),
        best: at(best),
        lower_bound,
    }
}

#[test]
fn the_lengths_by_a_deadline_are_of_the_boards_with_a_solution() {
    let case = |length| Case {
        length: Some(length),
        ..read_cases("1 2 / 3 0").unwrap().remove(0)
    };
    let cases = [case(20), case(10), case(30)];
    let all = [
        Some(reached((1, 30), (9, 22), 20)),
        None,
        Some(reached((3, 36), (4, 30), 30)),
    ];
    let lengths = Lengths::of(&cases, &all);
    assert_eq!((lengths.solved, lengths.proven), (2, 1));
    let means = lengths.means.unwrap();
    assert_eq!((means.first, means.first_length), (2.0, 33.0));
    assert_eq!((means.length, means.lower_bound), (26.0, 25.0));
    assert_eq!(means.length_of_50, 26.0);
    // One is longer by a tenth, the other is a shortest one.
    assert!((means.excess.unwrap() - 0.05).abs() < 1e-9);
    assert_eq!(Lengths::of(&cases, &[None; 3]), Lengths::default());
    // Of a board that is solved already no solution is longer by a fraction.
    let done = [Some(reached((1, 0), (1, 0), 0))];
    assert_eq!(Lengths::of(&[case(0)], &done).means.unwrap().excess, None);
    // The first fifty have a mean of their own.
    let many: Vec<_> = (0..60)
        .map(|number| Some(reached((1, number), (1, number), 0)))
        .collect();
    let many = Lengths::of(&vec![case(1); 60], &many).means.unwrap();
    assert_eq!((many.length_of_50, many.length), (24.5, 29.5));
}

#[test]
fn the_published_boards_are_all_there() {
    let lengths = |suite: Suite| -> Vec<usize> {
        let cases = suite.cases().unwrap();
        cases.iter().map(|case| case.length.unwrap()).collect()
    };
    let korf = lengths(Suite::Korf);
    assert_eq!((korf.len(), korf.iter().sum()), (100, 5305));
    assert_eq!(lengths(Suite::Farthest), [80; 17]);
    assert_eq!(lengths(Suite::Hard), [70, 72]);
}

#[test]
fn drawn_boards_are_solved_within_the_limit_or_not() {
    let shape = Shape::new(3, 3).unwrap();
    let suite = Suite::Uniform {
        shape,
        count: 20,
        seed: 1,
    };
    let tables = Arc::new(Tables::new());
    let cases = suite.cases().unwrap();
    assert_eq!(suite.cases().unwrap()[7].problem, cases[7].problem);
    let searched: Vec<Run> = cases
        .iter()
        .map(|case| run(case, &tables, Duration::from_secs(60)).unwrap())
        .collect();
    tables.build(Class::of(&cases[0].problem).unwrap());
    for (case, searched) in cases.iter().zip(searched) {
        let walked = run(case, &tables, Duration::from_secs(60)).unwrap();
        assert_eq!(walked.length, searched.length);
        assert!(walked.nodes < 100);
    }
    let cut = run(&random_case(6), &tables, Duration::ZERO).unwrap();
    assert_eq!(cut.length, None);
    assert!(cut.lower_bound > 100);
}

#[test]
fn workers_solve_as_one_thread_does() {
    let shape = Shape::new(3, 3).unwrap();
    let suite = Suite::Uniform {
        shape,
        count: 20,
        seed: 1,
    };
    let tables = Arc::new(Tables::new());
    let workers = Workers::start(2).unwrap();
    for case in suite.cases().unwrap() {
        let alone = run(&case, &tables, Duration::from_secs(60)).unwrap();
        let ran = workers
            .run(&case, &tables, Duration::from_secs(60))
            .unwrap();
        assert_eq!(ran.length, alone.length);
        assert!(ran.nodes > 0 || ran.length == Some(0));
        // The suite may list neither a longer nor a shorter one.
        let length = alone.length.unwrap();
        for wrong in [Some(length + 1), length.checked_sub(1)] {
            let wrong = Case {
                length: wrong,
                ..case.clone()
            };
            let error = workers.run(&wrong, &tables, Duration::from_secs(60));
            assert_eq!(
                error.err().map(|error| error.proven),
                wrong.length.map(|_| length)
            );
        }
    }
    let case = &random_case(6);
    let cut = workers.run(case, &tables, Duration::ZERO).unwrap();
    assert_eq!(cut.length, None);
}

#[test]
fn workers_look_for_the_best_solutions_by_a_deadline() {
    let case = &random_case(5);
    let tables = Arc::new(Tables::new());
    let workers = Workers::start(2).unwrap();
    let deadline = Duration::from_secs(1);
    let reached = workers.best_by(case, &tables, deadline).unwrap().unwrap();
    assert!(reached.first.1 > reached.best.1, "beams find shorter ones");
    assert!(reached.first.0 < reached.best.0 && reached.best.0 <= deadline);
    let bound = HeuristicKind::default().lower_bound(&case.problem);
    assert!(reached.lower_bound >= bound);
    let wrong = Case {
        length: Some(1_000),
        ..case.clone()
    };
    let error = workers.best_by(&wrong, &tables, deadline).unwrap_err();
    assert_eq!(error.known, 1_000);
    let none = workers.best_by(case, &tables, Duration::ZERO).unwrap();
    assert_eq!(none, None);
    // What is found too late does not count, however soon that is.
    for deadline in (1..=40).map(|step| step * Duration::from_micros(250)) {
        if let Some(reached) = workers.best_by(case, &tables, deadline).unwrap() {
            assert!(reached.best.0 <= deadline, "{deadline:?}");
        }
    }
}

#[test]
fn one_thread_looks_for_the_best_solutions_by_a_deadline() {
    let case = &random_case(5);
    let tables = Arc::new(Tables::new());
    let deadline = Duration::from_millis(500);
    let reached = best_by(case, &tables, deadline).unwrap().unwrap();
    assert!(reached.first.1 > reached.best.1, "beams find shorter ones");
    assert!(reached.first.0 < reached.best.0 && reached.best.0 <= deadline);
    // What is found too late does not count, however soon that is.
    for deadline in (1..=200).map(|step| step * Duration::from_micros(50)) {
        if let Some(reached) = best_by(case, &tables, deadline).unwrap() {
            assert!(reached.best.0 <= deadline, "{deadline:?}");
        }
    }
}

#[test]
fn a_list_may_be_what_generate_prints() {
    let cases = read_cases("1 2 / 0 3 # seed 18446744073709551614, 1 move\n0 3 / 2 1 # seed 5\n");
    let cases = cases.unwrap();
    let boards = cases.iter().map(|case| case.problem.start().to_string());
    assert_eq!(boards.collect::<Vec<_>>(), ["1 2 / 0 3", "0 3 / 2 1"]);
    assert!(cases.iter().all(|case| case.length.is_none()));
    // Where commas separate tiles, fields do not begin comments.
    let cases = read_cases("Korf & Felner #1\t1,2,0,3\t 1 \n").unwrap();
    assert_eq!(cases[0].length, Some(1));
    // Nor does a comma in a comment separate any.
    let cases = read_cases("1 2 / 0 3\t# one move, as one sees\n").unwrap();
    assert_eq!(cases[0].problem.start().to_string(), "1 2 / 0 3");
}

#[test]
fn a_list_says_which_line_is_wrong() {
    let read = |text| read_cases(text).map(|cases| cases.len());
    assert_eq!(read("7\t1,2,3,4,5,6,7,0,8\t1\textra\n0,3,2,1\n"), Ok(2));
    for (text, error) in [
        (
            "# a\n\n1 2 three 0",
            "line 3, column 5: \"three\" is neither",
        ),
        (
            "1,2,3,0\nKörf, 1\t8\n",
            "line 2, column 1: \"Körf\" is neither",
        ),
        (
            "1,2,3,0\nKörf #2\t 1,2,2,0\t4\n",
            "line 2, column 14: not a board: cell 2: tile 2 is",
        ),
        (
            "1,2,3,0\n0 1 2 / 3 4\n",
            "line 2, column 9: row 2 has 2 numbers",
        ),
        ("# a\n1,2,3,0\tfar", "line 2: \"far\" is not a length"),
        ("1,2,3", "line 1: 3 numbers do not make a square"),
        ("2,1,3,0", "line 1: "),
        ("# nothing\n\n", "there are no boards"),
    ] {
        let told = read(text).unwrap_err();
        assert!(told.starts_with(error), "{told}");
    }
}

#[test]
fn only_work_takes_cpu_time() {
    let begun = CpuTime::now();
    std::thread::sleep(Duration::from_millis(50));
    assert!(begun.elapsed() < Duration::from_millis(40));
    let mut sum = 0_u64;
    while begun.elapsed() < Duration::from_millis(5) {
        sum = std::hint::black_box(sum + 1);
    }
    assert!(sum > 0);
}
