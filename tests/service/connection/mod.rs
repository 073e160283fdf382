//! Connections. This file tests what ends one other than its peer, except that it may not stay for longer.

mod answers;
mod end;
mod frames;
mod gather;
mod leaving;
mod pieces;
mod places;
mod transport;

use std::io::Write;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use http::Request;
use http_body_util::Full;
use loyd::service::{ServeError, proto};
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::codegen::Bytes;

use crate::harness::{
    PATIENCE, Service, any_board, ask, hardest, hopeless, in_time, milliseconds, searched, square,
    try_start, wire,
};
use crate::raw::{
    ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, RST_STREAM, RawClient,
    SETTINGS, WINDOW_UPDATE, frame, greet, http2_frame, read_to_end,
};

/// The frames in what a server sent: type, stream and payload.
fn split_frames(mut bytes: &[u8]) -> Vec<(u8, u32, &[u8])> {
    let mut frames = Vec::new();
    while let [high, middle, low, kind, _flags, a, b, c, d, rest @ ..] = bytes {
        let length = u32::from_be_bytes([0, *high, *middle, *low]) as usize;
        let (payload, more) = rest.split_at(length.min(rest.len()));
        frames.push((*kind, u32::from_be_bytes([*a, *b, *c, *d]), payload));
        bytes = more;
    }
    frames
}

fn told_to_go(bytes: &[u8]) -> bool {
    split_frames(bytes).iter().any(|&(kind, ..)| kind == GOAWAY)
}

/// The headers of a call, encoded so that none of them is stored.
fn call_headers(path: &str) -> Vec<u8> {
    let headers = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", "loyd"),
        ("content-type", "application/grpc"),
        ("te", "trailers"),
    ];
    let text = |text: &str| [&[text.len() as u8], text.as_bytes()].concat();
    let header = |(name, value): (&str, &str)| [vec![0], text(name), text(value)].concat();
    headers.map(header).concat()
}

/// The body of a `CheckSolvable`.
fn check() -> Bytes {
    frame(&proto::CheckSolvableRequest {
        board: Some(square(&[1, 2, 3, 0])),
        ..Default::default()
    })
}

/// Waits to be told to go, then answers as gRPC's C core does: first the PING, then a call that it
/// had begun. Returns what came back from then on.
async fn cross_with_the_goaway(service: &Service, method: &str, question: &[u8]) -> Vec<u8> {
    let mut stream = greet(service.address).await;
    let mut told = Vec::new();
    let ping = loop {
        let read = in_time(stream.read_buf(&mut told)).await.unwrap();
        assert_ne!(read, 0, "it is told first");
        let is_ping = |&&(kind, _, payload): &&(u8, u32, &[u8])| kind == PING && payload.len() == 8;
        if let Some((_, _, payload)) = split_frames(&told).iter().find(is_ping) {
            break payload.to_vec();
        }
    };
    assert!(told_to_go(&told));
    let written = [
        http2_frame(PING, ACK, 0, &ping),
        http2_frame(
            HEADERS,
            END_HEADERS,
            1,
            &call_headers(&format!("/loyd.v1.PuzzleService/{method}")),
        ),
        http2_frame(WINDOW_UPDATE, 0, 1, &[0, 0, 1, 0]),
        http2_frame(DATA, END_STREAM, 1, question),
    ];
    stream.write_all(&written.concat()).await.unwrap();
    read_to_end(&mut stream).await
}

fn has_answer(bytes: &[u8]) -> bool {
    let is_answer = |&(kind, stream, _): &(u8, u32, &[u8])| (kind, stream) == (DATA, 1);
    split_frames(bytes).iter().any(is_answer)
}

#[tokio::test]
async fn a_call_that_crosses_with_the_goaway_is_answered() {
    let service = Service::with(&["--max-connection-age", "100ms"]).await;
    let question = check();
    let answered = cross_with_the_goaway(&service, "CheckSolvable", &question).await;
    assert!(has_answer(&answered), "{answered:?}");
    // No protocol error was found.
    let answered = split_frames(&answered);
    let goaways = answered.iter().filter(|&&(kind, ..)| kind == GOAWAY);
    for (_, _, payload) in goaways {
        assert_eq!(payload[4..8], [0; 4], "{payload:?}");
    }
}

