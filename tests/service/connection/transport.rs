//! The answer to the PING of a graceful shutdown is delayed and passed on whole; everything else
//! passes as it came, and what passes is counted.

use std::io::ErrorKind;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::task::{ArcWake, waker};
use loyd::service::Transport;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};

use crate::harness::in_time;
use crate::raw::{
    CONTINUATION, DATA, END_HEADERS, HEADERS, PING, RST_STREAM, goaway_pong, http2_frame,
};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Reads this many bytes, at most `most` at a time.
async fn read(transport: &mut Transport<DuplexStream>, bytes: usize, most: usize) -> Vec<u8> {
    let mut all = Vec::new();
    while all.len() < bytes {
        let mut part = vec![0; most.min(bytes - all.len())];
        let read = in_time(transport.read(&mut part)).await.unwrap();
        assert_ne!(read, 0, "the end after {all:?}");
        all.extend(&part[..read]);
    }
    all
}

async fn begin() -> (DuplexStream, Transport<DuplexStream>) {
    let (mut peer, stream) = duplex(1 << 16);
    peer.write_all(PREFACE).await.unwrap();
    let mut transport = Transport::begin(stream, 100).await.unwrap();
    assert_eq!(read(&mut transport, PREFACE.len(), 100).await, PREFACE);
    (peer, transport)
}

