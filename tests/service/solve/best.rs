//! `BEST`: what is found until a limit comes.

use std::time::Instant;

use loyd::service::proto::{self, Algorithm, Heuristic, Objective, StopReason};
use tonic::Code;

use super::method;
use crate::harness::{
    PATIENCE, Service, any_board, ask_for, check_solution, in_time, milliseconds, solved,
};
use crate::raw::{RawClient, frame};

fn seconds(duration: Option<prost_types::Duration>) -> f64 {
    let duration = duration.unwrap();
    duration.seconds as f64 + f64::from(duration.nanos) / 1e9
}

#[tokio::test]
async fn best_answers_before_its_deadline() {
    let service = Service::start().await;
    // No timer of the client interferes: only the header counts.
    let mut raw = RawClient::connect(service.address).await;
    for side in 5..=10 {
        let start = any_board(side, side, side as u64);
        let request = frame(&ask_for(Objective::Best, &start));
        let begun = Instant::now();
        let answer = loop {
            let timeout = [("grpc-timeout", "150m")];
            let answer = raw.call("Solve", &timeout, request.clone()).await;
            if answer.status.code() == Code::Ok {
                break answer;
            }
            // A stall of the machine may make it late.
            assert_eq!(answer.status.code(), Code::DeadlineExceeded);
            assert!(begun.elapsed() < PATIENCE, "every one is late");
        };
        let response: proto::SolveResponse = answer.message();
        assert_eq!(response.stop_reason(), StopReason::Deadline);
        check_solution(&start, &solved(&start), &response.solution.unwrap());
        let elapsed = seconds(response.statistics.unwrap().elapsed);
        // No more than the margin is reserved for the way back.
        assert!(elapsed >= 0.13, "{elapsed}");
    }
}

#[tokio::test]
async fn best_answers_when_a_limit_comes_and_says_which() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(6, 6, 1);
    let none = proto::Limits::default();
    for (limits, reason) in [
        (
            proto::Limits {
                max_nodes: Some(1),
                ..none
            },
            StopReason::NodeLimit,
        ),
        (
            proto::Limits {
                max_time: Some(milliseconds(1)),
                ..none
            },
            StopReason::TimeLimit,
        ),
        (
            proto::Limits {
                max_memory_bytes: Some(1 << 20),
                max_time: Some(milliseconds(50)),
                ..none
            },
            StopReason::TimeLimit,
        ),
    ] {
        let request = proto::SolveRequest {
            limits: Some(limits),
            ..ask_for(Objective::Best, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.stop_reason(), reason);
        check_solution(&start, &solved(&start), &response.solution.unwrap());
    }
}

#[tokio::test]
async fn best_by_a_method_of_ones_own_says_why_it_ended() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(6, 6, 1);
    let limits = proto::Limits {
        max_memory_bytes: Some(1 << 20),
        max_time: Some(milliseconds(30_000)),
        ..proto::Limits::default()
    };
    for (algorithm, reason) in [
        (Algorithm::Constructive, StopReason::Exhausted),
        (Algorithm::AStar, StopReason::MemoryLimit),
    ] {
        let request = proto::SolveRequest {
            method: Some(method(algorithm, Heuristic::Unspecified, 0.0)),
            limits: Some(limits),
            ..ask_for(Objective::Best, &start)
        };
        let response = client.solve(request).await.unwrap().into_inner();
        assert_eq!(response.stop_reason(), reason);
        let solution = response.solution.unwrap();
        assert!(!solution.optimal);
        check_solution(&start, &solved(&start), &solution);
        let held = response.statistics.unwrap().peak_memory_bytes;
        assert!((1..=1 << 20).contains(&held), "{algorithm:?} {held}");
    }
}

#[tokio::test]
async fn best_without_a_limit_takes_the_default_time() {
    let service = Service::with(&["--default-time", "50ms"]).await;
    let mut client = service.client().await;
    let request = ask_for(Objective::Best, &any_board(6, 6, 2));
    let response = in_time(client.solve(request)).await.unwrap().into_inner();
    assert_eq!(response.stop_reason(), StopReason::TimeLimit);
    let statistics = response.statistics.unwrap();
    let elapsed = seconds(statistics.elapsed);
    assert!(elapsed >= 0.05, "{elapsed}");
    // It waited for its first slice only, and not for all of the time.
    let queued = seconds(statistics.queued);
    assert!(0.0 < queued && queued < elapsed, "{queued} of {elapsed}");
}
