//! Shortens a solution, window by window (Ratner & Pohl, 1986, who searched windows of a solution by A*).
//!
//! During a window of some forty moves the blank stays within a block of at most 8×8 cells. The moves lead
//! from one arrangement of the block's tiles to another, and a beam over the block, ranked by the learned
//! estimate, may find a shorter way. The wider the beams, the more they find.

use std::time::Duration;

use super::block;
use crate::puzzle::{Board, Direction, Problem, Recording, Shape, Solution};
use crate::search::beam::{End, Pass, Ready};
use crate::search::staged_beam::PLAYED_A_NODE;
use crate::search::{Budget, Progress, Search, Step, Stop};

/// The most moves of a window.
const MOST_MOVES: usize = 150;

/// The narrowest beam, as it finds most of what there is to find.
const NARROWEST: usize = 8;

/// The part of the beam's width for windows that no time is set for.
const UNTIMED_PART: usize = 8;

/// From this width on, each move is looked at in two windows rather than by beams of twice the width in one.
const TWICE: usize = 40;

/// The time to replay a move, rather too long than too short.
const A_MOVE: Duration = Duration::from_nanos(20);

/// The time that must be left to be sure that the solution is complete in time.
const MARGIN: Duration = Duration::from_micros(100);

/// Walks along a solution once and shortens it on the way.
pub(super) struct Windows {
    /// The moves so far.
    recording: Recording,
    /// The moves that follow, the next one last.
    rest: Vec<Direction>,
    /// The length of the solution at the beginning.
    length: usize,
    block: Shape,
    ranking: Ready,
    window: Option<Window>,
    width: usize,
    /// The number of windows that look at each move.
    overlap: usize,
    seed: u64,
    /// The progress of the beams that are over.
    past: Progress,
}

/// The next moves, and a beam that looks for fewer.
struct Window {
    moves: usize,
    beam: Box<dyn Pass>,
}

impl Windows {
    /// Begins with a solution that a beam of this width has found for the problem.
    pub(super) fn new(
        problem: &Problem,
        solution: &Solution,
        ranking: Ready,
        width: usize,
        seed: u64,
    ) -> Self {
        let mut windows = Self {
            recording: Recording::new(problem),
            rest: solution.moves().iter().rev().copied().collect(),
            length: solution.len(),
            block: block(problem.shape()),
            ranking,
            window: None,
            width: 0,
            overlap: 1,
            seed,
            past: Progress::default(),
        };
        windows.set_width(width / UNTIMED_PART);
        windows
    }

    /// About how many layers of its beams are to come.
    pub(super) fn rest(&self) -> u32 {
        (self.overlap * self.rest.len()) as u32 + 1
    }

    /// Sets the width of the beams to come, for as many layers as [`Self::rest`] tells.
    pub(super) fn set_width(&mut self, width: usize) {
        let once = self.overlap * width;
        self.overlap = if once < TWICE { 1 } else { 2 };
        self.width = (once / self.overlap).max(NARROWEST);
    }

    /// The moves of the next window, and where its block begins.
    fn next_window(&self) -> (usize, usize) {
        let shape = self.recording.board().shape();
        let mut blank = self.recording.board().blank();
        let mut rows = Span::of(shape.row(blank));
        let mut columns = Span::of(shape.column(blank));
        let mut moves = 0;
        for &slide in self.rest.iter().rev().take(MOST_MOVES) {
            let Some(cell) = shape.neighbour(blank, slide.opposite()) else {
                break;
            };
            let wider = rows.with(shape.row(cell));
            let longer = columns.with(shape.column(cell));
            if wider.length() > self.block.rows() || longer.length() > self.block.columns() {
                break;
            }
            (rows, columns, blank) = (wider, longer, cell);
            moves += 1;
        }
        let top = rows.centered(self.block.rows(), shape.rows());
        let left = columns.centered(self.block.columns(), shape.columns());
        (moves, shape.cell(top, left))
    }

