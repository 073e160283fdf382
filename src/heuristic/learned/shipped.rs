//! The weights that are shipped with loyd, and how those of other shapes are derived from them.
//!
//! `docs/learned.md` has the commands that make the shipped weights.

use super::network::Network;
use super::ranking::Ranking;
use crate::puzzle::Shape;

/// What is shipped for square boards of a side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Square {
    side: usize,
    /// The content of a file.
    pub(super) bytes: &'static [u8],
}

const fn square(side: usize, bytes: &'static [u8]) -> Square {
    Square { side, bytes }
}

impl Square {
    /// Returns the shape of its boards.
    pub(super) fn shape(self) -> Shape {
        Shape::new(self.side, self.side).expect("a side in range")
    }
}

/// The weights of all pairs.
const ALL_PAIRS: [Square; 2] = [
    square(5, include_bytes!("../../../weights/5x5.loyd")),
    square(6, include_bytes!("../../../weights/6x6.loyd")),
];

/// The longest side of boards that are ranked by all pairs. On larger boards, pairs near each other
/// are better and faster.
const MAX_SIDE: usize = 6;

/// The weights of pairs near each other for staged beams.
pub(super) const NEAR_STAGED: Square =
    square(10, include_bytes!("../../../weights/near-10x10.loyd"));

/// Those for beams over whole boards.
const NEAR_WHOLE: [Square; 3] = [
    square(7, include_bytes!("../../../weights/whole-7x7.loyd")),
    square(8, include_bytes!("../../../weights/whole-8x8.loyd")),
    square(10, include_bytes!("../../../weights/whole-10x10.loyd")),
];

/// The networks beside the pairs that rank whole boards.
const NETWORKS: [Square; 3] = [
    square(6, include_bytes!("../../../weights/network-6x6.loyd")),
    square(9, include_bytes!("../../../weights/network-whole-9x9.loyd")),
    square(
        10,
        include_bytes!("../../../weights/network-whole-10x10.loyd"),
    ),
];

/// Returns whether there are weights of all pairs for a shape that is at least as wide as it is high.
pub(super) const fn supports(shape: Shape) -> bool {
    shape.rows() <= shape.columns() && shape.columns() <= MAX_SIDE
}

/// Returns the shape, turned so that it is at least as wide as it is high.
pub(super) const fn landscape(shape: Shape) -> Shape {
    if shape.rows() > shape.columns() {
        shape.transposed()
    } else {
        shape
    }
}

/// Returns the weights of pairs near each other from which those for whole boards of a shape, which
/// is at least as wide as it is high, are derived: those of the square of the longer side, as removing
/// lines gives better weights than inserting them. Somewhat longer boards use those of 8×8, which saw
/// more boards for each weight than those of 10×10.
pub(super) fn near_whole(shape: Shape) -> Square {
    let [seven, eight, ten] = NEAR_WHOLE;
    match shape.columns() {
        ..=7 => seven,
        8 => eight,
        9..=10 if shape.cells() <= eight.shape().cells() => eight,
        _ => ten,
    }
}

/// Returns the network for whole boards of a shape, if there is one.
pub(super) fn network(shape: Shape) -> Option<&'static [u8]> {
    let found = NETWORKS.iter().find(|square| square.shape() == shape);
    found.map(|square| square.bytes)
}

/// Returns the bytes that the network for a shape holds, or 0 if there is none.
pub(super) fn network_bytes(shape: Shape) -> usize {
    network(shape).map_or(0, |_| Network::bytes(shape))
}

/// Adds the network for its shape to a ranking, if there is one. Returns `None` if the network is
/// damaged.
pub(super) fn with_network<R: Ranking>(mut ranking: R) -> Option<R> {
    if let Some(bytes) = network(ranking.shape()) {
        ranking.set_network(Network::from_bytes(bytes).ok()?);
    }
    Some(ranking)
}

/// Returns the weights of all pairs from which those of a shape that has any are derived.
pub(super) fn all_pairs(shape: Shape) -> Square {
    let [five, six] = ALL_PAIRS;
    if shape.columns() > five.side {
        six
    } else {
        five
    }
}
