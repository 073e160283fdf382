//! `loyd compare`.

use std::collections::HashMap;
use std::io::Cursor;
use std::time::Duration;

use loyd::cli::Exit;
use loyd::service::proto::solve_stream_response::Event;
use loyd::service::proto::{self, Algorithm, Heuristic, Variant};
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::fake::{Fake, question, runtime};
use crate::solve::{BOARD, solver};

#[test]
fn each_method_has_its_row() {
    let fake = solver();
    let ran = fake.run(&["compare", BOARD], "");
    assert_eq!(ran.exit(), Exit::Done);
    let rows: Vec<&str> = ran.output.lines().collect();
    assert_eq!(rows.len(), 18);
    assert!(rows[0].starts_with("method "));
    let columns: Vec<&str> = rows[15].split_whitespace().collect();
    assert_eq!(
        columns,
        [
            "IDA*,",
            "walking",
            "distance",
            "2",
            "2",
            "700",
            "12,345",
            "9",
            "1500.0",
            "optimal,",
            "by",
            "another",
            "heuristic"
        ]
    );
    assert!(rows[14].starts_with("IDA*, linear conflict ") && rows[14].ends_with(" optimal"));
    assert!(rows[11].starts_with("staged beam "));
    assert!(rows[12].starts_with("beam "));
    assert!(rows[16].starts_with("IDA*, all corrections "));
    // The last one is the service's own choice.
    assert!(rows[17].starts_with("the service's choice ") && rows[17].ends_with(" optimal"));
    let ran = fake.run(&["compare", BOARD, "--json"], "");
    let rows: serde_json::Value = serde_json::from_str(&ran.output).expect("an array");
    assert_eq!(
        (&rows[13]["stood_in"], &rows[14]["stood_in"]),
        (&false.into(), &true.into())
    );
    let last = fake.asked().stream.and_then(|stream| stream.solve);
    assert_eq!(last.expect("a question").method, None);
}

#[test]
fn each_method_is_asked_for_as_its_row_says() {
    let fake = solver();
    let ran = fake.run(&["compare", BOARD], "");
    let asked = fake.asked().streams.into_iter();
    let methods: Vec<_> = asked
        .map(|asked| asked.solve.and_then(|it| it.method))
        .collect();
    let rows: Vec<&str> = ran.output.lines().skip(1).collect();
    assert_eq!(methods.len(), rows.len());
    for (row, name, algorithm, heuristic, weight) in [
        (4, "A*, hamming ", Algorithm::AStar, Heuristic::Hamming, 0.0),
        (
            8,
            "weighted A* 1.5, all corrections ",
            Algorithm::WeightedAStar,
            Heuristic::LinearConflict,
            1.5,
        ),
        (
            14,
            "IDA*, walking distance ",
            Algorithm::IdaStar,
            Heuristic::WalkingDistance,
            0.0,
        ),
    ] {
        assert!(rows[row].starts_with(name), "{}", rows[row]);
        let method = methods[row].as_ref().expect("a method");
        let asked = (method.algorithm(), method.heuristic(), method.weight);
        assert_eq!(asked, (algorithm, heuristic, weight));
        let corrections: Vec<_> = method.corrections().collect();
        let all = [Heuristic::CornerTiles, Heuristic::LastMoves];
        let has_all = name.contains("all corrections");
        assert_eq!(corrections, if has_all { &all[..] } else { &[] });
    }
    assert!(rows[1].starts_with("constructive, hayes "), "{}", rows[1]);
    let variant = methods[1].as_ref().map(proto::Method::variant);
    assert_eq!(variant, Some(Variant::Hayes));
}

#[test]
fn a_method_that_a_limit_ends_has_no_length() {
    let metadata = [
        ("lower_bound", "31"),
        ("nodes_expanded", "5"),
        ("nodes_generated", "12"),
        ("peak_open", "7"),
    ];
    let metadata: HashMap<String, String> = metadata
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
    let limited = Fake {
        stream: Err(Status::with_error_details(
            Code::ResourceExhausted,
            "the time limit came first",
            ErrorDetails::with_error_info("TIME_LIMIT", "loyd", metadata),
        )),
        ..Fake::default()
    };
    let ran = limited.run(&["compare", BOARD, "--json"], "");
    assert_eq!(ran.exit(), Exit::Done);
    let rows: serde_json::Value = serde_json::from_str(&ran.output).expect("an array");
    let row = &rows[0];
    assert_eq!(row["method"], "constructive, parberry");
    assert_eq!(row["outcome"], "time_limit");
    assert_eq!(row["length"], serde_json::Value::Null);
    for (known, number) in [
        ("lower_bound", 31),
        ("nodes_expanded", 5),
        ("nodes_generated", 12),
        ("peak_open", 7),
    ] {
        assert_eq!(row[known], number, "{known}");
    }
    let asked = limited.asked().stream.and_then(|stream| stream.solve);
    let limits = asked.expect("a question").limits.expect("a limit");
    assert_eq!(limits.max_time.expect("800 ms").nanos, 800_000_000);
}

#[test]
fn a_method_that_is_not_for_the_size_says_so() {
    let refusal = |field: &str| {
        let status = Status::with_error_details(
            Code::InvalidArgument,
            "there is no walking-distance on boards of 6×6",
            ErrorDetails::with_bad_request_violation(field, "there is none"),
        );
        Fake {
            stream: Err(status),
            ..Fake::default()
        }
    };
    let ran = refusal("solve.method.heuristic").run(&["compare", BOARD, "--json"], "");
    assert_eq!(ran.exit(), Exit::Done);
    let rows: serde_json::Value = serde_json::from_str(&ran.output).expect("an array");
    assert_eq!(rows[3]["outcome"], "unsupported");
    let ran = refusal("solve.board.tiles").run(&["compare", BOARD], "");
    assert_eq!(ran.exit(), Exit::BadInput);
}

