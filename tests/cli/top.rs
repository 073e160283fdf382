//! `loyd top`, watching a server with scripted metrics.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::Instant;

use loyd::cli::{Command, Exit, Failure, Samples};
use serde_json::{Value, json};

use crate::fake::{DESERTED, parse, runtime};

const BEFORE: &str = r#"
# TYPE loyd_build_info gauge
loyd_build_info{version="1.2.3"} 1
loyd_requests_started_total{method="Solve"} 100
loyd_requests_started_total{method="Generate"} 7
loyd_requests_handled_total{method="Solve",code="OK"} 90
loyd_requests_handled_total{method="Generate",code="OK"} 7
loyd_requests_in_flight{method="Solve"} 10
loyd_request_seconds_bucket{method="Solve",le="0.0625"} 50
loyd_request_seconds_bucket{method="Solve",le="0.5"} 90
loyd_request_seconds_bucket{method="Solve",le="+Inf"} 90
loyd_workers 2
loyd_queue_depth 3
loyd_nodes_total{algorithm="ida_star"} 1000
"#;

const NOW: &str = r#"
loyd_build_info{version="1.2.3"} 1
loyd_requests_started_total{method="Solve"} 420
loyd_requests_started_total{method="Generate"} 7
loyd_requests_handled_total{method="Solve",code="OK"} 330
loyd_requests_handled_total{method="Solve",code="RESOURCE_EXHAUSTED"} 80
loyd_requests_handled_total{method="Generate",code="OK"} 7
loyd_requests_in_flight{method="Solve"} 9
loyd_request_seconds_bucket{method="Solve",le="0.0625"} 50
loyd_request_seconds_bucket{method="Solve",le="0.5"} 250
loyd_request_seconds_bucket{method="Solve",le="+Inf"} 410
loyd_workers 2
loyd_queue_depth 5
loyd_nodes_total{algorithm="ida_star"} 1160
loyd_panics_total{place="search"} 1
loyd_panics_total{place="handler"} 2
loyd_pattern_databases{home="4x4 at 15",patterns="7-7-1"} 1
loyd_pattern_databases{home="4x4 at 15",patterns="6-6-3"} 0
"#;

/// Serves one text after the other over HTTP, the last one forever.
fn serve(texts: &'static [&'static str]) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for number in 0.. {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap();
            assert!(request[..read].starts_with(b"GET /metrics HTTP/1.1\r\n"));
            let text = texts[number.min(texts.len() - 1)];
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", text.len());
            stream
                .write_all(format!("{head}{text}").as_bytes())
                .unwrap();
        }
    });
    address
}

/// Takes one look at the metrics at this address.
fn top(address: SocketAddr, flags: &[&str]) -> (Result<Exit, Failure>, String) {
    top_at(&format!("http://{address}/metrics"), flags)
}

/// Takes one look at the metrics at this URL.
fn top_at(url: &str, flags: &[&str]) -> (Result<Exit, Failure>, String) {
    let look = ["top", "--once", "--interval=100ms", "--metrics", url];
    let Command::Top(top) = parse(&[&look, flags].concat()).unwrap().command else {
        panic!("another command");
    };
    let mut output = Vec::new();
    let result = runtime().block_on(top.run(&mut output));
    (result, String::from_utf8(output).unwrap())
}

