//! The file format of weights: a small header, the weights, deflated (RFC 1950), and a checksum of
//! both. Little-endian.

use std::fmt;
use std::io::{Read, Write};
use std::marker::PhantomData;
use std::mem;
use std::ops::{Range, RangeInclusive};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use thiserror::Error;
use twox_hash::XxHash3_64;

use super::names::Transposition;
use super::weights::{PairWeights, Pairs};
use crate::puzzle::Shape;

/// The layout version, raised whenever the layout changes.
pub(super) const VERSION: u16 = 2;

/// The previous layout version: weights are stored as they are, in parts of a move that were twice
/// as large. The first weights were learned with it.
pub(super) const PLAIN: u16 = 1;

const VERSION_AT: Range<usize> = 8..10;
const SHAPE_AT: usize = 10;
const HEADER: usize = 12;
const CHECKSUM: usize = 8;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// [`Weights`](super::Weights).
    Weights,
    /// [`NearWeights`](super::near::NearWeights).
    NearWeights,
    /// A [`Network`](super::Network).
    Network,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Weights, Self::NearWeights, Self::Network];

    /// The first bytes of a file.
    const fn magic(self) -> [u8; 8] {
        match self {
            Self::Weights => *b"loyd-est",
            Self::NearWeights => *b"loydnear",
            Self::Network => *b"loyd-net",
        }
    }

    /// Returns what a file claims to hold, or `None` if it is not one of these.
    fn of(bytes: &[u8]) -> Option<Self> {
        let begins = |kind: &Self| bytes.starts_with(&kind.magic());
        Self::ALL.into_iter().find(begins)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Weights => "weights of all pairs of tiles",
            Self::NearWeights => "weights of tiles near each other",
            Self::Network => "a network",
        })
    }
}

/// Why bytes are not what they should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// They hold something else.
    #[error("it holds {found}, not {expected}")]
    Other {
        /// What they should hold.
        expected: Kind,
        /// What they hold.
        found: Kind,
    },
    /// They do not begin as any kind does.
    #[error("it holds nothing of loyd's, and should hold {0}")]
    Foreign(Kind),
    /// The layout is that of another release.
    #[error("it has the layout {0}, which this release does not read")]
    Version(u16),
    /// The bytes were changed, or hold more or fewer weights than their shape has.
    #[error("it is damaged")]
    Damaged,
}

impl<P: Pairs> PairWeights<P> {
    /// Encodes the weights. On square boards, the weights of two pairs that are each other's image
    /// in the diagonal are stored once.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (shape, singles, _) = self.parts();
        let images = Images::new::<P>(shape);
        let mut content: Vec<u8> = singles.iter().flat_map(|one| one.to_le_bytes()).collect();
        for block in images.stored() {
            content.extend(self.block(block).iter().map(|&weight| weight as u8));
        }
        seal(P::KIND, shape, &content)
    }

    /// Decodes weights.
    ///
    /// # Errors
    /// If they were not made by [`Self::to_bytes`], with this layout or [an older one](Pairs::OLDEST) that
    /// is still read, or are of a shape for which there are [no files](Pairs::supports).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, WeightsError> {
        let mut reading = Reading::begin(bytes)?;
        while !reading.advance(u64::MAX) {}
        reading.finish().ok_or(WeightsError::Damaged)
    }
}

/// Encodes a file of the present layout: its first bytes, a header, the deflated content, and a
/// checksum.
pub(super) fn seal(kind: Kind, shape: Shape, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::from(kind.magic());
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend([shape.rows() as u8, shape.columns() as u8]);
    let mut packed = ZlibEncoder::new(bytes, Compression::best());
    let written = packed.write_all(content).and_then(|()| packed.finish());
    let mut bytes = written.expect("a vector takes all that is written");
    let sum = XxHash3_64::oneshot(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Opens a file with one of these layouts. Returns its layout version, its shape and its content.
pub(super) fn open(
    expected: Kind,
    layouts: RangeInclusive<u16>,
    bytes: &[u8],
) -> Result<(u16, Shape, Content<'_>), WeightsError> {
    let found = Kind::of(bytes).ok_or(WeightsError::Foreign(expected))?;
    if found != expected {
        return Err(WeightsError::Other { expected, found });
    }
    if bytes.len() < HEADER + CHECKSUM {
        return Err(WeightsError::Damaged);
    }
    let version = u16::from_le_bytes([bytes[VERSION_AT.start], bytes[VERSION_AT.start + 1]]);
    if !layouts.contains(&version) {
        return Err(WeightsError::Version(version));
    }
    let (sealed, sum) = bytes.split_at(bytes.len() - CHECKSUM);
    if XxHash3_64::oneshot(sealed).to_le_bytes() != sum {
        return Err(WeightsError::Damaged);
    }
    let [rows, columns] = [sealed[SHAPE_AT], sealed[SHAPE_AT + 1]].map(usize::from);
    let shape = Shape::new(rows, columns).map_err(|_| WeightsError::Damaged)?;
    let content = &sealed[HEADER..];
    let content: Content<'_> = if version == PLAIN {
        Box::new(content)
    } else {
        Box::new(ZlibDecoder::new(content))
    };
    Ok((version, shape, content))
}

/// The content of a file, to be read.
pub(super) type Content<'a> = Box<dyn Read + Send + 'a>;

/// Bytes that are being decoded, one pair of cells after the other.
pub(super) struct Reading<'a, P> {
    shape: Shape,
    /// The factor that converts stored numbers into parts of a move.
    scale: i8,
    singles: Vec<i16>,
    pairs: Vec<i8>,
    /// The content that is still to be read.
    weights: Content<'a>,
    /// The weights of one pair of cells.
    block: Vec<u8>,
    images: Images,
    /// The next pair of cells.
    pair: usize,
    kind: PhantomData<P>,
}

