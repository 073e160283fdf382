//! Boards labelled with the number of moves to the goal.

/// Boards of one size, each with the length of a solution.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    cells: usize,
    tiles: Vec<u8>,
    moves: Vec<u16>,
}

impl Samples {
    pub(super) const fn new(cells: usize) -> Self {
        Self {
            cells,
            tiles: Vec::new(),
            moves: Vec::new(),
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.moves.len()
    }

    pub(super) fn get(&self, sample: usize) -> (&[u8], f32) {
        let tiles = &self.tiles[sample * self.cells..][..self.cells];
        (tiles, f32::from(self.moves[sample]))
    }

    pub(super) fn push(&mut self, tiles: &[u8], moves: usize) {
        self.tiles.extend_from_slice(tiles);
        self.moves.push(u16::try_from(moves).unwrap_or(u16::MAX));
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.tiles.extend_from_slice(&other.tiles);
        self.moves.extend_from_slice(&other.moves);
    }
}
