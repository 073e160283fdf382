//! What there is beside the calls: health, reflection, request ids, compression, connections.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use crate::harness::{
    Service, any_board, ask, ask_for, assert_for_ever, assert_reason, check_solution, hardest,
    in_time, solved,
};
use crate::raw::{RawClient, frame};

#[tokio::test]
async fn health_is_told_of_the_process_and_of_the_service() {
    let service = Service::start().await;
    let mut health = HealthClient::new(service.channel().await);
    for name in ["", "loyd.v1.PuzzleService"] {
        let request = HealthCheckRequest {
            service: name.into(),
        };
        let response = health.check(request).await.unwrap().into_inner();
        assert_eq!(response.status(), ServingStatus::Serving);
    }
    let request = HealthCheckRequest {
        service: "no.Such".into(),
    };
    let status = health.check(request).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    // No service has such a name, so it is not even read.
    let request = HealthCheckRequest {
        service: "x".repeat(5_000),
    };
    let checked = health.check(request.clone()).await.unwrap_err();
    let watched = health.watch(request).await.unwrap_err();
    for status in [checked, watched] {
        assert_for_ever(&status, "REQUEST_TOO_LARGE");
        let text = status.message();
        assert!(text.ends_with("4096 bytes; send less"), "{text}");
    }
}

#[tokio::test]
async fn who_watches_what_is_not_known_is_told_so_and_stays() {
    let service = Service::start().await;
    let mut health = HealthClient::new(service.channel().await);
    let request = HealthCheckRequest {
        service: "no.Such".into(),
    };
    let mut watch = health.watch(request).await.unwrap().into_inner();
    let told = in_time(watch.message()).await.unwrap().unwrap();
    assert_eq!(told.status(), ServingStatus::ServiceUnknown);
    let more = tokio::time::timeout(Duration::from_millis(200), watch.message()).await;
    assert!(more.is_err(), "{more:?}");
    // The watch lasts until the service ends, and does not hold that up.
    let ended = service.shut_down();
    assert_eq!(in_time(watch.message()).await.unwrap(), None);
    drop(health);
    in_time(ended).await.unwrap();
}

#[tokio::test]
async fn health_says_when_all_tables_are_there() {
    let service = Service::with(&["--table-memory", "4M"]).await;
    let mut health = HealthClient::new(service.channel().await);
    let request = HealthCheckRequest {
        service: "loyd.tables".into(),
    };
    let mut watch = health.watch(request).await.unwrap().into_inner();
    in_time(async {
        while watch.message().await.unwrap().unwrap().status() != ServingStatus::Serving {}
    })
    .await;
}

#[tokio::test]
async fn streams_beside_the_calls_end_by_their_deadline() {
    let service = Service::start().await;
    let deadline = Duration::from_millis(300);
    let assert_late = |status| assert_reason(&status, Code::DeadlineExceeded, "DEADLINE_EXCEEDED");

    let mut health = HealthClient::new(service.channel().await);
    for name in ["", "no.Such"] {
        let mut request = Request::new(HealthCheckRequest {
            service: name.into(),
        });
        request.set_timeout(deadline);
        let mut watch = health.watch(request).await.unwrap().into_inner();
        in_time(watch.message()).await.unwrap().unwrap();
        assert_late(in_time(watch.message()).await.unwrap_err());
    }

    // Although more could be asked.
    let mut reflection = ServerReflectionClient::new(service.channel().await);
    let mut request = Request::new(tokio_stream::pending());
    request.set_timeout(deadline);
    let stream = reflection.server_reflection_info(request).await;
    let mut stream = stream.unwrap().into_inner();
    assert_late(in_time(stream.message()).await.unwrap_err());
}

async fn reflect(service: &Service, ask: MessageRequest) -> MessageResponse {
    let mut client = ServerReflectionClient::new(service.channel().await);
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(ask),
    };
    let stream = client.server_reflection_info(tokio_stream::iter([request]));
    let mut responses = stream.await.unwrap().into_inner();
    let response: ServerReflectionResponse = in_time(responses.message()).await.unwrap().unwrap();
    response.message_response.unwrap()
}

#[tokio::test]
async fn reflection_lists_the_services_and_knows_the_contract() {
    let service = Service::start().await;
    let listed = reflect(&service, MessageRequest::ListServices(String::new())).await;
    let MessageResponse::ListServicesResponse(listed) = listed else {
        panic!("{listed:?}");
    };
    let mut names: Vec<String> = listed.service.into_iter().map(|one| one.name).collect();
    names.sort();
    assert!(
        names.contains(&"loyd.v1.PuzzleService".to_owned()),
        "{names:?}"
    );
    assert!(
        names.contains(&"grpc.health.v1.Health".to_owned()),
        "{names:?}"
    );
    for symbol in [
        "loyd.v1.PuzzleService",
        "loyd.v1.SolveRequest",
        // Of the details of errors.
        "google.rpc.ErrorInfo",
        "google.rpc.BadRequest",
        "google.rpc.RetryInfo",
    ] {
        let found = reflect(
            &service,
            MessageRequest::FileContainingSymbol(symbol.to_owned()),
        )
        .await;
        let MessageResponse::FileDescriptorResponse(files) = found else {
            panic!("{found:?}");
        };
        assert!(!files.file_descriptor_proto.is_empty());
    }
}

