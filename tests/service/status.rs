//! The contract's table of errors, row by row.

use std::collections::BTreeSet;
use std::time::Instant;

use http::Request;
use http::uri::PathAndQuery;
use http_body_util::Full;
use metrics_exporter_prometheus::PrometheusBuilder;
use prost::Message;

use loyd::puzzle::generate::{Solvability, uniform};
use loyd::puzzle::{Board, Dice, Parity};
use loyd::service::proto::{self, Algorithm, Objective, SolveRequest};
use tokio::task::yield_now;
use tonic::client::Grpc;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

use crate::harness::{
    PATIENCE, PUSHBACK, Service, any_board, ask, ask_for, assert_for_ever, assert_reason, hardest,
    hopeless, in_time, milliseconds, reason, retry_delay, searched, wire,
};
use crate::log::Log;
use crate::raw::{RawAnswer, RawClient, frame, frame_bytes};
use crate::support::shape;

#[tokio::test]
async fn an_unsolvable_board_is_refused_with_the_evidence() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let goal = Board::solved(shape(4, 4));
    let start = uniform(&goal, Solvability::Unsolvable, &mut Dice::new(1));
    let parity = Parity::of(&start, &goal);
    let status = client.solve(ask(wire(&start))).await.unwrap_err();
    let (code, name, metadata) = reason(&status);
    assert_eq!(
        (code, name.as_str()),
        (Code::FailedPrecondition, "UNSOLVABLE")
    );
    let exchange = parity.exchange.tiles;
    for (key, value) in [
        ("inversions", parity.inversions.to_string()),
        (
            "blank_row_from_bottom",
            parity.blank_row_from_bottom.to_string(),
        ),
        ("goal_blank_row_from_bottom", "1".into()),
        ("interchanges", parity.interchanges.to_string()),
        ("blank_distance", parity.blank_distance.to_string()),
        ("repair_tiles", format!("{},{}", exchange.0, exchange.1)),
    ] {
        assert_eq!(metadata[key], value, "{key}");
    }
    let stream = proto::SolveStreamRequest {
        solve: Some(ask(wire(&start))),
        ..proto::SolveStreamRequest::default()
    };
    let status = client.solve_stream(stream).await.unwrap_err();
    assert_reason(&status, Code::FailedPrecondition, "UNSOLVABLE");
}

#[tokio::test]
async fn a_limit_before_the_proof_tells_what_is_known() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let none = proto::Limits::default();
    let a_star = proto::Method {
        algorithm: Algorithm::AStar.into(),
        ..proto::Method::default()
    };
    let bounded = SolveRequest {
        objective: Objective::Bounded.into(),
        max_ratio: 1.01,
        ..hopeless(1)
    };
    for (request, limits, expected, has_best) in [
        (
            hopeless(1),
            proto::Limits {
                max_nodes: Some(1_000_000),
                ..none
            },
            "NODE_LIMIT",
            true,
        ),
        (
            bounded,
            proto::Limits {
                max_nodes: Some(100_000),
                ..none
            },
            "NODE_LIMIT",
            true,
        ),
        (
            hopeless(1),
            proto::Limits {
                max_time: Some(milliseconds(50)),
                ..none
            },
            "TIME_LIMIT",
            true,
        ),
        (
            SolveRequest {
                method: Some(a_star),
                ..hopeless(1)
            },
            proto::Limits {
                max_memory_bytes: Some(2 << 20),
                ..none
            },
            "MEMORY_LIMIT",
            false,
        ),
    ] {
        let request = SolveRequest {
            limits: Some(limits),
            ..request
        };
        let begun = Instant::now();
        let metadata = loop {
            let status = client.solve(request.clone()).await.unwrap_err();
            assert_for_ever(&status, expected);
            let (_, _, metadata) = reason(&status);
            // On a busy machine it may have had no turn in its time.
            if metadata.contains_key("best_length") == has_best {
                break metadata;
            }
            assert!(begun.elapsed() < PATIENCE, "{metadata:?}");
        };
        let number = |key: &str| metadata.get(key).map(|text| text.parse::<u64>().unwrap());
        let bound = number("lower_bound").unwrap();
        assert!((40..220).contains(&bound), "{bound}");
        assert!(number("nodes_generated") > number("nodes_expanded"));
        if let Some(max_nodes) = limits.max_nodes {
            let generated = number("nodes_generated").unwrap();
            assert!((max_nodes..max_nodes + 300).contains(&generated));
        }
        let best = number("best_length");
        assert!(best.is_none_or(|best| best > bound));
        // Only A* has an open list, and it finds nothing before the shortest.
        assert_eq!(number("peak_open").unwrap() > 0, !has_best);
    }
}

