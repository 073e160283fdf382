//! `loyd bench`.

use std::io::{BufWriter, Write};

use clap::error::ErrorKind;
use loyd::cli::{BenchArgs, Command, Exit, Failure};
use serde_json::Value;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::fake::{Closed, DESERTED, Fake, parse, runtime};

fn bench(arguments: &[&str]) -> BenchArgs {
    // The tables are those of the process that solves.
    let tables = match arguments.contains(&"--server") {
        true => &[][..],
        false => &["--table-memory", "0"],
    };
    let arguments = [&["bench"], tables, arguments].concat();
    match parse(&arguments).expect("a command line").command {
        Command::Bench(bench) => bench,
        _ => panic!("no benchmark"),
    }
}

fn run(arguments: &[&str]) -> Result<String, Failure> {
    let mut output = Vec::new();
    let exit = runtime().block_on(bench(arguments).run(&mut output))?;
    assert_eq!(exit, Exit::Done);
    Ok(String::from_utf8(output).expect("text"))
}

fn output(arguments: &[&str]) -> String {
    run(arguments).expect("figures")
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    file
}

#[test]
fn the_figures_of_a_suite_are_four_lines() {
    let output = output(&[
        "--suite",
        "uniform",
        "--rows",
        "3",
        "--columns",
        "3",
        "--count",
        "5",
    ]);
    let lines: Vec<&str> = output.lines().collect();
    assert!(lines[0].starts_with("uniform 3×3, seed 1: 5 of 5 boards solved, mean length "));
    assert!(lines[1].starts_with("  ms: mean "));
    assert!(lines[2].starts_with("  nodes: mean "));
    assert!(lines[3].starts_with("  tables: "));
    assert_eq!(lines.len(), 4);
}

#[test]
fn boards_of_a_file_are_checked_and_told_as_json() {
    let file = file("# two boards\n1,2,3,4,5,6,7,0,8\t1\n0,3,2,1\n");
    let path = file.path().to_str().expect("text");
    let output = output(&["--file", path, "--json", "--each"]);
    let suite: Value = serde_json::from_str(&output).expect("one object");
    assert_eq!((&suite["boards"], &suite["solved"]), (&2.into(), &2.into()));
    assert_eq!(suite["mean_length"], 3.5);
    assert_eq!(suite["runs"][0]["board"], "1 2 3 / 4 5 6 / 7 0 8");
    assert_eq!(suite["runs"][1]["length"], 6);
}

#[test]
fn with_threads_the_time_by_the_clock_is_told_too() {
    let file = file("1,2,3,4,5,6,7,0,8\t1\n0,3,2,1\n");
    let path = file.path().to_str().expect("text");
    let text = output(&["--file", path, "--threads", "2", "--each"]);
    assert!(text.contains("  on 2 threads: mean "), "{text}");
    assert_eq!(text.matches(" ms wall-clock").count(), 3);
    let json = output(&["--file", path, "--threads", "2", "--each", "--json"]);
    let suite: Value = serde_json::from_str(&json).expect("one object");
    assert_eq!(
        (&suite["threads"], &suite["solved"]),
        (&2.into(), &2.into())
    );
    let wall = |value: &Value| value.as_f64().expect("milliseconds");
    let each = [0, 1].map(|board| wall(&suite["runs"][board]["wall_milliseconds"]));
    let max = wall(&suite["wall_milliseconds"]["max"]);
    assert!(max > 0.0 && each.contains(&max));
}

#[test]
fn with_threads_and_deadlines_workers_look_for_the_best_solutions() {
    let file = file("5,4,3,2,1,10,9,8,7,6,15,14,13,12,11,20,19,18,17,16,24,23,22,21,0\n");
    let path = file.path().to_str().expect("text");
    let threads = ["--file", path, "--threads", "2", "--deadline", "30ms,2s"];
    let text = output(&threads);
    assert!(text.contains(": 1 board on 2 threads\n"), "{text}");
    let json = output(&[&threads[..], &["--json"]].concat());
    let suite: Value = serde_json::from_str(&json).expect("one object");
    assert_eq!(suite["threads"], 2);
    assert_eq!(suite["deadlines"][1]["solved"], 1);
    let alone = output(&["--file", path, "--deadline", "30ms", "--json"]);
    let suite: Value = serde_json::from_str(&alone).expect("one object");
    assert_eq!(suite["threads"], Value::Null);
}

