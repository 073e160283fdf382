//! When a connection is told to go: its peer takes no answers, makes no calls, or has been there for long.

use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use loyd::service::proto;
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use super::{call_headers, check, split_frames, told_to_go};
use crate::harness::{
    PATIENCE, Service, ask, assert_reason, hardest, hopeless, in_time, milliseconds,
};
use crate::raw::{
    DATA, END_HEADERS, END_STREAM, HEADERS, PING, RST_STREAM, RawClient, SETTINGS, WINDOW_UPDATE,
    frame, greet, http2_frame, read_to_end,
};

#[tokio::test]
async fn a_connection_without_calls_is_told_to_go() {
    let service = Service::with(&["--max-connection-idle", "100ms"]).await;
    let mut idle = greet(service.address).await;
    // It does not answer the PING that announces the end, and is closed by the timeout at the latest.
    let shortly = Service::with(&[
        "--max-connection-idle",
        "100ms",
        "--keepalive-timeout",
        "100ms",
    ])
    .await;
    let mut deaf = greet(shortly.address).await;
    assert!(told_to_go(&read_to_end(&mut deaf).await));
    idle.shutdown().await.unwrap();
    assert!(told_to_go(&read_to_end(&mut idle).await));
}

#[tokio::test]
async fn a_connection_may_stay_for_ever() {
    let never = ["--max-connection-idle", "0s", "--max-connection-age", "0s"];
    let service = Service::with(&never).await;
    let mut idle = greet(service.address).await;
    let mut client = service.client().await;
    let mut told = Vec::new();
    // Times of zero would otherwise be over at once.
    let reading = async { while idle.read_buf(&mut told).await.unwrap() > 0 {} };
    let ended = tokio::time::timeout(Duration::from_millis(300), reading).await;
    assert!(ended.is_err() && !told_to_go(&told), "{told:?}");
    client.solve(ask(hardest())).await.unwrap();
}

#[tokio::test]
async fn a_call_keeps_its_connection_from_being_idle() {
    let service = Service::with(&["--max-connection-idle", "50ms"]).await;
    let mut client = service.client().await;
    let mut hard = hopeless(1);
    let limits = hard.limits.get_or_insert_default();
    limits.max_time = Some(milliseconds(600));
    let status = client.solve(hard).await.unwrap_err();
    // Its own limit ended it, not the end of its connection.
    assert_reason(&status, tonic::Code::ResourceExhausted, "TIME_LIMIT");
}

