//! The features of a tile on a cell for a network that is learned.
//!
//! Solutions say little about any one tile on any one cell. So the weight of a tile on a cell is
//! learned as the sum of four weights: its own, one of all tiles of the same quarter of four homes
//! on this cell, one of this tile on the same quarter of four cells, and one of all tiles that are
//! as far from home in the same direction. Only the sum is kept.

use crate::heuristic::learned::{Transposition, home_of};
use crate::puzzle::Shape;

/// The number of learned weights that add up to one that is kept.
pub(super) const PARTS: usize = 4;

/// The side of a quarter.
const QUARTER: usize = 2;

/// The numbers of the learned weights.
pub(super) struct Features {
    cells: usize,
    /// `[tile][cell]`.
    numbers: Vec<[u32; PARTS]>,
    /// The same for the image in the diagonal; `None` for boards that are not square.
    mirrored: Option<Vec<[u32; PARTS]>>,
    count: usize,
}

impl Features {
    pub(super) fn new(shape: Shape) -> Self {
        let cells = shape.cells();
        let quarters = shape.columns().div_ceil(QUARTER);
        let quarter = |cell| shape.row(cell) / QUARTER * quarters + shape.column(cell) / QUARTER;
        let quarter_count = shape.rows().div_ceil(QUARTER) * quarters;
        let width = 2 * shape.columns();
        // Where each kind of number begins. The blank has a quarter of its own, and no direction
        // from home.
        let by_home = cells * cells;
        let by_place = by_home + (quarter_count + 1) * cells;
        let by_way = by_place + cells * quarter_count;
        let nowhere = by_way + 2 * shape.rows() * width;
        let of = |tile: usize, cell: usize| {
            let home = home_of(cells, tile);
            let (quarter_at_home, way) = if tile == 0 {
                (quarter_count, nowhere)
            } else {
                let down = shape.rows() + shape.row(cell) - shape.row(home);
                let right = shape.columns() + shape.column(cell) - shape.column(home);
                (quarter(home), by_way + down * width + right)
            };
            let numbers = [
                tile * cells + cell,
                by_home + quarter_at_home * cells + cell,
                by_place + tile * quarter_count + quarter(cell),
                way,
            ];
            numbers.map(|number| number as u32)
        };
        let stands = || (0..cells).flat_map(|tile| (0..cells).map(move |cell| (tile, cell)));
        let numbers: Vec<_> = stands().map(|(tile, cell)| of(tile, cell)).collect();
        let names = Transposition::new(shape);
        let image =
            |(tile, cell): (usize, usize)| numbers[names.tiles[tile] * cells + names.cells[cell]];
        let is_square = shape.rows() == shape.columns();
        Self {
            cells,
            mirrored: is_square.then(|| stands().map(image).collect()),
            numbers,
            count: nowhere + 1,
        }
    }

    /// Returns the number of learned weights.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Returns the numbers of the weights that add up to the weight of a tile on a cell.
    pub(super) fn of(&self, tile: usize, cell: usize) -> [u32; PARTS] {
        self.numbers[tile * self.cells + cell]
    }

    /// Returns the same for all tiles of a board, or of its image in the diagonal if it has one.
    pub(super) fn of_board<'a>(
        &'a self,
        tiles: &'a [u8],
        is_mirrored: bool,
    ) -> impl Iterator<Item = u32> + 'a {
        let mirrored = self.mirrored.as_ref().filter(|_| is_mirrored);
        let numbers = mirrored.unwrap_or(&self.numbers);
        let places = tiles.iter().enumerate();
        places.flat_map(|(cell, &tile)| numbers[usize::from(tile) * self.cells + cell])
    }
}
