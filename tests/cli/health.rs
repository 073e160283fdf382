//! `loyd health`, asking the real service over a connection.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

use loyd::cli::{Command, Exit, Failure};
use loyd::service::Server;
use loyd::service::tokens::hash;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use loyd::service::proto::puzzle_service_client::PuzzleServiceClient;
use loyd::service::proto::{Board, Objective, SolveRequest, SolveStreamRequest};

use crate::fake::{Closed, DESERTED, Ran, nobody, parse, question};

/// Longer than an answer takes, even on a slow machine.
const PATIENCE: &str = "--timeout=30s";

const SERVICE: &str = "--service=loyd.v1.PuzzleService";

/// Starts a server for one test. It ends with the test, and drains when told to.
async fn serve(flags: &[&str]) -> (String, oneshot::Sender<()>) {
    let own = [
        "serve",
        "--listen=127.0.0.1:0",
        "--workers=1",
        "--table-memory=4M",
        concat!("--table-dir=", env!("CARGO_TARGET_TMPDIR"), "/tables"),
    ];
    let Command::Serve(config) = parse(&[&own, flags].concat()).unwrap().command else {
        panic!("another command");
    };
    let server = Server::start(*config).await.unwrap();
    let address = server.address().to_string();
    let (shut_down, signal) = oneshot::channel();
    tokio::spawn(server.run(async {
        let _ = signal.await;
    }));
    (address, shut_down)
}

async fn run_to(output: &mut dyn Write, arguments: &[&str]) -> Result<Exit, Failure> {
    let Command::Health(health) = parse(arguments).unwrap().command else {
        panic!("another command");
    };
    health.run(output).await
}

async fn run(arguments: &[&str]) -> Ran {
    let mut output = Vec::new();
    let result = run_to(&mut output, arguments).await;
    Ran {
        result,
        output: String::from_utf8(output).unwrap(),
    }
}

async fn health(server: &str, flags: &[&str]) -> Ran {
    run(&[&["health", "--server", server], flags].concat()).await
}

#[tokio::test]
async fn a_server_that_serves_says_so() {
    let (server, _shut_down) = serve(&[]).await;
    for flags in [&[PATIENCE][..], &[PATIENCE, SERVICE]] {
        let ran = health(&server, flags).await;
        assert_eq!((ran.exit(), ran.output.as_str()), (Exit::Done, "SERVING\n"));
    }
    let ran = health(&server, &[PATIENCE, SERVICE, "--json"]).await;
    let answer: Value = serde_json::from_str(&ran.output).unwrap();
    let service = "loyd.v1.PuzzleService";
    let url = format!("http://{server}");
    let told = json!({ "server": url, "service": service, "status": "SERVING" });
    assert_eq!(answer, told);
}

#[tokio::test]
async fn the_listener_of_the_metrics_is_asked_instead() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let metrics = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).await.unwrap();
            let status = match String::from_utf8_lossy(&request[..read]).split_once(" HTTP") {
                Some(("GET /livez", _)) => "200 OK",
                Some(("GET /readyz", _)) => "503 Service Unavailable",
                other => panic!("{other:?}"),
            };
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    let ask = async |arguments: &[&str]| {
        let Ran { result, output } = run(arguments).await;
        (result.map_err(|failure| failure.exit()), output)
    };
    let probe = ["health", PATIENCE, "--metrics", &metrics];
    let with = |flag| [&probe[..], &[flag]].concat();
    assert_eq!(ask(&probe).await, (Ok(Exit::Done), "SERVING\n".to_owned()));
    let (ended, answer) = ask(&with(SERVICE)).await;
    assert_eq!(
        (ended, answer.as_str()),
        (Ok(Exit::NotServing), "NOT_SERVING\n")
    );
    let (_, answer) = ask(&with("--json")).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    let url = format!("http://{metrics}/metrics");
    assert_eq!(
        answer,
        json!({ "server": url, "service": "", "status": "SERVING" })
    );
    assert_eq!(
        ask(&with("--service=loyd.tables")).await.0,
        Err(Exit::BadInput)
    );
    assert!(parse(&with("--server=127.0.0.1:1")).is_err());
}

#[tokio::test]
async fn a_probe_that_is_not_answered_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let answer = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
        stream.write_all(answer).await.unwrap();
    });
    for (server, flags, probe, cause) in [
        (other.as_str(), &[SERVICE][..], "readyz", "404 Not Found"),
        (DESERTED, &[], "livez", "refused"),
        (DESERTED, &[SERVICE], "readyz", "refused"),
    ] {
        let ran = run(&[&["health", PATIENCE, "--metrics", server], flags].concat()).await;
        assert_eq!((ran.exit(), ran.output.as_str()), (Exit::Unserved, ""));
        let complaint = ran.complaint();
        let asked = format!("cannot read http://{server}/{probe}: ");
        assert!(
            complaint.starts_with(&asked) && complaint.contains(cause),
            "{complaint}"
        );
    }
}

