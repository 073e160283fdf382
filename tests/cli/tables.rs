//! `loyd tables`.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::Command;

use loyd::cli::{self, Exit, Failure};
use loyd::heuristic::learned::Weights;

use crate::fake::{Closed, parse};

/// Runs a command on the tables in a folder. Returns its exit and what it printed.
fn tables(folder: &Path, arguments: &[&str]) -> (Exit, String) {
    let mut output = Vec::new();
    let exit = run(folder, arguments, &mut output).expect("no failure");
    (exit, String::from_utf8(output).expect("text"))
}

fn run(folder: &Path, arguments: &[&str], output: &mut dyn Write) -> Result<Exit, Failure> {
    let folder = folder.to_str().expect("text");
    let all = [&["tables"], arguments, &["--table-dir", folder]].concat();
    let cli::Command::Tables(tables) = parse(&all).expect("a command line").command else {
        panic!("no tables");
    };
    tables.run(output)
}

#[test]
fn a_folder_that_is_named_must_be_there_to_be_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("nowhere");
    for command in ["verify", "list"] {
        let failure = run(&folder, &[command], &mut Vec::new()).expect_err(command);
        assert_eq!(failure.exit(), Exit::BadInput);
        let told = format!("--table-dir {}: there is no such folder", folder.display());
        assert!(failure.to_string().starts_with(&told), "{failure}");
    }
    let file = tempfile::NamedTempFile::new().expect("a file");
    let failure = run(file.path(), &["list"], &mut Vec::new()).expect_err("a file");
    assert!(
        failure
            .to_string()
            .ends_with("this is not a folder; choose another"),
        "{failure}"
    );
}

#[test]
fn a_home_is_one_of_sixteen_cells() {
    parse(&["tables", "build", "--home", "15"]).expect("the last one");
    let refusal = parse(&["tables", "build", "--home", "16"]).expect_err("none");
    assert!(
        refusal.to_string().contains("16 is not in 0..=15"),
        "{refusal}"
    );
}

#[test]
fn that_a_folder_has_no_tables_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    for ask in ["list", "verify"] {
        let mut loyd = Command::new(env!("CARGO_BIN_EXE_loyd"));
        loyd.args(["tables", ask, "--table-dir"]).arg(folder.path());
        let done = loyd.output().expect("a process");
        assert_eq!(done.status.code(), Some(0));
        let told = String::from_utf8(done.stderr).expect("text");
        assert_eq!(
            told,
            format!("loyd: no tables in {}\n", folder.path().display())
        );
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn the_default_folder_need_not_be_there() {
    let caches = tempfile::tempdir().expect("a folder");
    let ask = |what| {
        let mut loyd = Command::new(env!("CARGO_BIN_EXE_loyd"));
        loyd.args(["tables", what])
            .env("XDG_CACHE_HOME", caches.path());
        loyd.env_remove("LOYD_TABLE_DIR");
        let done = loyd.output().expect("a process");
        assert_eq!(done.status.code(), Some(0));
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (text(done.stdout), text(done.stderr))
    };
    let (path, _) = ask("path");
    assert!(!Path::new(path.trim_end()).exists());
    for what in ["list", "verify"] {
        let told = format!("loyd: no tables in {path}");
        assert_eq!(ask(what), (String::new(), told));
    }
}

#[test]
fn tables_are_built_once_listed_and_verified() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().join("new");
    assert_eq!(
        tables(&folder, &["path"]),
        (Exit::Done, format!("{}\n", folder.display()))
    );

    let build = ["build", "--tier", "6-6-3", "--threads", "1"];
    let (exit, built) = tables(&folder, &build);
    assert_eq!(
        (exit, built.matches(".pdb: built\n").count()),
        (Exit::Done, 3)
    );
    let (exit, again) = tables(&folder, &build);
    assert_eq!(
        (exit, again.matches(".pdb: already there\n").count()),
        (Exit::Done, 3)
    );

    let (_, list) = tables(&folder, &["list"]);
    assert_eq!(list.matches("  4×4, tiles ").count(), 3, "{list}");
    assert!(list.contains("4×4, tiles xxx./..../..../....\n"), "{list}");
    assert_eq!(tables(&folder, &["verify"]), (Exit::Done, list));
    let (_, list) = tables(&folder, &["list", "--json"]);
    for line in list.lines() {
        let table: serde_json::Value = serde_json::from_str(line).expect("an object");
        assert_eq!(table["shape"], "4×4");
        assert_eq!(table["refused"], serde_json::Value::Null);
        let path = table["file"].as_str().expect("a path");
        let bytes = fs::metadata(path).expect("a file").len();
        assert_eq!(table["bytes"], bytes);
    }
}

