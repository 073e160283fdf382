//! Follows the frames of a connection, and tells when there are too many that ask for nothing.
//!
//! HTTP/2 lets a peer send PING, SETTINGS, PRIORITY, WINDOW_UPDATE and RST_STREAM frames as it
//! likes, each of which costs us time; h2 bounds what they cost in memory, but not how many come.
//! Here they cost credit, which a peer earns by calls and by what it is sent: who reads answers may acknowledge
//! them, widen windows, measure round trips and give calls up; who only makes noise runs out.

use std::time::Instant;

/// The bytes of a frame's head: length, type, flags, stream.
const HEAD: usize = 9;

/// The types of frames that make a call, of which the number and the bytes are bounded elsewhere.
/// Each call pays for giving it up.
const DATA: u8 = 0;
const HEADERS: u8 = 1;

/// A PING, the flag that says that it answers one of ours, and its payload.
const PING: u8 = 6;
const ACK: u8 = 1;
const PING_PAYLOAD: usize = 8;

/// The bytes of an answer to a PING.
pub const PONG: usize = HEAD + PING_PAYLOAD;

/// The credit that any other frame costs. That many bytes sent earn one.
const COST: u64 = 64;

/// The credit that comes with time: this many frames a second.
const PER_SECOND: u64 = 100 * COST;

/// The most credit, and what a peer begins with: this many frames.
const MOST: u64 = 2_000 * COST;

/// A peer has sent too many frames that ask for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flood;

/// The frames of a connection, after the preface.
#[derive(Debug)]
pub struct Frames {
    head: [u8; HEAD],
    /// The bytes of the head that have come.
    filled: usize,
    /// The bytes of the payload that are still to come.
    payload: usize,
    credit: u64,
    topped_up: Instant,
    /// Where the first answer to a PING begins in what came last, if all of it is there.
    pong: Option<usize>,
}

impl Frames {
    /// Before the first frame.
    #[must_use]
    pub const fn new(now: Instant) -> Self {
        Self {
            head: [0; HEAD],
            filled: 0,
            payload: 0,
            credit: MOST,
            topped_up: now,
            pong: None,
        }
    }

    /// Where the first answer to a PING begins in the bytes that came last, if all of it is there.
    #[must_use]
    pub const fn pong(&self) -> Option<usize> {
        self.pong
    }

    /// Whether the last frame has come to its end, and no other has begun.
    #[must_use]
    pub const fn is_between(&self) -> bool {
        self.filled == 0 && self.payload == 0
    }

    /// So many bytes have been sent to the peer.
    pub const fn sent(&mut self, bytes: usize) {
        self.earn(bytes as u64);
    }

    /// These bytes have come from the peer.
    ///
    /// # Errors
    /// When the peer has run out of credit.
    pub fn received(&mut self, mut bytes: &[u8], now: Instant) -> Result<(), Flood> {
        let elapsed = now.saturating_duration_since(self.topped_up);
        let earned = (elapsed.as_micros() as u64).saturating_mul(PER_SECOND) / 1_000_000;
        // Moments too short to earn anything add up.
        if earned > 0 {
            self.topped_up = now;
            self.earn(earned);
        }
        let mut counted = Ok(());
        let length = bytes.len();
        self.pong = None;
        while !bytes.is_empty() {
            let skipped = bytes.len().min(self.payload);
            self.payload -= skipped;
            bytes = &bytes[skipped..];
            let part = bytes.len().min(HEAD - self.filled);
            self.head[self.filled..self.filled + part].copy_from_slice(&bytes[..part]);
            self.filled += part;
            bytes = &bytes[part..];
            if self.filled == HEAD {
                self.filled = 0;
                let [high, middle, low, kind, flags, ..] = self.head;
                self.payload = u32::from_be_bytes([0, high, middle, low]) as usize;
                let is_pong = kind == PING && flags & ACK != 0 && self.payload == PING_PAYLOAD;
                if is_pong && part == HEAD && bytes.len() >= PING_PAYLOAD {
                    self.pong.get_or_insert(length - bytes.len() - HEAD);
                }
                match kind {
                    DATA => {}
                    HEADERS => self.earn(COST),
                    _ => match self.credit.checked_sub(COST) {
                        Some(rest) => self.credit = rest,
                        None => counted = Err(Flood),
                    },
                }
            }
        }
        counted
    }

    const fn earn(&mut self, credit: u64) {
        let credit = self.credit.saturating_add(credit);
        self.credit = if credit < MOST { credit } else { MOST };
    }
}
