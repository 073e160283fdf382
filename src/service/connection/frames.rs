//! Follows the frames of a connection, and notices when too many of them ask for nothing.
//!
//! HTTP/2 lets a peer send any number of PING, SETTINGS, PRIORITY, WINDOW_UPDATE and RST_STREAM
//! frames, each of which costs us time. h2 bounds what they cost in memory, but not how many come.
//! Here they cost credit, which a peer earns by calls and by the bytes sent to it. A peer that
//! reads answers may acknowledge them, widen windows, measure round trips and give calls up; a peer
//! that only makes noise runs out.
//!
//! h2 ends a connection when too many small pieces of bodies wait to be read. Whoever shares it through a
//! balancer would pay for what one caller sends, so only so many pass before the calls have had a turn.

use std::time::Instant;

use super::frame_header::{
    CONTINUATION, DATA, FrameHeader, FrameHeaders, HEADER_BYTES, HEADERS, RST_STREAM,
};

/// The flag of HEADERS, and of the CONTINUATION frames that extend them, that says that they are
/// complete. Until then no other frame may come between.
const END_HEADERS: u8 = 4;

/// The PING frame type, the flag that marks an answer to one of ours, and the payload of h2's PING
/// on graceful shutdown.
const PING: u8 = 6;
const ACK: u8 = 1;
const GOAWAY_PING: [u8; 8] = [0x0b, 0x7b, 0xa2, 0xf0, 0x8b, 0x9b, 0xfe, 0x54];

/// The bytes of the answer to that PING.
pub const GOAWAY_PONG_BYTES: usize = HEADER_BYTES + GOAWAY_PING.len();

/// The credit that any other frame costs. Each byte sent earns one unit of it.
const COST: u64 = 64;

/// The resets that a call pays for: its own, when its answer comes before its request has ended, and one for
/// what is on its way then.
const RESETS: u64 = 2;

/// The credit that comes with time: this many frames per second.
const PER_SECOND: u64 = 100 * COST;

/// The most credit, with which a peer starts: this many frames.
const MOST: u64 = 2_000 * COST;

/// Pieces of bodies cost h2 what they lack of this many bytes, until they are read.
const WHOLE_PIECE: usize = 256;

/// The most that the pieces which pass in a turn may cost: a quarter of what h2 allows at least.
const MOST_PIECES: usize = 32 << 10;

/// What may pass in a turn in which the calls were not done with what had come before: so little that
/// h2 allows it for many turns, but not nothing.
const LATE_PIECES: usize = 2 << 10;

/// A peer has sent too many frames that ask for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flood;

/// The frames of a connection, after the preface.
#[derive(Debug)]
pub struct Frames {
    headers: FrameHeaders,
    credit: u64,
    topped_up: Instant,
    /// Whether the headers of a call are incomplete.
    in_headers: bool,
    /// Where the answer to h2's shutdown PING begins in the bytes that came last.
    goaway_pong: Option<usize>,
    /// The calls that were given up in the bytes that came last.
    given_up: Vec<u32>,
    /// The resets that calls have paid for and that have not been sent.
    paid_resets: u64,
    /// Whether more than that were sent than the peer had credit for.
    is_flood: bool,
    /// What the pieces of bodies cost that may not have been read yet.
    pieces: usize,
}

impl Frames {
    /// The state before the first frame.
    #[must_use]
    pub fn new(now: Instant) -> Self {
        Self {
            headers: FrameHeaders::default(),
            credit: MOST,
            topped_up: now,
            in_headers: false,
            goaway_pong: None,
            given_up: Vec::new(),
            paid_resets: 0,
            is_flood: false,
            pieces: 0,
        }
    }

    /// Where the answer to h2's shutdown PING begins in the bytes that came last, if all of it is there.
    #[must_use]
    pub const fn goaway_pong(&self) -> Option<usize> {
        self.goaway_pong
    }

    /// The streams of the calls that the peer gave up in the bytes that came last.
    #[must_use]
    pub fn given_up(&self) -> &[u32] {
        &self.given_up
    }

    /// Whether another frame may be inserted between what has come and what is to come.
    #[must_use]
    pub const fn is_between(&self) -> bool {
        self.headers.is_between() && !self.in_headers
    }

    /// Records the number of bytes sent to the peer.
    pub const fn sent(&mut self, bytes: usize) {
        self.earn(bytes as u64);
    }

    /// Records that resets were sent to the peer. Calls have paid for some; whoever goes on sending to those
    /// that are over could have any number.
    pub const fn sent_resets(&mut self, resets: usize) {
        let charged = (resets as u64).saturating_sub(self.paid_resets);
        self.paid_resets = self.paid_resets.saturating_sub(resets as u64);
        match self.credit.checked_sub(charged.saturating_mul(COST)) {
            Some(rest) => self.credit = rest,
            None => self.is_flood = true,
        }
    }

    /// Records that the calls have had a turn, in which they `have_read` everything or not.
    pub const fn turn(&mut self, have_read: bool) {
        self.pieces = if have_read {
            0
        } else {
            self.pieces.saturating_sub(LATE_PIECES)
        };
    }

    /// Whether nothing more may pass in this turn.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.pieces >= MOST_PIECES
    }

    /// Records bytes received from the peer, and returns how many of them may pass in this turn. Only these
    /// are recorded.
    ///
    /// # Errors
    /// When the peer has run out of credit.
    pub fn received(&mut self, mut bytes: &[u8], now: Instant) -> Result<usize, Flood> {
        let elapsed = now.saturating_duration_since(self.topped_up);
        let earned = (elapsed.as_micros() as u64).saturating_mul(PER_SECOND) / 1_000_000;
        // Intervals too short to earn anything add up.
        if earned > 0 {
            self.topped_up = now;
            self.earn(earned);
        }
        let mut counted = if self.is_flood { Err(Flood) } else { Ok(()) };
        let length = bytes.len();
        self.goaway_pong = None;
        self.given_up.clear();
        while !self.is_full()
            && let Some(header) = self.headers.next(&mut bytes)
        {
            if matches!(header.kind, HEADERS | CONTINUATION) {
                self.in_headers = header.flags & END_HEADERS == 0;
            }
            let is_pong = header.kind == PING
                && header.flags & ACK != 0
                && header.payload == GOAWAY_PING.len();
            if is_pong && header.is_whole && bytes.starts_with(&GOAWAY_PING) {
                self.goaway_pong
                    .get_or_insert(length - bytes.len() - HEADER_BYTES);
            }
            if header.kind == RST_STREAM {
                self.given_up.push(header.stream);
            }
            match header.kind {
                // These make a call. Their number and size are bounded elsewhere, and each call
                // pays for giving it up.
                DATA => self.pieces += cost(header),
                HEADERS => {
                    self.earn(COST);
                    self.paid_resets += RESETS;
                }
                _ => match self.credit.checked_sub(COST) {
                    Some(rest) => self.credit = rest,
                    None => counted = Err(Flood),
                },
            }
        }
        counted.map(|()| length - bytes.len())
    }

    const fn earn(&mut self, credit: u64) {
        let credit = self.credit.saturating_add(credit);
        self.credit = if credit < MOST { credit } else { MOST };
    }
}

/// What a piece of a body costs until it is read. h2 counts no last pieces, but answers those of calls that
/// are over, and does not count padding.
const fn cost(header: FrameHeader) -> usize {
    WHOLE_PIECE.saturating_sub(header.payload)
}
