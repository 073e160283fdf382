//! Weights that the puzzle's symmetries make alike are learned as one, from the samples of all of
//! them.
//!
//! One symmetry is the mirror in the diagonal of square boards. The other exchanges the roles of
//! tiles and cells: a path from the goal to a board with the blank at home, walked back, leads from
//! the goal to the *inverse* board, where tile a stands on b's home if tile b stood on a's. Both
//! boards are equally far from the goal (duality: Zahavi, Felner, Holte & Schaeffer, 2008). With
//! the blank elsewhere this is only approximately true; for two tiles on their cells it is assumed
//! to hold wherever the blank is.

use std::sync::Arc;

use crate::heuristic::learned::{Transposition, home_of, pair_place, pairs_of, tile_of};
use crate::puzzle::Shape;

/// A tile and its cell.
pub(super) type Stand = (usize, usize);

/// The number of the weight for each index in the order of the fields of
/// [`Weights`](crate::heuristic::learned::Weights).
#[derive(Debug)]
pub(super) struct Alike {
    pub(super) singles: Box<[u32]>,
    pub(super) pairs: Box<[u32]>,
}

impl Alike {
    pub(super) fn new(shape: Shape) -> Self {
        let cells = shape.cells();
        let symmetries = Symmetries::new(shape);
        let single_place = |(tile, cell): Stand| tile * cells + cell;
        let stands = (0..cells).flat_map(|tile| (0..cells).map(move |cell| (tile, cell)));
        let singles = stands.map(|stand| {
            let images = symmetries.images([stand]);
            images.map(|[stand]| single_place(stand))
        });
        let pairs = pairs_of(cells).flat_map(|(lower, upper)| {
            let tiles = (0..cells).flat_map(move |tile| (0..cells).map(move |other| (tile, other)));
            tiles.map(move |(tile, other)| [(tile, lower), (other, upper)])
        });
        let pairs = pairs.map(|stands| {
            let images = symmetries.images(stands);
            images.map(|[one, other]| pair_place(cells, one, other))
        });
        Self {
            singles: numbers(singles),
            pairs: numbers(pairs),
        }
    }
}

/// Returns the number of each index, given the indices of its images. The first of them has the
/// same number.
fn numbers(places: impl Iterator<Item = [usize; 3]>) -> Box<[u32]> {
    let mut numbers: Vec<u32> = Vec::new();
    let mut count = 0;
    for (place, images) in places.enumerate() {
        let first = images.into_iter().fold(place, usize::min);
        numbers.push(if first < place {
            numbers[first]
        } else {
            count += 1;
            count - 1
        });
    }
    numbers.into()
}

/// The symmetries under which tiles on their cells have the same weight.
#[derive(Clone, Debug)]
pub(super) struct Symmetries {
    cells: usize,
    /// The mirror, for square boards.
    mirror: Option<Arc<Transposition>>,
    has_inverse: bool,
}

impl Symmetries {
    pub(super) fn new(shape: Shape) -> Self {
        Self {
            has_inverse: true,
            ..Self::mirror(shape)
        }
    }

    /// Returns the mirror alone.
    pub(super) fn mirror(shape: Shape) -> Self {
        let is_square = shape.rows() == shape.columns();
        Self {
            cells: shape.cells(),
            mirror: is_square.then(|| Arc::new(Transposition::new(shape))),
            has_inverse: false,
        }
    }

    /// Returns the images of tiles on their cells: mirrored, inverse, and both. Without such a
    /// symmetry, an image is the original.
    pub(super) fn images<const N: usize>(&self, stands: [Stand; N]) -> [[Stand; N]; 3] {
        let inverse = self.inverse(stands);
        [self.mirrored(stands), inverse, self.mirrored(inverse)]
    }

    fn mirrored<const N: usize>(&self, stands: [Stand; N]) -> [Stand; N] {
        let Some(names) = &self.mirror else {
            return stands;
        };
        stands.map(|(tile, cell)| (names.tiles[tile], names.cells[cell]))
    }

    /// There is no inverse if the blank is among the tiles but not at home, or its home is among
    /// the cells without the blank; nor for one tile on two cells, which never occurs.
    fn inverse<const N: usize>(&self, stands: [Stand; N]) -> [Stand; N] {
        let last = self.cells - 1;
        let is_half = |&(tile, cell): &Stand| (tile == 0) != (cell == last);
        let is_twice = N == 2 && stands[0].0 == stands[N - 1].0;
        if !self.has_inverse || is_twice || stands.iter().any(is_half) {
            return stands;
        }
        stands.map(|(tile, cell)| (tile_of(self.cells, cell), home_of(self.cells, tile)))
    }
}