#[tokio::test]
async fn memory_that_others_hold_is_worth_another_try() {
    let log = Log::default();
    // All of the service except its searches is on this thread.
    let _listening = log.listen();
    let service =
        Service::with(&["--workers", "2", "--memory", "48M", "--max-memory", "48M"]).await;
    let client = service.client().await;
    let ask = |number| {
        let mut client = client.clone();
        let request = SolveRequest {
            method: Some(proto::Method {
                algorithm: proto::Algorithm::AStar.into(),
                ..proto::Method::default()
            }),
            ..hopeless(number)
        };
        tokio::spawn(async move { client.solve(request).await.unwrap_err() })
    };
    let begun = Instant::now();
    loop {
        let searches = [1, 2, 3, 4].map(ask);
        let mut statuses = Vec::new();
        for search in searches {
            statuses.push(in_time(search).await.unwrap());
        }
        // The first search to want more than is left is told to retry; the last one may then have it all.
        let is_overloaded = |status: &&Status| reason(status).1 == "OVERLOADED";
        for status in statuses.iter().filter(|status| !is_overloaded(status)) {
            assert_eq!(reason(status).1, "MEMORY_LIMIT");
        }
        if let Some(overloaded) = statuses.iter().find(is_overloaded) {
            assert_eq!(overloaded.code(), Code::ResourceExhausted);
            assert!(!retry_delay(overloaded).is_zero());
            // Its search had begun, so it has a line of its own.
            let is_told = |line: &str| {
                line.contains(r#""message":"request""#)
                    && line.contains(r#""outcome":"overloaded""#)
            };
            in_time(async {
                while !log.take().lines().any(is_told) {
                    yield_now().await;
                }
            })
            .await;
            return;
        }
        // On a busy machine each may have been alone.
        assert!(begun.elapsed() < PATIENCE, "each has had all of it");
    }
}

#[tokio::test]
async fn who_takes_any_solution_and_gets_none_is_told_of_no_proof() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    let asked = |side, algorithm: Algorithm| SolveRequest {
        method: Some(proto::Method {
            algorithm: algorithm.into(),
            ..proto::Method::default()
        }),
        ..ask_for(Objective::Fast, &any_board(side, side, 1))
    };
    let few_nodes = SolveRequest {
        limits: Some(proto::Limits {
            max_nodes: Some(1000),
            ..proto::Limits::default()
        }),
        ..asked(8, Algorithm::Beam)
    };
    // There is not enough time for even the narrowest of its beams, so it starts none.
    let little_time = asked(100, Algorithm::StagedBeam);
    // Nothing else would have been sooner.
    let no_time = ask_for(Objective::Best, &any_board(128, 128, 1));
    for (request, timeout, code, name, fix) in [
        (
            few_nodes,
            "30S",
            Code::ResourceExhausted,
            "NODE_LIMIT",
            "raise limits.max_nodes or the server's cap, or leave `method` out",
        ),
        (
            little_time,
            "600m",
            Code::DeadlineExceeded,
            "DEADLINE_EXCEEDED",
            "raise the deadline, or leave `method` out",
        ),
        (
            no_time,
            "20m",
            Code::DeadlineExceeded,
            "DEADLINE_EXCEEDED",
            "raise the deadline",
        ),
    ] {
        let timeout = [("grpc-timeout", timeout)];
        let answer = raw.call("Solve", &timeout, frame(&request)).await;
        assert_reason(&answer.status, code, name);
        let text = answer.status.message();
        assert!(text.contains("before any solution was found"), "{text}");
        assert!(text.ends_with(fix), "{text}");
        assert!(!text.contains("proof"), "{text}");
        let is_over = answer.status.metadata().contains_key(PUSHBACK);
        assert_eq!(is_over, code == Code::ResourceExhausted);
    }
}

#[tokio::test]
async fn the_servers_own_caps_are_limits_too() {
    let service = Service::with(&["--max-nodes", "5000"]).await;
    let mut client = service.client().await;
    let request = SolveRequest {
        limits: Some(proto::Limits {
            max_nodes: Some(u64::MAX),
            ..proto::Limits::default()
        }),
        ..hopeless(1)
    };
    let status = client.solve(request).await.unwrap_err();
    assert_reason(&status, Code::ResourceExhausted, "NODE_LIMIT");
    let service = Service::with(&["--max-time", "50ms"]).await;
    let mut client = service.client().await;
    let status = in_time(client.solve(hopeless(1))).await.unwrap_err();
    assert_reason(&status, Code::ResourceExhausted, "TIME_LIMIT");
}

#[tokio::test]
async fn a_passed_deadline_is_deadline_exceeded() {
    let service = Service::start().await;
    // It has no timer of its own, which might fire first.
    let mut raw = RawClient::connect(service.address).await;
    for timeout in ["200m", "1n", "0S"] {
        let timeout = [("grpc-timeout", timeout)];
        let answer = raw.call("Solve", &timeout, frame(&hopeless(1))).await;
        assert_reason(&answer.status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    }
}

#[tokio::test]
async fn a_passed_deadline_is_counted_once_wherever_the_call_is() {
    let recorder = PrometheusBuilder::new().build_recorder();
    // All of the service except its searches is on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    for timeout in ["200m", "1n", "0S"] {
        let timeout = [("grpc-timeout", timeout)];
        raw.call("Solve", &timeout, frame(&hopeless(1))).await;
    }
    let told = recorder.handle().render();
    let stops = r#"loyd_limit_stops_total{limit="deadline"} 3"#;
    assert!(told.lines().any(|line| line == stops), "{told}");
}

#[tokio::test]
async fn of_several_deadlines_the_first_to_come_counts() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    for timeouts in [["1H", "200m"], ["200m", "1H"]] {
        let timeouts = timeouts.map(|timeout| ("grpc-timeout", timeout));
        let answer = raw.call("Solve", &timeouts, frame(&hopeless(1))).await;
        assert_reason(&answer.status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    }
    // Either may be the one that cannot be read.
    for timeouts in [["1H", "5"], ["5", "1H"]] {
        let timeouts = timeouts.map(|timeout| ("grpc-timeout", timeout));
        let answer = raw.call("Solve", &timeouts, frame(&ask(hardest()))).await;
        assert_eq!(crate::harness::violated(&answer.status), ["grpc-timeout"]);
    }
}

#[tokio::test]
async fn a_deadline_far_away_is_none() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    for timeout in ["99999999H", "99999999M", "99999999S"] {
        let timeout = [("grpc-timeout", timeout)];
        let answer = raw.call("Solve", &timeout, frame(&ask(hardest()))).await;
        assert_eq!(answer.status.code(), Code::Ok);
    }
}

