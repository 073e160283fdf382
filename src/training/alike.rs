//! Which weights are one: those that the puzzle's symmetries make alike are learned together, from
//! the samples of all of them.
//!
//! One symmetry is the mirror in the diagonal of square boards. The other has tiles and cells change
//! their parts: a way from the goal to a board with the blank at home, walked back, leads from the
//! goal to the *inverse* board, where tile a stands on b's home if tile b stood on a's. Both are as
//! far from the goal (duality: Zahavi, Felner, Holte & Schaeffer, 2008). With the blank elsewhere
//! that is only nearly so; of two tiles on their cells it is taken to hold wherever the blank is.

use std::sync::Arc;

use crate::heuristic::learned::{Transposition, home_of, pair_place, pairs_of, tile_of};
use crate::puzzle::Shape;

/// A tile and its cell.
pub(super) type Stand = (usize, usize);

/// The number of the weight for each place in the order of the fields of
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

/// The number of each place, from the places of its images: the first of them has it, too.
fn numbers(places: impl Iterator<Item = [usize; 3]>) -> Box<[u32]> {
    let mut numbers: Vec<u32> = Vec::new();
    let mut count = 0;
    for (place, images) in places.enumerate() {
        let first = images.into_iter().min().unwrap_or(place);
        numbers.push(if first < place {
            numbers[first]
        } else {
            count += 1;
            count - 1
        });
    }
    numbers.into()
}

/// Which tiles on their cells weigh as much as others.
#[derive(Clone, Debug)]
pub(super) struct Symmetries {
    cells: usize,
    /// The mirror, of square boards.
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

    /// The mirror alone.
    pub(super) fn mirror(shape: Shape) -> Self {
        let is_square = shape.rows() == shape.columns();
        Self {
            cells: shape.cells(),
            mirror: is_square.then(|| Arc::new(Transposition::new(shape))),
            has_inverse: false,
        }
    }

    /// The images of tiles on their cells: in the mirror, inverse, and both. What has none is its own.
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

    /// There is none where the blank is among them but not at home, or its home but not the blank; nor of one tile
    /// on two cells, which is never asked for.
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
