//! The weights that come with loyd, and what is made of them.
//!
//! `docs/learned.md` has the commands that make them.

use super::lift::Line;
use crate::puzzle::Shape;

/// Weights of the squares, each the content of a file.
const SQUARES: [(usize, &[u8]); 3] = [
    (5, include_bytes!("../../../weights/5x5.loyd")),
    (6, include_bytes!("../../../weights/6x6.loyd")),
    (7, include_bytes!("../../../weights/7x7.loyd")),
];

/// What weights for a shape are made of: shipped ones, and lines that are put in or taken out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    pub(super) shape: Shape,
    pub(super) bytes: &'static [u8],
    pub(super) lifts: &'static [Line],
}

/// The shapes for which a lift was measured to be better than a lower bound, by the side of the
/// square that they are made of.
const LIFTED: [(usize, &[Line]); 1] = [(7, &[Line::MoreRows, Line::MoreColumns])];

/// All shapes for which there are weights.
pub(super) fn recipes() -> impl Iterator<Item = Recipe> {
    let squares = SQUARES.iter().map(|&(side, _)| (side, [].as_slice()));
    squares.chain(LIFTED).filter_map(|(side, lifts)| {
        let &(_, bytes) = SQUARES.iter().find(|&&(other, _)| other == side)?;
        let square = Shape::new(side, side).ok()?;
        let shape = lifts
            .iter()
            .try_fold(square, |shape, line| line.shape(shape))?;
        Some(Recipe {
            shape,
            bytes,
            lifts,
        })
    })
}

/// The recipe for a shape, if there is one.
pub(super) fn recipe(shape: Shape) -> Option<Recipe> {
    recipes().find(|recipe| recipe.shape == shape)
}
