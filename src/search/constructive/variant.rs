//! The published solvers, described by where they differ.

use crate::puzzle::Shape;

/// On boards of at most this many cells the best variant looks one push further ahead: there it is cheap, and
/// the solutions get 3 % shorter.
const SMALL_CELLS: usize = 24 * 24;

/// How tiles are moved to where they belong.
///
/// All variants peel rows and columns off the board in turn. A tile takes five moves for a step straight on
/// and six for a step across a corner: about 5n³ moves on the worst n×n boards. `docs/methods.md` states how
/// many moves they make, on average and at worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Variant {
    /// Parberry's greedy algorithm (*A Real-Time Algorithm for the (n²−1)-Puzzle*, 1995): each line from one
    /// end to the other; a tile across corners as far as possible and then straight on; the last tile of a
    /// line by moves that take the one before it out and in again; the last 3×3 cells by a table. At most
    /// 5n³ − 9n²/2 + 19n/2 − 89 moves from n = 4 on, 8/3 n³ on average (Parberry, 2015).
    Parberry,
    /// Hayes's adaptation (*The Sam Loyd 15-Puzzle*, 2001): straight steps and diagonals in whatever order
    /// costs the fewest moves, the last two tiles of a line as one special case, down to 2×2. The order and
    /// the sequences for the ends are computed here instead of looked up in his lists.
    Hayes,
    /// Like Hayes, but every walk of the blank is chosen, among those of about the same length, for the good
    /// that it does to the tiles it passes. A line is begun at both ends, and the last 3×3 cells are left to
    /// a table. The fewest moves of the three.
    #[default]
    Best,
}

impl Variant {
    /// All variants, the oldest first.
    pub const ALL: [Self; 3] = [Self::Parberry, Self::Hayes, Self::Best];

    /// The variant's name in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parberry => "parberry",
            Self::Hayes => "hayes",
            Self::Best => "best",
        }
    }

    /// Whether it moves a tile as if there were no others.
    pub(super) const fn is_blind(self) -> bool {
        !matches!(self, Self::Best)
    }

    /// How many pushes of a tile it looks ahead by default.
    pub(crate) const fn look_ahead(self, shape: Shape) -> usize {
        match self {
            Self::Parberry | Self::Hayes => 0,
            Self::Best if shape.cells() <= SMALL_CELLS => 4,
            Self::Best => 3,
        }
    }

    /// The most cells that are left to a table.
    pub(super) const fn block_cells(self) -> usize {
        match self {
            Self::Hayes => 4,
            // Those of 3×3, whose table is built in milliseconds.
            Self::Parberry | Self::Best => 9,
        }
    }

    /// The most cells of the window in which the last two tiles of a line are ordered. The search has about
    /// as many states as the cube of this number. Windows of more than 16 cells shorten only the solutions of
    /// 5×5, by 3 %.
    pub(super) const fn window_cells(self) -> usize {
        match self {
            // Two by three, the least that is always enough.
            Self::Parberry | Self::Hayes => 6,
            Self::Best => 16,
        }
    }
}