#[tokio::test]
async fn short_calls_keep_their_connection_from_being_idle() {
    const IDLE: Duration = Duration::from_millis(200);
    let service = Service::with(&["--max-connection-idle", "200ms"]).await;
    let call = |number| {
        let head = call_headers("/loyd.v1.PuzzleService/CheckSolvable");
        let head = http2_frame(HEADERS, END_HEADERS, number, &head);
        [head, http2_frame(DATA, END_STREAM, number, &[0; 5])].concat()
    };
    // Whether it was told to go; unknown if a stall of the machine left it idle.
    let talk = async || {
        let begun = Instant::now();
        let mut last = begun;
        let mut stream = greet(service.address).await;
        let (mut told, mut numbers) = (Vec::new(), (1..).step_by(2));
        while begun.elapsed() < 3 * IDLE {
            let number = numbers.next().unwrap();
            stream.write_all(&call(number)).await.unwrap();
            let is_answer =
                |&(kind, stream, _): &(u8, u32, &[u8])| (kind, stream) == (HEADERS, number);
            while !split_frames(&told).iter().any(is_answer) && !told_to_go(&told) {
                in_time(stream.read_buf(&mut told)).await.unwrap();
            }
            if last.elapsed() > IDLE / 2 {
                return None;
            }
            last = Instant::now();
            if told_to_go(&told) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Some(told_to_go(&told))
    };
    let is_told = in_time(async {
        loop {
            if let Some(is_told) = talk().await {
                break is_told;
            }
        }
    });
    assert!(!is_told.await);
}

#[tokio::test]
async fn an_old_connection_goes_and_its_calls_end() {
    let service = Service::with(&["--max-connection-age", "100ms"]).await;
    let mut client = service.client().await;
    let begin = Instant::now();
    // Through several connections of the channel, one after the other.
    while begin.elapsed() < Duration::from_millis(800) {
        let answer = client.solve(ask(hardest())).await;
        // This client may assign a call to a connection that it has been told to leave. It then
        // fails the call itself, without having sent it.
        if let Err(status) = answer {
            assert_eq!(status.message(), "operation was canceled", "{status}");
        }
    }
    let mut old = greet(service.address).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    old.shutdown().await.unwrap();
    assert!(told_to_go(&read_to_end(&mut old).await));
}

#[tokio::test]
async fn connections_that_began_together_do_not_end_together() {
    const AGE: Duration = Duration::from_secs(1);
    // The shortest of these times says how often a connection is looked at.
    let flags = ["--max-connection-age", "1s", "--stall-timeout", "100ms"];
    let service = Service::with(&flags).await;
    let address = service.address;
    let first = Instant::now();
    loop {
        let mut connections = JoinSet::new();
        for _ in 0..16 {
            connections.spawn(async move {
                let begun = Instant::now();
                let mut stream = greet(address).await;
                let mut told = Vec::new();
                while !told_to_go(&told) {
                    let read = in_time(stream.read_buf(&mut told)).await.unwrap();
                    assert_ne!(read, 0, "it is told first");
                }
                begun.elapsed()
            });
        }
        let ages = in_time(connections.join_all()).await;
        let (youngest, oldest) = (ages.iter().min().unwrap(), ages.iter().max().unwrap());
        assert!(*youngest >= AGE * 9 / 10, "{ages:?}");
        // Of 16 chances within a fifth of the age, not all are within a twentieth or late, unless the machine stalls
        // meanwhile.
        if *oldest - *youngest > AGE / 20 && *youngest < AGE {
            return;
        }
        assert!(first.elapsed() < PATIENCE, "{ages:?}");
    }
}

#[tokio::test]
async fn an_answer_that_is_taken_piece_by_piece_has_to_be_taken_all_the_same() {
    let service = Service::with(&["--stall-timeout", "1s", "--max-time", "3s"]).await;
    let request = frame(&proto::GenerateRequest {
        rows: 100,
        count: 100,
        ..proto::GenerateRequest::default()
    });
    let mut raw = RawClient::with_window(service.address, 64 << 10).await;
    let begun = Instant::now();
    loop {
        let answer = raw.open("Generate", &[], request.clone()).await;
        let mut body = answer.into_body();
        let mut taken = 0;
        // Each piece is taken soon, but all of them would take ten seconds.
        let end = loop {
            match in_time(body.frame()).await {
                Some(Ok(frame)) => taken += frame.into_data().unwrap().len(),
                end => break end,
            }
            tokio::time::sleep(Duration::from_millis(80)).await;
        };
        // On a busy machine it may not be made in time, or not even one piece be taken.
        if taken > 1 << 16 {
            assert!(matches!(end, Some(Err(_))), "the end after {taken} bytes");
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "never more than a piece");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_takes_costs_its_call_and_no_other_on_the_connection() {
    // Of several pieces, and of little more than the caller has room for.
    for (window, count) in [(64 << 10, 100), (10 << 10, 1)] {
        let recorder = PrometheusBuilder::new().build_recorder();
        // All of the service except its searches is on this thread.
        let _counting = metrics::set_default_local_recorder(&recorder);
        let service = Service::with(&["--stall-timeout", "300ms"]).await;
        let request = frame(&proto::GenerateRequest {
            rows: 100,
            count,
            ..proto::GenerateRequest::default()
        });
        let mut raw = RawClient::with_window(service.address, window).await;
        let left = raw.open("Generate", &[], request).await;
        // Long after the connection would have ended with it.
        let mut other = hopeless(1);
        let limits = other.limits.get_or_insert_default();
        limits.max_time = Some(milliseconds(1_800));
        let answer = raw.call("Solve", &[], frame(&other)).await;
        assert_reason(&answer.status, tonic::Code::ResourceExhausted, "TIME_LIMIT");
        let told = || recorder.handle().render();
        in_time(async {
            while !told().contains("loyd_stalled_calls_total 1\n") {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        let told = told();
        assert!(!told.contains("loyd_stalled_connections_total"), "{told}");
        assert!(in_time(left.into_body().collect()).await.is_err());
    }
}

#[tokio::test]
async fn a_peer_that_takes_nothing_of_an_answer_or_not_the_rest_is_told_to_go_and_closed() {
    for window in [0, 10] {
        let recorder = PrometheusBuilder::new().build_recorder();
        // All of the service except its searches is on this thread.
        let _counting = metrics::set_default_local_recorder(&recorder);
        // It answers no PING, but is not asked for long.
        let flags = ["--stall-timeout", "100ms", "--keepalive", "10m"];
        let service = Service::with(&flags).await;
        let mut stream = greet(service.address).await;
        let little_window = http2_frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, window]);
        let head = call_headers("/loyd.v1.PuzzleService/CheckSolvable");
        let head = http2_frame(HEADERS, END_HEADERS, 1, &head);
        let question = check();
        let question = http2_frame(DATA, END_STREAM, 1, &question);
        let all = [little_window, head, question].concat();
        stream.write_all(&all).await.unwrap();
        assert!(told_to_go(&read_to_end(&mut stream).await), "{window}");
        let told = recorder.handle().render();
        let stalled = "loyd_stalled_connections_total 1\n";
        assert!(told.contains(stalled), "{window}: {told}");
    }
}

#[tokio::test]
async fn a_connection_whose_peer_reads_nothing_ends() {
    let recorder = PrometheusBuilder::new().build_recorder();
    // All of the service except its searches is on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let flags = ["--stall-timeout", "300ms", "--keepalive", "10m"];
    let service = Service::with(&flags).await;
    let mut stream = greet(service.address).await;
    // As much as any socket holds.
    let settings = http2_frame(SETTINGS, 0, 0, &[0, 4, 0x7f, 0xff, 0xff, 0xff]);
    let window = http2_frame(
        WINDOW_UPDATE,
        0,
        0,
        &(i32::MAX as u32 - 65_535).to_be_bytes(),
    );
    stream
        .write_all(&[settings, window].concat())
        .await
        .unwrap();
    let question = frame(&proto::GenerateRequest {
        rows: 100,
        count: 100,
        ..proto::GenerateRequest::default()
    });
    let head = call_headers("/loyd.v1.PuzzleService/Generate");
    for number in (1..40).step_by(2) {
        let head = http2_frame(HEADERS, END_HEADERS, number, &head);
        let question = http2_frame(DATA, END_STREAM, number, &question);
        stream.write_all(&[head, question].concat()).await.unwrap();
    }
    let told = || recorder.handle().render();
    in_time(async {
        while !told().contains("loyd_stalled_connections_total 1\n") {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn calls_that_wait_for_their_peer_make_way_when_others_find_no_place() {
    let question = check();
    let head = call_headers("/loyd.v1.PuzzleService/CheckSolvable");
    let no_window = http2_frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]);
    for (what, settings, body) in [
        ("requests that do not come", &[][..], None),
        ("answers that nobody takes", &no_window, Some(&question)),
    ] {
        let service = Service::with(&["--max-calls", "4", "--stall-timeout", "10m"]).await;
        let mut holds = greet(service.address).await;
        holds.write_all(settings).await.unwrap();
        for stream in [1, 3, 5, 7] {
            let head = http2_frame(HEADERS, END_HEADERS, stream, &head);
            let body = body.map(|body| http2_frame(DATA, END_STREAM, stream, body));
            let call = [head, body.unwrap_or_default()].concat();
            holds.write_all(&call).await.unwrap();
        }
        // A watch of the health has no place of those for calls.
        let watch = call_headers("/grpc.health.v1.Health/Watch");
        let watch = http2_frame(HEADERS, END_HEADERS, 9, &watch);
        let all = http2_frame(DATA, END_STREAM, 9, &[0; 5]);
        holds.write_all(&[watch, all].concat()).await.unwrap();
        let mut raw = RawClient::connect(service.address).await;
        let mut refused = 0;
        in_time(async {
            loop {
                let answer = raw.call("CheckSolvable", &[], question.clone()).await;
                if answer.status.code() == tonic::Code::Ok && refused > 0 {
                    return;
                }
                if answer.status.code() != tonic::Code::Ok {
                    assert_reason(&answer.status, tonic::Code::ResourceExhausted, "OVERLOADED");
                    refused += 1;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        // A request is refused, an answer that has begun is reset.
        let end = if body.is_none() { HEADERS } else { RST_STREAM };
        let is_end = |&(kind, stream, _): &(u8, u32, &[u8])| kind == end && stream != 9;
        let mut told = Vec::new();
        while split_frames(&told).into_iter().filter(is_end).count() < 4 {
            let read = in_time(holds.read_buf(&mut told)).await.unwrap();
            assert_ne!(read, 0, "{what}: the end after {told:?}");
        }
        // The watch goes on: nothing about it comes before the answer to a ping.
        holds
            .write_all(&http2_frame(PING, 0, 0, &[0; 8]))
            .await
            .unwrap();
        while !split_frames(&told).iter().any(|&(kind, ..)| kind == PING) {
            let read = in_time(holds.read_buf(&mut told)).await.unwrap();
            assert_ne!(read, 0, "{what}: the ping after {told:?}");
        }
        let is_reset = |&(kind, stream, _): &(u8, u32, &[u8])| (kind, stream) == (RST_STREAM, 9);
        assert!(!split_frames(&told).iter().any(is_reset), "{what}");
    }
}