#[tokio::test]
async fn a_deadline_that_cannot_be_read_is_not_ignored() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    for timeout in ["", "5", "S", "123456789S", "-1S", "1.5S", "1x", "5 S"] {
        let timeout = [("grpc-timeout", timeout)];
        let answer = raw.call("Solve", &timeout, frame(&ask(hardest()))).await;
        assert_eq!(crate::harness::violated(&answer.status), ["grpc-timeout"]);
    }
    // Whatever the call, and together with all else that is wrong.
    for (method, violations) in [
        ("Solve", &["grpc-timeout", "board"][..]),
        ("SolveStream", &["grpc-timeout", "solve"]),
        ("CheckSolvable", &["grpc-timeout", "board"]),
        ("Generate", &["grpc-timeout", "rows"]),
    ] {
        let answer = raw
            .call(method, &[("grpc-timeout", "5")], frame_bytes(&[]))
            .await;
        assert_eq!(
            crate::harness::violated(&answer.status),
            violations,
            "{method}"
        );
    }
}

#[tokio::test]
async fn a_full_pool_is_overloaded_and_says_when_to_come_again() {
    let service = Service::with(&["--queue", "1", "--workers", "1"]).await;
    let mut client = service.client().await;
    let stream = proto::SolveStreamRequest {
        solve: Some(hopeless(1)),
        ..proto::SolveStreamRequest::default()
    };
    let mut busy = client.solve_stream(stream).await.unwrap().into_inner();
    in_time(busy.message()).await.unwrap();
    let mut delays = BTreeSet::new();
    for _ in 0..5 {
        let status = client.solve(hopeless(2)).await.unwrap_err();
        assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
        delays.insert(retry_delay(&status).as_millis());
    }
    assert!(delays.iter().all(|delay| (1..10_000).contains(delay)));
    assert!(
        delays.len() > 2,
        "they would come back together: {delays:?}"
    );
    // Requests that need no worker are still answered, unless the thread that serves them is stopped meanwhile.
    let begun = Instant::now();
    while let Err(status) = client.solve(ask(hardest())).await {
        assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
        assert!(begun.elapsed() < PATIENCE);
    }
    let check = proto::CheckSolvableRequest {
        board: Some(hardest()),
        goal: None,
    };
    assert!(client.check_solvable(check).await.is_ok());
}

