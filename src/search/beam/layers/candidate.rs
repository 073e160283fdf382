//! Boards that may become nodes.

/// A board that may become a node of the next layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate<V> {
    pub(super) hash: u64,
    pub(super) value: V,
    pub(super) origin: Origin,
}

/// The parent of a candidate, or its number among the roots, and its move; in four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin(u32);

impl Origin {
    /// In place of a move: the board is itself a root.
    pub(super) const IS_ROOT: u32 = 4;

    pub(super) const fn child(parent: usize, blank_move: usize) -> Self {
        Self((parent as u32) << 3 | blank_move as u32)
    }

    pub(super) const fn root(root: usize) -> Self {
        Self((root as u32) << 3 | Self::IS_ROOT)
    }

    pub(super) const fn index(self) -> usize {
        (self.0 >> 3) as usize
    }

    pub(super) const fn code(self) -> u32 {
        self.0 & 7
    }
}
