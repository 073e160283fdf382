//! Follows the answers that leave by a connection: which have begun, and have not ended on the wire.
//!
//! To us a call is over when h2 has its answer. h2 keeps what the peer's window has no room for, for as
//! long as the connection lasts: a peer whose windows are opened by a byte would have as many answers kept as it
//! may have streams, in memory that is nobody's. So the end of an answer is looked for in what is written.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use super::heads::{DATA, END_STREAM, HEADERS, Heads, RST_STREAM};

/// The answers of a connection that have begun and have not ended.
#[derive(Debug, Default)]
pub struct Answers {
    heads: Heads,
    /// By stream, when something of it was last sent. h2 bounds the streams.
    open: HashMap<u32, Instant>,
}

impl Answers {
    /// These bytes have been sent to the peer.
    pub fn sent(&mut self, mut bytes: &[u8], now: Instant) {
        while let Some(head) = self.heads.next(&mut bytes) {
            match head.kind {
                DATA | HEADERS if head.flags & END_STREAM == 0 => {
                    self.open.insert(head.stream, now);
                }
                DATA | HEADERS | RST_STREAM => {
                    self.open.remove(&head.stream);
                }
                _ => {}
            }
        }
    }

    /// The peer has given these calls up: h2 forgets what it has of their answers.
    pub fn given_up(&mut self, streams: &[u32]) {
        for stream in streams {
            self.open.remove(stream);
        }
    }

    /// How many have had nothing sent for longer than a time.
    #[must_use]
    pub fn silent_for(&self, time: Duration, now: Instant) -> usize {
        let since = |sent: &Instant| now.saturating_duration_since(*sent);
        self.open
            .values()
            .filter(|&sent| since(sent) > time)
            .count()
    }
}