#[tokio::test]
async fn alone_it_is_not_the_end() {
    for most in [1, 5, 16, 17, 1000] {
        let (mut peer, mut transport) = begin().await;
        peer.write_all(&goaway_pong()).await.unwrap();
        assert_eq!(
            read(&mut transport, 17, most).await,
            goaway_pong(),
            "{most}"
        );
        drop(peer);
        assert_eq!(transport.read(&mut [0; 100]).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn what_comes_after_it_passes_before_it() {
    let call = http2_frame(HEADERS, END_HEADERS, 1, &[7; 30]);
    let (mut peer, mut transport) = begin().await;
    peer.write_all(&[goaway_pong(), call.clone()].concat())
        .await
        .unwrap();
    let expected = [call, goaway_pong()].concat();
    assert_eq!(read(&mut transport, expected.len(), 1000).await, expected);
}

#[tokio::test]
async fn it_waits_for_the_end_of_a_frame_and_of_headers() {
    let whole = [
        http2_frame(DATA, 0, 1, &[1; 40]),
        [
            http2_frame(HEADERS, 0, 3, &[2; 20]),
            http2_frame(CONTINUATION, END_HEADERS, 3, &[3; 20]),
        ]
        .concat(),
    ];
    for whole in whole {
        let (mut peer, mut transport) = begin().await;
        // In the payload of the one, between the frames of the other.
        let (first, second) = whole.split_at(29);
        peer.write_all(&[&goaway_pong(), first].concat())
            .await
            .unwrap();
        assert_eq!(read(&mut transport, 29, 1000).await, first);
        let mut byte = [0];
        let more = timeout(Duration::from_millis(150), transport.read(&mut byte)).await;
        assert!(more.is_err(), "{byte:?}");
        peer.write_all(second).await.unwrap();
        let rest = [second, &goaway_pong()].concat();
        assert_eq!(read(&mut transport, rest.len(), 1000).await, rest);
    }
}

#[tokio::test]
async fn it_does_not_outlive_the_connection() {
    let (mut peer, mut transport) = begin().await;
    peer.write_all(&goaway_pong()).await.unwrap();
    drop(peer);
    sleep(Duration::from_millis(1)).await;
    assert_eq!(transport.read(&mut [0; 100]).await.unwrap(), 0);
}

#[tokio::test]
async fn small_pieces_of_bodies_come_a_few_in_a_turn_and_none_is_lost() {
    let ping = http2_frame(PING, 0, 0, &[1; 8]);
    let pieces: Vec<_> = (0..5_000_u32)
        .flat_map(|number| http2_frame(DATA, 0, 1 + 2 * number, &[number as u8]))
        .collect();
    let expected = [pieces, ping].concat();
    for most in [10, 1_000, 1 << 16] {
        let (mut peer, mut transport) = begin().await;
        peer.write_all(&expected).await.unwrap();
        let (mut all, mut turns) = (Vec::<u8>::new(), 0);
        while all.len() < expected.len() {
            let before = all.len();
            let mut part = vec![0; most];
            while let Some(read) = transport.read(&mut part).now_or_never() {
                all.extend(&part[..read.unwrap()]);
            }
            assert!(
                all.len() - before <= 129 * 10 + 17,
                "{}",
                all.len() - before
            );
            transport.turn(true);
            // Tokio lets a task read only so much before it yields.
            yield_now().await;
            turns += 1;
        }
        assert_eq!(all, expected, "{most}");
        assert!(turns >= 5_000 / 129, "{turns}");
    }
}

/// Notes that it was woken.
#[derive(Default)]
struct Woken(AtomicBool);

impl ArcWake for Woken {
    fn wake_by_ref(woken: &Arc<Self>) {
        woken.0.store(true, Ordering::Relaxed);
    }
}

#[tokio::test]
async fn who_waits_for_the_next_turn_is_woken() {
    let pieces: Vec<_> = (0..1_000)
        .flat_map(|_| http2_frame(DATA, 0, 1, &[0]))
        .collect();
    let (mut peer, mut transport) = begin().await;
    peer.write_all(&pieces).await.unwrap();
    let mut passed = 0;
    let mut part = [0; 1_000];
    while let Some(read) = transport.read(&mut part).now_or_never() {
        passed += read.unwrap();
    }
    assert!(passed < pieces.len());
    // Nothing else will wake it: the peer has sent everything.
    let woken = Arc::new(Woken::default());
    let waker = waker(Arc::clone(&woken));
    let mut reading = pin!(transport.read(&mut part));
    let read = reading.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(read.is_pending());
    assert!(woken.0.load(Ordering::Relaxed));
}

/// Sends pings until the connection is taken for a flood, and returns how many passed.
async fn passed(peer: &mut DuplexStream, transport: &mut Transport<DuplexStream>) -> usize {
    let ping = http2_frame(PING, 0, 0, &[0; 8]);
    for passed in 0..100_000 {
        peer.write_all(&ping).await.unwrap();
        let mut part = vec![0; ping.len()];
        match in_time(transport.read_exact(&mut part)).await {
            Ok(_) => assert_eq!(part, ping),
            Err(flood) => {
                assert_eq!(flood.kind(), ErrorKind::QuotaExceeded);
                return passed;
            }
        }
    }
    panic!("there is no end");
}

#[tokio::test]
async fn answers_earn_frames_and_resets_cost_them() {
    // Time earns some, too.
    const EARNED: usize = 1_000;
    let (mut peer, mut transport) = begin().await;
    let least = passed(&mut peer, &mut transport).await;
    let data = http2_frame(DATA, 0, 1, &vec![0; EARNED * 64]);
    let (mut written, mut taken) = (0, vec![0; data.len()]);
    while written < data.len() {
        let part = transport.write(&data[written..]).await.unwrap();
        in_time(peer.read_exact(&mut taken[..part])).await.unwrap();
        written += part;
    }
    assert!(passed(&mut peer, &mut transport).await >= EARNED);
    assert!(least >= 2_000);

    let (mut peer, mut transport) = begin().await;
    let resets = http2_frame(RST_STREAM, 0, 1, &[0; 4]).repeat(2_001);
    in_time(transport.write_all(&resets)).await.unwrap();
    assert_eq!(passed(&mut peer, &mut transport).await, 0);
}

#[tokio::test]
async fn the_answer_to_a_call_that_is_given_up_has_ended() {
    let (mut peer, mut transport) = begin().await;
    let head = http2_frame(HEADERS, END_HEADERS, 1, b"head");
    in_time(transport.write_all(&head)).await.unwrap();
    sleep(Duration::from_millis(1)).await;
    assert_eq!(transport.silent_for(Duration::ZERO), 1);
    let reset = http2_frame(RST_STREAM, 0, 1, &[0; 4]);
    peer.write_all(&reset).await.unwrap();
    assert_eq!(read(&mut transport, reset.len(), 1000).await, reset);
    assert_eq!(transport.silent_for(Duration::ZERO), 0);
}
