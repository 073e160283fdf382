//! `loyd tables train`: what it does unless it is told otherwise.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use loyd::cli::{Command, Exit, Failure};
use loyd::heuristic::learned::Weights;
use loyd::puzzle::Shape;

use crate::fake::parse;

/// Runs a short training that writes to a file.
fn run(arguments: &[&str], out: &Path, output: &mut dyn Write) -> Result<Exit, Failure> {
    let out = out.to_str().expect("text");
    let short = ["--solves", "20", "--width", "48", "--trials", "4"];
    let trials = ["--trial-width", "10", "--threads", "1", "--out", out];
    let all = [&["tables", "train"], arguments, &short, &trials].concat();
    let Command::Tables(tables) = parse(&all).expect("a command line").command else {
        panic!("no tables");
    };
    tables.run(output)
}

/// What a training tells, and what it writes.
fn train(arguments: &[&str]) -> (String, Vec<u8>) {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut told = Vec::new();
    run(arguments, &out, &mut told).expect("written");
    let told = String::from_utf8(told).expect("text");
    let told = told.replace(out.to_str().expect("text"), "out");
    (told, fs::read(&out).expect("a file"))
}

#[test]
fn lessons_are_as_the_help_says() {
    for (what, lessons, others) in [
        (
            &["--shape", "3x3"][..],
            &["--epochs", "3", "--rate", "2.5"][..],
            &[["--epochs", "1"], ["--rate", "0.03"]][..],
        ),
        (
            &["--shape", "4x4", "--learn", "ranks"],
            &["--epochs", "1", "--rate", "0.03"],
            &[["--rate", "2.5"]],
        ),
        (
            &["--shape", "4x4", "--learn", "network"],
            &["--rate", "0.004"],
            &[["--rate", "0.03"]],
        ),
    ] {
        let course = [what, &["--generations", "1"]].concat();
        let usual = train(&course);
        let is_usual = train(&[&course, lessons].concat()) == usual;
        assert!(is_usual, "{what:?}");
        for other in others {
            let differs = train(&[&course, &other[..]].concat()) != usual;
            assert!(differs, "{what:?} {other:?}");
        }
    }
}

#[test]
fn it_begins_with_the_distance() {
    let (_, beginning) = train(&["--shape", "5x5", "--generations", "0"]);
    let shape = Shape::new(5, 5).expect("sides in range");
    assert!(beginning == Weights::manhattan(shape).to_bytes());
}

#[test]
fn what_cannot_be_written_is_not_learned() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut told = Vec::new();
    let nowhere = folder.path().join("nowhere").join("out");
    let failure = run(&["--shape", "3x3"], &nowhere, &mut told).expect_err("no folder");
    assert_eq!(failure.exit(), Exit::BadInput);
    assert!(told.is_empty(), "{}", String::from_utf8_lossy(&told));
}

/// Takes lines, and remembers how many of them could be read.
#[derive(Default)]
struct Lines {
    written: usize,
    read: Vec<usize>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written += bytes.iter().filter(|&&byte| byte == b'\n').count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.read.push(self.written);
        Ok(())
    }
}

#[test]
fn each_trial_can_be_read_as_soon_as_it_is_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut lines = Lines::default();
    let course = ["--shape", "3x3", "--generations", "1"];
    run(&course, &folder.path().join("out"), &mut lines).expect("written");
    assert!(
        lines.written > 2 && lines.read[..2] == [1, 2],
        "{:?}",
        lines.read
    );
}

#[test]
fn a_rate_is_at_most_100() {
    let rate = |rate| {
        parse(&[
            "tables", "train", "--shape", "3x3", "--out", "w", "--rate", rate,
        ])
        .is_ok()
    };
    assert_eq!(["100", "100.5"].map(rate), [true, false]);
}
