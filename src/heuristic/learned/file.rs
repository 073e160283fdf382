//! Weights as bytes: a small header, the weights, deflated (RFC 1950), and a checksum of both.
//! Little-endian.

use std::io::{Read, Write};
use std::mem;
use std::ops::Range;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use thiserror::Error;
use twox_hash::XxHash3_64;

use super::weights::{MAX_CELLS, Transposition, Weights, pair_of, pairs_of};
use crate::puzzle::Shape;

/// What a file begins with.
const MAGIC: [u8; 8] = *b"loyd-est";

/// The layout; raised whenever it changes.
const VERSION: u16 = 2;

/// The layout before, in which the weights stood as they are, in parts that were twice as large. The
/// first weights were learned with it.
const PLAIN: u16 = 1;

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
    #[error("they have the layout {0}, and this release reads {PLAIN} and {VERSION}")]
    Version(u16),
    /// They were changed, or are more or fewer than their shape has.
    #[error("they are damaged")]
    Damaged,
}

impl Weights {
    /// The weights as bytes. On square boards those of pairs that are each other's images in the
    /// diagonal are there once.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let shape = self.shape();
        let images = Images::new(shape);
        let singles = self.singles().iter();
        let mut weights: Vec<u8> = singles.flat_map(|single| single.to_le_bytes()).collect();
        for pair in images.stored() {
            weights.extend(self.block(pair).iter().map(|&weight| weight as u8));
        }
        let mut bytes = Vec::from(MAGIC);
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend([shape.rows() as u8, shape.columns() as u8]);
        let mut packed = ZlibEncoder::new(bytes, Compression::best());
        let written = packed.write_all(&weights).and_then(|()| packed.finish());
        let mut bytes = written.expect("a vector takes all that is written");
        let sum = XxHash3_64::oneshot(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// The weights of some bytes.
    ///
    /// # Errors
    /// When they are not what [`Self::to_bytes`] makes, or made with the layout before.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let mut reading = Reading::begin(bytes)?;
        while !reading.advance(u64::MAX) {}
        reading.finish().ok_or(WeightsError::Damaged)
    }
}

/// Bytes that are being read, one pair of cells after the other.
pub(super) struct Reading<'a> {
    shape: Shape,
    /// The parts of a weight that a number stands for.
    scale: i8,
    singles: Vec<i16>,
    pairs: Vec<i8>,
    /// What is still to be read.
    weights: Box<dyn Read + Send + 'a>,
    /// The weights of one pair of cells.
    block: Vec<u8>,
    images: Images,
    /// The next pair of cells.
    pair: usize,
}

impl<'a> Reading<'a> {
    /// Looks at the checksum, and at all but the pairs.
    pub(super) fn begin(bytes: &'a [u8]) -> Result<Self, WeightsError> {
        if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) || bytes.len() < HEADER + CHECKSUM {
            return Err(WeightsError::Foreign);
        }
        let version = u16::from_le_bytes([bytes[VERSION_AT.start], bytes[VERSION_AT.start + 1]]);
        let (content, sum) = bytes.split_at(bytes.len() - CHECKSUM);
        let mut weights: Box<dyn Read + Send + 'a> = match version {
            PLAIN => Box::new(&content[HEADER..]),
            VERSION => Box::new(ZlibDecoder::new(&content[HEADER..])),
            _ => return Err(WeightsError::Version(version)),
        };
        if XxHash3_64::oneshot(content).to_le_bytes() != sum {
            return Err(WeightsError::Damaged);
        }
        let [rows, columns] = [content[SHAPE_AT], content[SHAPE_AT + 1]].map(usize::from);
        let shape = Shape::new(rows, columns).map_err(|_| WeightsError::Damaged)?;
        if shape.cells() > MAX_CELLS {
            return Err(WeightsError::Damaged);
        }
        let squared = shape.cells() * shape.cells();
        let mut singles = vec![0; squared * size_of::<i16>()];
        let read = weights.read_exact(&mut singles);
        read.map_err(|_| WeightsError::Damaged)?;
        let singles = singles.as_chunks().0.iter();
        let scale = if version == PLAIN { 2 } else { 1 };
        let single = |&bytes: &[u8; 2]| i16::from_le_bytes(bytes).saturating_mul(scale.into());
        Ok(Self {
            shape,
            scale,
            singles: singles.map(single).collect(),
            pairs: vec![0; Weights::pair_count(shape) * squared],
            weights,
            block: vec![0; squared],
            images: Images::new(shape),
            pair: 0,
        })
    }

    /// Reads so many pairs of cells more; true when there are no more, or not as many as there
    /// should be.
    pub(super) fn advance(&mut self, pairs: u64) -> bool {
        let cells = self.shape.cells();
        let squared = cells * cells;
        for _ in 0..pairs {
            let Some(image) = self.images.of_pairs.get(self.pair) else {
                return true;
            };
            let begin = self.pair * squared;
            self.pair += 1;
            if image.pair < self.pair - 1 {
                // It was written with its image.
                continue;
            }
            if self.weights.read_exact(&mut self.block).is_err() {
                self.pairs.clear();
                return true;
            }
            let block = &self.block;
            let parts = |byte: u8| byte.cast_signed().saturating_mul(self.scale);
            for (weight, &byte) in self.pairs[begin..].iter_mut().zip(block) {
                *weight = parts(byte);
            }
            if image.pair == self.pair - 1 {
                continue;
            }
            let tiles = &self.images.names.tiles;
            let target = &mut self.pairs[image.pair * squared..][..squared];
            for (row, &tile) in block.chunks_exact(cells).zip(tiles) {
                for (&byte, &other) in row.iter().zip(tiles) {
                    let (first, second) = if image.is_turned {
                        (other, tile)
                    } else {
                        (tile, other)
                    };
                    target[first * cells + second] = parts(byte);
                }
            }
        }
        false
    }

    /// The weights, once they are read; none when there were fewer than there should be, or more.
    pub(super) fn finish(&mut self) -> Option<Weights> {
        if !matches!(self.weights.read(&mut [0]), Ok(0)) {
            return None;
        }
        let (singles, pairs) = (mem::take(&mut self.singles), mem::take(&mut self.pairs));
        Weights::new(self.shape, singles, pairs)
    }
}

/// What becomes of a pair of cells in the diagonal of a square board.
#[derive(Clone, Copy, Debug)]
struct Image {
    pair: usize,
    /// Whether the lower cell becomes the upper one.
    is_turned: bool,
}

/// The images of all pairs of cells; on other boards than squares each is its own.
#[derive(Debug)]
struct Images {
    names: Transposition,
    of_pairs: Vec<Image>,
}

impl Images {
    fn new(shape: Shape) -> Self {
        let cells = shape.cells();
        let names = Transposition::new(shape);
        let is_square = shape.rows() == shape.columns();
        let image = |(lower, upper): (usize, usize)| {
            let (first, second) = if is_square {
                (names.cells[lower], names.cells[upper])
            } else {
                (lower, upper)
            };
            Image {
                pair: pair_of(cells, first.min(second), first.max(second)),
                is_turned: first > second,
            }
        };
        let of_pairs = pairs_of(cells).map(image).collect();
        Self { names, of_pairs }
    }

    /// The pairs of cells whose weights are stored.
    fn stored(&self) -> impl Iterator<Item = usize> + '_ {
        let images = self.of_pairs.iter().enumerate();
        images
            .filter(|(pair, image)| *pair <= image.pair)
            .map(|(pair, _)| pair)
    }
}
