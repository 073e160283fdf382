//! Named clients, and what one of them cannot do to another.

use loyd::service::proto;
use tonic::Request;

use crate::harness::{
    Service, ask_for_proofs, hopeless, in_time, keep_their_places, refused_but, searched,
};

fn from(client: &'static str, request: proto::SolveRequest) -> Request<proto::SolveRequest> {
    let mut request = Request::new(request);
    let name = client.parse().unwrap();
    request.metadata_mut().insert("x-loyd-client", name);
    request
}

#[tokio::test]
async fn a_tenant_with_hopeless_proofs_neither_fills_the_queue_nor_slows_another() {
    let flags = ["--client-header", "x-loyd-client", "--queue", "32"];
    let service = Service::with(&flags).await;
    let mut proofs = ask_for_proofs(&service, 200, |number| from("greedy", hopeless(number))).await;
    // Refused calls retry; half of the places are taken, and stay so.
    refused_but(16, &mut proofs).await;

    let mut modest = service.client().await;
    for seed in 0..20 {
        let answer = in_time(modest.solve(from("modest", searched(seed))))
            .await
            .unwrap();
        assert!(answer.into_inner().solution.unwrap().optimal);
    }
    keep_their_places(&mut proofs).await;
}

#[tokio::test]
async fn a_named_clients_weight_is_its_share_of_the_places() {
    let flags = ["--client-header", "x-loyd-client", "--queue", "32"];
    let weights = ["--client-weights", "weighty=3,other=9"];
    let service = Service::with(&[&flags[..], &weights].concat()).await;
    let mut proofs = ask_for_proofs(&service, 40, |number| from("weighty", hopeless(number))).await;
    // It may hold three times as many of the 32 as it leaves free.
    refused_but(24, &mut proofs).await;
    keep_their_places(&mut proofs).await;
}
