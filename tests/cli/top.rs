//! `loyd top`, watching a server with scripted metrics.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, ErrorKind, Read, Write};
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

/// A server before and after it has been busy. The rates are so large that rounding does not matter.
const IDLE: &str = r#"
loyd_build_info{version="1.2.3"} 1
loyd_connections 1
loyd_workers 2
loyd_slice_seconds_sum 100
loyd_nodes_total{algorithm="beam"} 1000
loyd_cache_hits_total 10
loyd_cache_misses_total 20
loyd_overloaded_total{lack="queue"} 30
loyd_limit_stops_total{limit="time"} 40
loyd_queue_seconds_bucket{le="0.5"} 8
loyd_queue_seconds_bucket{le="+Inf"} 8
loyd_requests_started_total{method="Solve"} 4
loyd_request_seconds_bucket{method="Solve",le="0.5"} 4
loyd_request_seconds_bucket{method="Solve",le="+Inf"} 4
"#;

const BUSY: &str = r#"
loyd_build_info{version="1.2.3"} 1
loyd_connections 3
loyd_workers 2
loyd_workers_helping 1
loyd_slice_seconds_sum 1000100
loyd_searches_running 5
loyd_queue_depth 7
loyd_searches_parked 4
loyd_pool_capacity 256
loyd_nodes_total{algorithm="beam"} 4000000001000
loyd_cache_hits_total 2000010
loyd_cache_misses_total 4000020
loyd_overloaded_total{lack="queue"} 6000030
loyd_limit_stops_total{limit="time"} 8000040
loyd_queue_seconds_bucket{le="0.5"} 18
loyd_queue_seconds_bucket{le="+Inf"} 18
loyd_requests_started_total{method="Solve"} 4
loyd_request_seconds_bucket{method="Solve",le="0.5"} 4
loyd_request_seconds_bucket{method="Solve",le="+Inf"} 4
loyd_memory_bytes 5242880
loyd_tables_bytes 1048576
loyd_pattern_databases_bytes 2097152
loyd_heuristic_tables_bytes 4194304
loyd_tables_building 1
"#;

#[test]
fn every_figure_is_its_own() {
    let (result, output) = top(serve(&[IDLE, BUSY]), &["--json"]);
    assert_eq!(result.unwrap(), Exit::Done);
    let view: Value = serde_json::from_str(&output).unwrap();
    let number = |path: &str| view.pointer(path).and_then(Value::as_f64).unwrap();
    for (path, expected) in [
        ("/connections", 3.0),
        ("/workers/threads", 2.0),
        ("/workers/helping", 1.0),
        ("/searches/running", 5.0),
        ("/searches/waiting", 7.0),
        ("/searches/parked", 4.0),
        ("/searches/capacity", 256.0),
        ("/searches/queue_seconds/p50", 0.25),
        ("/panics", 0.0),
        ("/memory_bytes", 5_242_880.0),
        ("/tables/bytes", 7_340_032.0),
    ] {
        assert_eq!(number(path), expected, "{path}");
    }
    assert_eq!(view["tables"]["building"], true);
    // Nothing has been observed in the interval.
    assert_eq!(view["methods"][0]["seconds"], Value::Null);
    let hits = number("/searches/cache_hits_per_second") / 2.0;
    for (path, expected) in [
        ("/searches/cache_misses_per_second", 4.0),
        ("/refused/overloaded_per_second", 6.0),
        ("/refused/limit_stops_per_second", 8.0),
        ("/searches/nodes_per_second", 4e6),
        // Of two workers.
        ("/workers/busy_ratio", 0.5),
    ] {
        assert_eq!(
            (1e3 * number(path) / hits).round(),
            1e3 * expected,
            "{path}"
        );
    }
}

/// The numbers in a text.
fn numbers(text: &str) -> Vec<f64> {
    text.split(|c: char| !c.is_ascii_digit() && c != '.')
        .filter_map(|number| number.parse().ok())
        .collect()
}

