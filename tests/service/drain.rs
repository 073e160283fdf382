//! The end of a service: calls in flight finish or are told, and nobody can hold it up.

use std::time::{Duration, Instant};

use http::uri::PathAndQuery;
use http_body_util::BodyExt;
use loyd::service::proto::puzzle_service_client::PuzzleServiceClient;
use loyd::service::proto::{self, Objective, SolveRequest, SolveResponse, StopReason};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tonic::client::Grpc;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_prost::ProstCodec;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;

use crate::harness::{
    PATIENCE, Service, any_board, ask, ask_for, assert_reason, hardest, hopeless, in_time,
    milliseconds, retry_delay,
};
use crate::log::Log;
use crate::raw::{RawClient, frame, read_to_end};

/// What a drain may take beyond its grace period on a busy machine.
const SLACK: Duration = Duration::from_secs(5);

fn stream(solve: SolveRequest) -> proto::SolveStreamRequest {
    proto::SolveStreamRequest {
        solve: Some(solve),
        ..proto::SolveStreamRequest::default()
    }
}

#[tokio::test]
async fn an_idle_service_ends_at_once() {
    let service = Service::start().await;
    let _connected = service.client().await;
    let begin = Instant::now();
    in_time(service.shut_down()).await.unwrap();
    assert!(
        begin.elapsed() < Duration::from_secs(9),
        "the grace is 10 s"
    );
}

#[tokio::test]
async fn calls_in_flight_finish_within_the_grace() {
    // Their connection is looked at meanwhile, each 250 ms.
    let service = Service::with(&["--stall-timeout", "1s"]).await;
    let mut client = service.client().await;
    let best = SolveRequest {
        limits: Some(proto::Limits {
            max_time: Some(milliseconds(400)),
            ..proto::Limits::default()
        }),
        ..ask_for(Objective::Best, &any_board(6, 6, 1))
    };
    let mut events = client
        .solve_stream(stream(best))
        .await
        .unwrap()
        .into_inner();
    in_time(events.message()).await.unwrap().unwrap();
    let ended = service.shut_down();
    let mut last = None;
    while let Some(event) = in_time(events.message()).await.unwrap() {
        last = event.event;
    }
    let Some(proto::solve_stream_response::Event::Summary(summary)) = last else {
        panic!("{last:?}");
    };
    assert_eq!(summary.stop_reason(), StopReason::TimeLimit);
    in_time(ended).await.unwrap();
}

#[tokio::test]
async fn calls_that_would_never_end_are_told_that_the_server_is_unavailable() {
    let grace = Duration::from_millis(600);
    let service = Service::with(&["--drain-grace", "600ms"]).await;
    let mut client = service.client().await;
    let events = client.solve_stream(stream(hopeless(1))).await;
    let mut events = events.unwrap().into_inner();
    in_time(events.message()).await.unwrap().unwrap();
    // When the stream has begun, an equal question is known to be in flight.
    let unary = tokio::spawn({
        let mut client = client.clone();
        async move { client.solve(hopeless(1)).await }
    });
    tokio::task::yield_now().await;
    let begin = Instant::now();
    let ended = service.shut_down();
    let status = loop {
        match in_time(events.message()).await {
            Ok(event) => assert!(event.is_some(), "a stream must not end without a word"),
            Err(status) => break status,
        }
    };
    assert_reason(&status, Code::Unavailable, "DRAINING");
    assert!(!retry_delay(&status).is_zero());
    // Answered by the engine, or by the transport if it had not arrived yet.
    let status = in_time(unary).await.unwrap().unwrap_err();
    assert_eq!(status.code(), Code::Unavailable);
    in_time(ended).await.unwrap();
    assert!(begin.elapsed() < grace + SLACK);
}

#[tokio::test]
async fn who_reads_a_solution_slowly_is_told_so_too() {
    let service = Service::with(&["--drain-grace", "2s"]).await;
    let request = proto::SolveStreamRequest {
        final_only: true,
        moves_per_message: 1000,
        ..stream(ask_for(Objective::Fast, &any_board(128, 128, 1)))
    };
    let events = service.client().await.solve_stream(request).await;
    let mut events = events.unwrap().into_inner();
    // When moves arrive the search is over.
    loop {
        let event = in_time(events.message()).await.unwrap().unwrap();
        if let Some(proto::solve_stream_response::Event::Moves(_)) = event.event {
            break;
        }
    }
    let ended = service.shut_down();
    let status = loop {
        tokio::time::sleep(Duration::from_millis(10)).await;
        match in_time(events.message()).await {
            Ok(event) => assert!(event.is_some(), "a stream must not end without a word"),
            Err(status) => break status,
        }
    };
    assert_reason(&status, Code::Unavailable, "DRAINING");
    in_time(ended).await.unwrap();
}