#[tokio::test]
async fn bytes_that_are_no_message_are_the_clients_fault() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    let truncated = {
        let whole = frame(&ask(hardest()));
        frame_bytes(&whole[5..whole.len() - 2])
    };
    let mut dice = Dice::new(1);
    for method in ["Solve", "SolveStream", "CheckSolvable", "Generate"] {
        let answer = raw.call(method, &[], frame_bytes(&[0x0a, 0xff])).await;
        assert_reason(&answer.status, Code::InvalidArgument, "MALFORMED_MESSAGE");
        for _ in 0..50 {
            let length = dice.below(100);
            let noise: Vec<u8> = (0..length).map(|_| dice.below(256) as u8).collect();
            let answer = raw.call(method, &[], frame_bytes(&noise)).await;
            // By chance it may be a message, and then an invalid or an empty one.
            if answer.status.code() != Code::Ok {
                assert_eq!(answer.status.code(), Code::InvalidArgument);
                reason(&answer.status);
            }
        }
    }
    let answer = raw.call("Solve", &[], truncated).await;
    assert_reason(&answer.status, Code::InvalidArgument, "MALFORMED_MESSAGE");
    let mut flagged = frame(&ask(hardest())).to_vec();
    flagged[0] = 2;
    let answer = raw.call("Solve", &[], flagged.into()).await;
    assert_reason(&answer.status, Code::InvalidArgument, "MALFORMED_MESSAGE");
    assert_eq!(
        answer.status.message(),
        "protocol error: received message with invalid compression flag: 2 (valid flags are 0 and 1)"
    );
    // Nor is it a defect of the other services.
    let path = "/grpc.health.v1.Health/Check";
    let answer = raw.call_path(path, &[], frame_bytes(&[0x0a, 0xff])).await;
    assert_reason(&answer.status, Code::InvalidArgument, "MALFORMED_MESSAGE");
    // Compressed, and not by gzip.
    let mut damaged = frame_bytes(&[1; 20]).to_vec();
    damaged[0] = 1;
    let gzip = [("grpc-encoding", "gzip")];
    let answer = raw.call("Solve", &gzip, damaged.into()).await;
    assert_reason(&answer.status, Code::InvalidArgument, "MALFORMED_MESSAGE");
    assert!(!answer.status.message().contains("sending"));
    // The connection still works.
    let answer = raw.call("Solve", &[], frame(&ask(hardest()))).await;
    assert_eq!(answer.status.code(), Code::Ok);
}