#[test]
fn rates_and_quantiles_are_those_of_the_interval() {
    let begun = Instant::now();
    let (result, output) = top(serve(&[BEFORE, NOW]), &["--json"]);
    let took = begun.elapsed().as_secs_f64();
    assert_eq!(result.unwrap(), Exit::Done);
    let view: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(view["version"], "1.2.3");
    let [generate, solve] = &view["methods"].as_array().unwrap()[..] else {
        panic!("{view}");
    };
    assert_eq!(generate["method"], "Generate");
    assert_eq!(
        (&generate["seconds"], &generate["codes"]),
        (&Value::Null, &json!({}))
    );
    assert_eq!(solve["in_flight"], 9.0);
    // 320 calls: 160 within 62.5 ms to 500 ms, half of them all, and 160 beyond.
    assert_eq!(solve["seconds"], json!({"p50": 0.5, "p99": 0.5}));
    let rate = solve["per_second"].as_f64().unwrap();
    assert!((0.99 * 320.0 / took..=3200.0).contains(&rate), "{rate}");
    // In hundredths, because the rates are rounded.
    let of_all = |value: &Value| (100.0 * value.as_f64().unwrap() / rate).round();
    assert_eq!(of_all(&solve["codes"]["OK"]), 75.0);
    assert_eq!(of_all(&solve["codes"]["RESOURCE_EXHAUSTED"]), 25.0);
    assert_eq!(of_all(&view["searches"]["nodes_per_second"]), 50.0);
    assert_eq!(view["searches"]["waiting"], 5.0);
    assert_eq!(view["panics"], 3.0);
    let in_use = json!(["4x4 at 15 by 7-7-1"]);
    assert_eq!(view["tables"]["pattern_databases"], in_use);
}

#[test]
fn people_see_the_same() {
    let (result, output) = top(serve(&[BEFORE, NOW]), &[]);
    assert_eq!(result.unwrap(), Exit::Done);
    assert!(output.contains("loyd 1.2.3"), "{output}");
    // No search has begun, so nothing is said of its first slice.
    assert!(output.contains("5 waiting, 0 parked, of 0\n"), "{output}");
    let solve = output.lines().find(|line| line.starts_with("Solve"));
    let solve = solve.unwrap();
    assert_eq!(solve.matches("500.00 ms").count(), 2, "{solve}");
    assert!(solve.contains("RESOURCE_EXHAUSTED"), "{solve}");
    assert!(!output.contains('\x1b'), "a snapshot is plain text");
}

#[test]
fn a_server_that_was_started_anew_counts_from_zero() {
    let begun = Instant::now();
    let (_, output) = top(serve(&[NOW, BEFORE]), &["--json"]);
    let took = begun.elapsed().as_secs_f64();
    let view: Value = serde_json::from_str(&output).unwrap();
    let solve = &view["methods"][1];
    let ok = solve["codes"]["OK"].as_f64().unwrap();
    assert!((0.99 * 90.0 / took..=900.0).contains(&ok), "{ok}");
}

#[test]
fn what_is_no_loyd_is_said_so() {
    for (address, cause) in [
        (serve(&["up 1\n"]), "these are not the metrics of loyd"),
        (DESERTED.parse().unwrap(), "refused"),
    ] {
        let (result, output) = top(address, &[]);
        let failure = result.unwrap_err();
        assert_eq!((failure.exit(), output.as_str()), (Exit::Unserved, ""));
        assert!(failure.to_string().contains(cause), "{failure}");
    }
    for flags in [["--metrics", "https://there:1/"], ["--interval", "1ms"]] {
        assert!(parse(&["top", flags[0], flags[1]]).is_err());
    }
}

#[test]
fn a_url_without_a_path_means_the_metrics() {
    let address = serve(&[BEFORE]);
    for url in [
        format!("{address}"),
        format!("{address}/"),
        format!("{address}/metrics"),
        format!("http://{address}"),
        format!("http://{address}/"),
    ] {
        assert_eq!(top_at(&url, &[]).0.unwrap(), Exit::Done, "{url}");
    }
}

#[test]
fn samples_are_read_with_their_labels() {
    let samples = Samples::read(
        "a{x=\"1\",y=\"a \\\"b\\\"\\n\"} 2\na{x=\"2\",} 3 1700000000\na{x=\"2\" 9\n# a 5\nb +Inf\nb\n",
    );
    assert_eq!(samples.sum("a", &[]), 5.0);
    assert_eq!(samples.sum("a", &[("y", "a \"b\"\n")]), 2.0);
    assert_eq!(samples.values("a", &[], "x"), ["1", "2"]);
    assert_eq!(samples.sum("b", &[]), f64::INFINITY);
    let steering = Samples::read("a{x=\"\u{1b}[2J\"} 1\na{x=\"1\"}\t2");
    assert_eq!(steering.values("a", &[], "x"), ["1"]);
}