#[tokio::test]
async fn a_request_id_is_given_back_or_made() {
    let service = Service::start().await;
    let mut client = service.client().await;
    let mut request = Request::new(ask(hardest()));
    let id = request.metadata_mut();
    id.insert("x-request-id", "from-afar.7".parse().unwrap());
    let response = client.solve(request).await.unwrap();
    assert_eq!(
        response.metadata().get("x-request-id").unwrap(),
        "from-afar.7"
    );

    let mut made = Vec::new();
    for _ in 0..2 {
        let response = client.solve(ask(hardest())).await.unwrap();
        let id = response.metadata().get("x-request-id").unwrap();
        made.push(id.to_str().unwrap().to_owned());
    }
    assert_ne!(made[0], made[1]);
    assert!(made.iter().all(|id| id.len() == 16));

    // Errors have an id too, and an invalid one is replaced.
    let mut raw = RawClient::connect(service.address).await;
    let long = "x".repeat(129);
    let given = [
        ("an-error", true),
        (&long[1..], true),
        (&long, false),
        ("", false),
        ("ä", false),
        ("a\ttab", false),
        ("two words", true),
    ];
    for (given, kept) in given {
        let headers = [("x-request-id", given)];
        let empty = loyd::service::proto::SolveRequest::default();
        let answer = raw.call("Solve", &headers, frame(&empty)).await;
        assert_eq!(answer.status.code(), Code::InvalidArgument);
        let id = answer.headers.get("x-request-id").unwrap();
        assert_eq!(id == given, kept, "{id:?}");
        assert!(kept || id.len() == 16);
    }
}

#[tokio::test]
async fn a_compressed_request_is_read() {
    let service = Service::start().await;
    let mut client = service
        .client()
        .await
        .send_compressed(CompressionEncoding::Gzip);
    let start = any_board(20, 20, 1);
    let request = ask_for(loyd::service::proto::Objective::Fast, &start);
    let response = client.solve(request).await.unwrap().into_inner();
    check_solution(&start, &solved(&start), &response.solution.unwrap());
}

#[tokio::test]
async fn a_connection_that_does_not_speak_is_closed() {
    let service = Service::with(&["--handshake-timeout", "50ms"]).await;
    let mut silent = TcpStream::connect(service.address).await.unwrap();
    let mut stammering = TcpStream::connect(service.address).await.unwrap();
    stammering.write_all(b"PRI * HTTP/2.0\r\n").await.unwrap();
    for stream in [&mut silent, &mut stammering] {
        let mut nothing = Vec::new();
        // Closed, with or without a reset.
        let _ = in_time(stream.read_to_end(&mut nothing)).await;
        assert!(nothing.is_empty());
    }
    // On a busy machine others may be too late as well.
    in_time(async { while service.client().await.solve(ask(hardest())).await.is_err() {} }).await;
}

#[tokio::test]
async fn connections_above_the_limit_are_closed_as_they_come() {
    let service = Service::with(&["--max-connections", "1"]).await;
    let mut client = service.client().await;
    assert!(client.solve(ask(hardest())).await.is_ok());
    let mut second = TcpStream::connect(service.address).await.unwrap();
    let mut nothing = Vec::new();
    let _ = in_time(second.read_to_end(&mut nothing)).await;
    assert!(nothing.is_empty());
    assert!(client.solve(ask(hardest())).await.is_ok());
}

#[tokio::test]
async fn other_protocols_on_the_port_do_no_harm() {
    let service = Service::start().await;
    let mut browser = TcpStream::connect(service.address).await.unwrap();
    let request = b"GET /metrics HTTP/1.1\r\nHost: loyd\r\nAccept: text/plain\r\n\r\n";
    browser.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    let _ = in_time(browser.read_to_end(&mut answer)).await;
    let mut client = service.client().await;
    assert!(client.solve(ask(hardest())).await.is_ok());
}

#[tokio::test]
async fn an_address_that_is_taken_is_named() {
    let service = Service::start().await;
    let address = service.address.to_string();
    let error = crate::harness::try_start(&["--listen", &address])
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(&address) && error.contains("--listen"),
        "{error}"
    );
}
