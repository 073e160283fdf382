//! Tracks a connection's answers that have begun but have not ended on the wire.
//!
//! For us a call is over when h2 has its answer. h2 keeps what does not fit in the peer's window, of the last
//! piece, for as long as the connection lasts. A peer that opens its windows by a byte now and then could have
//! as many pieces kept as it may have streams, in memory that is not accounted for. So this looks for the end
//! of each answer in the bytes written, and checks whether an answer moves as fast as one that is being read.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use super::frame_header::{DATA, END_STREAM, FrameHeaders, HEADERS, RST_STREAM};
use crate::service::peer::Progress;

/// The answers of a connection that have begun and have not ended.
#[derive(Debug)]
pub struct Answers {
    headers: FrameHeaders,
    /// By stream. h2 bounds the number of streams.
    open: HashMap<u32, Progress>,
    /// Calls given up before their answers began here, at most `max_calls`. What h2 had written by then
    /// still passes, and nothing ever ends it.
    given_up: VecDeque<u32>,
    max_calls: usize,
}

impl Answers {
    /// The answers of a connection that may have so many calls at once, all of which may be given up together.
    #[must_use]
    pub fn new(max_calls: usize) -> Self {
        Self {
            headers: FrameHeaders::default(),
            open: HashMap::new(),
            given_up: VecDeque::new(),
            max_calls,
        }
    }

    /// Records bytes sent to the peer, and returns how many calls they reset.
    pub fn sent(&mut self, mut bytes: &[u8], now: Instant) -> usize {
        let mut resets = 0;
        while let Some(header) = self.headers.next(&mut bytes) {
            match header.kind {
                HEADERS
                    if header.flags & END_STREAM == 0
                        && !self.given_up.contains(&header.stream) =>
                {
                    self.open.insert(header.stream, Progress::begun(now));
                }
                DATA if header.flags & END_STREAM == 0 => {
                    if let Some(progress) = self.open.get_mut(&header.stream) {
                        progress.add(header.payload, now);
                    }
                }
                DATA | HEADERS | RST_STREAM => {
                    self.open.remove(&header.stream);
                    resets += usize::from(header.kind == RST_STREAM);
                }
                _ => {}
            }
        }
        resets
    }

    /// Records that the peer has given these calls up: h2 discards what it holds of their answers.
    pub fn given_up(&mut self, streams: &[u32]) {
        for stream in streams {
            if self.open.remove(stream).is_some() {
                continue;
            }
            if self.given_up.len() == self.max_calls {
                self.given_up.pop_front();
            }
            self.given_up.push_back(*stream);
        }
    }

    /// The number of answers of which next to nothing has been sent for longer than `time`.
    #[must_use]
    pub fn silent_for(&self, time: Duration, now: Instant) -> usize {
        let open = self.open.values();
        open.filter(|answer| answer.none_for(now) > time).count()
    }
}
