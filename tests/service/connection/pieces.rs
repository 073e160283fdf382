//! Requests in many small pieces, and what still comes of requests that are answered. Callers share
//! connections through a balancer, so none of this may end one.

use std::time::Duration;

use loyd::bench::CpuTime;
use loyd::service::proto;
use prost::Message;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;
use tonic::codegen::Bytes;

use super::{call_headers, split_frames, told_to_go};
use crate::harness::{Service, any_board, ask_for, in_time};
use crate::raw::{
    DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, frame_bytes, greet, http2_frame, read_to_end,
};

const CHECK: &str = "/loyd.v1.PuzzleService/CheckSolvable";
const REFLECT: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// It is refused before its request is read.
const UNKNOWN: &str = "/loyd.v1.PuzzleService/Nothing";

const SOLVE: &str = "/loyd.v1.PuzzleService/Solve";

/// An empty message.
const MESSAGE: [u8; 5] = [0; 5];

/// A connection, and what has come on it.
struct Connection(TcpStream, Vec<u8>);

impl Connection {
    async fn to(service: &Service) -> Self {
        Self(greet(service.address).await, Vec::new())
    }

    async fn send(&mut self, frames: impl IntoIterator<Item = Vec<u8>>) {
        let bytes: Vec<_> = frames.into_iter().flatten().collect();
        in_time(self.0.write_all(&bytes)).await.unwrap();
    }

    /// Waits until this call is answered.
    async fn answer(&mut self, call: u32) {
        let Self(stream, bytes) = self;
        let is_answer = |&(kind, stream, _): &(u8, u32, &[u8])| (kind, stream) == (HEADERS, call);
        while !split_frames(bytes).iter().any(is_answer) {
            let read = in_time(stream.read_buf(bytes)).await;
            assert!(!told_to_go(bytes), "call {call}");
            assert_ne!(read.unwrap(), 0, "call {call}");
        }
    }

    /// Checks that calls are still answered.
    async fn assert_serves(&mut self, call: u32) {
        self.send([begin(CHECK, call), last(call, &MESSAGE)]).await;
        self.answer(call).await;
    }
}

fn begin(path: &str, call: u32) -> Vec<u8> {
    http2_frame(HEADERS, END_HEADERS, call, &call_headers(path))
}

fn piece(call: u32, bytes: &[u8]) -> Vec<u8> {
    http2_frame(DATA, 0, call, bytes)
}

fn last(call: u32, bytes: &[u8]) -> Vec<u8> {
    http2_frame(DATA, END_STREAM, call, bytes)
}

/// The numbers of so many calls.
fn calls(count: u32) -> impl Iterator<Item = u32> + Clone {
    (0..count).map(|number| 1 + 2 * number)
}

#[tokio::test]
async fn requests_may_come_in_many_small_pieces() {
    let service = Service::start().await;
    for path in [CHECK, UNKNOWN] {
        let mut peer = Connection::to(&service).await;
        let long = [&[0, 0, 0, 16, 0][..], &[0; 600]].concat();
        let begun = calls(10).map(|call| begin(path, call));
        let pieces = calls(10).flat_map(|call| long.iter().map(move |&byte| piece(call, &[byte])));
        peer.send(begun.chain(pieces)).await;
        peer.assert_serves(101).await;
    }
}

#[tokio::test]
async fn all_calls_of_a_connection_may_come_in_two_pieces() {
    let service = Service::with(&["--max-streams", "1200"]).await;
    let mut peer = Connection::to(&service).await;
    peer.send(calls(1_200).map(|call| begin(CHECK, call))).await;
    peer.send(calls(1_200).map(|call| piece(call, &MESSAGE)))
        .await;
    peer.send(calls(1_200).map(|call| last(call, &[]))).await;
    for call in calls(1_200) {
        peer.answer(call).await;
    }
}

/// A question that is answered where it arrives. It takes a while, and it is not small.
fn question() -> Bytes {
    let mut question = ask_for(proto::Objective::Fast, &any_board(4, 4, 1)).encode_to_vec();
    // A field that nobody knows.
    question.extend([0xc2, 0x3e, 0xfa, 0x01]);
    question.extend([0; 250]);
    frame_bytes(&question)
}

