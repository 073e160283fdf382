//! The frame of a gRPC message.

use prost::Message;

/// Returns a message as it is sent: a byte 0, as it is not compressed, its length in four bytes, and
/// the message.
pub(crate) fn frame(message: &impl Message) -> Vec<u8> {
    let mut frame = vec![0];
    frame.extend((message.encoded_len() as u32).to_be_bytes());
    message.encode(&mut frame).expect("a vector grows");
    frame
}
