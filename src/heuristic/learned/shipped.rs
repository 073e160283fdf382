//! The weights that are shipped with loyd, and how those of other shapes are derived from them.
//!
//! `docs/learned.md` has the commands that make the shipped weights.

use std::ops::RangeInclusive;

use super::lift::Line;
use super::network::Network;
use super::ranking::Ranking;
use crate::puzzle::Shape;

/// The weights of square boards, each the content of a file.
const SQUARES: [(usize, &[u8]); 4] = [
    (5, include_bytes!("../../../weights/5x5.loyd")),
    (6, include_bytes!("../../../weights/6x6.loyd")),
    (7, include_bytes!("../../../weights/7x7.loyd")),
    (8, include_bytes!("../../../weights/8x8.loyd")),
];

/// The networks of square boards, each the content of a file.
type Networks<const N: usize> = [(usize, &'static [u8]); N];

/// The networks beside the weights of all pairs.
const NETWORKS: Networks<2> = [
    (6, include_bytes!("../../../weights/network-6x6.loyd")),
    (7, include_bytes!("../../../weights/network-7x7.loyd")),
];

/// The networks beside pairs near each other that rank whole boards.
const NEAR_NETWORKS: Networks<3> = [
    (8, include_bytes!("../../../weights/network-whole-8x8.loyd")),
    (9, include_bytes!("../../../weights/network-whole-9x9.loyd")),
    (
        10,
        include_bytes!("../../../weights/network-whole-10x10.loyd"),
    ),
];

/// The weights of pairs near each other for 10×10, from which those of all boards that have any are
/// derived: for staged beams, and for beams over whole boards.
pub(super) const NEAR_STAGED: &[u8] = include_bytes!("../../../weights/near-10x10.loyd");
pub(super) const NEAR_WHOLE: &[u8] = include_bytes!("../../../weights/whole-10x10.loyd");

/// The most cells of a board with rows: rows take 37 MB on 8×8, and twice that on 9×9.
const MAX_SPREAD: usize = 64;

/// The longest side of a board with more than [`LONG_CELLS`] cells.
const MAX_SIDE: usize = 8;

/// The most cells of a longer board.
const LONG_CELLS: usize = 40;

/// How the weights of a shape are derived: from those of a square, by inserting or removing lines.
#[derive(Clone, Debug)]
pub(super) struct Recipe {
    pub(super) square: Shape,
    pub(super) bytes: &'static [u8],
    pub(super) lifts: Vec<Line>,
}

/// Returns whether there are weights for a shape that is at least as wide as it is high.
pub(super) const fn supports(shape: Shape) -> bool {
    let cells = shape.cells();
    let is_short = shape.columns() <= MAX_SIDE && cells <= MAX_SPREAD;
    shape.rows() <= shape.columns() && (is_short || cells <= LONG_CELLS)
}

/// Returns the shape, turned so that it is at least as wide as it is high.
pub(super) const fn landscape(shape: Shape) -> Shape {
    if shape.rows() > shape.columns() {
        shape.transposed()
    } else {
        shape
    }
}

/// Returns the network beside all pairs for a shape, if there is one.
pub(super) fn network(shape: Shape) -> Option<&'static [u8]> {
    of_square(&NETWORKS, shape)
}

/// Returns the network beside pairs near each other for whole boards of a shape, if there is one.
pub(super) fn near_network(shape: Shape) -> Option<&'static [u8]> {
    of_square(&NEAR_NETWORKS, shape)
}

fn of_square<const N: usize>(networks: &Networks<N>, shape: Shape) -> Option<&'static [u8]> {
    let is_for = |side| shape.rows() == side && shape.columns() == side;
    let found = networks.iter().find(|(side, _)| is_for(*side));
    found.map(|&(_, bytes)| bytes)
}

/// A function that returns the network for a shape.
type Shipped = fn(Shape) -> Option<&'static [u8]>;

/// Returns the bytes that the network for a shape holds, or 0 if there is none.
pub(super) fn network_bytes(shape: Shape, network: Shipped) -> usize {
    network(shape).map_or(0, |_| Network::bytes(shape))
}

/// Adds the network for its shape to a ranking, if there is one. Returns `None` if the network is
/// damaged.
pub(super) fn with_network<R: Ranking>(mut ranking: R, network: Shipped) -> Option<R> {
    if let Some(bytes) = network(ranking.shape()) {
        ranking.set_network(Network::from_bytes(bytes).ok()?);
    }
    Some(ranking)
}

/// Returns all shapes for which there are weights. The rows of all of them together take 160 MB.
pub(super) fn shapes() -> impl Iterator<Item = Shape> {
    shapes_within(Shape::MIN_SIDE..=LONG_CELLS / Shape::MIN_SIDE).filter(|&shape| supports(shape))
}

/// Returns all shapes with sides within a range.
pub(super) fn shapes_within(sides: RangeInclusive<usize>) -> impl Iterator<Item = Shape> {
    let rows = sides.clone();
    let shapes = rows.flat_map(move |rows| sides.clone().map(move |columns| (rows, columns)));
    shapes.filter_map(|(rows, columns)| Shape::new(rows, columns).ok())
}

/// Returns the recipe for a shape that is at least as wide as it is high, if there are weights for
/// it. It starts from the square of the longer side, or the nearest one. Removing lines gives
/// better weights than inserting them.
pub(super) fn recipe(shape: Shape) -> Option<Recipe> {
    if !supports(shape) {
        return None;
    }
    let &(side, bytes) = SQUARES
        .iter()
        .min_by_key(|(side, _)| side.abs_diff(shape.columns()))?;
    let lines = |line, count| std::iter::repeat_n(line, count);
    // Small boards first: the work grows with the fourth power of the number of cells.
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
