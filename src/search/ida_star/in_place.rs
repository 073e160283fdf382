//! IDA* on boards of any size: one board, on which moves are made and undone.

use crate::heuristic::{Heuristic, Slide, Tiles};
use crate::puzzle::{Problem, Solution};
use crate::search::blank_moves::{BlankMoves, MOVES, SLIDES, back, solution};
use crate::search::{Budget, Iteration, Progress, Search, Step, Stop};

use super::cells::Cells;
use super::iterations::Iterations;

/// A node on the path from the root to the present one.
#[derive(Clone, Copy)]
struct Frame<S> {
    state: S,
    blank: u16,
    /// The move by which it was entered; `MOVES` at the root.
    entered_by: u8,
    /// The next move to try.
    next: u8,
}

pub(super) struct InPlace<H: Heuristic> {
    problem: Problem,
    heuristic: H,
    moves: BlankMoves,
    board: Cells,
    path: Vec<Frame<H::State>>,
    threshold: u32,
    /// The least sum of moves and bound beyond the threshold.
    beyond: u32,
    progress: Progress,
    iterations: Iterations,
    /// Whether the solution was handed out.
    solved: bool,
}

impl<H: Heuristic> InPlace<H> {
    pub(super) fn new(problem: &Problem, heuristic: H) -> Self {
        let state = heuristic.root(problem.start());
        let threshold = H::value(state);
        let root = Frame {
            state,
            blank: problem.start().blank() as u16,
            entered_by: MOVES as u8,
            next: 0,
        };
        let mut search = Self {
            problem: problem.clone(),
            heuristic,
            moves: BlankMoves::new(problem.shape()),
            board: Cells(problem.start().tiles().collect()),
            path: vec![root],
            threshold,
            beyond: u32::MAX,
            progress: Progress {
                iterations: 1,
                lower_bound: threshold,
                ..Progress::default()
            },
            iterations: Iterations::new(threshold),
            solved: false,
        };
        search.measure();
        search
    }

    fn measure(&mut self) {
        let path = self.path.capacity() * size_of::<Frame<H::State>>();
        let board = self.board.0.capacity() * size_of::<u16>();
        self.progress.memory = (path + board) as u64 + self.moves.bytes() + Iterations::BYTES;
        self.progress.peak_memory = self.progress.memory;
    }

    fn found(&mut self) -> Step<Solution> {
        self.solved = true;
        self.measure();
        let moves = self.path[1..]
            .iter()
            .map(|frame| usize::from(frame.entered_by));
        Step::Found(solution(&self.problem, moves))
    }

    /// Undoes the move that led to the present node.
    fn retreat(&mut self) {
        if let (Some(child), Some(parent)) = (self.path.pop(), self.path.last()) {
            self.board
                .0
                .swap(usize::from(child.blank), usize::from(parent.blank));
        }
    }

    /// Makes the present node's next successor and enters it if the threshold allows. Returns false when
    /// there are no more.
    fn step(&mut self) -> bool {
        let depth = self.path.len() as u32;
        let frame = self.path.last_mut().expect("the root stays on the path");
        let (blank, state) = (usize::from(frame.blank), frame.state);
        let entered_by = usize::from(frame.entered_by);
        self.progress.expanded += u64::from(frame.next == 0);
        let (blank_move, from) = loop {
            let blank_move = usize::from(frame.next);
            if blank_move == MOVES {
                return false;
            }
            frame.next += 1;
            if entered_by != back(blank_move)
                && let Some(from) = self.moves.target(blank, blank_move)
            {
                break (blank_move, from);
            }
        };
        let slide = Slide {
            tile: self.board.tile(from),
            from,
            to: blank,
            direction: SLIDES[blank_move],
        };
        self.board.0.swap(blank, from);
        self.progress.generated += 1;
        let state = self.heuristic.after_slide(state, slide, &self.board);
        let sum = depth + H::value(state);
        if sum > self.threshold {
            self.beyond = self.beyond.min(sum);
            self.board.0.swap(blank, from);
        } else {
            self.path.push(Frame {
                state,
                blank: from as u16,
                entered_by: blank_move as u8,
                next: 0,
            });
        }
        true
    }
}

impl<H: Heuristic> Search for InPlace<H> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.solved {
            return Step::Done(Stop::Proven);
        }
        let until = self.progress.generated.saturating_add(budget.nodes);
        while self.progress.generated < until {
            let present = self.path.last().expect("the root stays on the path");
            if H::value(present.state) == 0 && self.board.are_goal_of(&self.problem) {
                return self.found();
            }
            if self.step() {
                continue;
            }
            if self.path.len() > 1 {
                self.retreat();
            } else {
                self.path[0].next = 0;
                self.threshold = self.beyond;
                self.beyond = u32::MAX;
                self.iterations.begin(self.threshold, &mut self.progress);
            }
        }
        self.measure();
        Step::Working
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn iterations(&self) -> Vec<Iteration> {
        self.iterations.until(self.progress.generated)
    }
}