#[tokio::test]
async fn a_call_that_crosses_with_the_goaway_of_an_idle_connection_has_its_time() {
    let service = Service::with(&[
        "--max-connection-idle",
        "100ms",
        "--keepalive-timeout",
        "400ms",
    ])
    .await;
    let mut question = ask(wire(&any_board(7, 7, 1)));
    let limits = question.limits.get_or_insert_default();
    // Several times as long as an idle connection has.
    limits.max_time = Some(milliseconds(2_000));
    let answered = cross_with_the_goaway(&service, "Solve", &frame(&question)).await;
    assert!(has_answer(&answered), "{answered:?}");
}

#[tokio::test]
async fn a_peer_is_told_how_many_calls_it_may_make_at_once() {
    let service = Service::with(&["--max-streams", "7"]).await;
    let mut stream = greet(service.address).await;
    let mut told = Vec::new();
    let max_concurrent_streams = [0, 3, 0, 0, 0, 7];
    let is_told = |told: &[u8]| {
        let first = split_frames(told).first().copied();
        first.is_some_and(|(kind, _, settings)| {
            let mut settings = settings.chunks(6);
            kind == SETTINGS && settings.any(|setting| setting == max_concurrent_streams)
        })
    };
    while !is_told(&told) {
        let read = in_time(stream.read_buf(&mut told)).await.unwrap();
        assert_ne!(read, 0, "the end after {told:?}");
    }
}

#[tokio::test]
async fn headers_of_more_than_16_kib_never_become_a_call() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    for (kibibytes, http) in [(15, 200), (16, 431), (60, 431)] {
        let padding = "x".repeat(kibibytes << 10);
        let request = Request::post("http://loyd/loyd.v1.PuzzleService/CheckSolvable")
            .header("content-type", "application/grpc")
            .header("x-padding", padding);
        let response = raw.send(request.body(Full::default()).unwrap()).await;
        assert_eq!(response.status(), http, "{kibibytes} KiB");
        let is_call = response.headers().contains_key("grpc-status");
        assert_eq!(is_call, http == 200);
    }
}

/// What is sent to a server, or waited for, until it closes the connection.
type Talk = fn(TcpStream) -> BoxFuture<'static, ()>;