#[tokio::test]
async fn who_has_not_sent_its_request_is_told_so_too() {
    let service = Service::with(&["--drain-grace", "2s"]).await;
    let channel = service.channel().await;
    let mut client = Grpc::new(channel.clone());
    client.ready().await.unwrap();
    let nothing = Request::new(tokio_stream::pending::<SolveRequest>());
    let path = PathAndQuery::from_static("/loyd.v1.PuzzleService/Solve");
    let codec = ProstCodec::<_, SolveResponse>::default();
    let unfinished = client.client_streaming(nothing, path, codec);
    tokio::pin!(unfinished);
    let mut next = PuzzleServiceClient::new(channel);
    tokio::select! {
        biased;
        answer = &mut unfinished => panic!("{answer:?}"),
        // The one before it on the connection has arrived, too.
        answer = next.solve(ask(hardest())) => assert!(answer.is_ok()),
    }
    let ended = service.shut_down();
    let status = in_time(unfinished).await.unwrap_err();
    assert_reason(&status, Code::Unavailable, "DRAINING");
    assert!(!retry_delay(&status).is_zero());
    in_time(ended).await.unwrap();
}

#[tokio::test]
async fn reflection_ends_although_more_could_be_asked() {
    let service = Service::with(&["--drain-grace", "2s"]).await;
    let mut reflection = ServerReflectionClient::new(service.channel().await);
    let asked = reflection.server_reflection_info(tokio_stream::pending());
    let mut answers = asked.await.unwrap().into_inner();
    let ended = service.shut_down();
    assert!(in_time(answers.message()).await.unwrap().is_none());
    in_time(ended).await.unwrap();
}

#[tokio::test]
async fn answers_that_wait_to_be_written_are_told_so_too() {
    let begun = Instant::now();
    // On a busy machine all may be cut, as if they were being sent.
    while told_that_it_drains().await == 0 {
        assert!(begun.elapsed() < PATIENCE, "nobody is told");
    }
}

/// Has a service drain while answers wait to be written, and returns how many of them are told so.
async fn told_that_it_drains() -> usize {
    let log = Log::default();
    // All of the service except its searches is on this thread.
    let _listening = log.listen();
    let service = Service::with(&["--drain-grace", "1s"]).await;
    let client = service.client().await;
    let solve = SolveRequest {
        include: Some(proto::Include {
            tiles: false,
            boards: true,
        }),
        ..ask_for(Objective::Fast, &any_board(15, 15, 3))
    };
    let mut calls: JoinSet<_> = (0..64)
        .map(|_| {
            let (mut client, solve) = (client.clone(), solve.clone());
            async move { client.solve(solve).await }
        })
        .collect();
    // By then all have arrived, and written takes each some tens of milliseconds.
    let first = in_time(calls.join_next()).await.unwrap().unwrap();
    assert!(first.is_ok(), "{first:?}");
    let ended = service.shut_down();
    let mut told = 0;
    while let Some(answer) = in_time(calls.join_next()).await {
        // Some are cut that were being sent.
        if let Err(status) = answer.unwrap()
            && !status.details().is_empty()
        {
            assert_reason(&status, Code::Unavailable, "DRAINING");
            assert!(!retry_delay(&status).is_zero());
            told += 1;
        }
    }
    in_time(ended).await.unwrap();
    let lines = log.take();
    let lines = lines.lines().filter(|line| line.contains("UNAVAILABLE"));
    let (drained, others): (Vec<_>, Vec<_>) =
        lines.partition(|line| line.contains(r#""outcome":"draining""#));
    assert_eq!(others, [""; 0]);
    assert!(drained.len() >= told, "{drained:?}");
    told
}

#[tokio::test]
async fn clients_that_do_nothing_do_not_hold_it_up() {
    let service = Service::with(&["--drain-grace", "500ms"]).await;
    let address = service.address;
    let mut half_open = TcpStream::connect(address).await.unwrap();
    let mut raw = RawClient::connect(address).await;
    let solve = SolveRequest {
        include: Some(proto::Include {
            tiles: true,
            boards: true,
        }),
        ..ask_for(Objective::Fast, &any_board(128, 128, 1))
    };
    let unread = raw.open("SolveStream", &[], frame(&stream(solve))).await;
    let begin = Instant::now();
    in_time(service.shut_down()).await.unwrap();
    assert!(begin.elapsed() < Duration::from_millis(500) + SLACK);
    // They are closed, whatever they have not taken.
    read_to_end(&mut half_open).await;
    assert!(in_time(unread.into_body().collect()).await.is_err());
    // Nobody answers there any more.
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn the_balancer_is_told_first_and_calls_are_served_meanwhile() {
    let service = Service::with(&["--drain-delay", "3s", "--drain-grace", "1s"]).await;
    let channel = service.channel().await;
    let mut health = HealthClient::new(channel);
    let mut client = service.client().await;
    let mut watched = Vec::new();
    for name in ["", "loyd.v1.PuzzleService"] {
        let request = HealthCheckRequest {
            service: name.into(),
        };
        let mut watch = health.watch(request).await.unwrap().into_inner();
        let first = in_time(watch.message()).await.unwrap().unwrap();
        assert_eq!(first.status(), ServingStatus::Serving);
        watched.push(watch);
    }
    let ended = service.shut_down();
    let next = in_time(watched[1].message()).await.unwrap().unwrap();
    assert_eq!(next.status(), ServingStatus::NotServing);
    let request = HealthCheckRequest::default();
    let alive = health.check(request).await.unwrap().into_inner();
    assert_eq!(alive.status(), ServingStatus::Serving);
    assert!(client.solve(ask(hardest())).await.is_ok());
    // Remaining watchers do not hold it up.
    in_time(ended).await.unwrap();
    for mut watch in watched {
        assert!(in_time(watch.message()).await.unwrap().is_none());
    }
}