#[tokio::test]
async fn a_request_without_its_message_is_the_clients_fault() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    let answer = raw.call("Solve", &[], frame_bytes(&[]).slice(..0)).await;
    assert_reason(&answer.status, Code::InvalidArgument, "MALFORMED_MESSAGE");
    let answer = raw
        .call("Solve", &[], frame_bytes(&[1; 50]).slice(..20))
        .await;
    assert_reason(&answer.status, Code::InvalidArgument, "MALFORMED_MESSAGE");
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    let tiles = vec![0; 5 << 20];
    let large = frame(&ask(crate::harness::square(&tiles)));
    let answer = raw.call("Solve", &[], large).await;
    assert_for_ever(&answer.status, "REQUEST_TOO_LARGE");
    // Also when it is small before decompression.
    let mut client = service
        .client()
        .await
        .send_compressed(CompressionEncoding::Gzip);
    let status = client
        .solve(ask(crate::harness::square(&tiles)))
        .await
        .unwrap_err();
    assert_for_ever(&status, "REQUEST_TOO_LARGE");
}

#[tokio::test]
async fn a_request_may_be_just_as_large_as_is_said() {
    let board = wire(&any_board(9, 9, 1));
    let check = proto::CheckSolvableRequest {
        board: Some(board),
        goal: None,
    };
    let bytes = check.encoded_len();
    for (most, is_refused) in [(bytes + 1, false), (bytes, false), (bytes - 1, true)] {
        let service = Service::with(&["--max-request-bytes", &most.to_string()]).await;
        let answer = service.client().await.check_solvable(check.clone()).await;
        match answer {
            Ok(_) => assert!(!is_refused, "{most} of {bytes}"),
            Err(status) => {
                assert!(is_refused, "{most} of {bytes}: {status}");
                assert_for_ever(&status, "REQUEST_TOO_LARGE");
                let text = status.message();
                assert!(
                    text.contains("raise the server's --max-request-bytes"),
                    "{text}"
                );
            }
        }
    }
}

#[tokio::test]
async fn what_does_not_exist_is_unimplemented() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    let answer = raw.call("Hint", &[], frame(&ask(hardest()))).await;
    assert_reason(&answer.status, Code::Unimplemented, "UNIMPLEMENTED");
    let deflate = [("grpc-encoding", "deflate")];
    let answer = raw.call("Solve", &deflate, frame(&ask(hardest()))).await;
    assert_reason(&answer.status, Code::Unimplemented, "UNIMPLEMENTED");
    // A client that compresses is told what is supported, as gRPC requires.
    let understood = answer.headers["grpc-accept-encoding"].to_str().unwrap();
    let understood: Vec<&str> = understood.split(',').map(str::trim).collect();
    assert!(understood.contains(&"gzip") && !understood.contains(&"deflate"));
}

#[tokio::test]
async fn what_does_not_exist_is_answered_alike_wherever_it_is_looked_for() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    for path in [
        "/loyd.v1.PuzzleService/Hint",
        "/grpc.health.v1.Health/Hint",
        "/grpc.reflection.v1.ServerReflection/Hint",
        "/foo.Bar/Baz",
        "/",
    ] {
        let answer = raw.call_path(path, &[], frame_bytes(&[])).await;
        assert_reason(&answer.status, Code::Unimplemented, "UNIMPLEMENTED");
        assert_eq!(
            answer.status.message(),
            "there is no such call: use reflection to list the services and their methods",
            "{path}"
        );
    }
    // What the other services do not support has its own text.
    let deflate = [("grpc-encoding", "deflate")];
    let path = "/grpc.health.v1.Health/Check";
    let answer = raw.call_path(path, &deflate, frame_bytes(&[])).await;
    assert_reason(&answer.status, Code::Unimplemented, "UNIMPLEMENTED");
    assert!(answer.status.message().contains("deflate"));
}