#[tokio::test]
async fn each_end_of_a_connection_is_counted_by_its_cause() {
    let none: Talk = |_| Box::pin(async {});
    let silence: Talk = |mut stream| Box::pin(async move { drop(read_to_end(&mut stream).await) });
    // It leaves once it is told to.
    let manners: Talk = |mut stream| {
        Box::pin(async move {
            let mut told = Vec::new();
            while !told_to_go(&told) {
                in_time(stream.read_buf(&mut told)).await.unwrap();
            }
        })
    };
    // No stream has the number 0.
    let nonsense: Talk = |mut stream| {
        Box::pin(async move {
            let data = http2_frame(DATA, END_STREAM, 0, &[]);
            stream.write_all(&data).await.unwrap();
            read_to_end(&mut stream).await;
        })
    };
    let complaint: Talk = |mut stream| {
        Box::pin(async move {
            let protocol_error = http2_frame(GOAWAY, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 1]);
            stream.write_all(&protocol_error).await.unwrap();
            read_to_end(&mut stream).await;
        })
    };
    // Headers that go on and on.
    let flood: Talk = |mut stream| {
        Box::pin(async move {
            let head = http2_frame(HEADERS, 0, 1, &[]);
            let more = http2_frame(CONTINUATION, 0, 1, &[]).repeat(100);
            stream.write_all(&[head, more].concat()).await.unwrap();
            read_to_end(&mut stream).await;
        })
    };
    let age = ["--max-connection-age", "50ms"];
    let idle = ["--max-connection-idle", "50ms"];
    let alive = ["--keepalive", "50ms", "--keepalive-timeout", "50ms"];
    let few = ["--max-connections", "1"];
    for (cause, flags, talk) in [
        ("peer", &[][..], none),
        ("peer", &[], complaint),
        ("protocol", &[], nonsense),
        ("flood", &[], flood),
        ("age", &age, manners),
        ("idle", &idle, manners),
        // No PING is answered.
        ("lost", &alive, silence),
        ("limit", &few, silence),
    ] {
        let recorder = PrometheusBuilder::new().build_recorder();
        // All of the service except its searches is on this thread.
        let _counting = metrics::set_default_local_recorder(&recorder);
        let service = Service::with(flags).await;
        let first = greet(service.address).await;
        let stream = if cause == "limit" {
            TcpStream::connect(service.address).await.unwrap()
        } else {
            first
        };
        talk(stream).await;
        let counted = format!("loyd_connections_closed_total{{reason=\"{cause}\"}} 1\n");
        in_time(async {
            while !recorder.handle().render().contains(&counted) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
    }
}

#[tokio::test]
async fn a_health_check_without_a_message_does_not_last() {
    // It may take seconds, where other calls may take minutes.
    let service = Service::with(&["--stall-timeout", "10m"]).await;
    let mut stream = greet(service.address).await;
    let head = call_headers("/grpc.health.v1.Health/Check");
    let head = http2_frame(HEADERS, END_HEADERS, 1, &head);
    stream.write_all(&head).await.unwrap();
    let mut told = Vec::new();
    let is_answer = |&(kind, stream, _): &(u8, u32, &[u8])| (kind, stream) == (HEADERS, 1);
    while !split_frames(&told).iter().any(is_answer) {
        let read = in_time(stream.read_buf(&mut told)).await.unwrap();
        assert_ne!(read, 0, "the end after {told:?}");
    }
}

#[tokio::test]
async fn a_peer_that_makes_nothing_but_noise_is_cut_off() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let noises = [
        ("PING", http2_frame(PING, 0, 0, &[0; 8])),
        ("SETTINGS", http2_frame(SETTINGS, 0, 0, &[])),
        ("PRIORITY", http2_frame(2, 0, 1, &[0, 0, 0, 3, 0])),
        ("an unknown type", http2_frame(200, 0, 0, &[1; 4])),
    ];
    for (name, frame) in noises {
        let (mut reader, mut writer) = greet(service.address).await.into_split();
        let noise = frame.repeat(1_000);
        let flood = tokio::spawn(async move {
            // The end shows up as an error.
            while writer.write_all(&noise).await.is_ok() {}
        });
        // The answers are read, so that the connection is not closed as stalled.
        let _ = in_time(tokio::io::copy(&mut reader, &mut tokio::io::sink())).await;
        let ended = tokio::time::timeout(PATIENCE, flood).await;
        assert!(ended.is_ok(), "{name} for ever");
        client.solve(ask(hardest())).await.unwrap();
    }
}

#[tokio::test]
async fn clients_may_give_up_many_calls() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    for number in 0..300 {
        let call = raw.open("Solve", &[], crate::raw::frame(&hopeless(number)));
        // Dropped while it is on its way or in progress, which resets its stream.
        let _ = tokio::time::timeout(Duration::from_millis(2), call).await;
    }
    let answer = in_time(raw.call("Solve", &[], crate::raw::frame(&ask(hardest())))).await;
    assert_eq!(answer.status.code(), tonic::Code::Ok);
}

