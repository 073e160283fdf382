//! How a refusal by the service becomes an exit code and advice.

use std::collections::HashMap;
use std::time::Duration;

use loyd::cli::Exit;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use crate::fake::{Fake, Ran};

/// What `loyd solve` makes of this status, in process and over the wire.
fn refused(status: &Status) -> Ran {
    refused_with(status, &["solve", "1 2 0 3"])
}

fn refused_with(status: &Status, arguments: &[&str]) -> Ran {
    let fake = Fake {
        stream: Err(status.clone()),
        ..Fake::default()
    };
    let (here, there) = (fake.run(arguments, ""), fake.run_remote(arguments, ""));
    assert_eq!(here.complaint(), there.complaint());
    assert_eq!(here.exit(), there.exit());
    here
}

fn reason(code: Code, reason: &str, metadata: &[(&str, &str)]) -> Status {
    let metadata: HashMap<String, String> = metadata
        .iter()
        .map(|&(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let details = ErrorDetails::with_error_info(reason, "loyd", metadata);
    Status::with_error_details(code, "what happened", details)
}

#[test]
fn each_reason_has_its_exit_code() {
    for (code, name, exit) in [
        (Code::InvalidArgument, "INVALID_REQUEST", Exit::BadInput),
        (Code::FailedPrecondition, "UNSOLVABLE", Exit::Unsolvable),
        (Code::ResourceExhausted, "NODE_LIMIT", Exit::Limit),
        (Code::ResourceExhausted, "TIME_LIMIT", Exit::Limit),
        (Code::ResourceExhausted, "MEMORY_LIMIT", Exit::Limit),
        (
            Code::ResourceExhausted,
            "RESPONSE_TOO_LARGE",
            Exit::BadInput,
        ),
        (Code::DeadlineExceeded, "DEADLINE_EXCEEDED", Exit::Limit),
        (Code::ResourceExhausted, "OVERLOADED", Exit::Unserved),
        (Code::Unavailable, "DRAINING", Exit::Unserved),
        (Code::Internal, "INTERNAL", Exit::Broken),
    ] {
        assert_eq!(refused(&reason(code, name, &[])).exit(), exit, "{name}");
    }
}

#[test]
fn statuses_of_others_on_the_way_have_one_too() {
    for (code, exit) in [
        (Code::Unavailable, Exit::Unserved),
        (Code::Unimplemented, Exit::Unserved),
        (Code::Unauthenticated, Exit::BadInput),
        (Code::OutOfRange, Exit::BadInput),
        (Code::ResourceExhausted, Exit::Limit),
        (Code::Unknown, Exit::Broken),
    ] {
        assert_eq!(refused(&Status::new(code, "")).exit(), exit, "{code:?}");
    }
}

#[test]
fn every_violation_is_named_by_its_option() {
    let mut details = ErrorDetails::with_error_info("INVALID_REQUEST", "loyd", HashMap::new());
    details.add_bad_request_violation("solve.max_ratio", "must be at least 1");
    details.add_bad_request_violation("solve.limits.max_memory_bytes", "must be 1 MiB or more");
    details.add_bad_request_violation("solve.method.corrections[1]", "must not be repeated");
    details.add_bad_request_violation("solve.board.tiles[3]", "tile 3 is out of range");
    let status =
        Status::with_error_details(Code::InvalidArgument, "four fields are wrong", details);
    assert_eq!(
        refused(&status).complaint(),
        "the request is invalid:\n  \
         --max-ratio: must be at least 1\n  \
         --max-memory: must be 1 MiB or more\n  \
         --heuristic: must not be repeated\n  \
         board.tiles[3]: tile 3 is out of range"
    );
}

#[test]
fn values_are_spelt_as_those_of_options() {
    let mut details = ErrorDetails::with_error_info("INVALID_REQUEST", "loyd", HashMap::new());
    for description in [
        "LINEAR_CONFLICT+LAST_MOVES is for MULTI_TILE: choose A_STAR, or BEST",
        "TIME is no value, nor is max_ratio or PATTERN_DATABASES",
        "UNSOLVABLE boards – BOUNDED…",
    ] {
        details.add_bad_request_violation("solve.method.heuristic", description);
    }
    let status = Status::with_error_details(Code::InvalidArgument, "wrong", details);
    assert_eq!(
        refused(&status).complaint(),
        "the request is invalid:\n  \
         --heuristic: linear-conflict+last-moves is for multi-tile: choose a-star, or best\n  \
         --heuristic: TIME is no value, nor is max_ratio or PATTERN_DATABASES\n  \
         --heuristic: UNSOLVABLE boards – bounded…"
    );
}

#[test]
fn best_is_the_advice_to_those_who_ask_for_a_proof() {
    const BEST: &str = "; `loyd solve --objective best` answers within any limit.";
    for (code, name, fix) in [
        (Code::ResourceExhausted, "NODE_LIMIT", "--max-nodes"),
        (Code::ResourceExhausted, "TIME_LIMIT", "--max-time"),
        (Code::ResourceExhausted, "MEMORY_LIMIT", "--max-memory"),
        (Code::DeadlineExceeded, "DEADLINE_EXCEEDED", "--timeout"),
    ] {
        let status = reason(code, name, &[("nodes_generated", "7")]);
        for (objective, is_told) in [
            (&["--objective=optimal"][..], true),
            (&["--objective=bounded", "--max-ratio=1.1"], true),
            (&["--algorithm=ida-star"], true),
            (&["--objective=best"], false),
            (&["--objective=fast"], false),
            (&[], false),
        ] {
            let ran = refused_with(&status, &[&["solve", "1 2 0 3"], objective].concat());
            let complaint = ran.complaint();
            assert!(complaint.contains(&format!("\nRaise {fix}")), "{complaint}");
            assert_eq!(
                complaint.ends_with(BEST),
                is_told,
                "{objective:?}: {complaint}"
            );
        }
    }
}

#[test]
fn who_asks_for_a_proof_within_little_memory_is_told_of_the_search_that_needs_least() {
    let status = reason(
        Code::ResourceExhausted,
        "MEMORY_LIMIT",
        &[("nodes_generated", "7")],
    );
    let ran = refused_with(&status, &["solve", "--objective=optimal", "1 2 0 3"]);
    let advice = "\nRaise --max-memory, or use --algorithm ida-star, which needs almost none; \
                  `loyd solve --objective best` answers within any limit.";
    assert!(ran.complaint().ends_with(advice), "{}", ran.complaint());
}

#[test]
fn each_has_its_advice() {
    for (status, advice) in [
        (
            reason(Code::Unauthenticated, "TOKEN_MISSING", &[]),
            "Give the token's file with --token-from, or set LOYD_TOKEN.",
        ),
        (
            reason(Code::ResourceExhausted, "RESPONSE_TOO_LARGE", &[]),
            "Ask for fewer boards at once.",
        ),
        (
            reason(Code::Unavailable, "DRAINING", &[]),
            "Try again later.",
        ),
        (Status::cancelled("what happened"), "Raise --timeout."),
        (
            Status::data_loss("what happened"),
            "This is a defect: please report it.",
        ),
        (
            Status::unknown("what happened"),
            "This is a defect: please report it.",
        ),
    ] {
        let told = format!("what happened\n{advice}");
        assert_eq!(refused(&status).complaint(), told);
    }
}

#[test]
fn a_question_for_which_the_server_has_too_little_memory_gets_no_advice_on_its_own_limit() {
    let status = reason(Code::ResourceExhausted, "MEMORY_LIMIT", &[]);
    for arguments in [
        &["solve", "1 2 0 3"][..],
        &["solve", "--objective=optimal", "1 2 0 3"],
    ] {
        assert_eq!(
            refused_with(&status, arguments).complaint(),
            "what happened"
        );
    }
}

#[test]
fn metadata_and_advice_follow_the_message() {
    let limit = reason(
        Code::ResourceExhausted,
        "NODE_LIMIT",
        &[
            ("lower_bound", "48"),
            ("best_length", "60"),
            ("nodes", "1000"),
        ],
    );
    assert_eq!(
        refused(&limit).complaint(),
        "what happened\n  best length: 60\n  lower bound: 48\n  nodes: 1000\nRaise --max-nodes."
    );

    let mut details = ErrorDetails::with_error_info("OVERLOADED", "loyd", HashMap::new());
    details.set_retry_info(Some(Duration::from_millis(1_500)));
    let overloaded = Status::with_error_details(Code::ResourceExhausted, "full", details);
    assert_eq!(
        refused(&overloaded).complaint(),
        "full\nTry again in 1s 500ms."
    );

    let silent = Status::new(Code::Unimplemented, "");
    assert_eq!(
        refused(&silent).complaint(),
        "Operation is not implemented or not supported\nIs this the address of a loyd server?"
    );
}

#[test]
fn what_a_server_says_does_not_steer_the_terminal() {
    let status = Status::internal("red\u{1b}[31m\r\nblue\u{9b}34m");
    let shown = "red\u{fffd}[31m\u{fffd}\nblue\u{fffd}34m";
    assert!(refused(&status).complaint().starts_with(shown));
}