#[test]
fn a_limit_leaves_boards_unsolved() {
    let file = file("5,4,3,2,1,10,9,8,7,6,15,14,13,12,11,20,19,18,17,16,24,23,22,21,0\n");
    let path = file.path().to_str().expect("text");
    let output = output(&["--file", path, "--max-time", "10ms", "--each"]);
    assert!(output.contains(": at least "), "{output}");
    assert!(output.contains("0 of 1 boards solved"), "{output}");
}

#[test]
fn a_file_that_is_no_list_is_refused_with_its_line() {
    let file = file("1,2,3,0\n1,2,2,0\n");
    let path = file.path().to_str().expect("text");
    let run = |arguments: &[&str]| run(arguments).expect_err("a refusal");
    let failure = run(&["--file", path]);
    assert_eq!(failure.exit(), Exit::BadInput);
    let told = failure.to_string();
    assert!(
        told.starts_with(&format!("{path}: line 2, column 5: ")),
        "{told}"
    );
    let wrong = self::file("1,2,3,4,5,6,7,0,8\t3\n");
    let path = wrong.path().to_str().expect("text");
    let failure = run(&["--file", path]);
    assert_eq!(failure.exit(), Exit::BadInput);
    assert_eq!(
        failure.to_string(),
        format!("{path}: 1 2 3 / 4 5 6 / 7 0 8: its shortest solution has length 1, not 3")
    );
    for arguments in [
        &["--file", "no/such/file"][..],
        &["--suite", "uniform", "--rows", "1"],
    ] {
        assert_eq!(run(arguments).exit(), Exit::BadInput);
    }
}

#[test]
fn a_file_without_boards_is_refused() {
    for text in ["", "\n  \n", "# 1 2 3 0\n"] {
        let file = file(text);
        let path = file.path().to_str().expect("text");
        for options in [&[][..], &["--deadline", "1ms"]] {
            let failure = run(&[&["--file", path], options].concat()).expect_err("no boards");
            assert_eq!(failure.exit(), Exit::BadInput);
            assert_eq!(failure.to_string(), format!("{path}: there are no boards"));
        }
    }
}

#[test]
fn a_time_of_zero_is_refused() {
    for option in [
        ["--deadline", "0ms"],
        ["--deadline", "1ms,0s"],
        ["--max-time", "0s"],
        ["--timeout", "0s"],
    ] {
        let error = parse(&[&["bench"], &option[..]].concat()).expect_err("no time");
        assert_eq!(error.kind(), ErrorKind::ValueValidation);
        assert!(error.to_string().contains("longer than zero"), "{error}");
    }
    parse(&["bench", "--deadline", "366days"]).expect_err("longer than any call may take");
}

#[test]
fn options_that_would_not_be_used_are_refused() {
    let server = ["--server", "127.0.0.1:1"];
    let deadline = ["--suite", "deadline"];
    let both = [&["--suite", "korf"], &deadline[..]].concat();
    for (options, hint) in [
        (&[&["--deadline", "1s"], &server[..]][..], "use --timeout"),
        (&[&["--each"], &server], "--each with --server"),
        (
            &[&deadline, &["--timeout", "1s"], &server],
            "use --deadline",
        ),
        (&[&both, &server], "in another run"),
        (&[&both], "in another run"),
        (
            &[&deadline, &["--file", "boards.tsv"]],
            "in another run, or give the --deadline for all",
        ),
        (&[&deadline, &["--each"]], "--each is for shortest"),
        (&[&deadline, &["--max-time", "1s"]], "--max-time is for"),
        (
            &[&["--deadline", "1s", "--max-time", "1s"]],
            "--max-time is for",
        ),
        (&[&["--plot", "lengths.svg"]], "add --deadline"),
        (
            &[&["--suite", "korf", "--count", "5"]],
            "--count is for --suite uniform",
        ),
        (
            &[&["--suite", "korf", "--seed", "5"]],
            "--seed is for --suite uniform",
        ),
        (
            &[&["--file", "boards.tsv", "--rows", "5"]],
            "--rows and --columns are for --suite uniform",
        ),
        (
            &[&deadline, &["--columns", "5"]],
            "--rows and --columns are for --suite uniform",
        ),
    ] {
        let failure = run(&options.concat()).expect_err("not used");
        assert_eq!(failure.exit(), Exit::BadInput, "{options:?}");
        assert!(failure.to_string().contains(hint), "{failure}");
    }
    for option in [
        ["--max-time", "1s"],
        ["--table-memory", "1M"],
        ["--threads", "2"],
    ] {
        let refused = parse(&[&["bench"], &server[..], &option].concat());
        assert!(refused.is_err(), "{option:?}");
    }
}

