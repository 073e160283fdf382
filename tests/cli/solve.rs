//! `loyd solve`.

use std::time::Duration;

use clap::CommandFactory;
use clap::builder::PossibleValue;
use clap::error::ErrorKind;
use loyd::cli::{Cli, Exit, Failure};
use loyd::service::proto::solve_stream_response::Event;
use loyd::service::proto::{
    Algorithm, Direction, Heuristic, Improvement, Iteration, Metric, Moves, Objective, Progress,
    Solution, SolveRequest, SolveStreamResponse, Statistics, StopReason, Summary, Variant,
};
use tonic::Status;

use crate::fake::{Closed, DESERTED, Fake, nobody, parse, question, runtime};

pub(crate) const BOARD: &str = "1 2 3 / 4 0 6 / 7 5 8";

fn event(event: Event) -> Result<SolveStreamResponse, Status> {
    Ok(SolveStreamResponse { event: Some(event) })
}

fn moves(revision: u32, first: u32, moves: &[Direction]) -> Result<SolveStreamResponse, Status> {
    event(Event::Moves(Moves {
        revision,
        first,
        moves: moves.iter().map(|&direction| direction.into()).collect(),
        ..Moves::default()
    }))
}

fn summary(length: u32, lower_bound: u32, stop: StopReason) -> Result<SolveStreamResponse, Status> {
    event(Event::Summary(Summary {
        solution: Some(Solution {
            length,
            lower_bound,
            optimal: length == lower_bound,
            ..Solution::default()
        }),
        statistics: Some(Statistics {
            nodes_expanded: 700,
            nodes_generated: 12_345,
            peak_open: 9,
            peak_memory_bytes: 65_536,
            iterations: 3,
            queued: Some(Duration::from_millis(250).try_into().expect("short")),
            elapsed: Some(Duration::from_millis(1_500).try_into().expect("short")),
            algorithm: Algorithm::IdaStar.into(),
            heuristic: Heuristic::LinearConflict.into(),
            corrections: vec![Heuristic::LastMoves.into()],
            thresholds: [(30, 45), (32, 12_300)]
                .map(|(threshold, nodes_generated)| Iteration {
                    threshold,
                    nodes_generated,
                })
                .into(),
        }),
        stop_reason: stop.into(),
        revision: 2,
    }))
}

/// A service that solves [`BOARD`] in its two moves.
pub(crate) fn solver() -> Fake {
    Fake {
        stream: Ok(vec![
            event(Event::Progress(Progress::default())),
            event(Event::Improvement(Improvement {
                revision: 2,
                length: 2,
                lower_bound: 2,
            })),
            moves(2, 0, &[Direction::Up]),
            moves(2, 1, &[Direction::Left]),
            summary(2, 2, StopReason::Proven),
        ]),
        ..Fake::default()
    }
}

#[test]
fn a_solution_is_three_lines() {
    let ran = solver().run(&["solve", BOARD], "");
    assert_eq!(
        ran.output,
        "UL\n\
         2 moves, optimal\n\
         12,345 nodes in 1.50 s by ida_star with linear_conflict+last_moves, proven\n"
    );
    assert_eq!(ran.exit(), Exit::Done);
}

#[test]
fn the_answer_does_not_depend_on_where_it_is_worked_out() {
    for arguments in [
        &["solve", BOARD][..],
        &["solve", BOARD, "--json", "--trace"],
    ] {
        let (here, there) = (solver(), solver());
        let ran = here.run(arguments, "");
        assert_eq!(ran.exit(), Exit::Done);
        assert_eq!(ran.output, there.run_remote(arguments, "").output);
        assert_eq!(here.asked().stream, there.asked().stream);
    }
}

#[test]
fn an_unproven_length_says_what_is_proven() {
    let fake = Fake {
        stream: Ok(vec![
            moves(1, 0, &[Direction::Right; 2]),
            moves(2, 0, &[Direction::Down, Direction::Up].repeat(600)),
            moves(2, 1_200, &[Direction::Up, Direction::Left]),
            summary(1_202, 1_002, StopReason::FirstFound),
        ]),
        ..Fake::default()
    };
    let ran = fake.run(&["solve", BOARD], "");
    let moves = format!("{}DU2L", "DU".repeat(599));
    assert_eq!(
        ran.output,
        format!(
            "{moves}\n\
             1,202 moves, the shortest solution has at least 1,002\n\
             12,345 nodes in 1.50 s by ida_star with linear_conflict+last_moves, first found\n"
        )
    );
}