    /// Opens the next window.
    fn open(&mut self) -> Option<Window> {
        let (moves, corner) = self.next_window();
        let board = self.recording.board();
        let columns = board.shape().columns();
        let cell = |cell| corner + self.block.row(cell) * columns + self.block.column(cell);
        let tiles: Vec<u16> = (0..self.block.cells())
            .map(|it| board.tile(cell(it)))
            .collect();
        let mut ascending = tiles.clone();
        ascending.sort_unstable();
        let name = |tile| ascending.partition_point(|&other| other < tile) as u16;
        let start = Board::from_legal(self.block, |cell| name(tiles[cell]));
        let mut goal = start.clone();
        for &slide in self.rest.iter().rev().take(moves) {
            goal.slide(slide);
        }
        let problem = Problem::new(&start, &goal).ok()?;
        // The color of the blank's cell gives the parity of the moves.
        let fewer = moves.checked_sub(2)?;
        let from = End::Start;
        let beam = self
            .ranking
            .beam(&problem, from, self.width, self.seed, fewer as u32)?;
        Some(Window { moves, beam })
    }

    /// Goes on by so many moves, at least one.
    fn go(&mut self, moves: usize) {
        let first = self.rest.len().saturating_sub(moves.max(1));
        let mut moves: Vec<Direction> = self.rest.drain(first..).collect();
        moves.reverse();
        self.recording.play(&moves).expect("every move is legal");
    }

    /// Leaves the window, if there is one. What its beam has done still counts.
    fn leave(&mut self) -> Option<Window> {
        let window = self.window.take()?;
        self.past = self.past.then(window.beam.progress()).at_rest();
        Some(window)
    }

    /// Leaves the window, whose moves are replaced if there are fewer.
    fn close(&mut self, fewer: Option<Solution>) {
        let Some(window) = self.leave() else {
            return;
        };
        let mut moves = window.moves;
        if let Some(fewer) = fewer {
            self.rest.truncate(self.rest.len() - moves);
            self.rest.extend(fewer.moves().iter().rev());
            moves = fewer.len();
        }
        let is_last = moves == self.rest.len();
        self.go(if is_last { moves } else { moves / self.overlap });
    }

    /// The solution, if it has become shorter.
    fn end(&mut self) -> Step<Solution> {
        let shorter = self.recording.clone().finish().ok();
        match shorter.filter(|solution| solution.len() < self.length) {
            Some(solution) => Step::Found(solution),
            None => Step::Done(Stop::FirstFound),
        }
    }
}

impl Search for Windows {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.rest.is_empty() {
            return self.end();
        }
        let replay = A_MOVE * self.rest.len() as u32 + MARGIN;
        if budget.time.is_some_and(|left| left < replay) {
            self.leave();
            self.go((budget.nodes as usize).saturating_mul(PLAYED_A_NODE));
            return Step::Working;
        }
        let Some(window) = &mut self.window else {
            self.window = self.open();
            if self.window.is_none() {
                self.go(1);
            }
            return Step::Working;
        };
        match window.beam.advance(budget) {
            Step::Found(fewer) => self.close(Some(fewer)),
            Step::Working => {}
            Step::Done(_) => self.close(None),
        }
        Step::Working
    }

    fn progress(&self) -> Progress {
        let held = (self.recording.bytes() + self.rest.capacity()) as u64;
        let own = Progress {
            memory: held,
            peak_memory: held,
            ..Progress::default()
        };
        let window = self.window.as_ref();
        let now = window.map_or(Progress::default(), |window| window.beam.progress());
        self.past.then(now).alongside(own)
    }
}

/// Rows, or columns, from the first to the last.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    last: usize,
}

impl Span {
    const fn of(line: usize) -> Self {
        Self {
            first: line,
            last: line,
        }
    }

    fn with(self, line: usize) -> Self {
        Self {
            first: self.first.min(line),
            last: self.last.max(line),
        }
    }

    const fn length(self) -> usize {
        self.last - self.first + 1
    }

    /// The first of `length` lines, of the board's `all`, in whose middle these are.
    fn centered(self, length: usize, all: usize) -> usize {
        let spare = length - self.length();
        self.first.saturating_sub(spare / 2).min(all - length)
    }
}
