//! The weights that come with loyd, and what is made of them.
//!
//! `docs/learned.md` has the commands that make them.

use std::ops::RangeInclusive;

use super::lift::Line;
use super::network::Network;
use super::ranking::Ranking;
use crate::puzzle::Shape;

/// Weights of the squares, each the content of a file.
const SQUARES: [(usize, &[u8]); 4] = [
    (5, include_bytes!("../../../weights/5x5.loyd")),
    (6, include_bytes!("../../../weights/6x6.loyd")),
    (7, include_bytes!("../../../weights/7x7.loyd")),
    (8, include_bytes!("../../../weights/8x8.loyd")),
];

/// Networks of squares, each the content of a file.
type Networks<const N: usize> = [(usize, &'static [u8]); N];

/// Those beside all pairs.
const NETWORKS: Networks<2> = [
    (6, include_bytes!("../../../weights/network-6x6.loyd")),
    (7, include_bytes!("../../../weights/network-7x7.loyd")),
];

/// Those beside pairs near each other that rank whole boards.
const NEAR_NETWORKS: Networks<3> = [
    (8, include_bytes!("../../../weights/network-whole-8x8.loyd")),
    (9, include_bytes!("../../../weights/network-whole-9x9.loyd")),
    (
        10,
        include_bytes!("../../../weights/network-whole-10x10.loyd"),
    ),
];

/// The weights of pairs near each other of 10×10, of which those of all larger boards that have any are made: for beams in
/// stages, and for beams over whole boards.
pub(super) const NEAR_STAGED: &[u8] = include_bytes!("../../../weights/near-10x10.loyd");
pub(super) const NEAR_WHOLE: &[u8] = include_bytes!("../../../weights/whole-10x10.loyd");

/// The most cells of a board with rows: they take 37 MB on 8×8, and twice that on 9×9.
const MAX_SPREAD: usize = 64;

/// The longest side of a board with more than [`LONG_CELLS`].
const MAX_SIDE: usize = 8;

/// The most cells of a longer board.
const LONG_CELLS: usize = 40;

/// What weights for a shape are made of: those of a square, and lines that are put in or taken
/// out.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) square: Shape,
    pub(super) bytes: &'static [u8],
    pub(super) lifts: Vec<Line>,
}

/// Whether there are weights for a shape that is at least as wide as it is high.
pub(super) const fn supports(shape: Shape) -> bool {
    let cells = shape.cells();
    let is_short = shape.columns() <= MAX_SIDE && cells <= MAX_SPREAD;
    shape.rows() <= shape.columns() && (is_short || cells <= LONG_CELLS)
}

/// The shape, turned so that it is at least as wide as it is high.
pub(super) const fn lying(shape: Shape) -> Shape {
    if shape.rows() > shape.columns() {
        shape.transposed()
    } else {
        shape
    }
}

/// The network beside all pairs for a shape, if there is one.
pub(super) fn network(shape: Shape) -> Option<&'static [u8]> {
    of_square(&NETWORKS, shape)
}

/// The network beside pairs near each other for whole boards of a shape, if there is one.
pub(super) fn near_network(shape: Shape) -> Option<&'static [u8]> {
    of_square(&NEAR_NETWORKS, shape)
}

fn of_square<const N: usize>(networks: &Networks<N>, shape: Shape) -> Option<&'static [u8]> {
    let is_for = |side| shape.rows() == side && shape.columns() == side;
    let found = networks.iter().find(|(side, _)| is_for(*side));
    found.map(|&(_, bytes)| bytes)
}

/// Where the network for a shape is found.
type Shipped = fn(Shape) -> Option<&'static [u8]>;

/// The bytes that the network for a shape holds; 0 where there is none.
pub(super) fn network_bytes(shape: Shape, network: Shipped) -> usize {
    network(shape).map_or(0, |_| Network::bytes(shape))
}

/// A ranking with the network for its shape beside it, where there is one; none where that is damaged.
pub(super) fn with_network<R: Ranking>(mut ranking: R, network: Shipped) -> Option<R> {
    if let Some(bytes) = network(ranking.shape()) {
        ranking.set_network(Network::from_bytes(bytes).ok()?);
    }
    Some(ranking)
}

/// All shapes for which there are weights. The rows of all of them together take 160 MB.
pub(super) fn shapes() -> impl Iterator<Item = Shape> {
    shapes_within(Shape::MIN_SIDE..=LONG_CELLS / Shape::MIN_SIDE).filter(|&shape| supports(shape))
}

/// All shapes with sides within a range.
pub(super) fn shapes_within(sides: RangeInclusive<usize>) -> impl Iterator<Item = Shape> {
    let rows = sides.clone();
    let shapes = rows.flat_map(move |rows| sides.clone().map(move |columns| (rows, columns)));
    shapes.filter_map(|(rows, columns)| Shape::new(rows, columns).ok())
}

/// The recipe for a shape that is at least as wide as it is high, if there are weights for it: the
/// square of its longer side, or the next. Lines taken out do better than lines put in.
pub(super) fn recipe(shape: Shape) -> Option<Recipe> {
    if !supports(shape) {
        return None;
    }
    let &(side, bytes) = SQUARES
        .iter()
        .min_by_key(|(side, _)| side.abs_diff(shape.columns()))?;
    let lines = |line, count| std::iter::repeat_n(line, count);
    // Small boards first: the work grows with the fourth power of a side.
    let lifts = lines(Line::FewerRows, side.saturating_sub(shape.rows()))
        .chain(lines(
            Line::FewerColumns,
            side.saturating_sub(shape.columns()),
        ))
        .chain(lines(Line::MoreRows, shape.rows().saturating_sub(side)))
        .chain(lines(
            Line::MoreColumns,
            shape.columns().saturating_sub(side),
        ));
    Some(Recipe {
        square: Shape::new(side, side).ok()?,
        bytes,
        lifts: lifts.collect(),
    })
}