#[test]
fn a_trace_draws_each_board_and_counts_what_was_done() {
    let ran = solver().run(&["solve", BOARD, "--trace"], "");
    let drawn: Vec<&str> = ran.output.lines().skip(3).collect();
    assert_eq!(
        drawn.join("\n"),
        "\n1 2 3\n4 0 6\n7 5 8\n\n1. U, tile 5\n1 2 3\n4 5 6\n7 0 8\n\n2. L, tile 8\n1 2 3\n4 5 6\n7 8 0\n\n\
         moves: 2\n\
         nodes dequeued: 700\n\
         nodes generated: 12345\n\
         greatest open list: 9\n\
         iteration 1: threshold 30, nodes generated: 45\n\
         iteration 2: threshold 32, nodes generated: 12300"
    );
}

#[test]
fn json_has_stable_names() {
    let ran = solver().run(&["solve", BOARD, "--json", "--trace"], "");
    let answer: serde_json::Value = serde_json::from_str(&ran.output).expect("one object");
    assert_eq!(
        answer,
        serde_json::json!({
            "board": BOARD,
            "goal": "1 2 3 / 4 5 6 / 7 8 0",
            "moves": "UL",
            "metric": "single_tile",
            "length": 2,
            "slides": 2,
            "lower_bound": 2,
            "optimal": true,
            "stop_reason": "proven",
            "boards": ["1 2 3 / 4 5 6 / 7 0 8", "1 2 3 / 4 5 6 / 7 8 0"],
            "statistics": {
                "nodes_expanded": 700,
                "nodes_generated": 12345,
                "peak_open": 9,
                "peak_memory_bytes": 65536,
                "iterations": 3,
                "thresholds": [
                    {"threshold": 30, "nodes_generated": 45},
                    {"threshold": 32, "nodes_generated": 12300},
                ],
                "queued_seconds": 0.25,
                "elapsed_seconds": 1.5,
                "algorithm": "ida_star",
                "heuristic": "linear_conflict",
                "corrections": ["last_moves"],
            },
        })
    );
    let plain = solver().run(&["solve", BOARD, "--json"], "").output;
    assert!(!plain.contains("boards"));
    assert_eq!(plain.lines().count(), 1);
}

#[test]
fn every_option_reaches_the_service() {
    let fake = solver();
    let arguments = [
        "solve",
        BOARD,
        "--goal",
        "1 2 3 4 5 6 7 8 0",
        "--objective",
        "bounded",
        "--max-ratio",
        "1.5",
        "--max-nodes",
        "1000000",
        "--max-time",
        "1m 30s",
        "--max-memory",
        "64M",
        "--algorithm",
        "weighted-a-star",
        "--heuristic",
        "last-moves+linear-conflict",
        "--weight",
        "3",
        "--variant",
        "hayes",
        "--metric",
        "multi-tile",
    ];
    assert_eq!(fake.run(&arguments, "").exit(), Exit::Done);
    let request = fake.asked().stream.expect("asked");
    assert!(request.final_only);
    let solve = request.solve.expect("a question");
    let board = solve.board.as_ref().expect("a board");
    assert_eq!((board.rows, board.columns), (3, 3));
    assert_eq!(board.tiles, [1, 2, 3, 4, 0, 6, 7, 5, 8]);
    let goal = solve.goal.as_ref().and_then(|goal| goal.goal.clone());
    let Some(loyd::service::proto::goal::Goal::Board(goal)) = goal else {
        panic!("the goal is a board")
    };
    assert_eq!(goal.tiles, [1, 2, 3, 4, 5, 6, 7, 8, 0]);
    assert_eq!(solve.objective(), Objective::Bounded);
    assert_eq!(solve.max_ratio, 1.5);
    assert_eq!(solve.metric(), Metric::MultiTile);
    let limits = solve.limits.expect("limits");
    assert_eq!(limits.max_nodes, Some(1_000_000));
    assert_eq!(limits.max_time.expect("a time").seconds, 90);
    assert_eq!(limits.max_memory_bytes, Some(64 << 20));
    let method = solve.method.expect("a method");
    assert_eq!(method.algorithm(), Algorithm::WeightedAStar);
    assert_eq!(method.heuristic(), Heuristic::LastMoves);
    let corrections: Vec<Heuristic> = method.corrections().collect();
    assert_eq!(corrections, [Heuristic::LinearConflict]);
    assert_eq!(method.weight, 3.0);
    assert_eq!(method.variant(), Variant::Hayes);
}

/// The values that an option of `loyd solve` chooses from.
fn values(option: &str) -> Vec<String> {
    let command = Cli::command();
    let solve = command.find_subcommand("solve").expect("a command");
    let mut options = solve.get_arguments();
    let option = options.find(|argument| argument.get_long() == Some(option));
    let values = option.expect("an option").get_possible_values();
    let name = |value: &PossibleValue| value.get_name().to_owned();
    values.iter().map(name).collect()
}

/// The question that these options ask.
fn solve_request(options: &[&str]) -> SolveRequest {
    let fake = solver();
    fake.run(&[&["solve", BOARD], options].concat(), "");
    let asked = fake.asked().stream.and_then(|stream| stream.solve);
    asked.expect("a question")
}

