//! What is written leaves together, in order, when told to.

use std::future::poll_fn;
use std::time::Duration;

use futures_util::FutureExt;
use loyd::service::Gather;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufWriter, DuplexStream, duplex};

use crate::harness::in_time;

/// Reads this many bytes from the other end.
async fn take(peer: &mut DuplexStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    in_time(peer.read_exact(&mut bytes)).await.unwrap();
    bytes
}

#[tokio::test]
async fn nothing_leaves_before_it_is_sent() {
    let (stream, mut peer) = duplex(1 << 20);
    let mut gather = Gather::new(stream);
    for word in ["one", "two"] {
        gather.write_all(word.as_bytes()).await.unwrap();
        gather.flush().await.unwrap();
    }
    let early = tokio::time::timeout(Duration::from_millis(20), peer.read_u8()).await;
    assert!(early.is_err());
    poll_fn(|cx| gather.poll_send(cx)).await.unwrap();
    assert_eq!(take(&mut peer, 6).await, b"onetwo");
}

#[tokio::test]
async fn long_writes_do_not_wait_and_stay_in_order() {
    let (stream, mut peer) = duplex(64);
    let mut gather = Gather::new(stream);
    let lengths = [10, 1_000, 16_384, 16_385, 1, 100_000, 16_000, 600];
    let written: Vec<Vec<u8>> = (1..).zip(lengths).map(|(byte, n)| vec![byte; n]).collect();
    let expected = written.concat();
    let writes = tokio::spawn(async move {
        for bytes in written {
            gather.write_all(&bytes).await.unwrap();
        }
        gather.shutdown().await.unwrap();
    });
    assert_eq!(take(&mut peer, expected.len()).await, expected);
    in_time(writes).await.unwrap();
}

#[tokio::test]
async fn long_writes_are_flushed_like_others() {
    let (stream, mut peer) = duplex(1 << 20);
    // It keeps everything until it is flushed.
    let mut gather = Gather::new(BufWriter::with_capacity(1 << 20, stream));
    gather.write_all(&[7; 100_000]).await.unwrap();
    poll_fn(|cx| gather.poll_send(cx)).await.unwrap();
    assert_eq!(take(&mut peer, 100_000).await, [7; 100_000]);
}

#[tokio::test]
async fn a_peer_is_in_the_way_until_it_takes_something() {
    let (stream, mut peer) = duplex(10);
    let mut gather = Gather::new(stream);
    gather.write_all(&[7; 15]).await.unwrap();
    assert_eq!(gather.blocked_for(), Duration::ZERO);
    assert!(poll_fn(|cx| gather.poll_send(cx)).now_or_never().is_none());
    tokio::time::sleep(Duration::from_millis(1)).await;
    assert!(gather.blocked_for() >= Duration::from_millis(1));
    take(&mut peer, 10).await;
    poll_fn(|cx| gather.poll_send(cx)).await.unwrap();
    assert_eq!(gather.blocked_for(), Duration::ZERO);
}

#[tokio::test]
async fn a_peer_who_has_gone_is_noticed() {
    let (stream, peer) = duplex(64);
    drop(peer);
    let mut gather = Gather::new(stream);
    gather.write_all(b"word").await.unwrap();
    assert!(poll_fn(|cx| gather.poll_send(cx)).await.is_err());
}