#[tokio::test]
async fn pieces_may_come_while_there_is_much_to_answer() {
    // Each question may take a turn. What passes in so many turns h2 bears, but not if it were as much as in others.
    let service = Service::start().await;
    let mut peer = Connection::to(&service).await;
    let question = question();
    let asked = calls(30).flat_map(|call| [begin(SOLVE, call), last(call, &question)]);
    let others = calls(10).map(|call| 100 + call);
    let begun = others.clone().map(|call| begin(CHECK, call));
    let long = [&[0, 0, 0, 16, 0][..], &[0; 95]].concat();
    let pieces = others.flat_map(|call| long.iter().map(move |&byte| piece(call, &[byte])));
    peer.send(asked.chain(begun).chain(pieces)).await;
    peer.assert_serves(201).await;
}

#[tokio::test]
async fn many_calls_may_come_in_two_pieces_while_there_is_much_to_answer() {
    let service = Service::with(&["--max-streams", "1200"]).await;
    let mut peer = Connection::to(&service).await;
    let question = question();
    // By the first answer the peer may send more than HTTP/2 allows from the start.
    peer.assert_serves(1).await;
    let asked = calls(300).map(|call| 2 + call);
    let asked = asked.flat_map(|call| [begin(SOLVE, call), last(call, &question)]);
    let others = calls(900).map(|call| 602 + call);
    let begun = others
        .clone()
        .flat_map(|call| [begin(CHECK, call), piece(call, &MESSAGE)]);
    peer.send(asked.chain(begun)).await;
    peer.send(others.clone().map(|call| last(call, &[]))).await;
    for call in others {
        peer.answer(call).await;
    }
}

#[tokio::test]
async fn what_comes_of_a_request_after_its_answer_is_taken_in() {
    let service = Service::start().await;
    let mut peer = Connection::to(&service).await;
    for call in calls(30) {
        peer.send([begin(UNKNOWN, call)]).await;
        peer.answer(call).await;
        peer.send((0..20).map(|_| piece(call, &[0]))).await;
    }
    peer.assert_serves(101).await;
}

#[tokio::test]
async fn requests_may_come_long_after_their_answers() {
    let service = Service::with(&["--max-streams", "600"]).await;
    let mut peer = Connection::to(&service).await;
    // h2 by itself forgives 1,024 in the life of a connection.
    for first in [0, 2_000] {
        let late = calls(600).map(|call| first + call);
        peer.send(late.clone().map(|call| begin(UNKNOWN, call)))
            .await;
        peer.answer(first + 1_199).await;
        sleep(Duration::from_millis(1_500)).await;
        peer.send(late.map(|call| last(call, &MESSAGE))).await;
        peer.assert_serves(first + 1_501).await;
    }
}

#[tokio::test]
async fn answers_to_reflection_need_not_be_taken() {
    let service = Service::start().await;
    let mut peer = Connection::to(&service).await;
    let file = b"\x1a\x14loyd/v1/puzzle.proto";
    let question = [&[0, 0, 0, 0, file.len() as u8][..], file].concat();
    peer.send([begin(REFLECT, 1)]).await;
    // Its answers are larger than the window that the peer opens.
    for _ in 0..40 {
        peer.send((0..50).map(|_| piece(1, &question))).await;
        sleep(Duration::from_millis(5)).await;
    }
    peer.assert_serves(101).await;
}

/// No call reads it any more.
#[tokio::test]
async fn what_still_comes_on_a_connection_that_is_over_keeps_no_thread() {
    let service = Service::start().await;
    let mut took = Vec::new();
    // Any one time may contain a stall of the machine.
    while took.len() < 3 {
        let mut peer = Connection::to(&service).await;
        peer.send([http2_frame(GOAWAY, 0, 0, &[0; 8])]).await;
        read_to_end(&mut peer.0).await;
        // The service runs on the thread of this test.
        let begun = CpuTime::now();
        peer.send(calls(300).map(|call| last(call, &[]))).await;
        sleep(Duration::from_millis(400)).await;
        took.push(begun.elapsed());
        if took.last() < Some(&Duration::from_millis(50)) {
            return;
        }
    }
    panic!("{took:?}");
}