/// The names of the contract, except that of the default.
fn names<T: TryFrom<i32>>(name: fn(&T) -> &'static str) -> Vec<String> {
    let values = (1..).map_while(|number| T::try_from(number).ok());
    values.map(|value| name(&value).to_owned()).collect()
}

/// Returns what is sent, by its names, for each value of an option beside the other options.
fn sent(option: &str, others: &[&str], name: impl Fn(SolveRequest) -> &'static str) -> Vec<String> {
    let send = |value| {
        let given = format!("--{option}={value}");
        let name = name(solve_request(&[&[&*given], others].concat()));
        let spelled = name.to_ascii_lowercase().replace('_', "-");
        assert_eq!(spelled, format!("{option}-{value}"));
        name.to_owned()
    };
    let mut sent: Vec<String> = values(option).into_iter().map(send).collect();
    sent.sort();
    sent
}

#[test]
fn values_are_named_as_in_the_contract_and_none_is_missing() {
    const METHOD: &[&str] = &["--algorithm", "a-star"];
    let method = |solve: SolveRequest| solve.method.expect("a method");
    let objectives = sent("objective", &["--max-ratio=2"], |solve| {
        solve.objective().as_str_name()
    });
    let metrics = sent("metric", &[], |solve| solve.metric().as_str_name());
    let mut algorithms = sent("algorithm", &[], |solve| {
        method(solve).algorithm().as_str_name()
    });
    let heuristics = sent("heuristic", METHOD, |solve| {
        method(solve).heuristic().as_str_name()
    });
    let variants = sent("variant", METHOD, |solve| {
        method(solve).variant().as_str_name()
    });
    // No question can ask for it.
    algorithms.push(Algorithm::TableWalk.as_str_name().to_owned());
    algorithms.sort();
    for (sent, mut names) in [
        (objectives, names(Objective::as_str_name)),
        (metrics, names(Metric::as_str_name)),
        (algorithms, names(Algorithm::as_str_name)),
        (heuristics, names(Heuristic::as_str_name)),
        (variants, names(Variant::as_str_name)),
    ] {
        names.sort();
        assert_eq!(sent, names);
    }
}

#[test]
fn an_algorithm_is_asked_for_what_it_finds_by_itself() {
    for (arguments, objective) in [
        (&[][..], Objective::Best),
        (&["--algorithm", "a-star"], Objective::Optimal),
        (&["--algorithm", "ida-star"], Objective::Optimal),
        (&["--algorithm", "weighted-a-star"], Objective::Fast),
        (&["--algorithm", "constructive"], Objective::Fast),
        (&["--algorithm", "beam"], Objective::Best),
        (&["--algorithm", "staged-beam"], Objective::Best),
        (
            &["--algorithm", "ida-star", "--objective", "best"],
            Objective::Best,
        ),
    ] {
        assert_eq!(solve_request(arguments).objective(), objective);
    }
}

#[test]
fn pushes_are_counted_where_they_are_asked_for() {
    let fake = Fake {
        stream: Ok(vec![
            event(Event::Improvement(Improvement {
                revision: 2,
                length: 1,
                lower_bound: 1,
            })),
            moves(2, 0, &[Direction::Left, Direction::Left]),
            summary(1, 1, StopReason::Proven),
        ]),
        ..Fake::default()
    };
    let arguments = ["solve", "1 2 3 / 4 5 6 / 0 7 8", "--metric", "multi-tile"];
    let ran = fake.run(&arguments, "");
    assert_eq!(ran.output.lines().next(), Some("L2"));
    assert_eq!(ran.output.lines().nth(1), Some("1 push, optimal"));
    let solve = fake.asked().stream.expect("asked").solve;
    assert_eq!(solve.expect("a question").metric(), Metric::MultiTile);

    let ran = fake.run(&[&arguments[..], &["--trace"]].concat(), "");
    assert!(ran.output.contains("\nmoves: 2\npushes: 1\n"));

    let ran = fake.run(&[&arguments[..], &["--json"]].concat(), "");
    let answer: serde_json::Value = serde_json::from_str(&ran.output).expect("one object");
    assert_eq!(answer["metric"], "multi_tile");
    assert_eq!(
        (&answer["length"], &answer["slides"]),
        (&1.into(), &2.into())
    );

    // Two moves counted as slides are not what was asked for.
    let ran = fake.run(&arguments[..2], "");
    assert_eq!(ran.exit(), Exit::Broken);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    for (arguments, kind) in [
        (
            &["--objective", "bounded"][..],
            ErrorKind::MissingRequiredArgument,
        ),
        (&["--objective", "shortest"], ErrorKind::InvalidValue),
        (
            &["--heuristic", "hamming"],
            ErrorKind::MissingRequiredArgument,
        ),
        (&["--weight", "2"], ErrorKind::MissingRequiredArgument),
        (&["--timeout", "1s"], ErrorKind::MissingRequiredArgument),
        (&["--file", "board.txt"], ErrorKind::ArgumentConflict),
        (&["--max-time", "soon"], ErrorKind::ValueValidation),
        (&["--max-memory", "64Q"], ErrorKind::ValueValidation),
        (
            &["--server", "ftp://example.com:443"],
            ErrorKind::ValueValidation,
        ),
        (&["--server", "example.com"], ErrorKind::ValueValidation),
    ] {
        let error = parse(&[&["solve", BOARD], arguments].concat()).expect_err("a refusal");
        assert_eq!(error.kind(), kind, "{arguments:?}");
        assert_eq!(error.exit_code(), Exit::BadInput as i32, "{arguments:?}");
    }
}

