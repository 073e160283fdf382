//! A* (Hart, Nilsson & Raphael, 1968) and weighted A* (Pohl, 1970).
//!
//! Expands the node of least f = g + weight · h: g moves made, at least h to go. A board that is reached
//! again on a shorter path is reopened. So at any weight the solution is at most weight times as long as the
//! shortest, and the least *unweighted* g + h of the open list is always a proven lower bound: some node on a
//! shortest path is always in that list.
//!
//! With the discrete bound this is a breadth-first search, and no worse than a dedicated one: boards are
//! expanded in the order of their moves, and the goal, once reached, is next.
//!
//! On large boards the search ends by running out of memory. Everything that grows does so in small pieces,
//! which are checked for before each expansion: the limit is never exceeded, and no piece takes long to add.

mod boards;
mod open_list;
mod seen;

use crate::heuristic::{Guided, Heuristic, HeuristicKind, Slide};
use crate::puzzle::{Problem, Solution};

use super::arena::Arena;
use super::blank_moves::{BlankMoves, MOVES, SLIDES, back, solution};
use super::{Budget, Progress, Search, Solver, Step, Stop, prepared, shed};

use boards::{Boards, Nibbles, Wide};
use open_list::OpenList;
use seen::Seen;

/// From this weight on h decides everything and g only breaks ties. A greater weight would make f too large
/// to distinguish two values of g.
const MAX_WEIGHT: f64 = 1e6;

/// A* for a problem of any size.
///
/// At weight 1 it ends with `Found` and `Done(Proven)`. At a greater weight, which makes it weighted A*, it
/// ends with `Found` and `Done(FirstFound)`: the solution is at most `weight` times as long as the shortest.
/// A weight below 1 or NaN counts as 1, and one above 10⁶ as 10⁶. The search observes the budget's memory; it
/// needs 300 KiB to begin with.
///
/// ```
/// use loyd::heuristic::HeuristicKind;
/// use loyd::puzzle::{Board, Problem, Shape};
/// use loyd::search::{Budget, Step, Stop, a_star};
///
/// let shape = Shape::new(4, 4)?;
/// let start = Board::new(shape, &[13, 6, 8, 12, 15, 14, 0, 10, 11, 7, 4, 5, 9, 1, 3, 2])?;
/// let problem = Problem::new(&start, &Board::solved(shape))?;
/// let mut search = a_star::solver(&problem, HeuristicKind::LinearConflict, 1.5);
/// let budget = Budget {
///     memory: 64 << 20,
///     ..Budget::UNLIMITED
/// };
/// let Step::Found(solution) = search.advance(budget) else {
///     unreachable!("64 MiB are enough for this board at this weight");
/// };
/// assert!(solution.len() as f64 <= 1.5 * 57.0);
/// assert!(search.progress().lower_bound <= 57);
/// assert_eq!(search.advance(budget), Step::Done(Stop::FirstFound));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn solver(problem: &Problem, heuristic: HeuristicKind, weight: f64) -> Solver {
    let weight = if weight > 1.0 {
        weight.min(MAX_WEIGHT)
    } else {
        1.0
    };
    let prepare = move |problem: &Problem, nodes| heuristic.prepare(problem, nodes);
    prepared::solver(problem, prepare, move |problem| {
        match heuristic.guide_small(problem, Small(problem, weight)) {
            Some(solver) => solver,
            None => heuristic.guide(problem, Any(problem, weight)),
        }
    })
}

struct Small<'a>(&'a Problem, f64);

impl Guided for Small<'_> {
    type Output = Solver;

    fn by<H: Heuristic + 'static>(self, heuristic: H) -> Solver {
        Box::new(AStar::<Nibbles, H>::new(self.0, heuristic, self.1))
    }
}

struct Any<'a>(&'a Problem, f64);

impl Guided for Any<'_> {
    type Output = Solver;

    fn by<H: Heuristic + 'static>(self, heuristic: H) -> Solver {
        if self.0.shape().cells() <= 256 {
            Box::new(AStar::<Wide<u8>, H>::new(self.0, heuristic, self.1))
        } else {
            Box::new(AStar::<Wide<u16>, H>::new(self.0, heuristic, self.1))
        }
    }
}

/// Stands for the parent of the root.
const NONE: u32 = u32::MAX;

/// The best known path to a board.
#[derive(Clone, Copy)]
struct Node {
    parent: u32,
    /// The moves made on the path.
    g: u32,
    /// The lower bound in the bits from 3 on; the blank's last move in bits 1 and 2; in bit 0, whether the
    /// node is closed: expanded, and not reopened since.
    rest: u32,
}

impl Node {
    const fn open(parent: u32, g: u32, h: u32, blank_move: usize) -> Self {
        Self {
            parent,
            g,
            rest: h << 3 | (blank_move as u32) << 1,
        }
    }

    const fn h(self) -> u32 {
        self.rest >> 3
    }

    const fn blank_move(self) -> usize {
        (self.rest >> 1 & 3) as usize
    }

    const fn is_closed(self) -> bool {
        self.rest & 1 != 0
    }
}

struct AStar<B, H> {
    problem: Problem,
    heuristic: H,
    moves: BlankMoves,
    /// How the search ends when it has found a solution.
    verdict: Stop,
    boards: B,
    nodes: Arena<Node>,
    seen: Seen,
    open: OpenList,
    progress: Progress,
    /// Why it has ended.
    stop: Option<Stop>,
}