#[test]
fn people_see_every_figure() {
    let (result, output) = top(serve(&[IDLE, BUSY]), &[]);
    assert_eq!(result.unwrap(), Exit::Done);
    let line = |name: &str| {
        let line = output.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("no {name} in {output}"))
    };
    assert_eq!(line("loyd"), "loyd 1.2.3, 3 connections");
    let searches = "searches  5 running, 7 waiting, 4 parked, of 256; first slice after 250.00 ms, p99 495.00 ms";
    assert_eq!(line("searches"), searches);
    assert_eq!(line("memory"), "memory    5.00 MiB in searches and answers");
    assert_eq!(line("tables"), "tables    7.00 MiB, one being built");
    let [nodes, hits, misses] = numbers(line("nodes"))[..] else {
        panic!("{output}");
    };
    let in_twos = |rate: f64| (1e3 * rate / hits).round() / 500.0;
    assert_eq!([nodes, misses].map(in_twos), [4.0, 4.0]);
    let [overloaded, limits, panics] = numbers(line("refused"))[..] else {
        panic!("{output}");
    };
    assert_eq!([overloaded, limits, panics].map(in_twos), [6.0, 8.0, 0.0]);
    let [workers, busy, helping] = numbers(line("workers"))[..] else {
        panic!("{output}");
    };
    assert_eq!([workers, in_twos(busy), helping], [2.0, 50.0, 1.0]);
}

#[test]
fn a_server_that_tells_nothing_of_its_workers_has_none_that_are_busy() {
    const BARE: &str = "loyd_build_info{version=\"1.2.3\"} 1\n";
    let (_, output) = top(serve(&[BARE]), &["--json"]);
    let view: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(view["workers"]["busy_ratio"], 0.0);
}

/// An output that is closed after as many looks as it keeps: of each, what it was told to show.
struct Looks {
    most: usize,
    shown: Vec<String>,
    written: Vec<u8>,
}

impl Write for Looks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.shown.len() == self.most {
            return Err(ErrorKind::BrokenPipe.into());
        }
        self.written.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let shown = String::from_utf8(std::mem::take(&mut self.written));
        self.shown.push(shown.unwrap());
        Ok(())
    }
}

#[test]
fn each_look_is_shown_at_once_and_tells_of_the_time_since_the_one_before() {
    let url = format!("http://{}/metrics", serve(&[IDLE, BUSY, BUSY]));
    let look = ["top", "--json", "--interval=100ms", "--metrics", &url];
    let Command::Top(top) = parse(&look).unwrap().command else {
        panic!("another command");
    };
    let mut looks = Looks {
        most: 2,
        shown: Vec::new(),
        written: Vec::new(),
    };
    assert!(runtime().block_on(top.run(&mut looks)).is_err());
    let hits = looks.shown.iter().map(|look| {
        let view: Value = serde_json::from_str(look).unwrap();
        view["searches"]["cache_hits_per_second"].as_f64().unwrap()
    });
    let hits: Vec<f64> = hits.collect();
    assert!(hits[0] > 0.0 && hits[1..] == [0.0], "{hits:?}");
}

#[test]
fn buckets_are_added_up_and_what_is_no_sample_is_left_out() {
    let samples = Samples::read(
        "a_bucket{le=\"1\"} 2\na_bucket{le=\"1\",x=\"2\"} 3\na_bucket{le=\"NaN\"} 9\na_bucket{le=\"+Inf\"} 7\n",
    );
    let buckets = samples.buckets("a", &[]);
    assert_eq!(buckets, [(1.0, 5.0), (f64::INFINITY, 7.0)]);
    assert_eq!(samples.buckets("a", &[("x", "2")]), [(1.0, 3.0)]);
    // Comments and samples without a name are none.
    assert_eq!(Samples::read("# 1\n{x=\"1\"} 2\n"), Samples::default());
    // Spaces may be before a sample, and between its labels.
    let spaced = Samples::read("  a{x=\"1\", y=\"2\"} 3\r\n");
    assert_eq!(spaced.sum("a", &[("x", "1"), ("y", "2")]), 3.0);
}