#[test]
fn a_broken_answer_is_not_printed() {
    for (what, stream) in [
        ("no summary", vec![moves(1, 0, &[Direction::Up])]),
        (
            "not the goal",
            vec![
                moves(1, 0, &[Direction::Up]),
                summary(1, 1, StopReason::Proven),
            ],
        ),
        (
            "over the edge",
            vec![
                moves(1, 0, &[Direction::Up, Direction::Up]),
                summary(2, 2, StopReason::Proven),
            ],
        ),
        (
            "over the edge at the goal",
            vec![
                moves(1, 0, &[Direction::Up, Direction::Left, Direction::Up]),
                summary(3, 2, StopReason::Proven),
            ],
        ),
        (
            "a gap",
            vec![
                moves(1, 1, &[Direction::Up, Direction::Left]),
                summary(2, 2, StopReason::Proven),
            ],
        ),
        (
            "no direction",
            vec![
                moves(1, 0, &[Direction::Unspecified]),
                summary(1, 1, StopReason::Proven),
            ],
        ),
        (
            "another length",
            vec![
                moves(1, 0, &[Direction::Up, Direction::Left]),
                summary(4, 4, StopReason::Proven),
            ],
        ),
    ] {
        let fake = Fake {
            stream: Ok(stream),
            ..Fake::default()
        };
        let ran = fake.run(&["solve", BOARD], "");
        assert_eq!(ran.exit(), Exit::Broken, "{what}");
        assert_eq!(ran.output, "", "{what}");
    }
}

#[test]
fn a_refusal_in_the_middle_of_the_stream_counts() {
    let fake = Fake {
        stream: Ok(vec![
            moves(1, 0, &[Direction::Up]),
            Err(Status::deadline_exceeded("too late")),
        ]),
        ..Fake::default()
    };
    for ran in [
        fake.run(&["solve", BOARD], ""),
        fake.run_remote(&["solve", BOARD], ""),
    ] {
        assert_eq!(ran.exit(), Exit::Limit);
        assert_eq!(ran.output, "");
    }
}

#[test]
fn the_deadline_is_the_servers_and_ours() {
    let fake = solver();
    let arguments = ["solve", BOARD, "--timeout", "20s"];
    assert_eq!(fake.run_remote(&arguments, "").exit(), Exit::Done);
    assert_eq!(fake.asked().timeout.as_deref(), Some("20000000u"));

    let slow = Fake {
        delay: Duration::from_secs(60),
        ..solver()
    };
    let ran = slow.run_remote(&["solve", BOARD, "--timeout", "50ms"], "");
    assert_eq!(ran.exit(), Exit::Limit);
}

#[test]
fn a_server_that_is_not_there_is_told_from_one_that_refuses() {
    let server = format!("http://{DESERTED}");
    let ask = question(&["solve", BOARD, "--server", &server]);
    let mut output = Vec::new();
    let failure = runtime()
        .block_on(ask.answer(&mut std::io::empty(), &mut output, nobody))
        .expect_err("nobody is there");
    assert!(matches!(failure, Failure::Unreachable { .. }));
    assert_eq!(failure.exit(), Exit::Unserved);
    assert_eq!(
        failure.to_string(),
        format!(
            "cannot reach {server}: Connection refused (os error 111)\n\
             Is `loyd serve` running there? --server takes the address of its --listen: \
             with https:// if it serves TLS, with --tls-ca if this machine does not know the authority that issued \
             its certificate, and with --tls-cert and --tls-key if it requires client certificates."
        )
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    for (kind, exit) in [
        (std::io::ErrorKind::BrokenPipe, Exit::Done),
        (std::io::ErrorKind::StorageFull, Exit::Broken),
    ] {
        let ask = question(&["solve", BOARD]);
        let failure = runtime()
            .block_on(ask.answer(&mut std::io::empty(), &mut Closed(kind), |_| Ok(solver())))
            .expect_err("nobody reads");
        assert_eq!(failure.exit(), exit);
    }
}
