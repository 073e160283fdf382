//! Large answers, which are written on threads of their own.

use tonic::Code;

use crate::gated::{CLUMSY, Gated, settle};
use crate::harness::in_time;

#[tokio::test]
async fn a_best_solution_is_written_in_time_though_there_is_no_place() {
    let mut gated = Gated::start();
    gated.fill().await;
    // A stall of the machine may make it late.
    in_time(async { while gated.best_in_time(11).await != Code::Ok {} }).await;
}

#[tokio::test]
async fn an_answer_that_is_given_up_keeps_its_place_while_it_is_written() {
    let mut gated = Gated::start();
    let mut answers = gated
        .answers(["greedy", "greedy", "greedy", "modest"])
        .await
        .into_iter();
    for answer in answers.by_ref().take(2) {
        let taking = gated.take(answer).await;
        gated.begun().await;
        taking.abort();
        settle().await;
    }
    for answer in answers {
        drop(gated.take(answer).await);
    }
    gated.end_one();
    assert_eq!(gated.begun().await, "modest");
}

#[tokio::test]
async fn an_answer_that_is_given_up_before_it_has_a_place_is_not_written() {
    let mut gated = Gated::start();
    let clients = ["first", "first", "impatient", "patient"];
    for (client, answer) in clients.into_iter().zip(gated.answers(clients).await) {
        let taking = gated.take(answer).await;
        match client {
            "first" => assert_eq!(gated.begun().await, client),
            "impatient" => taking.abort(),
            _ => {}
        }
        settle().await;
    }
    gated.end_one();
    assert_eq!(gated.begun().await, "patient");
}

#[tokio::test]
async fn answers_that_panic_while_they_are_written_leave_the_places_to_others() {
    let mut gated = Gated::start();
    // More than there are places.
    for answer in gated.answers([CLUMSY, CLUMSY, CLUMSY]).await {
        let taking = gated.take(answer).await;
        assert_eq!(gated.begun().await, CLUMSY);
        in_time(taking).await.unwrap_err();
    }
    for answer in gated.answers(["modest"]).await {
        drop(gated.take(answer).await);
    }
    assert_eq!(gated.begun().await, "modest");
}
