//! Finds HTTP/2 frame headers (RFC 9113, section 4.1) in bytes that arrive in pieces of any size.

/// The bytes of a frame header: length, type, flags, stream.
pub const HEADER_BYTES: usize = 9;

/// The frame types that belong to a call, including the continuation of HEADERS.
pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const RST_STREAM: u8 = 3;
pub const CONTINUATION: u8 = 9;

/// The flag on DATA and HEADERS that says that nothing more comes from this side.
pub const END_STREAM: u8 = 1;

/// A frame header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameHeader {
    /// The bytes that follow.
    pub payload: usize,
    /// Its type.
    pub kind: u8,
    /// Its flags.
    pub flags: u8,
    /// The number of its stream; 0 for the connection.
    pub stream: u32,
    /// Whether all of it came at once.
    pub is_whole: bool,
}

/// The frames of one direction of a connection, after the preface.
#[derive(Debug, Default)]
pub struct FrameHeaders {
    header: [u8; HEADER_BYTES],
    /// The bytes of the header that have come.
    filled: usize,
    /// The bytes of the payload that are still to come.
    payload: usize,
}

impl FrameHeaders {
    /// Whether the bytes so far end with a frame.
    #[must_use]
    pub const fn is_between(&self) -> bool {
        self.filled == 0 && self.payload == 0
    }

    /// The next header that is complete in `bytes`, which is advanced past it. If there is none,
    /// all bytes are consumed.
    pub fn next(&mut self, bytes: &mut &[u8]) -> Option<FrameHeader> {
        let skipped = bytes.len().min(self.payload);
        self.payload -= skipped;
        let (part, rest) =
            bytes[skipped..].split_at((bytes.len() - skipped).min(HEADER_BYTES - self.filled));
        self.header[self.filled..self.filled + part.len()].copy_from_slice(part);
        self.filled += part.len();
        *bytes = rest;
        if self.filled < HEADER_BYTES {
            return None;
        }
        self.filled = 0;
        let [high, middle, low, kind, flags, stream @ ..] = self.header;
        self.payload = u32::from_be_bytes([0, high, middle, low]) as usize;
        Some(FrameHeader {
            payload: self.payload,
            kind,
            flags,
            stream: u32::from_be_bytes(stream) & (u32::MAX >> 1),
            is_whole: part.len() == HEADER_BYTES,
        })
    }
}
