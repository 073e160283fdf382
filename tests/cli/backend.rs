//! How the command line reaches a server.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use loyd::cli::Exit;
use loyd::service::proto::{CheckSolvableResponse, GenerateResponse};

use crate::fake::{Fake, parse};

#[test]
fn a_token_is_given_without_its_label() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    for text in [
        "token: loyd_9b2f\n",
        "token: loyd_9b2f\nline:  lobby 5c1e 1\n",
    ] {
        std::fs::write(file.path(), text).unwrap();
        let ran = Fake::default().run_remote(&["check", "1 2 0 3", "--token-from", path], "");
        assert_eq!(ran.exit(), Exit::BadInput);
        let complaint = ran.complaint();
        assert!(
            complaint.contains("give only the token, without the label"),
            "{complaint}"
        );
    }
}

#[test]
fn a_token_may_stand_after_a_byte_order_mark() {
    let fake = Fake {
        check: Ok(CheckSolvableResponse::default()),
        ..Fake::default()
    };
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    std::fs::write(file.path(), "\u{feff}loyd_9b2f\n").unwrap();
    fake.run_remote(&["check", "1 2 0 3", "--token-from", path], "")
        .result
        .unwrap();
    let sent = fake.asked().authorization;
    assert_eq!(sent.as_deref(), Some("Bearer loyd_9b2f"));
}

#[test]
fn a_server_whose_answer_does_not_go_on_is_not_waited_for() {
    let fake = Fake {
        stream: Ok(Vec::new()),
        stalls: true,
        ..Fake::default()
    };
    let begun = Instant::now();
    let ran = fake.run_remote(&["solve", "1 2 0 3", "--timeout", "250ms"], "");
    assert_eq!(ran.exit(), Exit::Limit);
    assert!(ran.complaint().contains("did not answer in time"));
    assert!(begun.elapsed() >= Duration::from_millis(500));

    let ran = fake.run_remote(&["compare", "1 2 0 3", "--timeout", "10ms", "--json"], "");
    assert_eq!(ran.exit(), Exit::Done);
    let rows: Vec<serde_json::Value> = serde_json::from_str(&ran.output).unwrap();
    assert!(rows.iter().all(|row| row["outcome"] == "deadline"));
}

#[test]
fn the_server_is_told_the_deadline_of_every_call() {
    let fake = Fake {
        check: Ok(CheckSolvableResponse::default()),
        generate: Ok(GenerateResponse::default()),
        ..Fake::default()
    };
    for question in [&["check", "1 2 0 3"], &["generate", "2"]] {
        let arguments = [&question[..], &["--timeout", "20s"]].concat();
        fake.run_remote(&arguments, "").result.unwrap();
        let asked = fake.asked();
        assert_eq!(asked.timeout.as_deref(), Some("20000000u"), "{question:?}");
    }
}

#[test]
fn an_address_has_nothing_that_would_not_be_used() {
    let check = |server| parse(&["check", "1 2 0 3", "--server", server]);
    for server in ["127.0.0.1:1", "http://[::1]:1/", "https://there:1"] {
        check(server).unwrap();
    }
    for (server, refusal) in [
        ("http://there:1/loyd", "the path /loyd would not be used"),
        ("http://there:1?a=1", "the path ?a=1 would not be used"),
        (
            "http://who:secret@there:1",
            "a name before @ would not be used",
        ),
        ("there", "the port is missing"),
        ("there:65536", "65536 is not a port"),
        ("ftp://there:1", "only http:// and https://"),
    ] {
        let error = check(server).unwrap_err().to_string();
        assert!(error.contains(refusal), "{error}");
    }
}

#[test]
fn files_of_tls_are_not_left_unused() {
    for files in [
        &["--tls-ca", "ca.crt"][..],
        &["--tls-cert", "tls.crt", "--tls-key", "tls.key"],
    ] {
        let ran = Fake::default().run_remote(&[&["check", "1 2 0 3"], files].concat(), "");
        assert_eq!(ran.exit(), Exit::BadInput);
        let complaint = ran.complaint();
        assert!(complaint.ends_with("begin it with https://"), "{complaint}");
    }
}
