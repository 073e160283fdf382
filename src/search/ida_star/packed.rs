//! IDA* on boards of at most 16 cells: a hundred million nodes a second and more.
//!
//! The cost here is not arithmetic but branches that no processor can predict. So all successors of a node
//! are made at once and written to a stack of whole nodes. One that the threshold cuts off is written too,
//! and the next one overwrites it. No move is undone: a board is one word, and the stack holds copies.

use crate::heuristic::{Heuristic, SMALL_CELLS, Slide, Tiles};
use crate::puzzle::{Direction, Problem, Solution};
use crate::search::blank_moves::{BlankMoves, MOVES, SLIDES, back, solution};
use crate::search::{Budget, Iteration, Progress, Search, Step, Stop};

use super::iterations::Iterations;

/// More than the length of any path: no board of at most 16 cells needs more than 140 moves (2×8).
const DEPTHS: usize = 256;
/// At most two siblings wait beside each node of the path, and three beside the first.
const STACK: usize = 1024;

/// Four bits a cell, as in [`crate::puzzle::Board`].
#[derive(Clone, Copy, PartialEq, Eq)]
struct Nibbles(u64);

impl Tiles for Nibbles {
    #[inline]
    fn tile(&self, cell: usize) -> usize {
        (self.0 >> (4 * cell) & 15) as usize
    }
}

#[derive(Clone, Copy)]
struct Node<S> {
    board: Nibbles,
    state: S,
    blank: u8,
    /// The move by which it was entered; `MOVES` at the root.
    entered_by: u8,
    depth: u8,
}

/// The moves possible from one cell after one move, in reverse order: the search goes on from the top of the
/// stack.
#[derive(Clone, Copy)]
struct Successors {
    count: usize,
    moves: [Successor; MOVES],
}

#[derive(Clone, Copy)]
struct Successor {
    from: u8,
    blank_move: u8,
    direction: Direction,
}

pub(super) struct Packed<H: Heuristic> {
    problem: Problem,
    heuristic: H,
    goal: Nibbles,
    root: Node<H::State>,
    successors: Box<[Successors; SMALL_CELLS * 8]>,
    stack: Box<[Node<H::State>; STACK]>,
    /// The number of nodes waiting on the stack.
    waiting: usize,
    /// The moves to the present node, by depth.
    path: Box<[u8; DEPTHS]>,
    threshold: u32,
    /// The least sum of moves and bound beyond the threshold.
    beyond: u32,
    /// The number of successors made. The progress counts fewer: see [`Self::ahead`].
    made: u64,
    progress: Progress,
    iterations: Iterations,
    /// Whether the solution was handed out.
    solved: bool,
}

/// The index into [`Packed::successors`].
#[inline]
const fn situation(blank: u8, entered_by: u8) -> usize {
    (blank as usize * 8 + entered_by as usize) % (SMALL_CELLS * 8)
}

impl<H: Heuristic> Packed<H> {
    pub(super) fn new(problem: &Problem, heuristic: H) -> Self {
        let state = heuristic.root(problem.start());
        let root = Node {
            board: Nibbles(problem.start().packed()),
            state,
            blank: problem.start().blank() as u8,
            entered_by: MOVES as u8,
            depth: 0,
        };
        let threshold = H::value(state);
        let memory = size_of::<[Node<H::State>; STACK]>()
            + size_of::<[Successors; SMALL_CELLS * 8]>()
            + DEPTHS
            + Iterations::BYTES as usize;
        Self {
            problem: problem.clone(),
            heuristic,
            goal: Nibbles(problem.goal().packed()),
            root,
            successors: successors(problem),
            stack: Box::new([root; STACK]),
            waiting: 1,
            path: Box::new([0; DEPTHS]),
            threshold,
            beyond: u32::MAX,
            made: 0,
            progress: Progress {
                iterations: 1,
                lower_bound: threshold,
                memory: memory as u64,
                peak_memory: memory as u64,
                ..Progress::default()
            },
            iterations: Iterations::new(threshold),
            solved: false,
        }
    }