#[test]
fn all_suites_are_measured_by_a_deadline_given_for_all() {
    let boards = file("1,2,3,4,0,5,7,8,6\n");
    let path = boards.path().to_str().expect("text");
    let all = ["--file", path, "--suite", "deadline", "--count", "1"];
    let text = output(&[&all[..], &["--deadline", "1ms"]].concat());
    // Of eight sizes and of the file.
    assert_eq!(text.matches(": 1 board\n").count(), 9, "{text}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let failure = run(&["--server", DESERTED]).expect_err("nobody listens there");
    assert_eq!(failure.exit(), Exit::Unserved);
    assert!(failure.to_string().contains(DESERTED), "{failure}");
}

#[test]
fn a_server_that_answers_no_call_is_a_failure_after_the_figures() {
    for suite in [
        &["--suite", "uniform", "--rows", "3", "--columns", "3"][..],
        &["--suite", "deadline", "--deadline", "5s"],
    ] {
        let ended = |output: &mut dyn Write| {
            runtime().block_on(async {
                // Its `Solve` fails.
                let (server, serving) = Fake::default().listen().await;
                let server = ["--count", "3", "--server", &server];
                let result = bench(&[suite, &server].concat()).run(output).await;
                serving.abort();
                result
            })
        };
        // What is left in the buffer would be lost.
        let mut output = BufWriter::new(Vec::new());
        for output in [
            &mut output as &mut dyn Write,
            &mut Closed(std::io::ErrorKind::BrokenPipe),
        ] {
            let failure = ended(output).expect_err("no answer");
            assert_eq!(failure.exit(), Exit::Broken);
        }
        assert!(!output.get_ref().is_empty());
    }
}

#[test]
fn a_call_without_a_solution_is_a_line_with_what_the_server_said() {
    let told = |flags: &[&str]| {
        let mut output = Vec::new();
        runtime().block_on(async {
            let (server, serving) = Fake::default().listen().await;
            let suite = ["--suite", "deadline", "--deadline", "5s", "--count", "1"];
            let bench = bench(&[&suite[..], &["--each", "--server", &server][..], flags].concat());
            let failure = bench.run(&mut output).await.expect_err("no answer");
            assert_eq!(failure.exit(), Exit::Broken);
            serving.abort();
        });
        String::from_utf8(output).expect("text")
    };
    let said = " ms, Internal: the test plans no such call";
    let text = told(&[]);
    let line = text.lines().next().expect("a line");
    assert!(
        line.starts_with("3×3 by 5s: ") && line.ends_with(said),
        "{text}"
    );
    let suite: Value = serde_json::from_str(&told(&["--json"])).expect("one object");
    let line = suite["broken"][0].as_str().expect("a line");
    assert!(
        line.starts_with("3×3 by 5s: ") && line.ends_with(said),
        "{line}"
    );
}

#[test]
fn only_an_overload_counts_as_a_refusal() {
    for (reason, refused) in [("OVERLOADED", 1), ("MEMORY_LIMIT", 0), ("TIME_LIMIT", 0)] {
        let details = ErrorDetails::with_error_info(reason, "loyd", []);
        let fake = Fake {
            solve: Err(Status::with_error_details(
                Code::ResourceExhausted,
                "no solution",
                details,
            )),
            ..Fake::default()
        };
        let mut output = Vec::new();
        runtime().block_on(async {
            let (server, serving) = fake.listen().await;
            let suite = ["--suite", "deadline", "--deadline", "5s", "--count", "1"];
            let told = ["--each", "--json", "--server", &server];
            let bench = bench(&[&suite[..], &told].concat());
            bench.run(&mut output).await.expect_err("no answer");
            serving.abort();
        });
        let suite: Value = serde_json::from_slice(&output).expect("one object");
        let row = &suite["deadlines"][0];
        assert_eq!(row["refused"], refused, "{reason}");
        assert_eq!(row["without_solution"], 1 - refused, "{reason}");
        let broken = suite["broken"].as_array().expect("lines");
        assert_eq!(broken.len(), 1 - refused, "{reason}");
    }
}

#[test]
fn the_best_solutions_by_each_deadline_are_a_line() {
    let text = output(&[
        "--suite",
        "uniform",
        "--rows",
        "5",
        "--columns",
        "5",
        "--count",
        "2",
        "--deadline",
        "30ms,300ms",
    ]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "uniform 5×5, seed 1: 2 boards");
    assert!(lines[3].trim_start().starts_with("30ms "), "{text}");
    assert!(lines[4].trim_start().starts_with("300ms "), "{text}");
    assert_eq!(lines.len(), 5);

    // Two moves from the goal, and a board of unknown length.
    let known = file("1,2,3,4,0,5,7,8,6\t2\n0,3,2,1\t-\n");
    let path = known.path().to_str().expect("text");
    let text = output(&["--file", path, "--deadline", "1s", "--json"]);
    let suite: Value = serde_json::from_str(&text).expect("one object");
    let by = &suite["deadlines"][0];
    assert_eq!(by["solved"], 2);
    assert_eq!(by["proven"], 2);
    assert_eq!(by["mean_length"], 4.0);
    assert_eq!(by["excess"], Value::Null);
}

#[test]
fn a_solution_shorter_than_the_shortest_is_told() {
    let file = file("1,2,3,4,0,5,7,8,6\t4\n");
    let path = file.path().to_str().expect("text");
    let failure = run(&["--file", path, "--deadline", "1s"]).expect_err("it takes two moves");
    assert_eq!(failure.exit(), Exit::BadInput);
    assert!(
        failure.to_string().contains("has length 2, not 4"),
        "{failure}"
    );
}

#[test]
fn lengths_by_deadlines_are_drawn() {
    let boards = file("1,2,3,4,0,5,7,8,6\t2\n0,3,2,1\t-\n");
    let path = boards.path().to_str().expect("text");
    let drawn = tempfile::NamedTempFile::new().expect("a file");
    let plot = drawn.path().to_str().expect("text");
    output(&[
        "--suite",
        "uniform",
        "--rows",
        "5",
        "--columns",
        "5",
        "--count",
        "2",
        "--file",
        path,
        "--deadline",
        "20ms,1s",
        "--plot",
        plot,
    ]);
    let svg = std::fs::read_to_string(plot).expect("a picture");
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    // A curve for each suite, with points at the first solution, at 20 ms and at 1 s.
    assert_eq!(svg.matches("<polyline ").count(), 2);
    assert_eq!(svg.matches("<circle ").count(), 6);
    assert!(svg.contains(">5×5</text>") && svg.contains(&format!(">{path}</text>")));
    assert!(svg.contains(">100 ms</text>") && svg.contains(">1 s</text>"));
    // Names are at least a line apart.
    let names = svg.lines().filter(|line| line.contains("class=\"name\""));
    let heights: Vec<f64> = names
        .filter_map(|line| line.split_once(" y=\"")?.1.split_once('"')?.0.parse().ok())
        .collect();
    assert_eq!(heights.len(), 2);
    assert!((heights[0] - heights[1]).abs() >= 15.9, "{heights:?}");
}

#[test]
fn a_deadline_that_no_board_meets_has_no_means() {
    let arguments = ["--suite", "uniform", "--rows", "100", "--columns", "100"];
    let arguments = [&arguments[..], &["--count", "1", "--deadline", "1us"]].concat();
    let text = output(&arguments);
    let row: Vec<&str> = text
        .lines()
        .last()
        .expect("a row")
        .split_whitespace()
        .collect();
    assert_eq!(row, ["1us", "0"]);
    let json: serde_json::Value =
        serde_json::from_str(&output(&[&arguments[..], &["--json"]].concat())).expect("JSON");
    let row = &json["deadlines"][0];
    assert_eq!(row["solved"], 0);
    assert!(row["mean_length"].is_null() && row["first"].is_null());
}

#[test]
fn a_picture_that_cannot_be_written_is_named() {
    let boards = file("1,2,3,4,0,5,7,8,6\n");
    let path = boards.path().to_str().expect("text");
    let plot = "no/such/folder/plot.svg";
    let failure = run(&["--file", path, "--deadline", "1ms", "--plot", plot]);
    let failure = failure.expect_err("no such folder");
    assert_eq!(failure.exit(), Exit::BadInput);
    assert!(failure.to_string().contains(plot), "{failure}");
    // A file that could be created is not left behind empty either.
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("plot.svg");
    let arguments = ["--deadline", "1ms", "--plot", empty.to_str().expect("text")];
    run(&[&["--file", "no/such/file"], &arguments[..]].concat()).expect_err("no such file");
    assert!(!empty.exists());
    // A full disk is no mistake of the caller's.
    let full = ["--file", path, "--deadline", "1ms", "--plot", "/dev/full"];
    let failure = run(&full).expect_err("no room");
    assert_eq!(failure.exit(), Exit::Broken);
    assert!(failure.to_string().contains("/dev/full"), "{failure}");
}
