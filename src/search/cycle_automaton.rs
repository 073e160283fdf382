//! Which moves to prune because another path leads to the same board (Taylor & Korf, *Pruning Duplicate Nodes
//! in Depth-First Search*, 1993).
//!
//! Two runs of moves that turn every board into the same one are duplicates. Of each pair the longer is
//! pruned, and of two equally long ones the later in lexicographic order, provided that the other can be
//! played wherever it can: the blank stays within the same rectangle. Such runs are found once, breadth
//! first, up to a certain length. An automaton that reads the moves of a path tells where one of them would
//! be complete (Aho & Corasick, 1975).
//!
//! Nothing is lost: of the shortest paths to a board, the first in lexicographic order contains no pruned
//! run, since exchanging one would give a shorter or an earlier path. That holds only as long as nothing else
//! decides which of several paths is taken: the automaton must not be combined with a table of boards seen
//! before.

mod kept;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::puzzle::{Direction, Shape};

use super::blank_moves::{MOVES, SLIDES};

use kept::{Effect, Kept};

/// Stands for a trie node that does not exist yet.
const NONE: u32 = u32::MAX;
/// The node of a pruned run.
const LEFT_OUT: u32 = u32::MAX - 1;

/// An automaton that reads the blank's moves and tells which to prune next.
#[derive(Debug)]
pub struct CycleAutomaton {
    /// The next state, by state and move. The last states are copies of [`Self::START`] in which some first
    /// moves are pruned.
    next: Box<[[u16; MOVES]]>,
    /// The set of moves that are not pruned, by state.
    moves: Box<[u8]>,
}

/// The number of sets of first moves.
const FIRST_MOVES: usize = 1 << MOVES;

/// The automata of the process, by shape and length.
type Shared = HashMap<(Shape, usize), Arc<CycleAutomaton>>;
static SHARED: Mutex<Option<Shared>> = Mutex::new(None);

impl CycleAutomaton {
    /// The state before the first move.
    pub const START: u16 = 0;
    /// In place of a state: the move is pruned.
    pub const PRUNED: u16 = u16::MAX;
    /// The greatest supported length of runs: longer ones need more states than can be numbered.
    pub const MAX_LENGTH: usize = 13;

    /// Finds all runs of at most `length` moves to prune on boards of a shape.
    ///
    /// Takes some milliseconds for a length of 10 and a few tenths of a second for 12.
    ///
    /// # Panics
    /// When `length` is greater than [`Self::MAX_LENGTH`].
    #[must_use]
    pub fn new(shape: Shape, length: usize) -> Self {
        assert!(length <= Self::MAX_LENGTH, "runs of {length} moves");
        automaton(&duplicates(shape, length))
    }

    /// The automaton that the process shares for a shape and a length, made when first requested.
    #[must_use]
    pub fn shared(shape: Shape, length: usize) -> Arc<Self> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let made = shared.get_or_insert_default().entry((shape, length));
        Arc::clone(made.or_insert_with(|| Arc::new(Self::new(shape, length))))
    }

    /// The state before the first move when some first moves are forbidden.
    ///
    /// Nothing is lost as long as the solutions that begin with a forbidden move are mirror images of
    /// solutions that begin with a move earlier in the order: the lexicographically first of all shortest
    /// solutions remains.
    #[must_use]
    pub fn start(&self, is_allowed: [bool; MOVES]) -> u16 {
        let bits = (0..MOVES).map(|first| usize::from(is_allowed[first]) << first);
        (self.states() + bits.sum::<usize>()) as u16
    }

    /// The state after a move of the blank from a state, or [`Self::PRUNED`]. Moves are numbered in the order
    /// of [`Self::MOVES`].
    #[inline]
    #[must_use]
    pub fn after(&self, state: u16, blank_move: usize) -> u16 {
        self.next[usize::from(state)][blank_move]
    }

    /// The moves that are not pruned in a state, as a set: bit `m` for the move `m`.
    #[inline]
    #[must_use]
    pub fn moves(&self, state: u16) -> u8 {
        self.moves[usize::from(state)]
    }

    /// The direction in which the tile slides for each move of the blank.
    pub const MOVES: [Direction; MOVES] = SLIDES;

    /// The number of states, not counting those of [`Self::start`].
    #[must_use]
    pub const fn states(&self) -> usize {
        self.next.len() - FIRST_MOVES
    }

    /// The bytes of the table.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        size_of_val(&*self.next) + size_of_val(&*self.moves)
    }
}

/// The rectangle of the cells that the blank visits, relative to where it starts.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Bounds {
    top: i8,
    bottom: i8,
    left: i8,
    right: i8,
}

impl Bounds {
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

/// The side of a board on which the longest run fits in every direction.
const SIDE: usize = 2 * CycleAutomaton::MAX_LENGTH + 1;

/// Plays runs on a board without edges.
struct Playground {
    /// What each cell holds: initially its own number.
    contents: Box<[u16]>,
    visited: Vec<usize>,
    /// The effect of the run that was played last.
    effect: Vec<[u16; 2]>,
}

impl Playground {
    fn new() -> Self {
        Self {
            contents: (0..(SIDE * SIDE) as u16).collect(),
            visited: Vec::new(),
            effect: Vec::new(),
        }
    }

