//! Large answers, and those that are too large.

use loyd::service::proto::{self, Objective};
use tokio::task::JoinSet;
use tonic::Code;

use crate::harness::{
    Service, any_board, ask_for, assert_for_ever, assert_reason, check_solution, in_time, solved,
};
use crate::raw::{RawClient, frame};

#[tokio::test]
async fn a_100_by_100_fits_in_one_response_but_not_with_its_tiles() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let start = any_board(100, 100, 1);
    let request = ask_for(Objective::Fast, &start);
    let response = client.solve(request.clone()).await.unwrap().into_inner();
    let solution = response.solution.unwrap();
    assert!(solution.length > 1_000_000);
    check_solution(&start, &solved(&start), &solution);

    let request = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: true,
            boards: false,
        }),
        ..request
    };
    let status = client.solve(request).await.unwrap_err();
    assert_for_ever(&status, "RESPONSE_TOO_LARGE");
    assert!(status.message().contains("SolveStream"), "{status}");
}

#[tokio::test]
async fn the_boards_on_the_way_of_a_large_board_are_refused() {
    let service = Service::start().await;
    let mut client = service.client().await;
    for (side, seed) in [(20, 2), (64, 3)] {
        let request = proto::SolveRequest {
            include: Some(proto::Include {
                tiles: false,
                boards: true,
            }),
            ..ask_for(Objective::Fast, &any_board(side, side, seed))
        };
        let status = client.solve(request).await.unwrap_err();
        assert_for_ever(&status, "RESPONSE_TOO_LARGE");
    }
}

#[tokio::test]
async fn large_answers_that_are_made_at_once_are_whole_or_late() {
    let service = Service::start().await;
    let asked = frame(&proto::SolveRequest {
        include: Some(proto::Include {
            tiles: false,
            boards: true,
        }),
        ..ask_for(Objective::Fast, &any_board(16, 16, 2))
    });
    let answers = (1..=12).map(|number| {
        let (address, asked) = (service.address, asked.clone());
        tokio::spawn(async move {
            let mut raw = RawClient::connect(address).await;
            // The last one has time enough.
            let timeout = format!("{}m", if number == 12 { 30_000 } else { 30 * number });
            raw.call("Solve", &[("grpc-timeout", &timeout)], asked)
                .await
        })
    });
    let answers = futures_util::future::join_all(answers).await;
    for answer in answers {
        let answer = answer.unwrap();
        match answer.status.code() {
            Code::Ok => assert!(answer.body.len() > 1 << 20),
            Code::DeadlineExceeded => assert!(answer.body.is_empty()),
            code => panic!("{code:?}"),
        }
    }
}

#[tokio::test]
async fn one_connection_with_many_large_answers_does_not_keep_others_from_theirs() {
    let service = Service::start().await;
    let asked = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: false,
            boards: true,
        }),
        ..ask_for(Objective::Fast, &any_board(14, 14, 2))
    };
    let many = service.client().await;
    let mut answers: JoinSet<_> = (0..40)
        .map(|_| {
            let (mut many, asked) = (many.clone(), asked.clone());
            async move { many.solve(asked).await.map(drop) }
        })
        .collect();
    let mut other = service.client().await;
    in_time(answers.join_next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    in_time(other.solve(asked)).await.unwrap();
    let mut before = 0;
    while let Some(answer) = answers.try_join_next() {
        answer.unwrap().unwrap();
        before += 1;
    }
    assert!(before < 20, "{before} of 39 were answered before it");
}

#[tokio::test]
async fn what_cannot_fit_is_not_searched_for() {
    let service = Service::start().await;
    let mut client = service.client().await;
    // No proof of this is found in time, so the refusal cannot be the end of a search.
    let optimal = ask_for(Objective::Optimal, &any_board(64, 64, 3));
    let request = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: false,
            boards: true,
        }),
        ..optimal.clone()
    };
    let status = client.solve(request).await.unwrap_err();
    assert_for_ever(&status, "RESPONSE_TOO_LARGE");
    assert_eq!(
        status.message(),
        "even the shortest solution, with everything requested, does not fit in a response of 4 MiB: \
         use SolveStream, which sends it in chunks"
    );
    // The moves and their tiles alone would fit.
    let request = proto::SolveRequest {
        include: Some(proto::Include {
            tiles: true,
            boards: false,
        }),
        limits: Some(proto::Limits {
            max_nodes: Some(1_000),
            ..proto::Limits::default()
        }),
        ..optimal
    };
    let status = client.solve(request).await.unwrap_err();
    assert_reason(&status, Code::ResourceExhausted, "NODE_LIMIT");
}

#[tokio::test]
async fn responses_just_below_the_limit_are_sent_and_those_above_refused() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut sent = 0;
    let mut refused = 0;
    // The boards along the way take about side⁵ bytes, so the limit is somewhere in between.
    for side in [12, 14, 16, 18, 20] {
        let start = any_board(side, side, 4);
        let request = proto::SolveRequest {
            include: Some(proto::Include {
                tiles: true,
                boards: true,
            }),
            ..ask_for(Objective::Fast, &start)
        };
        match client.solve(request).await {
            Ok(response) => {
                assert_eq!(refused, 0);
                sent += 1;
                let solution = response.into_inner().solution.unwrap();
                check_solution(&start, &solved(&start), &solution);
            }
            Err(status) => {
                refused += 1;
                assert_for_ever(&status, "RESPONSE_TOO_LARGE");
            }
        }
    }
    assert!(sent > 0 && refused > 0, "{sent} sent, {refused} refused");
}