/// Whether a call that is given up loses its place while its connection is open, when its peer takes leave then and does
/// not close that.
async fn ends_before_its_connection() -> bool {
    let service = Service::with(&["--queue", "1", "--workers", "1"]).await;
    let mut client = service.client().await;
    let mut stream = greet(service.address).await;
    let head = call_headers("/loyd.v1.PuzzleService/Solve");
    let asked = [
        http2_frame(HEADERS, END_HEADERS, 1, &head),
        http2_frame(DATA, END_STREAM, 1, &frame(&hopeless(1))),
    ];
    stream.write_all(&asked.concat()).await.unwrap();
    // Until it has the only place. Each asks for another board, of which no answer is kept.
    let mut boards = 1..;
    let mut next = || searched(boards.next().unwrap());
    in_time(async { while client.solve(next()).await.is_ok() {} }).await;
    let leave = [
        http2_frame(RST_STREAM, 0, 1, &[0, 0, 0, 8]),
        http2_frame(GOAWAY, 0, 0, &[0; 8]),
    ];
    stream.write_all(&leave.concat()).await.unwrap();
    in_time(async { while client.solve(next()).await.is_err() {} }).await;
    // What is sent to a closed one is answered with a reset, after which no more can be sent.
    let mut stream = stream.into_std().unwrap();
    (0..2).all(|_| stream.write_all(&[0]).is_ok())
}

#[tokio::test]
async fn a_call_that_is_given_up_ends_though_its_connection_stays_open() {
    let begun = Instant::now();
    // The server closes it after a while, which may pass in a stall of the machine.
    while !ends_before_its_connection().await {
        assert!(begun.elapsed() < PATIENCE, "it ends with its connection");
    }
}

/// Gives up a hundred calls as soon as they are made, and then waits for the answer to one.
async fn give_up_a_hundred(flags: &[&str]) {
    let service = Service::with(flags).await;
    let mut stream = greet(service.address).await;
    let head = call_headers("/loyd.v1.PuzzleService/CheckSolvable");
    // They arrive together, so that none has begun before it is given up.
    let given_up = (0..100).flat_map(|call| {
        let (number, cancel) = (2 * call + 1, [0, 0, 0, 8]);
        let head = http2_frame(HEADERS, END_HEADERS, number, &head);
        [head, http2_frame(RST_STREAM, 0, number, &cancel)].concat()
    });
    let question = frame(&proto::CheckSolvableRequest {
        board: Some(square(&[1, 2, 3, 0])),
        goal: None,
    });
    let asked = [
        http2_frame(HEADERS, END_HEADERS, 201, &head),
        http2_frame(DATA, END_STREAM, 201, &question),
    ];
    let written: Vec<u8> = given_up.chain(asked.concat()).collect();
    stream.write_all(&written).await.unwrap();
    let mut told = Vec::new();
    let is_answer = |&(kind, stream, _): &(u8, u32, &[u8])| (kind, stream) == (DATA, 201);
    while !split_frames(&told).iter().any(is_answer) {
        let read = in_time(stream.read_buf(&mut told)).await.unwrap();
        assert_ne!(read, 0, "the end after {told:?}");
    }
    assert!(!told_to_go(&told));
}

#[tokio::test]
async fn all_calls_of_a_connection_may_be_given_up_at_once() {
    give_up_a_hundred(&[]).await;
}

#[tokio::test]
async fn calls_may_be_given_up_one_after_the_other_where_few_are_allowed_at_once() {
    give_up_a_hundred(&["--max-streams", "1"]).await;
}

#[tokio::test]
async fn plain_text_is_not_served_where_others_can_hear_it() {
    let error = try_start(&["--listen", "0.0.0.0:0"]).await.unwrap_err();
    assert!(matches!(error, ServeError::Exposed { .. }), "{error}");
    let error = error.to_string();
    for help in ["0.0.0.0:0", "--tls-cert", "127.0.0.1", "--insecure"] {
        assert!(error.contains(help), "{error}");
    }
    let told = try_start(&["--listen", "0.0.0.0:0", "--insecure"]).await;
    assert!(!told.unwrap().has_tls());
    assert!(try_start(&["--listen", "[::1]:0"]).await.is_ok());
    let mapped = try_start(&["--listen", "[::ffff:127.0.0.1]:0"]).await;
    assert!(mapped.is_ok(), "{mapped:?}");
}
