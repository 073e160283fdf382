//! The metrics as they are scraped.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use loyd::cli::Samples;
use tempfile::NamedTempFile;

use crate::server::{Server, wait_for};

/// The status line and the text of the answer to a request.
fn ask(server: &Server, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(server.metrics).unwrap();
    let request = format!("{request} HTTP/1.1\r\nhost: loyd\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

/// What a server says of itself.
pub(crate) fn scrape(server: &Server) -> Samples {
    Samples::read(&ask(server, "GET /metrics").1)
}

#[test]
fn what_the_settings_allow_is_told() {
    let server = Server::start(Stdio::null());
    let limit = |samples: &Samples, what| samples.sum("loyd_limit", &[("what", what)]);
    // It listens before it has begun.
    let begun = || Some(scrape(&server)).filter(|samples| limit(samples, "calls") > 0.0);
    let samples = wait_for(begun, "the server to begin");
    for (what, most) in [
        ("memory", 80_530_620.0),
        ("table_memory", 59_055_788.0),
        ("heuristic_memory", 21_474_832.0),
        ("connections", 4096.0),
        ("calls", 4096.0),
    ] {
        assert_eq!(limit(&samples, what), most, "{what}");
    }
}

#[test]
fn failures_are_counted_from_zero() {
    let server = Server::start(Stdio::null());
    let text = ask(&server, "GET /metrics").1;
    for method in ["Solve", "SolveStream", "CheckSolvable", "Generate"] {
        for code in ["INTERNAL", "UNKNOWN", "UNAVAILABLE"] {
            let labels = format!(r#"{{method="{method}",code="{code}"}}"#);
            let zero = format!("loyd_requests_handled_total{labels} 0\n");
            assert!(text.contains(&zero), "{zero}{text}");
        }
    }
}

#[test]
fn what_rises_and_falls_is_told_before_it_has_risen() {
    let server = Server::start(Stdio::null());
    let text = ask(&server, "GET /metrics").1;
    for name in [
        "loyd_queue_depth",
        "loyd_searches_running",
        "loyd_searches_parked",
        "loyd_workers_helping",
        "loyd_clients",
        "loyd_large_answers_waiting",
        "loyd_memory_bytes",
        "loyd_heuristic_tables_refused",
        "loyd_heuristic_tables_bytes",
    ] {
        let zero = format!("\n{name} 0\n");
        assert!(text.contains(&zero), "{name} in {text}");
    }
    // Waiting for it to listen was one.
    assert!(text.contains("\nloyd_connections "), "{text}");
}

#[test]
fn what_the_system_knows_of_the_process_is_told() {
    let samples = scrape(&Server::start(Stdio::null()));
    let told = |name| samples.sum(name, &[]);
    assert!(told("process_start_time_seconds") > 1.7e9);
    assert!(told("process_cpu_seconds_total") >= 0.0);
    assert!(told("process_threads") > 2.0);
    let resident = told("process_resident_memory_bytes");
    assert!(resident > 1e6 && told("process_virtual_memory_bytes") > resident);
    // Standard input, output and error, two listeners and this connection.
    let open = told("process_open_fds");
    assert!(open >= 6.0 && told("process_max_fds") > open);
}

#[test]
fn too_few_file_descriptors_are_told_at_the_start_and_when_none_is_left() {
    let log = NamedTempFile::new().unwrap();
    let server = Server::with_files(64, log.reopen().unwrap());
    let told = |what| {
        let text = fs::read_to_string(log.path()).unwrap();
        text.contains(what).then_some(())
    };
    wait_for(
        || told("too few file descriptors for --max-connections"),
        "a warning",
    );

    let connect = |_| TcpStream::connect(server.grpc).unwrap();
    let connections: Vec<_> = (0..64).map(connect).collect();
    wait_for(|| told("cannot accept a connection"), "the last one");
    // A scrape needs one, too.
    drop(connections);
    assert!(scrape(&server).sum("loyd_accept_errors_total", &[]) > 0.0);
    wait_for(|| greeted(&server), "the next connection to be accepted");
}

/// Whether the server answers the preface of HTTP/2.
fn greeted(server: &Server) -> Option<()> {
    let mut stream = TcpStream::connect(server.grpc).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(1))).ok()?;
    stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").ok()?;
    stream.write_all(b"\0\0\0\x04\0\0\0\0\0").ok()?;
    stream.read_exact(&mut [0; 9]).ok()
}

#[test]
fn probes_are_answered() {
    let server = Server::start(Stdio::null());
    let status = |request| ask(&server, request).0;
    let serving = || Some(status("GET /readyz")).filter(|status| status == "HTTP/1.1 200 OK");
    wait_for(serving, "the server to serve");
    assert_eq!(scrape(&server).sum("loyd_serving", &[]), 1.0);
    assert_eq!(status("GET /livez"), "HTTP/1.1 200 OK");
    for odd in ["GET /", "POST /livez", "GET /readyz/", "GET /livez2"] {
        assert_eq!(status(odd), "HTTP/1.1 404 Not Found", "{odd}");
    }
    let head = ask(&server, "HEAD /readyz");
    assert_eq!(head, ("HTTP/1.1 200 OK".to_owned(), String::new()));
}

#[test]
fn connections_that_ask_for_nothing_keep_no_probe_out() {
    let server = Server::start(Stdio::null());
    let connect = |_| TcpStream::connect(server.metrics).unwrap();
    let silent: Vec<_> = (0..200).map(connect).collect();
    assert_eq!(ask(&server, "GET /livez").0, "HTTP/1.1 200 OK");
    // The oldest has made room.
    silent[0]
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    assert_eq!((&silent[0]).read(&mut [0]).unwrap(), 0);
}
