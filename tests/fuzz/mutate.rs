//! Changes bytes the way accidents and attackers do.

use loyd::puzzle::Dice;

use crate::protobuf;

/// The largest input.
const MAX_BYTES: usize = 64 << 10;

/// Numbers at boundaries.
pub(crate) const EDGES: [u64; 16] = [
    0,
    1,
    2,
    4,
    9,
    16,
    127,
    128,
    129,
    255,
    256,
    16_384,
    i32::MAX as u64,
    u32::MAX as u64,
    i64::MAX as u64,
    u64::MAX,
];

/// A mutated input. If `message_at` returns an offset, a protobuf message starts there, which is
/// mostly changed field by field. `other` is another input to take parts from.
pub(crate) fn mutate(
    input: &[u8],
    message_at: Option<usize>,
    other: &[u8],
    dice: &mut Dice,
) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..=dice.below(4) {
        match message_at {
            Some(at) if dice.below(3) > 0 && at <= bytes.len() => {
                let other = other.get(at..).unwrap_or_default();
                let message = protobuf::mutate(&bytes[at..], other, dice);
                bytes.truncate(at);
                bytes.extend(message);
            }
            _ => change(&mut bytes, other, dice),
        }
    }
    bytes.truncate(MAX_BYTES);
    bytes
}

/// Changes some bytes, whatever they mean.
fn change(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let begin = dice.below(bytes.len() as u32 + 1) as usize;
    let most = (bytes.len() - begin).min(1 << dice.below(8));
    let range = begin..begin + dice.below(most as u32 + 1) as usize;
    match dice.below(8) {
        0 if begin < bytes.len() => bytes[begin] ^= 1 << dice.below(8),
        1 if begin < bytes.len() => bytes[begin] = dice.below(256) as u8,
        2 => drop(bytes.drain(range)),
        3 => bytes.truncate(begin),
        4 => {
            let copy = bytes[range].to_vec();
            let to = dice.below(bytes.len() as u32 + 1) as usize;
            bytes.splice(to..to, copy);
        }
        5 => {
            let from = dice.below(other.len() as u32 + 1) as usize;
            let length = dice.below((other.len() - from) as u32 + 1) as usize;
            bytes.splice(range, other[from..from + length].iter().copied());
        }
        6 => {
            let edge = EDGES[dice.below(EDGES.len() as u32) as usize];
            let size = 1 << dice.below(4);
            let edge = edge.to_be_bytes();
            bytes.splice(range, edge[8 - size..].iter().copied());
        }
        _ => {
            let some = (0..dice.below(9)).map(|_| dice.below(256) as u8);
            let some: Vec<u8> = some.collect();
            bytes.splice(begin..begin, some);
        }
    }
}