#[tokio::test]
async fn a_server_that_drains_lives_and_does_not_serve() {
    let (server, shut_down) = serve(&["--drain-delay=60s"]).await;
    shut_down.send(()).unwrap();
    let begun = Instant::now();
    let leaving = loop {
        let ran = health(&server, &[PATIENCE, SERVICE]).await;
        if ran.exit() != Exit::Done || begun.elapsed() > Duration::from_secs(30) {
            break ran;
        }
    };
    assert_eq!(leaving.exit(), Exit::NotServing);
    assert_eq!(leaving.output, "NOT_SERVING\n");
    let mut closed = Closed(ErrorKind::BrokenPipe);
    let unread = run_to(
        &mut closed,
        &["health", "--server", &server, PATIENCE, SERVICE],
    )
    .await;
    assert_eq!(unread.unwrap(), Exit::NotServing);
    let alive = health(&server, &[PATIENCE]).await;
    assert_eq!(alive.output, "SERVING\n");
}

/// A question that takes longer than any test.
fn hard() -> SolveStreamRequest {
    let tiles = (1..=24).rev().chain([0]).collect();
    SolveStreamRequest {
        solve: Some(SolveRequest {
            board: Some(Board {
                tiles,
                ..Board::default()
            }),
            objective: Objective::Optimal.into(),
            ..SolveRequest::default()
        }),
        ..SolveStreamRequest::default()
    }
}

#[tokio::test]
async fn neither_a_token_nor_a_place_is_needed() {
    let mut tokens = tempfile::NamedTempFile::new().unwrap();
    let hash: String = hash(b"secret").map(|byte| format!("{byte:02x}")).concat();
    writeln!(tokens, "lobby {hash}").unwrap();
    let path = tokens.path().to_str().unwrap();
    for (flags, refusal) in [
        (&["--token-file", path][..], Exit::BadInput),
        (&["--max-calls=1"], Exit::Unserved),
    ] {
        let (server, _shut_down) = serve(flags).await;
        // It takes the only place, if it is let in.
        let client = PuzzleServiceClient::connect(format!("http://{server}"));
        let _held = client.await.unwrap().solve_stream(hard()).await;
        let ran = health(&server, &[PATIENCE, SERVICE]).await;
        assert_eq!(ran.output, "SERVING\n", "{flags:?}: {:?}", ran.result);

        let check = question(&["check", "1 2 3 0", "--server", &server]);
        let (mut input, mut output) = (std::io::empty(), Vec::new());
        let other_call = check.answer(&mut input, &mut output, nobody).await;
        assert_eq!(other_call.unwrap_err().exit(), refusal);
    }
}

#[tokio::test]
async fn a_service_that_the_server_does_not_know_is_named() {
    let (server, _shut_down) = serve(&[]).await;
    let ran = health(&server, &[PATIENCE, "--service=chess"]).await;
    assert_eq!((ran.exit(), ran.output.as_str()), (Exit::BadInput, ""));
    let complaint = ran.complaint();
    for word in ["\"chess\"", "loyd.v1.PuzzleService"] {
        assert!(complaint.contains(word), "{complaint}");
    }
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_named() {
    let ran = health(DESERTED, &[PATIENCE]).await;
    assert_eq!((ran.exit(), ran.output.as_str()), (Exit::Unserved, ""));
    let complaint = ran.complaint();
    for word in [DESERTED, "refused", "--listen"] {
        assert!(complaint.contains(word), "{complaint}");
    }
}

#[tokio::test]
async fn who_speaks_another_protocol_is_no_server() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let refusal = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n";
        stream.write_all(refusal).await.unwrap();
    });
    let ran = health(&server, &[PATIENCE]).await;
    assert_eq!(ran.exit(), Exit::Unserved);
    let complaint = ran.complaint();
    for word in [&*server, "https://"] {
        assert!(complaint.contains(word), "{complaint}");
    }
}

#[tokio::test]
async fn a_probe_does_not_hang() {
    // It accepts connections, as any listener does through its queue, and never sends anything.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = silent.local_addr().unwrap().to_string();
    let begun = Instant::now();
    let ran = health(&server, &[]).await;
    assert_eq!((ran.exit(), ran.output.as_str()), (Exit::Limit, ""));
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_secs(1), "{waited:?}");
    assert!(waited < Duration::from_secs(4), "{waited:?}");
    assert!(ran.complaint().contains("--timeout"));
}

#[tokio::test]
async fn a_file_of_authorities_that_holds_none_is_named() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let path = file.path().to_str().unwrap();
    for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\n"] {
        std::fs::write(file.path(), text).unwrap();
        let ran = health("https://127.0.0.1:1", &["--tls-ca", path]).await;
        assert_eq!(ran.exit(), Exit::BadInput);
        assert!(
            ran.complaint().contains(&format!("--tls-ca {path}: ")),
            "{}",
            ran.complaint()
        );
    }
}

#[test]
fn tls_is_for_a_server_that_is_named() {
    for flags in [
        &["--tls-ca", "ca.crt"][..],
        &["--server", "https://there:1", "--tls-cert", "tls.crt"],
    ] {
        let error = parse(&[&["health"], flags].concat()).unwrap_err();
        assert_eq!(
            error.kind(),
            clap::error::ErrorKind::MissingRequiredArgument
        );
    }
}