#[test]
fn a_damaged_table_is_named_and_built_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let build = ["build", "--tier", "6-6-3", "--home", "0"];
    tables(folder.path(), &build);
    let file = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").path();
    let mut files: Vec<_> = fs::read_dir(folder.path())
        .expect("files")
        .map(file)
        .collect();
    files.sort();
    let mut bytes = fs::read(&files[0]).expect("a file");
    let last = bytes.len() - 1;
    bytes[last] ^= 0x80;
    fs::remove_file(&files[0]).expect("removed");
    fs::write(&files[0], &bytes).expect("written");

    let (exit, told) = tables(folder.path(), &["verify"]);
    assert_eq!(exit, Exit::Broken);
    let refused = |fault: &str| {
        format!(
            "{} is refused: {fault}; `loyd tables build`, or a server that needs it, builds it anew\n",
            files[0].display()
        )
    };
    assert!(
        told.contains(&refused("its contents are damaged")),
        "{told}"
    );
    // It is damaged whether anybody reads so or not.
    let ran = run(
        folder.path(),
        &["verify"],
        &mut Closed(ErrorKind::BrokenPipe),
    );
    assert_eq!(ran.expect("a verdict"), Exit::Broken);
    // The list reads only the headers.
    let (exit, told) = tables(folder.path(), &["list"]);
    assert_eq!(exit, Exit::Done);
    assert!(!told.contains("refused"), "{told}");
    fs::write(&files[0], &bytes[..1000]).expect("written");
    for command in ["list", "verify"] {
        let (_, told) = tables(folder.path(), &[command]);
        assert!(
            told.contains(&refused("it is cut off in its header")),
            "{told}"
        );
    }

    let (exit, told) = tables(folder.path(), &build);
    assert_eq!(exit, Exit::Done);
    assert!(told.contains("built anew"), "{told}");
    assert_eq!(tables(folder.path(), &["verify"]).0, Exit::Done);

    // A complete table under another's name is wrong too.
    fs::rename(&files[0], &files[1]).expect("renamed");
    let (exit, told) = tables(folder.path(), &["verify"]);
    assert_eq!(exit, Exit::Broken);
    assert!(
        told.contains("it is the table of another pattern"),
        "{told}"
    );
}

#[test]
fn tables_that_cannot_be_saved_are_a_failure() {
    let file = tempfile::NamedTempFile::new().expect("a file, where a folder should be");
    let (exit, told) = tables(file.path(), &["build", "--tier", "6-6-3"]);
    assert_eq!(exit, Exit::Broken);
    assert_eq!(told.matches("\nnot saved: ").count(), 3, "{told}");
}

