//! Whether a goal can be reached, by both classical proofs.

use super::{Board, plain_names};

/// The evidence for or against the solvability of a board, by two independent proofs.
///
/// *Inversions* (Johnson & Story, 1879): with the tiles ranked in the goal's reading order, a
/// horizontal move leaves the number of rank violations unchanged, and a vertical one passes
/// `columns − 1` tiles. *Interchanges* (Hayes, 2001): every move exchanges the blank with a
/// neighbour, so the permutation from board to goal is even exactly when the blank's taxicab
/// distance to its home is even.
///
/// ```
/// use loyd::puzzle::{Board, GoalLayout, Parity, Shape};
///
/// let shape = Shape::new(4, 4)?;
/// let goal = GoalLayout::RowsBlankLast.board(shape);
/// // Sam Loyd's prize board: 14 and 15 exchanged.
/// let board = Board::new(shape, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 14, 0])?;
/// let parity = Parity::of(&board, &goal);
/// assert!(!parity.solvable());
/// assert_eq!(parity.inversions, 1);
/// assert_eq!(parity.cycles, [[14, 15]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parity {
    /// Pairs of tiles in the wrong order, not counting the blank. The goal has none.
    pub inversions: u64,
    /// The row of the blank, counted from 1 at the bottom.
    pub blank_row_from_bottom: usize,
    /// The row of the goal's blank, counted in the same way.
    pub goal_blank_row_from_bottom: usize,
    /// The fewest exchanges of two numbers, including the blank's 0, that turn the board into the
    /// goal: Σ (cycle length − 1).
    pub interchanges: u64,
    /// The cycles of the permutation that have at least two numbers, in the order of their least
    /// numbers, with which they begin. Each number stands where the next one belongs, and the last
    /// one where the first belongs.
    pub cycles: Vec<Vec<u16>>,
    /// The taxicab distance of the blank from its home.
    pub blank_distance: usize,
    /// Two adjacent tiles whose exchange inverts the answer.
    pub exchange: Exchange,
    columns: usize,
}

/// Two tiles on horizontally adjacent cells, the left one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The cells of the two tiles.
    pub cells: (usize, usize),
    /// The numbers of the two tiles.
    pub tiles: (u16, u16),
}

impl Parity {
    /// Collects the evidence, in O(cells · log cells).
    ///
    /// # Panics
    /// If the two boards differ in size.
    #[must_use]
    pub fn of(board: &Board, goal: &Board) -> Self {
        assert_eq!(board.shape(), goal.shape(), "boards of one size");
        let shape = board.shape();
        let cycles = cycles(board, goal);
        let parity = Self {
            inversions: inversions(board, goal),
            blank_row_from_bottom: shape.rows() - shape.row(board.blank()),
            goal_blank_row_from_bottom: shape.rows() - shape.row(goal.blank()),
            interchanges: cycles.iter().map(|cycle| cycle.len() as u64 - 1).sum(),
            cycles,
            blank_distance: shape.distance(board.blank(), goal.blank()),
            exchange: exchange(board),
            columns: shape.columns(),
        };
        debug_assert_eq!(
            parity.solvable_by_inversions(),
            parity.solvable_by_interchanges()
        );
        parity
    }

    /// Returns whether the goal can be reached.
    #[must_use]
    pub fn solvable(&self) -> bool {
        self.solvable_by_interchanges()
    }

    /// Returns the answer by rank violations and the blank's row.
    #[must_use]
    pub fn solvable_by_inversions(&self) -> bool {
        let rows_apart = self
            .blank_row_from_bottom
            .abs_diff(self.goal_blank_row_from_bottom);
        let passed = (rows_apart * (self.columns - 1)) as u64;
        (self.inversions + passed).is_multiple_of(2)
    }

    /// Returns the answer by the cycles of the permutation and the blank's distance.
    #[must_use]
    pub fn solvable_by_interchanges(&self) -> bool {
        (self.interchanges + self.blank_distance as u64).is_multiple_of(2)
    }
}

/// Returns the inversions one by one: each tile of the board in reading order, with the later tiles
/// that come before it in the goal. In O(cells²): for display, not for the decision.
///
/// # Panics
/// If the two boards differ in size.
#[must_use]
pub fn inversions_by_tile(board: &Board, goal: &Board) -> Vec<(u16, Vec<u16>)> {
    assert_eq!(board.shape(), goal.shape(), "boards of one size");
    let names = plain_names(goal);
    let tiles: Vec<u16> = board.tiles().filter(|&tile| tile != 0).collect();
    tiles
        .iter()
        .enumerate()
        .map(|(i, &tile)| {
            let rank = names[usize::from(tile)];
            let later = tiles[i + 1..].iter().copied();
            let violating = later.filter(|&later| names[usize::from(later)] < rank);
            (tile, violating.collect())
        })
        .collect()
}

/// Counts rank violations with a bit set whose words are summed by a Fenwick tree (1994).
fn inversions(board: &Board, goal: &Board) -> u64 {
    let names = plain_names(goal);
    let words = board.shape().cells().div_ceil(64);
    let mut seen = vec![0_u64; words];
    let mut sums = vec![0_u32; words + 1];
    let mut count = 0;
    for (before, rank) in board
        .tiles()
        .filter(|&tile| tile != 0)
        .map(|tile| usize::from(names[usize::from(tile)]))
        .enumerate()
    {
        let (word, bit) = (rank / 64, rank % 64);
        let mut lower = (seen[word] & ((1 << bit) - 1)).count_ones();
        let mut node = word;
        while node > 0 {
            lower += sums[node];
            node &= node - 1;
        }
        count += before as u64 - u64::from(lower);
        seen[word] |= 1 << bit;
        let mut node = word + 1;
        while node <= words {
            sums[node] += 1;
            node += node & node.wrapping_neg();
        }
    }
    count
}

fn cycles(board: &Board, goal: &Board) -> Vec<Vec<u16>> {
    let place = board.cells_by_tile();
    let mut seen = vec![false; place.len()];
    let mut cycles = Vec::new();
    for first in 0..place.len() {
        let mut cycle = Vec::new();
        let mut tile = first;
        while !seen[tile] {
            seen[tile] = true;
            cycle.push(tile as u16);
            tile = usize::from(goal.tile(usize::from(place[tile])));
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}

/// Returns the first two tiles of a row without the blank. Every board has such a row.
fn exchange(board: &Board) -> Exchange {
    let shape = board.shape();
    let row = usize::from(shape.row(board.blank()) == 0);
    let cells = (shape.cell(row, 0), shape.cell(row, 1));
    Exchange {
        cells,
        tiles: (board.tile(cells.0), board.tile(cells.1)),
    }
}
