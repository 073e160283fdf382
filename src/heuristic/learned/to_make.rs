//! The rows of a table, in the order in which they are made.

/// A row to be made: the changes by one tile's slide between two neighbouring cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToMake {
    /// The row's number.
    pub(super) number: usize,
    /// The number of the slide, whatever the tile.
    pub(super) slide: usize,
    pub(super) tile: usize,
    /// The cell that the tile leaves.
    pub(super) from: usize,
    /// The later cell that it enters.
    pub(super) to: usize,
}

/// The rows that are still to be made: slide by slide, and for each slide tile by tile.
#[derive(Debug)]
pub(super) struct RowsToMake {
    /// The slides, each as the cell that the tile leaves and the later cell that it enters.
    ends: Vec<(usize, usize)>,
    tiles: usize,
    /// The number of rows made.
    made: usize,
}

impl RowsToMake {
    /// Returns all rows for slides, given by the cells that tiles leave and enter, of so many tiles.
    pub(super) const fn new(ends: Vec<(usize, usize)>, tiles: usize) -> Self {
        Self {
            ends,
            tiles,
            made: 0,
        }
    }
}

impl Iterator for RowsToMake {
    type Item = ToMake;

    fn next(&mut self) -> Option<ToMake> {
        let number = self.made;
        let slide = number / self.tiles;
        let &(from, to) = self.ends.get(slide)?;
        self.made += 1;
        Some(ToMake {
            number,
            slide,
            tile: 1 + number % self.tiles,
            from,
            to,
        })
    }
}