    fn play(&mut self, run: &[u8]) -> (&Effect, Bounds) {
        let (mut row, mut column) = (0_i8, 0_i8);
        let mut bounds = Bounds {
            top: 0,
            bottom: 0,
            left: 0,
            right: 0,
        };
        let mut blank = SIDE * SIDE / 2;
        self.visited.push(blank);
        for &blank_move in run {
            let to = match SLIDES[usize::from(blank_move)] {
                Direction::Up => {
                    row += 1;
                    blank + SIDE
                }
                Direction::Down => {
                    row -= 1;
                    blank - SIDE
                }
                Direction::Left => {
                    column += 1;
                    blank + 1
                }
                Direction::Right => {
                    column -= 1;
                    blank - 1
                }
            };
            bounds.top = bounds.top.min(row);
            bounds.bottom = bounds.bottom.max(row);
            bounds.left = bounds.left.min(column);
            bounds.right = bounds.right.max(column);
            self.contents.swap(blank, to);
            blank = to;
            self.visited.push(blank);
        }
        self.visited.sort_unstable();
        self.visited.dedup();
        let held = |&cell: &usize| [cell as u16, self.contents[cell]];
        let is_other = |&[cell, held]: &[u16; 2]| cell != held;
        self.effect.clear();
        self.effect
            .extend(self.visited.iter().map(held).filter(is_other));
        for cell in self.visited.drain(..) {
            self.contents[cell] = cell as u16;
        }
        (&self.effect, bounds)
    }
}

/// A run that is not pruned: a node of the trie of all such runs.
struct Run {
    children: [u32; MOVES],
    /// The same run without its first move.
    suffix: u32,
    parent: u32,
    last: u8,
}

/// The shortest runs to prune: none contains another.
fn duplicates(shape: Shape, length: usize) -> Vec<Vec<u8>> {
    let mut playground = Playground::new();
    let (effect, bounds) = playground.play(&[]);
    let mut kept = Kept::default();
    kept.keep(effect, bounds);
    let mut runs = vec![Run {
        children: [NONE; MOVES],
        suffix: NONE,
        parent: NONE,
        last: 0,
    }];
    let mut duplicates = Vec::new();
    let mut moves = Vec::new();
    let mut level = 0..1;
    for _ in 0..length {
        for run in level.clone() {
            for blank_move in 0..MOVES {
                let suffix = match runs[run].suffix {
                    NONE => 0,
                    suffix => runs[suffix as usize].children[blank_move],
                };
                // Pruned already, or too long for the board, even without the first move.
                if suffix == LEFT_OUT || suffix == NONE {
                    runs[run].children[blank_move] = suffix;
                    continue;
                }
                write_moves(&runs, run, blank_move as u8, &mut moves);
                let (effect, bounds) = playground.play(&moves);
                if !bounds.fits(shape) {
                    continue;
                }
                if !kept.keep(effect, bounds) {
                    runs[run].children[blank_move] = LEFT_OUT;
                    duplicates.push(moves.clone());
                    continue;
                }
                runs[run].children[blank_move] = runs.len() as u32;
                runs.push(Run {
                    children: [NONE; MOVES],
                    suffix,
                    parent: run as u32,
                    last: blank_move as u8,
                });
            }
        }
        level = level.end..runs.len();
    }
    duplicates
}

/// Writes down the moves of a run and one more.
fn write_moves(runs: &[Run], mut run: usize, last: u8, moves: &mut Vec<u8>) {
    moves.clear();
    moves.push(last);
    while run != 0 {
        moves.push(runs[run].last);
        run = runs[run].parent as usize;
    }
    moves.reverse();
}

/// The automaton that stops where one of the runs is complete.
fn automaton(runs: &[Vec<u8>]) -> CycleAutomaton {
    let mut next = vec![[NONE; MOVES]];
    for run in runs {
        let (&last, first) = run.split_last().expect("a run has moves");
        let mut state = 0;
        for &blank_move in first {
            let blank_move = usize::from(blank_move);
            if next[state][blank_move] == NONE {
                next[state][blank_move] = next.len() as u32;
                next.push([NONE; MOVES]);
            }
            state = next[state][blank_move] as usize;
        }
        next[state][usize::from(last)] = LEFT_OUT;
    }
    // Where a run breaks off, matching continues with its longest suffix that begins another run.
    let mut fallbacks = vec![0; next.len()];
    let mut queue = VecDeque::from([0]);
    while let Some(state) = queue.pop_front() {
        for (blank_move, child) in next[state].into_iter().enumerate() {
            let fallback = match state {
                0 => 0,
                _ => next[fallbacks[state]][blank_move],
            };
            match child {
                LEFT_OUT => {}
                NONE => next[state][blank_move] = fallback,
                child => {
                    fallbacks[child as usize] = fallback as usize;
                    queue.push_back(child as usize);
                }
            }
        }
    }
    let number = |state: u32| match state {
        LEFT_OUT => CycleAutomaton::PRUNED,
        state => state as u16,
    };
    let last = next.len() + FIRST_MOVES;
    assert!(last < usize::from(CycleAutomaton::PRUNED), "numbered");
    let mut next: Vec<_> = next.into_iter().map(|states| states.map(number)).collect();
    let start = next[usize::from(CycleAutomaton::START)];
    for first_moves in 0..FIRST_MOVES {
        let allowed = |blank_move: usize| match first_moves >> blank_move & 1 {
            0 => CycleAutomaton::PRUNED,
            _ => start[blank_move],
        };
        next.push(std::array::from_fn(allowed));
    }
    let is_left =
        |(number, &state): (usize, &u16)| u8::from(state != CycleAutomaton::PRUNED) << number;
    let moves = |states: &[u16; MOVES]| states.iter().enumerate().map(is_left).sum();
    CycleAutomaton {
        moves: next.iter().map(moves).collect(),
        next: next.into(),
    }
}
