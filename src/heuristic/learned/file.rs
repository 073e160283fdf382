//! Weights as bytes: a small header, the weights, a checksum of both. Little-endian.

use std::ops::Range;

use thiserror::Error;
use twox_hash::XxHash3_64;

use super::weights::{Transposition, Weights, pair_of, pairs_of};
use crate::puzzle::Shape;

/// What a file begins with.
const MAGIC: [u8; 8] = *b"loyd-est";

/// The layout; raised whenever the same weights would have other bytes.
const VERSION: u16 = 1;

const VERSION_AT: Range<usize> = 8..10;
const SHAPE_AT: usize = 10;
const HEADER: usize = 12;
const CHECKSUM: usize = 8;

/// Why bytes are not the weights of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// They do not begin as weights do.
    #[error("these are no weights of loyd")]
    Foreign,
    /// Their layout is that of another release.
    #[error("they have the layout {0}, and this release reads {VERSION}")]
    Version(u16),
    /// There are more or fewer than their shape has.
    #[error("there are {found} bytes and should be {expected}")]
    Length {
        /// The bytes that there are.
        found: usize,
        /// The bytes that there should be.
        expected: usize,
    },
    /// They were changed.
    #[error("they are damaged")]
    Damaged,
}

impl Weights {
    /// The weights as bytes. On square boards those of pairs that are each other's images in the
    /// diagonal are there once.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = self.shape();
        let mut bytes = Vec::with_capacity(length(shape));
        bytes.extend(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([shape.rows() as u8, shape.columns() as u8]);
        bytes.extend(
            self.singles()
                .iter()
                .flat_map(|single| single.to_le_bytes()),
        );
        for pair in stored_pairs(shape) {
            bytes.extend(self.block(pair).iter().map(|&weight| weight as u8));
        }
        let sum = XxHash3_64::oneshot(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// The weights of some bytes.
    ///
    /// # Errors
    /// When they are not what [`Self::to_bytes`] makes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) || bytes.len() < HEADER + CHECKSUM {
            return Err(WeightsError::Foreign);
        }
        let version = u16::from_le_bytes([bytes[VERSION_AT.start], bytes[VERSION_AT.start + 1]]);
        if version != VERSION {
            return Err(WeightsError::Version(version));
        }
        let (content, sum) = bytes.split_at(bytes.len() - CHECKSUM);
        if XxHash3_64::oneshot(content).to_le_bytes() != sum {
            return Err(WeightsError::Damaged);
        }
        let [rows, columns] = [content[SHAPE_AT], content[SHAPE_AT + 1]].map(usize::from);
        let shape = Shape::new(rows, columns).map_err(|_| WeightsError::Damaged)?;
        if bytes.len() != length(shape) {
            return Err(WeightsError::Length {
                found: bytes.len(),
                expected: length(shape),
            });
        }
        let squared = shape.cells() * shape.cells();
        let (singles, blocks) = content[HEADER..].split_at(squared * size_of::<i16>());
        let singles = singles.chunks_exact(2);
        let singles = singles.map(|bytes| i16::from_le_bytes([bytes[0], bytes[1]]));
        let mut pairs = vec![0; Self::pair_count(shape) * squared];
        let stored = stored_pairs(shape);
        for (pair, block) in stored.iter().zip(blocks.chunks_exact(squared)) {
            fill(&mut pairs, shape, *pair, block);
        }
        Self::new(shape, singles.collect(), pairs).ok_or(WeightsError::Damaged)
    }
}

/// Writes the weights of a pair of cells, and on a square board those of its image.
fn fill(pairs: &mut [i8], shape: Shape, pair: usize, block: &[u8]) {
    let cells = shape.cells();
    let squared = cells * cells;
    for (weight, &byte) in pairs[pair * squared..].iter_mut().zip(block) {
        *weight = byte as i8;
    }
    let Some((image, is_turned)) = image_of(shape, pair) else {
        return;
    };
    let names = Transposition::new(shape);
    for (at, &byte) in block.iter().enumerate() {
        let [lower, upper] = [names.tiles[at / cells], names.tiles[at % cells]];
        let [first, second] = if is_turned {
            [upper, lower]
        } else {
            [lower, upper]
        };
        pairs[image * squared + first * cells + second] = byte as i8;
    }
}

/// The image of a pair of cells in the diagonal of a square board, and whether the lower cell
/// becomes the upper one; none when it is the pair itself or the board is not square.
fn image_of(shape: Shape, pair: usize) -> Option<(usize, bool)> {
    if shape.rows() != shape.columns() {
        return None;
    }
    let cells = shape.cells();
    let (lower, upper) = pairs_of(cells).nth(pair)?;
    let names = Transposition::new(shape);
    let (first, second) = (names.cells[lower], names.cells[upper]);
    let image = pair_of(cells, first.min(second), first.max(second));
    (image != pair).then_some((image, first > second))
}

/// The pairs of cells whose weights are stored.
fn stored_pairs(shape: Shape) -> Vec<usize> {
    (0..Weights::pair_count(shape))
        .filter(|&pair| image_of(shape, pair).is_none_or(|(image, _)| pair < image))
        .collect()
}

/// The bytes of a file.
fn length(shape: Shape) -> usize {
    let squared = shape.cells() * shape.cells();
    HEADER + squared * size_of::<i16>() + stored_pairs(shape).len() * squared + CHECKSUM
}
