//! Files of weights and networks: their numbers read, and put in other files.

use std::io::Write;

use flate2::Compression;
use flate2::write::{ZlibDecoder, ZlibEncoder};
use twox_hash::XxHash3_64;

/// Returns the bytes of a file of this layout with these weights: 12 bytes before them, a checksum
/// after.
pub(crate) fn file(header: &[u8], layout: u8, weights: &[u8]) -> Vec<u8> {
    let mut bytes = header[..12].to_vec();
    bytes[8] = layout;
    bytes.extend(weights);
    let sum = XxHash3_64::oneshot(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Returns the inflated weights of a file.
pub(crate) fn inflated(file: &[u8]) -> Vec<u8> {
    let mut decoder = ZlibDecoder::new(Vec::new());
    decoder.write_all(&file[12..file.len() - 8]).unwrap();
    decoder.finish().unwrap()
}

pub(crate) fn deflated(weights: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(weights).unwrap();
    encoder.finish().unwrap()
}