#[test]
fn a_limit_on_the_size_of_files_is_as_a_full_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut limited = Command::new("sh");
    limited
        .args(["-c", r#"ulimit -f 1; exec "$@""#, "sh"])
        .arg(env!("CARGO_BIN_EXE_loyd"))
        .args(["tables", "build", "--tier", "6-6-3", "--table-dir"])
        .arg(folder.path());
    let ran = limited.output().expect("a process");
    assert_eq!(ran.status.code(), Some(Exit::Broken as i32));
    let told = String::from_utf8(ran.stdout).expect("text");
    assert_eq!(told.matches("File too large").count(), 3, "{told}");
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn a_tier_that_a_home_has_not_is_refused_with_another_one() {
    let build = ["tables", "build", "--tier", "7-8-twice", "--home", "14"];
    let cli::Command::Tables(tables) = parse(&build).expect("a command line").command else {
        panic!("no tables");
    };
    let failure = tables.run(&mut Vec::new()).expect_err("no such tables");
    assert!(failure.to_string().contains("--tier 7-8"), "{failure}");
}

#[test]
fn only_what_there_is_can_be_built() {
    for arguments in [
        &["tables", "build", "--tier", "9-6"][..],
        &["tables", "build", "--home", "16"],
        &["tables", "build", "--threads", "0"],
        &["tables", "build", "--threads", "1025"],
        &["tables"],
        &[
            "tables", "train", "--shape", "3x3", "--out", "w", "--rate", "0",
        ],
        &[
            "tables", "train", "--shape", "3x3", "--out", "w", "--rate", "NaN",
        ],
        &[
            "tables",
            "train",
            "--shape",
            "3x3",
            "--out",
            "w",
            "--threads",
            "1025",
        ],
    ] {
        assert!(parse(arguments).is_err(), "{arguments:?}");
    }
}

#[test]
fn weights_are_learned_again_by_the_same_command() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let train = |shape: &str, from: &[&str], out: &str| {
        let small = ["--generations", "1", "--solves", "40", "--width", "20"];
        let trials = ["--trials", "10", "--trial-width", "10", "--out", out];
        let arguments = [&["train", "--shape", shape], from, &small, &trials].concat();
        tables(folder.path(), &arguments).0
    };
    let (first, second, larger) = (path("first"), path("second"), path("larger"));
    assert_eq!(train("3x3", &[], &first), Exit::Done);
    assert_eq!(train("3x3", &[], &second), Exit::Done);
    let bytes = |path: &str| fs::read(path).expect("a file");
    assert_eq!(bytes(&first), bytes(&second));
    let lines = |path: &str| bytes(path)[10..12].to_vec();
    assert_eq!(train("3x4", &["--from", &first], &larger), Exit::Done);
    assert_eq!(lines(&larger), [3, 4]);
    // Weights of a larger board can be used too.
    assert_eq!(train("3x3", &["--from", &larger], &second), Exit::Done);
    assert_eq!(lines(&second), [3, 3]);
}

#[test]
fn several_weights_begin_as_their_mean() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (small, near) = (path("small"), path("near"));
    let shipped = Weights::from_bytes(include_bytes!("../../weights/5x5.loyd")).expect("whole");
    let plain = Weights::manhattan(shipped.shape());
    fs::write(path("shipped"), shipped.to_bytes()).expect("written");
    fs::write(path("plain"), plain.to_bytes()).expect("written");
    let (one, other) = (path("shipped"), path("plain"));
    let from = ["--from", &one, "--from", &other, "--generations", "0"];
    train(&[&["--shape", "5x5"], &from[..]].concat(), &small).expect("written");
    let mean = Weights::mean(&[shipped, plain]);
    assert_eq!(fs::read(&small).expect("a file"), mean.to_bytes());
    train(&[&["--shape", "4x7"], &from[..]].concat(), &near).expect("written");
    assert!(fs::read(&near).expect("a file").starts_with(b"loydnear"));
}

/// Runs a small training that writes to a file. Returns what was printed, or why it failed.
fn train(arguments: &[&str], out: &str) -> Result<String, String> {
    let small = ["--solves", "40", "--trials", "10", "--trial-width", "10"];
    let all = [&["tables", "train", "--out", out], arguments, &small].concat();
    let cli::Command::Tables(tables) = parse(&all).expect("a command line").command else {
        panic!("no tables");
    };
    let mut told = Vec::new();
    let ran = tables.run(&mut told).map_err(|error| error.to_string());
    ran.map(|_| String::from_utf8(told).expect("text"))
}

#[test]
fn each_option_of_a_course_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("weights");
    let learn = |option, value| {
        let mut arguments = vec!["train", "--out", out.to_str().expect("text")];
        for (name, usual) in [
            ("--shape", "3x3"),
            ("--seed", "1"),
            ("--generations", "1"),
            ("--solves", "40"),
            ("--width", "20"),
            ("--epochs", "1"),
            ("--rate", "2"),
            ("--trials", "10"),
            ("--trial-width", "10"),
        ] {
            arguments.extend([name, if name == option { value } else { usual }]);
        }
        let (exit, told) = tables(folder.path(), &arguments);
        assert_eq!(exit, Exit::Done);
        let written = format!("{}: written\n", out.display());
        assert!(told.ends_with(&written), "{told}");
        (told, fs::read(&out).expect("a file"))
    };
    let usual = learn("--seed", "1");
    for (option, value) in [
        ("--seed", "2"),
        ("--generations", "2"),
        ("--solves", "60"),
        ("--width", "40"),
        ("--epochs", "2"),
        ("--rate", "1"),
        ("--trials", "20"),
        ("--trial-width", "100"),
    ] {
        assert!(learn(option, value) != usual, "{option}");
    }
}