#[tokio::test]
async fn what_is_no_grpc_is_refused_so_that_everybody_sees_it() {
    let service = Service::start().await;
    let mut raw = RawClient::connect(service.address).await;
    let check = proto::CheckSolvableRequest {
        board: Some(hardest()),
        goal: None,
    };
    let body = Full::new(frame(&check));
    let uri = "http://loyd/loyd.v1.PuzzleService/CheckSolvable";
    for (method, content, http) in [
        ("GET", Some("application/grpc"), 405),
        ("PUT", Some("application/grpc"), 405),
        ("POST", None, 415),
        ("POST", Some("application/json"), 415),
        ("POST", Some("application/grp"), 415),
        ("POST", Some("application/grpc-web"), 415),
        ("POST", Some("application/grpc-web+proto"), 415),
        ("POST", Some("application/grpcs"), 415),
        ("POST", Some("application/grpc"), 200),
        ("POST", Some("application/grpc+proto"), 200),
        ("POST", Some("application/grpc;charset=utf-8"), 200),
        ("POST", Some("Application/GRPC"), 200),
    ] {
        let mut request = Request::builder().method(method).uri(uri);
        if let Some(content) = content {
            request = request.header("content-type", content);
        }
        let response = raw.send(request.body(body.clone()).unwrap()).await;
        assert_eq!(response.status(), http, "{method} {content:?}");
        let answer = RawAnswer::of(response).await;
        if http == 200 {
            assert_eq!(answer.status.code(), Code::Ok);
        } else {
            assert_reason(&answer.status, Code::Unimplemented, "UNIMPLEMENTED");
            assert_eq!(answer.headers["allow"], "POST");
        }
    }
}

#[tokio::test]
async fn a_stream_that_nobody_reads_is_ended_after_a_while() {
    let solve = ask_for(Objective::Fast, &any_board(128, 128, 1));
    let request = proto::SolveStreamRequest {
        solve: Some(SolveRequest {
            include: Some(proto::Include {
                tiles: true,
                boards: true,
            }),
            ..solve
        }),
        ..proto::SolveStreamRequest::default()
    };
    // It has the only place in the pool.
    let service = Service::with(&["--queue", "1"]).await;
    let mut raw = RawClient::connect(service.address).await;
    let unread = raw.open("SolveStream", &[], frame(&request)).await;
    let mut client = service.client().await;
    let status = client.solve(searched(1)).await.unwrap_err();
    assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
    drop(unread);
    // Its place becomes free even though the client is still there.
    let service = Service::with(&["--stall-timeout", "100ms", "--queue", "1"]).await;
    let mut raw = RawClient::connect(service.address).await;
    let unread = raw.open("SolveStream", &[], frame(&request)).await;
    let mut client = service.client().await;
    in_time(async {
        while let Err(status) = client.solve(searched(1)).await {
            assert_reason(&status, Code::ResourceExhausted, "OVERLOADED");
        }
    })
    .await;
    drop(unread);
}

#[tokio::test]
async fn a_request_that_does_not_arrive_is_late_and_no_defect() {
    let service = Service::with(&["--stall-timeout", "100ms"]).await;
    let mut client = Grpc::new(service.channel().await);
    client.ready().await.unwrap();
    let nothing_yet = tokio_stream::pending::<proto::CheckSolvableRequest>();
    let codec = ProstCodec::<_, proto::CheckSolvableResponse>::default();
    let path = PathAndQuery::from_static("/loyd.v1.PuzzleService/CheckSolvable");
    let call = client.client_streaming(tonic::Request::new(nothing_yet), path, codec);
    let status = in_time(call).await.unwrap_err();
    assert_reason(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");
    assert!(status.message().contains("--stall-timeout"), "{status}");
}
