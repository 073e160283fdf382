//! Mutates messages field by field, without knowing what the fields mean.

use loyd::puzzle::Dice;

use crate::mutate::EDGES;

/// How deep nested messages are changed.
const DEPTH: u32 = 5;

/// A field as it is on the wire.
#[derive(Clone)]
struct Field {
    /// The field's number and wire type.
    tag: u64,
    value: Value,
}

#[derive(Clone)]
enum Value {
    Varint(u64),
    Fixed(Vec<u8>),
    Bytes(Vec<u8>),
}

/// A message with some fields changed, left out, repeated, moved, or taken from another one.
pub(crate) fn mutate(message: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    change(message, other, DEPTH, dice)
}

fn change(message: &[u8], other: &[u8], depth: u32, dice: &mut Dice) -> Vec<u8> {
    let Some(mut fields) = read(message) else {
        return numbers(message, dice);
    };
    let count = fields.len() as u32;
    if count == 0 || dice.below(8) == 0 {
        let mut others = read(other).unwrap_or_default();
        if !others.is_empty() {
            let taken = others.swap_remove(dice.below(others.len() as u32) as usize);
            fields.insert(dice.below(count + 1) as usize, taken);
        }
        return write(&fields);
    }
    let at = dice.below(count) as usize;
    match dice.below(8) {
        0 => drop(fields.remove(at)),
        1 => fields.push(fields[at].clone()),
        2 => fields.swap(at, dice.below(count) as usize),
        3 => fields[at].tag = u64::from(dice.below(12)) << 3 | fields[at].tag & 7,
        _ => match &mut fields[at].value {
            Value::Varint(number) => *number = some_number(*number, dice),
            Value::Fixed(bytes) => {
                let byte = dice.below(bytes.len() as u32) as usize;
                bytes[byte] = dice.below(256) as u8;
            }
            Value::Bytes(bytes) if depth > 0 => {
                *bytes = change(bytes, other, depth - 1, dice);
            }
            Value::Bytes(bytes) => bytes.reverse(),
        },
    }
    write(&fields)
}

/// Changes a packed list of numbers, such as tiles.
fn numbers(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut list = Vec::new();
    let mut rest = bytes;
    while let Some(number) = read_varint(&mut rest) {
        list.push(number);
    }
    let count = list.len() as u32;
    if count > 0 {
        let at = dice.below(count) as usize;
        match dice.below(4) {
            0 => list[at] = some_number(list[at], dice),
            1 => drop(list.remove(at)),
            2 => list.insert(at, dice.below(300).into()),
            _ => list.swap(at, dice.below(count) as usize),
        }
    }
    let mut bytes = Vec::new();
    list.iter().for_each(|&number| varint(number, &mut bytes));
    bytes
}

fn some_number(number: u64, dice: &mut Dice) -> u64 {
    match dice.below(4) {
        0 => number.wrapping_add(1),
        1 => number.wrapping_sub(1),
        2 => u64::from(dice.below(20)),
        _ => EDGES[dice.below(EDGES.len() as u32) as usize],
    }
}

/// The fields, if these bytes can be a message.
fn read(mut rest: &[u8]) -> Option<Vec<Field>> {
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let tag = read_varint(&mut rest)?;
        let mut take = |length: usize| {
            let (taken, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(taken.to_vec())
        };
        let value = match tag & 7 {
            0 => Value::Varint(read_varint(&mut rest)?),
            1 => Value::Fixed(take(8)?),
            2 => {
                let length = read_varint(&mut rest)?;
                let (taken, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
                rest = after;
                Value::Bytes(taken.to_vec())
            }
            5 => Value::Fixed(take(4)?),
            _ => return None,
        };
        fields.push(Field { tag, value });
    }
    Some(fields)
}

fn write(fields: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Field { tag, value } in fields {
        varint(*tag, &mut bytes);
        match value {
            Value::Varint(number) => varint(*number, &mut bytes),
            Value::Fixed(fixed) => bytes.extend(fixed),
            Value::Bytes(inner) => {
                varint(inner.len() as u64, &mut bytes);
                bytes.extend(inner);
            }
        }
    }
    bytes
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn varint(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}
