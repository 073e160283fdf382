//! `loyd bench`.

use std::io::Write;

use loyd::cli::{BenchArgs, Command, Exit};
use serde_json::Value;

use crate::fake::parse;

fn bench(arguments: &[&str]) -> BenchArgs {
    let arguments = [&["bench", "--table-memory", "0"], arguments].concat();
    match parse(&arguments).expect("a command line").command {
        Command::Bench(bench) => bench,
        _ => panic!("no benchmark"),
    }
}

fn output(arguments: &[&str]) -> String {
    let mut output = Vec::new();
    assert_eq!(
        bench(arguments).run(&mut output).expect("figures"),
        Exit::Done
    );
    String::from_utf8(output).expect("text")
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
    assert_eq!(text.matches(" ms by the clock").count(), 3);
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
    let run = |arguments: &[&str]| {
        bench(arguments)
            .run(&mut Vec::new())
            .expect_err("a refusal")
    };
    let failure = run(&["--file", path]);
    assert_eq!(failure.exit(), Exit::BadInput);
    assert!(
        failure
            .to_string()
            .starts_with(&format!("{path}: line 2: "))
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