impl<'a, P: Pairs> Reading<'a, P> {
    /// Checks the checksum, and reads everything except the pairs.
    pub(super) fn begin(bytes: &'a [u8]) -> Result<Self, WeightsError> {
        let (version, shape, mut weights) = open(P::KIND, P::OLDEST..=VERSION, bytes)?;
        if !P::supports(shape) {
            return Err(WeightsError::Damaged);
        }
        let squared = shape.cells() * shape.cells();
        let images = Images::new::<P>(shape);
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
            pairs: vec![0; images.of_pairs.len() * squared],
            weights,
            block: vec![0; squared],
            images,
            pair: 0,
            kind: PhantomData,
        })
    }

    /// Reads the given number of pairs of cells. Returns true when none are left, or when the
    /// content ends too early.
    pub(super) fn advance(&mut self, pairs: u64) -> bool {
        let cells = self.shape.cells();
        let squared = cells * cells;
        for _ in 0..pairs {
            let Some(image) = self.images.of_pairs.get(self.pair) else {
                return true;
            };
            let pair = self.pair;
            self.pair += 1;
            let Some(image) = image.filter(|image| image.pair >= pair) else {
                // The block is unused, or was filled together with its image.
                continue;
            };
            if self.weights.read_exact(&mut self.block).is_err() {
                self.pairs.clear();
                return true;
            }
            let block = &self.block;
            let parts = |byte: u8| byte.cast_signed().saturating_mul(self.scale);
            for (weight, &byte) in self.pairs[pair * squared..].iter_mut().zip(block) {
                *weight = parts(byte);
            }
            if image.pair == pair {
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

    /// Returns the weights once they are read, or `None` if there were too few or too many.
    pub(super) fn finish(&mut self) -> Option<PairWeights<P>> {
        if !matches!(self.weights.read(&mut [0]), Ok(0)) {
            return None;
        }
        let (singles, pairs) = (mem::take(&mut self.singles), mem::take(&mut self.pairs));
        PairWeights::of_parts(self.shape, singles, pairs)
    }
}

/// The image of a pair of cells in the diagonal of a square board.
#[derive(Clone, Copy, Debug)]
struct Image {
    pair: usize,
    /// Whether the lower cell becomes the upper one.
    is_turned: bool,
}

/// The images of all pairs of cells. On boards that are not square, each pair is its own image.
#[derive(Debug)]
struct Images {
    names: Transposition,
    /// `None` for blocks without a pair.
    of_pairs: Vec<Option<Image>>,
}

impl Images {
    fn new<P: Pairs>(shape: Shape) -> Self {
        let names = Transposition::new(shape);
        let is_square = shape.rows() == shape.columns();
        let image = |(lower, upper): (usize, usize)| {
            let (first, second) = if is_square {
                (names.cells[lower], names.cells[upper])
            } else {
                (lower, upper)
            };
            Image {
                pair: P::number(shape, first.min(second), first.max(second)),
                is_turned: first > second,
            }
        };
        let pairs = P::blocks(shape).into_iter();
        let of_pairs = pairs.map(|pair| pair.map(image)).collect();
        Self { names, of_pairs }
    }

    /// Returns the blocks that are stored.
    fn stored(&self) -> impl Iterator<Item = usize> + '_ {
        let images = self.of_pairs.iter().enumerate();
        images
            .filter(|(pair, image)| image.is_some_and(|image| *pair <= image.pair))
            .map(|(pair, _)| pair)
    }
}
