//! Who waits where large answers are written, and for how long.

use metrics_exporter_prometheus::PrometheusBuilder;
use tonic::Code;

use crate::gated::{Gated, settle};

#[tokio::test]
async fn clients_wait_in_turn() {
    let mut gated = Gated::start();
    let many = ["greedy", "greedy", "greedy", "greedy", "modest"];
    for answer in gated.answers(many).await {
        drop(gated.take(answer).await);
    }
    assert_eq!(gated.begun().await, "greedy");
    assert_eq!(gated.begun().await, "greedy");
    gated.end_one();
    assert_eq!(gated.begun().await, "modest");
}

#[tokio::test]
async fn a_client_that_has_gone_is_forgotten() {
    let mut gated = Gated::start();
    drop(gated.answers(["first", "second"]).await);
    let line = format!("{:?}", gated.line);
    assert!(line.contains("second") && !line.contains("first"), "{line}");
}

#[tokio::test]
async fn a_huge_answer_waits_for_a_place_until_its_deadline_and_gets_no_other() {
    let mut gated = Gated::start();
    gated.fill().await;
    assert_eq!(gated.best_in_time(16).await, Code::DeadlineExceeded);
}

#[tokio::test]
async fn those_who_wait_are_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    // Those who wait are on this thread.
    let _counting = metrics::set_default_local_recorder(&recorder);
    let waits = |number| {
        let told = recorder.handle().render();
        let line = format!("loyd_large_answers_waiting {number}\n");
        assert!(told.contains(&line), "{told}");
    };
    let mut gated = Gated::start();
    let mut taken = Vec::new();
    for answer in gated.answers(["first", "second", "third"]).await {
        taken.push(gated.take(answer).await);
    }
    waits(1);
    taken.pop().unwrap().abort();
    settle().await;
    waits(0);
}