#[test]
fn a_method_that_the_server_has_no_room_for_says_why() {
    let known = HashMap::from([("needed".to_owned(), "1000".to_owned())]);
    let refused = |reason: &str| {
        let details = ErrorDetails::with_error_info(reason, "loyd", known.clone());
        Status::with_error_details(Code::ResourceExhausted, "no room", details)
    };
    for (status, outcome) in [
        (refused("OVERLOADED"), "overloaded"),
        (refused("MEMORY_LIMIT"), "memory_limit"),
        (Status::resource_exhausted("a proxy"), "resource_exhausted"),
    ] {
        let fake = Fake {
            stream: Err(status),
            ..Fake::default()
        };
        let ran = fake.run(&["compare", BOARD, "--json"], "");
        assert_eq!(ran.exit(), Exit::Done);
        let rows: serde_json::Value = serde_json::from_str(&ran.output).expect("an array");
        assert_eq!(rows.as_array().expect("rows").len(), 17);
        assert_eq!(rows[0]["outcome"], outcome);
        for unknown in ["length", "lower_bound", "nodes_expanded", "peak_open"] {
            assert_eq!(rows[0][unknown], serde_json::Value::Null);
        }
        let ran = fake.run(&["compare", BOARD], "");
        let row = ran.output.lines().nth(1).expect("a row");
        assert_eq!(row.matches('–').count(), 5, "{row}");
    }
}

#[test]
fn a_time_beyond_all_limits_is_the_longest_one() {
    let fake = solver();
    let arguments = ["compare", BOARD, "--max-time", "500000000000s"];
    assert_eq!(fake.run(&arguments, "").exit(), Exit::Done);
    let asked = fake.asked().stream.and_then(|stream| stream.solve);
    let limits = asked.expect("a question").limits.expect("a limit");
    let most = loyd::service::proto::LONGEST_DURATION.as_secs();
    assert_eq!(limits.max_time.expect("a time").seconds as u64, most);
}

#[test]
fn what_is_no_limit_fails_the_comparison() {
    let details = ErrorDetails::with_error_info("REQUEST_TOO_LARGE", "loyd", HashMap::new());
    let large = Status::with_error_details(Code::ResourceExhausted, "too large", details);
    for (status, exit) in [
        (Status::unavailable("shutting down"), Exit::Unserved),
        (large, Exit::BadInput),
    ] {
        let refusing = Fake {
            stream: Err(status),
            ..Fake::default()
        };
        assert_eq!(refusing.run(&["compare", BOARD], "").exit(), exit);
    }
}

#[test]
fn a_method_that_ends_with_the_call_is_late_whoever_ended_that() {
    const DELAY: Duration = Duration::from_millis(5);
    for code in [Code::DeadlineExceeded, Code::Cancelled] {
        let late = Fake {
            stream: Err(Status::new(code, "too late")),
            delay: DELAY,
            ..Fake::default()
        };
        let ran = late.run(&["compare", BOARD, "--json"], "");
        assert_eq!(ran.exit(), Exit::Done);
        let rows: Vec<serde_json::Value> = serde_json::from_str(&ran.output).expect("an array");
        assert_eq!(rows.len(), 17);
        for row in rows {
            assert_eq!(row["outcome"], "deadline");
            assert_eq!(row["length"], serde_json::Value::Null);
            let took = row["milliseconds"].as_f64().expect("a number");
            assert!(took >= DELAY.as_secs_f64() * 1e3, "{took}");
        }
    }
}

#[test]
fn the_table_tells_outcomes_in_words() {
    let details = ErrorDetails::with_error_info("NODE_LIMIT", "loyd", HashMap::new());
    let limited = Fake {
        stream: Err(Status::with_error_details(
            Code::ResourceExhausted,
            "enough",
            details,
        )),
        ..Fake::default()
    };
    let ran = limited.run(&["compare", BOARD], "");
    let rows: Vec<&str> = ran.output.lines().skip(1).collect();
    assert_eq!(rows.len(), 17);
    assert!(rows.iter().all(|row| row.ends_with("  node limit")));
}

#[test]
fn nothing_has_stood_in_for_a_heuristic_where_none_is_told() {
    let mut fake = solver();
    let events = fake.stream.as_mut().expect("events");
    for event in events.iter_mut().flatten() {
        if let Some(Event::Summary(summary)) = &mut event.event {
            let statistics = summary.statistics.as_mut().expect("statistics");
            statistics.set_heuristic(Heuristic::Unspecified);
        }
    }
    let ran = fake.run(&["compare", BOARD, "--json"], "");
    let rows: Vec<serde_json::Value> = serde_json::from_str(&ran.output).expect("an array");
    assert!(rows.iter().all(|row| row["stood_in"] == false), "{rows:?}");
}

#[test]
fn a_service_in_the_same_process_has_the_folder_of_the_tables() {
    let ask = question(&["compare", BOARD, "--table-dir", "/somewhere"]);
    let mut folder = None;
    let (mut input, mut output) = (Cursor::new(""), Vec::new());
    let ran = runtime().block_on(ask.answer(&mut input, &mut output, |limits| {
        folder = limits.tables.path();
        Ok(solver())
    }));
    assert_eq!(ran.expect("rows"), Exit::Done);
    assert_eq!(folder.as_deref(), Some("/somewhere".as_ref()));
}
