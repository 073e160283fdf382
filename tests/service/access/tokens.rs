//! Clients that are let in by a token.

use std::time::Duration;

use loyd::service::tokens::{Tokens, hash};
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;

use crate::harness::{
    PATIENCE, Service, ask, ask_for_proofs, assert_reason, hardest, hopeless, in_time,
    keep_their_places, refused_but, try_start,
};
use crate::raw::{RawClient, frame};

const SECRET: &str = "loyd_of-the-lobby";

fn line(name: &str, token: &str, weight: &str) -> String {
    let hash: String = hash(token.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{name} {hash} {weight}\n")
}

/// A file that is removed when the test ends.
fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

async fn guarded(file: &tempfile::NamedTempFile) -> Service {
    Service::with(&["--token-file", file.path().to_str().unwrap()]).await
}

async fn solve(service: &Service, authorization: Option<&str>) -> Result<(), Status> {
    let mut request = Request::new(ask(hardest()));
    if let Some(value) = authorization {
        let value = value.parse().unwrap();
        request.metadata_mut().insert("authorization", value);
    }
    service.client().await.solve(request).await.map(|_| ())
}

#[tokio::test]
async fn a_tokens_weight_is_its_clients_share_of_the_places() {
    let file = file(&line("weighty", SECRET, "3"));
    let path = file.path().to_str().unwrap();
    let service = Service::with(&["--token-file", path, "--queue", "32"]).await;
    let mut proofs = ask_for_proofs(&service, 40, |number| {
        let mut request = Request::new(hopeless(number));
        let value = format!("Bearer {SECRET}").parse().unwrap();
        request.metadata_mut().insert("authorization", value);
        request
    })
    .await;
    // It may hold three times as many of the 32 as it leaves free.
    refused_but(24, &mut proofs).await;
    keep_their_places(&mut proofs).await;
}

#[test]
fn a_hash_is_sha256() {
    let line = line("a", "abc", "");
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(line.split_whitespace().nth(1), Some(known));
}

#[test]
fn a_file_names_clients_and_their_weights() {
    let text = format!(
        "# who may call\n\n{}  {}\n",
        line("lobby", SECRET, ""),
        line("arena", "other", "7")
    );
    let tokens = Tokens::read(&text).unwrap();
    let found = |token: &str| {
        let token = tokens.find(token.as_bytes())?;
        Some((token.name.to_string(), token.weight.get().get()))
    };
    assert_eq!(found(SECRET), Some(("lobby".to_owned(), 1)));
    assert_eq!(found("other"), Some(("arena".to_owned(), 7)));
    for unknown in ["", "loyd_of-the-lobb", "OTHER", "other "] {
        assert_eq!(found(unknown), None);
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_name() {
    let tokens = Tokens::read(&format!("\u{feff}{}", line("lobby", SECRET, "")));
    let token = tokens.as_ref().unwrap().find(SECRET.as_bytes());
    assert_eq!(token.unwrap().name.to_string(), "lobby");
}

#[test]
fn what_is_wrong_with_a_file_is_said_by_line_and_no_secret_is() {
    let good = line("lobby", SECRET, "2");
    for (bad, what) in [
        (format!("{good}lobby {SECRET}"), "line 2: after the name"),
        (format!("{}\n{good}", &good[..40]), "line 1: after the name"),
        (format!("#\n{good}{good}"), "line 3: this token"),
        (line("lobby", SECRET, "0"), "line 1: a weight"),
        (line("lobby", SECRET, "1001"), "line 1: a weight"),
        (line("lobby", SECRET, "1 1"), "line 1: there is more"),
        ("\n # nobody\n".to_owned(), "loyd token"),
    ] {
        let error = Tokens::read(&bad).unwrap_err();
        assert!(error.contains(what), "{error}");
        assert!(!error.contains(SECRET), "{error}");
    }
}

#[tokio::test]
async fn a_call_needs_a_token_that_is_known() {
    let file = file(&line("lobby", SECRET, "1"));
    let service = guarded(&file).await;
    let refused = solve(&service, None).await.unwrap_err();
    assert_reason(&refused, Code::Unauthenticated, "TOKEN_MISSING");
    for wrong in ["", "Bearer", "Bearer ", "Bearer guess", SECRET] {
        let refused = solve(&service, Some(wrong)).await.unwrap_err();
        assert_reason(&refused, Code::Unauthenticated, "TOKEN_WRONG");
    }
    let basic = format!("Basic {SECRET}");
    let refused = solve(&service, Some(&basic)).await.unwrap_err();
    assert_reason(&refused, Code::Unauthenticated, "TOKEN_WRONG");
    for right in [format!("Bearer {SECRET}"), format!("bearer {SECRET}")] {
        solve(&service, Some(&right)).await.unwrap();
    }
    // Which of two would count is anybody's guess.
    let right = format!("Bearer {SECRET}");
    let two = [("authorization", &*right), ("authorization", &*right)];
    let mut raw = RawClient::connect(service.address).await;
    let refused = raw.call("Solve", &two, frame(&ask(hardest()))).await;
    assert_reason(&refused.status, Code::Unauthenticated, "TOKEN_WRONG");
}

#[tokio::test]
async fn health_is_open_and_reflection_is_not() {
    let file = file(&line("lobby", SECRET, "1"));
    let service = guarded(&file).await;
    let channel = service.channel().await;
    let mut health = HealthClient::new(channel.clone());
    health.check(HealthCheckRequest::default()).await.unwrap();
    let mut reflection = ServerReflectionClient::new(channel);
    let asked = tokio_stream::iter([ServerReflectionRequest::default()]);
    let refused = reflection.server_reflection_info(asked).await.unwrap_err();
    assert_reason(&refused, Code::Unauthenticated, "TOKEN_MISSING");
}

#[tokio::test]
async fn a_file_that_changes_is_read_again_and_one_that_breaks_is_not() {
    let file = file(&line("lobby", SECRET, "1"));
    let service = guarded(&file).await;
    let (old, new) = (format!("Bearer {SECRET}"), "Bearer next".to_owned());
    solve(&service, Some(&old)).await.unwrap();

    std::fs::write(file.path(), "no line of tokens\n").unwrap();
    // Longer than it takes for the change to be noticed.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    solve(&service, Some(&old)).await.unwrap();

    std::fs::write(file.path(), line("lobby", "next", "1")).unwrap();
    in_time(async {
        while solve(&service, Some(&new)).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
    let gone = solve(&service, Some(&old)).await.unwrap_err();
    assert_reason(&gone, Code::Unauthenticated, "TOKEN_WRONG");
}

#[tokio::test]
async fn a_pipe_in_the_place_of_the_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let at = |text: &str| std::fs::write(&path, text).unwrap();
    at(&line("lobby", SECRET, "1"));
    let service = Service::with(&["--token-file", path.to_str().unwrap()]).await;
    std::fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    // Longer than it takes for the change to be noticed.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    std::fs::remove_file(&path).unwrap();
    at(&line("lobby", "next", "1"));
    in_time(async {
        while solve(&service, Some("Bearer next")).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_does_not_start_with_a_file_that_cannot_be_used() {
    let empty = file("");
    for (path, what) in [
        (empty.path().to_str().unwrap(), "loyd token"),
        ("/no/such/file", "--token-file /no/such/file: "),
        // It is not read to its end, which it does not have.
        ("/dev/zero", "larger than 8 MiB"),
    ] {
        let started = tokio::time::timeout(PATIENCE, try_start(&["--token-file", path])).await;
        let error = started.unwrap().unwrap_err().to_string();
        assert!(error.contains("--token-file"), "{error}");
        assert!(error.contains(what), "{error}");
    }
}
