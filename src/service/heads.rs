//! Finds the heads of HTTP/2's frames in bytes that come as they like.

/// The bytes of a frame's head: length, type, flags, stream.
pub const HEAD: usize = 9;

/// The types of frames that belong to a call, and what goes on with HEADERS.
pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const CONTINUATION: u8 = 9;

/// On DATA and HEADERS: nothing more comes from this side.
pub const END_STREAM: u8 = 1;

/// The head of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The bytes that follow.
    pub payload: usize,
    /// Its type.
    pub kind: u8,
    /// Its flags.
    pub flags: u8,
    /// The number of its stream; 0 for the connection.
    pub stream: u32,
    /// All of it came at once.
    pub is_whole: bool,
}

/// The frames of one direction of a connection, after the preface.
#[derive(Debug, Default)]
pub struct Heads {
    head: [u8; HEAD],
    /// The bytes of the head that have come.
    filled: usize,
    /// The bytes of the payload that are still to come.
    payload: usize,
}

impl Heads {
    /// Whether the bytes so far end with a frame.
    #[must_use]
    pub const fn is_between(&self) -> bool {
        self.filled == 0 && self.payload == 0
    }

    /// The next head that is complete in these bytes, which begin behind it then; else they are used up.
    pub fn next(&mut self, bytes: &mut &[u8]) -> Option<Head> {
        let skipped = bytes.len().min(self.payload);
        self.payload -= skipped;
        let (part, rest) =
            bytes[skipped..].split_at((bytes.len() - skipped).min(HEAD - self.filled));
        self.head[self.filled..self.filled + part.len()].copy_from_slice(part);
        self.filled += part.len();
        *bytes = rest;
        if self.filled < HEAD {
            return None;
        }
        self.filled = 0;
        let [high, middle, low, kind, flags, stream @ ..] = self.head;
        self.payload = u32::from_be_bytes([0, high, middle, low]) as usize;
        Some(Head {
            payload: self.payload,
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & (u32::MAX >> 1),
            is_whole: part.len() == HEAD,
        })
    }
}