#[test]
fn ranks_are_learned_where_that_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (plain, ranks) = (path("plain"), path("ranks"));
    let beginning = ["--shape", "4x4", "--generations", "0"];
    train(&beginning, &plain).expect("written");
    let told = train(
        &["--shape", "4x4", "--learn", "ranks", "--from", &plain],
        &ranks,
    );
    assert!(told.expect("written").contains("generation 3, learned"));
    assert_eq!(
        fs::read(&plain).expect("a file").get(..12),
        fs::read(&ranks).expect("a file").get(..12)
    );

    let narrow = ["--shape", "4x4", "--learn", "ranks", "--width", "47"];
    let failure = train(&narrow, &ranks).expect_err("too narrow to learn from");
    assert!(failure.contains("--width 47"), "{failure}");
    for shape in ["7x7", "9x9"] {
        let near = ["--shape", shape, "--learn", "moves"];
        let failure = train(&near, &ranks).expect_err("ranked by ranks");
        assert!(failure.contains("--learn moves"), "{failure}");
    }
    for shape in ["13x13", "7x6", "2x21"] {
        let failure = train(&["--shape", shape], &ranks).expect_err("not ranked whole");
        assert!(failure.contains("at most 132 cells"), "{failure}");
    }
}

#[test]
fn networks_are_learned_beside_weights_and_go_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (weights, first, second) = (path("weights"), path("first"), path("second"));
    train(&["--shape", "4x4", "--generations", "0"], &weights).expect("written");
    let network = ["--shape", "4x4", "--learn", "network", "--from", &weights];
    let told = train(&network, &first).expect("written");
    assert!(told.contains("generation 3, learned"), "{told}");
    assert!(fs::read(&first).expect("a file").starts_with(b"loyd-net"));
    let on = [&network[..], &["--network", &first, "--generations", "0"]].concat();
    train(&on, &second).expect("written");
    assert_eq!(
        fs::read(&first).expect("a file"),
        fs::read(&second).expect("a file")
    );

    // Beside a network the weights learn on.
    let ranks = ["--shape", "4x4", "--learn", "ranks", "--from", &weights];
    let beside = [&ranks[..], &["--network", &first]].concat();
    let told = train(&beside, &second).expect("written");
    assert_ne!(train(&ranks, &second).expect("written"), told);

    for (arguments, named) in [
        (
            &["--shape", "4x5", "--learn", "network", "--network", &first][..],
            "4×4",
        ),
        (
            &[
                "--shape",
                "4x4",
                "--learn",
                "network",
                "--network",
                &weights,
            ],
            "/weights: it holds weights of all pairs of tiles, not a network",
        ),
        (
            &["--shape", "4x4", "--from", &first],
            "/first: it holds a network, not weights of all pairs of tiles",
        ),
        (
            &["--shape", "9x9", "--from", &first],
            "/first: it holds a network, not weights of tiles near each other",
        ),
        (
            &["--shape", "4x4", "--learn", "network", "--epochs", "2"],
            "--epochs",
        ),
        (
            &["--shape", "4x4", "--learn", "network", "--width", "47"],
            "--width 47",
        ),
        (
            &["--shape", "9x9", "--staged", "--learn", "network"],
            "--learn network",
        ),
        (
            &["--shape", "12x16", "--learn", "network"],
            "--learn network: networks are for boards of at most 132 cells",
        ),
        (&["--shape", "8x8", "--staged"], "--staged"),
        (&["--shape", "12x12"], "--staged"),
        (&["--shape", "4x4", "--network", &first], "--learn network"),
        (
            &["--shape", "9x9", "--staged", "--network", &first],
            "no network",
        ),
        (
            &["--shape", "4x5", "--learn", "ranks", "--network", &first],
            "4×4",
        ),
    ] {
        let failure = train(arguments, &second).expect_err("no course");
        assert!(failure.contains(named), "{arguments:?}: {failure}");
    }
}

#[test]
fn damaged_weights_and_boards_that_stand_upright_are_no_beginning() {
    let folder = tempfile::tempdir().expect("a folder");
    let from = folder.path().join("from");
    let shipped = include_bytes!("../../weights/5x5.loyd");
    for (bytes, shape) in [(&shipped[..900], "5x5"), (shipped, "5x4")] {
        fs::write(&from, bytes).expect("a file");
        let path = from.to_str().expect("text");
        let all = [
            "tables", "train", "--shape", shape, "--from", path, "--out", path,
        ];
        let cli::Command::Tables(tables) = parse(&all).expect("a command line").command else {
            panic!("no tables");
        };
        let failure = tables
            .run(&mut Vec::new())
            .expect_err("no weights to begin with");
        assert_eq!(failure.exit(), Exit::BadInput);
    }
}