impl<B: Boards, H: Heuristic> AStar<B, H> {
    fn new(problem: &Problem, heuristic: H, weight: f64) -> Self {
        let boards = B::new(problem);
        let h = H::value(heuristic.root(&boards));
        let mut search = Self {
            problem: problem.clone(),
            heuristic,
            moves: BlankMoves::new(problem.shape()),
            verdict: if weight > 1.0 {
                Stop::FirstFound
            } else {
                Stop::Proven
            },
            boards,
            nodes: Arena::new(1),
            seen: Seen::new(),
            open: OpenList::new(weight, h),
            progress: Progress {
                lower_bound: h,
                ..Progress::default()
            },
            stop: None,
        };
        let hash = search.boards.hash();
        search.add(hash, Node::open(NONE, 0, h, 0));
        search
    }

    /// Adds the current board as a new node and opens it.
    fn add(&mut self, hash: u64, node: Node) {
        let index = self.nodes.rows() as u32;
        self.boards.push();
        self.nodes.push(&[node]);
        let released = self.seen.insert(hash, index);
        self.open.push(index, node.g, node.h());
        if released > 0 {
            self.progress.peak_memory = self.progress.peak_memory.max(self.memory() + released);
        }
    }

    fn memory(&self) -> u64 {
        self.moves.bytes()
            + self.boards.bytes()
            + self.nodes.bytes()
            + self.seen.bytes()
            + self.open.bytes()
    }

    /// Measures the memory. Returns whether one more expansion stays within the limit and within the range of
    /// node numbers.
    fn has_room(&mut self, limit: u64) -> bool {
        let headroom = self.boards.headroom(MOVES)
            + self.nodes.headroom(MOVES)
            + self.seen.headroom(MOVES as u64)
            + self.open.headroom(MOVES);
        self.progress.memory = self.memory();
        self.progress.peak_memory = self.progress.peak_memory.max(self.progress.memory);
        self.progress.memory + headroom <= limit && self.nodes.rows() < (NONE as usize) - MOVES
    }

    /// Generates a node's successors. If its board is the goal, returns true and generates nothing.
    fn expand(&mut self, index: u32) -> bool {
        self.boards.load(index);
        let node = self.nodes.row(index as usize)[0];
        if node.h() == 0 && self.boards.is_goal() {
            return true;
        }
        self.nodes.row_mut(index as usize)[0].rest |= 1;
        self.progress.expanded += 1;
        let state = self.heuristic.restore(&self.boards, node.h());
        let blank = self.boards.blank();
        for (blank_move, direction) in SLIDES.into_iter().enumerate() {
            if node.parent != NONE && node.blank_move() == back(blank_move) {
                continue;
            }
            let Some(from) = self.moves.target(blank, blank_move) else {
                continue;
            };
            let slide = Slide {
                tile: self.boards.tile(from),
                from,
                to: blank,
                direction,
            };
            self.boards.slide(from, blank);
            self.progress.generated += 1;
            self.reach(index, node.g + 1, state, slide, blank_move);
            self.boards.slide(blank, from);
        }
        false
    }

    /// Records that the current board was reached from `parent` by a slide.
    fn reach(&mut self, parent: u32, g: u32, state: H::State, slide: Slide, blank_move: usize) {
        let hash = self.boards.hash();
        let Some(known) = self.seen.find(hash, |node| self.boards.is(node)) else {
            let h = H::value(self.heuristic.after_slide(state, slide, &self.boards));
            self.add(hash, Node::open(parent, g, h, blank_move));
            return;
        };
        let node = &mut self.nodes.row_mut(known as usize)[0];
        if g < node.g {
            let h = node.h();
            if !node.is_closed() {
                self.open.withdraw(node.g, h);
            }
            *node = Node::open(parent, g, h, blank_move);
            self.open.push(known, g, h);
        }
    }

    fn solution(&self, mut index: u32) -> Solution {
        let mut moves = Vec::new();
        loop {
            let node = self.nodes.row(index as usize)[0];
            if node.parent == NONE {
                return solution(&self.problem, moves.into_iter().rev());
            }
            moves.push(node.blank_move());
            index = node.parent;
        }
    }

    fn end(&mut self, stop: Stop) -> Step<Solution> {
        self.stop = Some(stop);
        Step::Done(stop)
    }

    fn search(&mut self, budget: Budget) -> Step<Solution> {
        let until = self.progress.generated.saturating_add(budget.nodes);
        while self.progress.generated < until {
            self.progress.lower_bound = self.progress.lower_bound.max(self.open.least_sum());
            if !self.has_room(budget.memory) {
                return self.end(Stop::Memory);
            }
            let nodes = &self.nodes;
            let first = self.open.pop(|index, g| {
                let node = nodes.row(index as usize)[0];
                node.g == g && !node.is_closed()
            });
            let Some(index) = first else {
                return self.end(Stop::Exhausted);
            };
            if self.expand(index) {
                self.stop = Some(self.verdict);
                return Step::Found(self.solution(index));
            }
        }
        Step::Working
    }
}

impl<B: Boards, H: Heuristic> Search for AStar<B, H> {
    type Found = Solution;

    fn advance(&mut self, budget: Budget) -> Step<Solution> {
        if let Some(stop) = self.stop {
            return Step::Done(stop);
        }
        let step = self.search(budget);
        self.progress.memory = self.memory();
        self.progress.peak_memory = self.progress.peak_memory.max(self.progress.memory);
        self.progress.peak_open = self.open.peak();
        step
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn shed(&mut self, nodes: u64) -> bool {
        let mut left = shed::bytes(nodes);
        self.boards.shed(&mut left);
        self.nodes.shed(&mut left);
        self.seen.shed(&mut left);
        self.open.shed(&mut left);
        self.progress.memory = self.memory();
        left > 0
    }
}
