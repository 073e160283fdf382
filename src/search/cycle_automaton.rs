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

mod walk;

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use crate::puzzle::{Direction, Shape};

use super::blank_moves::{MOVES, SLIDES};

use walk::{Run, Walk};

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
    /// Takes some milliseconds for a length of 10 and up to a tenth of a second for 12, where it takes 2 MB on
    /// 4×4 and 6 MB on 5×5.
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
}

/// The shortest runs of at most `length` moves to prune: none contains another.
fn duplicates(shape: Shape, length: usize) -> Vec<Vec<u8>> {
    let mut duplicates = Vec::new();
    for length in 1..=length {
        let walk = Walk::new(shape, length, automaton(&duplicates));
        duplicates.extend(walk.duplicates().into_iter().map(Run::moves));
    }
    duplicates
}

/// The automaton that stops where one of the runs is complete.
fn automaton(runs: &[Vec<u8>]) -> CycleAutomaton {
    let mut next = beginnings(runs);
    match_on(&mut next);
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

/// The trie of all beginnings of the runs: by node and move the next node, [`LEFT_OUT`] where a run is complete, and
/// [`NONE`] where no run goes on so.
fn beginnings(runs: &[Vec<u8>]) -> Vec<[u32; MOVES]> {
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
    next
}

/// Makes a trie an automaton: where a run breaks off, matching continues with its longest suffix that begins another
/// run.
fn match_on(next: &mut [[u32; MOVES]]) {
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
}
