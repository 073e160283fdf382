//! Plays all runs of up to a length, and finds those of them that are duplicates of others.

use twox_hash::XxHash3_64;

use crate::puzzle::{Direction, Shape};
use crate::search::blank_moves::{MOVES, SLIDES};

use super::CycleAutomaton;

/// The side of a board on which the longest run fits in every direction.
const SIDE: usize = 2 * CycleAutomaton::MAX_LENGTH + 1;

/// The cell in its middle, where the blank is at first.
const START: usize = SIDE * SIDE / 2;

/// The bits of a move in a [`Run`].
const MOVE_BITS: usize = 2;

/// The moves of a run: a one, then each move in two bits. So runs are in order of their lengths, and
/// equally long ones in lexicographic order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Run(u32);

impl Run {
    const EMPTY: Self = Self(1);

    const fn and(self, blank_move: usize) -> Self {
        Self(self.0 << MOVE_BITS | blank_move as u32)
    }

    const fn length(self) -> usize {
        self.0.ilog2() as usize / MOVE_BITS
    }

    /// Returns the moves, the first one first.
    pub(super) fn moves(self) -> Vec<u8> {
        let shifts = (0..self.length()).rev().map(|at| at * MOVE_BITS);
        shifts
            .map(|shift| (self.0 >> shift) as u8 % MOVES as u8)
            .collect()
    }
}

/// The rectangle of the cells that the blank visits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Bounds {
    top: u8,
    bottom: u8,
    left: u8,
    right: u8,
}

impl Bounds {
    const fn of(cell: usize) -> Self {
        let (row, column) = ((cell / SIDE) as u8, (cell % SIDE) as u8);
        Self {
            top: row,
            bottom: row,
            left: column,
            right: column,
        }
    }

    fn with(self, cell: usize) -> Self {
        let cell = Self::of(cell);
        Self {
            top: self.top.min(cell.top),
            bottom: self.bottom.max(cell.bottom),
            left: self.left.min(cell.left),
            right: self.right.max(cell.right),
        }
    }

    const fn is_within(self, other: Self) -> bool {
        self.top >= other.top
            && self.bottom <= other.bottom
            && self.left >= other.left
            && self.right <= other.right
    }

    const fn fits(self, shape: Shape) -> bool {
        ((self.bottom - self.top) as usize) < shape.rows()
            && ((self.right - self.left) as usize) < shape.columns()
    }
}

/// A run that was played. There are hundreds of thousands, so their effects are not kept: two runs of
/// different effects but the same hash are told apart by playing them again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Played {
    /// The hash of what each cell holds after the run.
    hash: u64,
    run: Run,
    bounds: Bounds,
}

/// Plays all runs of up to `length` moves on a board without edges, except those that an automaton prunes
/// and those too long for a shape.
pub(super) struct Walk {
    shape: Shape,
    length: usize,
    automaton: CycleAutomaton,
    /// What each cell holds: initially its own number.
    contents: Box<[u16]>,
    /// The runs whose length is even if `length` is, and odd otherwise. Others do not lead to the same
    /// boards.
    played: Vec<Played>,
}

impl Walk {
    pub(super) fn new(shape: Shape, length: usize, automaton: CycleAutomaton) -> Self {
        Self {
            shape,
            length,
            automaton,
            contents: (0..(SIDE * SIDE) as u16).collect(),
            played: Vec::new(),
        }
    }

    /// Returns the runs of just `length` moves that another run makes superfluous: one that has the same
    /// effect, stays within the same bounds and is shorter or comes first.
    pub(super) fn duplicates(mut self) -> Vec<Run> {
        let nothing = Played {
            hash: 0,
            run: Run::EMPTY,
            bounds: Bounds::of(START),
        };
        self.play(nothing, START, CycleAutomaton::START);
        let mut played = std::mem::take(&mut self.played);
        played.sort_unstable();
        let mut duplicates = Vec::new();
        for same in played.chunk_by(|a, b| a.hash == b.hash) {
            for (place, later) in same.iter().enumerate() {
                let is_superfluous = later.run.length() == self.length
                    && same[..place].iter().any(|earlier| {
                        earlier.bounds.is_within(later.bounds)
                            && self.effect(earlier.run) == self.effect(later.run)
                    });
                if is_superfluous {
                    duplicates.push(later.run);
                }
            }
        }
        duplicates.sort_unstable();
        duplicates
    }

    /// Records a run and those that begin with it. The blank is on a cell now, and the automaton in a state.
    fn play(&mut self, played: Played, blank: usize, state: u16) {
        let left = self.length - played.run.length();
        if left.is_multiple_of(2) {
            self.played.push(played);
        }
        if left == 0 {
            return;
        }
        for blank_move in 0..MOVES {
            let state = self.automaton.after(state, blank_move);
            let to = target(blank, blank_move);
            let bounds = played.bounds.with(to);
            if state == CycleAutomaton::PRUNED || !bounds.fits(self.shape) {
                continue;
            }
            let before = self.hash([blank, to]);
            self.contents.swap(blank, to);
            let after = self.hash([blank, to]);
            let longer = Played {
                hash: played.hash.wrapping_add(after).wrapping_sub(before),
                run: played.run.and(blank_move),
                bounds,
            };
            self.play(longer, to, state);
            self.contents.swap(blank, to);
        }
    }

    /// Returns the sum of the hashes of some cells with what they hold.
    fn hash(&self, cells: [usize; 2]) -> u64 {
        let hash = |cell: usize| {
            XxHash3_64::oneshot(bytemuck::bytes_of(&[cell as u16, self.contents[cell]]))
        };
        hash(cells[0]).wrapping_add(hash(cells[1]))
    }

    /// Returns what each cell holds after a run.
    fn effect(&self, run: Run) -> Box<[u16]> {
        let mut contents = self.contents.clone();
        let mut blank = START;
        for blank_move in run.moves() {
            let to = target(blank, usize::from(blank_move));
            contents.swap(blank, to);
            blank = to;
        }
        contents
    }
}

/// Returns the cell that the blank moves to.
fn target(blank: usize, blank_move: usize) -> usize {
    match SLIDES[blank_move] {
        Direction::Up => blank + SIDE,
        Direction::Down => blank - SIDE,
        Direction::Left => blank + 1,
        Direction::Right => blank - 1,
    }
}
