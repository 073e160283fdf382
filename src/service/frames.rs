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

/// What goes on with HEADERS, which nothing may interrupt, until a flag says that they are complete.
const CONTINUATION: u8 = 9;
const END_HEADERS: u8 = 4;

/// A PING, the flag that says that it answers one of ours, and what h2 puts into the PING of its goodbye.
const PING: u8 = 6;
const ACK: u8 = 1;
const GOODBYE: [u8; 8] = [0x0b, 0x7b, 0xa2, 0xf0, 0x8b, 0x9b, 0xfe, 0x54];

/// The bytes of the answer to a goodbye.
pub const FAREWELL: usize = HEAD + GOODBYE.len();

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
    /// The headers of a call are not complete.
    in_headers: bool,
    /// Where the answer to a goodbye begins in what came last.
    farewell: Option<usize>,
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
            in_headers: false,
            farewell: None,
        }
    }

    /// Where the answer to a goodbye begins in the bytes that came last, if all of it is there.
    #[must_use]
    pub const fn farewell(&self) -> Option<usize> {
        self.farewell
    }

    /// Whether another frame may stand between what has come and what is to come.
    #[must_use]
    pub const fn is_between(&self) -> bool {
        self.filled == 0 && self.payload == 0 && !self.in_headers
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
        self.farewell = None;
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
                if matches!(kind, HEADERS | CONTINUATION) {
                    self.in_headers = flags & END_HEADERS == 0;
                }
                let is_pong = kind == PING && flags & ACK != 0 && self.payload == GOODBYE.len();
                if is_pong && part == HEAD && bytes.starts_with(&GOODBYE) {
                    self.farewell.get_or_insert(length - bytes.len() - HEAD);
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
