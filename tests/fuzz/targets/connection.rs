//! Bytes on a connection: HTTP/2 that is right, nearly right, and wrong.

use std::net::SocketAddr;
use std::sync::LazyLock;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use twox_hash::XxHash3_64;

use super::{Target, Trait, server};

/// If the first byte is odd, the rest is a list of frames: type, flags, stream and length, a byte each, and
/// the payload. They are sent after the preface with correct framing. Otherwise the rest is sent as it is.
pub(crate) const CONNECTION: Target = Target {
    name: "connection",
    run,
    seeds,
    message_at: |_| None,
};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The server closes a connection on which nothing more can come. This is much longer than it takes.
const HANG: Duration = Duration::from_secs(20);

static ADDRESS: LazyLock<SocketAddr> = LazyLock::new(|| {
    server::runtime().block_on(async {
        let server = server::start().await;
        let address = server.address();
        tokio::spawn(server.run(std::future::pending()));
        address
    })
});

fn run(input: &[u8]) -> Trait {
    let Some((kind, rest)) = input.split_first() else {
        return 0;
    };
    let bytes = if kind % 2 == 1 {
        framed(rest)
    } else {
        rest.to_vec()
    };
    let address = *ADDRESS;
    let answer = server::runtime()
        .block_on(async { tokio::time::timeout(HANG, exchange(address, &bytes)).await })
        .expect("the server closes the connection");
    XxHash3_64::oneshot(&outline(&answer))
}

/// The types of the first frames, with the error code of those that end something.
fn outline(mut frames: &[u8]) -> Vec<u8> {
    const FRAMES: usize = 5;
    let mut outline = Vec::new();
    while let Some((&[_, high, low, kind, ..], after)) = frames.split_first_chunk::<9>()
        && outline.len() < 2 * FRAMES
    {
        let length = usize::from(u16::from_be_bytes([high, low])).min(after.len());
        let is_end = kind == 3 || kind == 7;
        let code = after[..length].get(if kind == 7 { 7 } else { 3 });
        outline.extend([kind, code.copied().filter(|_| is_end).unwrap_or_default()]);
        frames = &after[length..];
    }
    outline
}

/// Sends bytes and reads until the server closes. Returns the beginning of what came.
async fn exchange(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (mut reader, mut writer) = stream.split();
    let write = async {
        // A server that has had enough closes before the end.
        let _ = writer.write_all(bytes).await;
        let _ = writer.shutdown().await;
    };
    let read = async {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = reader.read(&mut buffer).await {
            if answer.len() < buffer.len() {
                answer.extend(&buffer[..read]);
            }
        }
    };
    tokio::join!(write, read);
    answer
}

fn framed(mut rest: &[u8]) -> Vec<u8> {
    let mut bytes = PREFACE.to_vec();
    while let Some((&[kind, flags, stream, length], after)) = rest.split_first_chunk() {
        let length = usize::from(length).min(after.len());
        let (payload, after) = after.split_at(length);
        bytes.extend([0, 0, length as u8, kind, flags, 0, 0, 0, stream]);
        bytes.extend(payload);
        rest = after;
    }
    bytes
}

fn seeds() -> Vec<Vec<u8>> {
    let settings = record(4, 0, 0, b"");
    let call = |path: &str| {
        // :method POST and :scheme http are from HPACK's static table; the others are literals.
        let mut block = vec![0x83, 0x86];
        block.extend(literal(&[0x04], path));
        block.extend(literal(&[0x01], "loyd"));
        block.extend(literal(&[0x0f, 0x10], "application/grpc"));
        block.extend(literal(b"\x00\x02te", "trailers"));
        block
    };
    // A 2×2 board in its frame.
    let data = b"\0\0\0\0\x0c\x0a\x0a\x08\x02\x10\x02\x1a\x04\x01\x02\x03\0";
    let check = call("/loyd.v1.PuzzleService/CheckSolvable");
    let stream = call("/loyd.v1.PuzzleService/SolveStream");
    let (half, rest) = check.split_at(9);
    let sessions = [
        vec![
            settings.clone(),
            record(1, 4, 1, &check),
            record(0, 1, 1, data),
        ],
        // Headers in two parts, trailers, priority and padding.
        vec![
            settings.clone(),
            record(1, 0, 1, half),
            record(9, 4, 1, rest),
            record(0, 8, 1, &[&[3], &data[..], &[0; 3]].concat()),
            record(1, 5, 1, &literal(b"\x00\x01x", "y")),
        ],
        // Several calls that are cancelled.
        vec![
            settings.clone(),
            record(1, 4, 1, &stream),
            record(
                0,
                1,
                1,
                b"\0\0\0\0\x0c\x0a\x0a\x08\x02\x10\x02\x1a\x04\x01\x02\x03\0",
            ),
            record(3, 0, 1, &[0, 0, 0, 8]),
            record(1, 4, 3, &check),
            record(3, 0, 3, &[0, 0, 0, 8]),
        ],
        // Settings and their acknowledgement, windows, pings, priority, the end.
        vec![
            record(4, 0, 0, &[0, 4, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
            record(4, 1, 0, b""),
            record(8, 0, 0, &[0, 1, 0, 0]),
            record(6, 0, 0, b"12345678"),
            record(2, 0, 1, &[0, 0, 0, 3, 16]),
            record(1, 4, 1, &check),
            record(8, 0, 1, &[0, 0, 0, 9]),
            record(0, 1, 1, data),
            record(7, 0, 0, &[0; 8]),
        ],
    ];
    let mut seeds = Vec::new();
    for session in sessions {
        let records = session.concat();
        seeds.push([&[0], &framed(&records)[..]].concat());
        seeds.push([&[1], &records[..]].concat());
    }
    seeds.push(b"\0GET / HTTP/1.1\r\nHost: loyd\r\n\r\n".to_vec());
    seeds
}

fn record(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    [&[kind, flags, stream, payload.len() as u8], payload].concat()
}

/// A literal header field, after the bytes that encode its name.
fn literal(name: &[u8], value: &str) -> Vec<u8> {
    [name, &[value.len() as u8], value.as_bytes()].concat()
}