    /// Continues the search within the threshold until a node is the goal, none is left, or as many
    /// successors are made as asked for. Returns true at the goal.
    fn search(&mut self, until: u64) -> bool {
        // Locals can be held in registers; fields behind a reference would not be.
        let Self {
            heuristic,
            goal,
            successors,
            stack,
            path,
            threshold,
            ..
        } = self;
        let (goal, threshold) = (*goal, *threshold);
        let mut waiting = self.waiting;
        let mut beyond = self.beyond;
        let mut made = self.made;
        let mut expanded = self.progress.expanded;
        let mut at_goal = false;
        while waiting > 0 && made < until {
            let node = stack[(waiting - 1) % STACK];
            path[usize::from(node.depth)] = node.entered_by;
            if node.board == goal {
                at_goal = true;
                break;
            }
            waiting -= 1;
            expanded += 1;
            let successors = &successors[situation(node.blank, node.entered_by)];
            made += successors.count as u64;
            for successor in &successors.moves[..successors.count] {
                let from = usize::from(successor.from);
                let to = usize::from(node.blank);
                let tile = node.board.tile(from);
                let flips = (tile as u64) << (4 * from) | (tile as u64) << (4 * to);
                let board = Nibbles(node.board.0 ^ flips);
                let slide = Slide {
                    tile,
                    from,
                    to,
                    direction: successor.direction,
                };
                let state = heuristic.after_slide(node.state, slide, &board);
                let sum = u32::from(node.depth) + 1 + H::value(state);
                stack[waiting % STACK] = Node {
                    board,
                    state,
                    blank: successor.from,
                    entered_by: successor.blank_move,
                    depth: node.depth + 1,
                };
                let within = sum <= threshold;
                waiting += usize::from(within);
                beyond = beyond.min(if within { u32::MAX } else { sum });
            }
        }
        self.waiting = waiting;
        self.beyond = beyond;
        self.made = made;
        self.progress.expanded = expanded;
        at_goal
    }

    /// How many of the successors made would not have been made yet by a search that makes one at a time,
    /// when it comes to the node on top of the stack: those after each move of the path.
    fn ahead(&self) -> u64 {
        let Some(top) = self.waiting.checked_sub(1) else {
            return 0;
        };
        let top = self.stack[top];
        let mut blank = self.root.blank;
        let mut entered_by = self.root.entered_by;
        let mut ahead = 0;
        for depth in 1..=top.depth {
            let blank_move = if depth == top.depth {
                top.entered_by
            } else {
                self.path[usize::from(depth)]
            };
            let successors = &self.successors[situation(blank, entered_by)];
            for (later, successor) in successors.moves[..successors.count].iter().enumerate() {
                if successor.blank_move == blank_move {
                    ahead += later as u64;
                    blank = successor.from;
                    break;
                }
            }
            entered_by = blank_move;
        }
        ahead
    }
}

fn successors(problem: &Problem) -> Box<[Successors; SMALL_CELLS * 8]> {
    let moves = BlankMoves::new(problem.shape());
    let none = Successor {
        from: 0,
        blank_move: 0,
        direction: Direction::Up,
    };
    let mut table = Box::new(
        [Successors {
            count: 0,
            moves: [none; MOVES],
        }; SMALL_CELLS * 8],
    );
    for blank in 0..problem.shape().cells() {
        for entered_by in 0..=MOVES {
            let successors = &mut table[situation(blank as u8, entered_by as u8)];
            for blank_move in (0..MOVES).rev() {
                if entered_by != back(blank_move)
                    && let Some(from) = moves.target(blank, blank_move)
                {
                    successors.moves[successors.count] = Successor {
                        from: from as u8,
                        blank_move: blank_move as u8,
                        direction: SLIDES[blank_move],
                    };
                    successors.count += 1;
                }
            }
        }
    }
    table
}

impl<H: Heuristic> Search for Packed<H> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if self.solved {
            return Step::Done(Stop::Proven);
        }
        let until = self.made.saturating_add(budget.nodes);
        while self.made < until {
            let at_goal = self.search(until);
            self.progress.generated = self.made - self.ahead();
            if at_goal {
                self.solved = true;
                let moves = &self.path[1..=usize::from(self.stack[self.waiting - 1].depth)];
                let moves = moves.iter().map(|&blank_move| usize::from(blank_move));
                return Step::Found(solution(&self.problem, moves));
            }
            if self.waiting == 0 {
                self.stack[0] = self.root;
                self.waiting = 1;
                self.threshold = self.beyond;
                self.beyond = u32::MAX;
                self.iterations.begin(self.threshold, &mut self.progress);
            }
        }
        Step::Working
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn iterations(&self) -> Vec<Iteration> {
        self.iterations.until(self.progress.generated)
    }
}
