//! The solvers. Each is a machine that can be advanced.
//!
//! A search holds its whole state and takes no clock, lock, channel or thread; whoever advances
//! it decides how far, and so cancellation, limits, progress and fairness are in one place for
//! all of them.

mod arena;
mod blank_moves;
mod forecast;
mod open_list;
mod part;
mod prepared;

pub mod a_star;
pub mod batch;
pub mod beam;
pub mod beams;
pub mod chain;
pub mod constructive;
pub mod cycle_automaton;
pub mod difficulty;
pub mod distance_table;
pub mod drawing;
pub mod guides;
pub mod ida_star;
pub mod joined;
pub mod lookahead;
pub mod plan;
pub mod staged_beam;
pub mod table_walk;
pub mod tables;
pub mod widening;

use std::time::Duration;

use crate::puzzle::Solution;

pub use forecast::Forecast;
pub use part::Part;

/// How far a search may go before it must give the control back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Node generations to spend, about: a search stops at the first convenient point after it.
    pub nodes: u64,
    /// Bytes that the search may hold in all. Only searches that remember boards look at it.
    pub memory: u64,
    /// The time from now on in which findings are of use; none: there is no hurry. A search that
    /// can choose how thorough it is chooses by it, and by how fast it melted away before: so it
    /// needs no clock.
    pub time: Option<Duration>,
}

impl Budget {
    /// No limit at all: runs to the next finding.
    pub const UNLIMITED: Self = Self {
        nodes: u64::MAX,
        memory: u64::MAX,
        time: None,
    };

    /// About this many nodes, whatever memory they take.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            nodes,
            memory: u64::MAX,
            time: None,
        }
    }

    /// Whether more time is left than there was before: the asker with the nearest time limit has gone, and another
    /// still waits.
    pub(crate) fn is_longer_than(self, before: Option<Duration>) -> bool {
        before.is_some_and(|before| self.time.is_none_or(|now| now > before))
    }
}

/// Where an advanced search stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<F> {
    /// The budget is spent; there is more to do.
    Working,
    /// Something was found; there may be more.
    Found(F),
    /// There is nothing more to do, now and whenever it is advanced again.
    Done(Stop),
}

/// Why a search ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// What was found last is proven to be the best there is.
    Proven,
    /// It has found what it looks for; nothing is proven.
    FirstFound,
    /// It would need more memory than it was given.
    Memory,
    /// It has looked everywhere it was meant to look.
    Exhausted,
}

/// What a search has done so far. All counts only grow, but for `memory` and `claimed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Nodes whose successors were made (*dequeued*, in A*'s terms).
    pub expanded: u64,
    /// Successors made, roots not counted.
    pub generated: u64,
    /// The greatest size of the open list.
    pub peak_open: u64,
    /// Bytes held now.
    pub memory: u64,
    /// Bytes that it is to be granted beyond these, as it is about to hold them.
    pub claimed: u64,
    /// The most bytes held at any time.
    pub peak_memory: u64,
    /// Depth-first iterations begun.
    pub iterations: u32,
    /// No solution is shorter than this. Proven.
    pub lower_bound: u32,
}

impl Progress {
    /// Nothing done yet.
    pub const NONE: Self = Self {
        expanded: 0,
        generated: 0,
        peak_open: 0,
        memory: 0,
        claimed: 0,
        peak_memory: 0,
        iterations: 0,
        lower_bound: 0,
    };

    /// The progress of two searches, `now` after this one is over: counts are added up, the
    /// bound is the better one.
    #[must_use]
    pub fn then(self, now: Self) -> Self {
        Self {
            expanded: self.expanded + now.expanded,
            generated: self.generated + now.generated,
            peak_open: self.peak_open.max(now.peak_open),
            memory: now.memory,
            claimed: now.claimed,
            peak_memory: self.peak_memory.max(now.peak_memory),
            iterations: self.iterations + now.iterations,
            lower_bound: self.lower_bound.max(now.lower_bound),
        }
    }

    /// The progress of two searches that run side by side. The most that they ever held together is
    /// not known from this alone: `peak_memory` is what they hold now, or the one that held most.
    #[must_use]
    pub fn beside(self, other: Self) -> Self {
        let (memory, both) = (self.memory + other.memory, self.then(other));
        Self {
            memory,
            claimed: self.claimed + other.claimed,
            peak_memory: both.peak_memory.max(memory),
            ..both
        }
    }

    /// The same after the search has been dropped.
    #[must_use]
    pub const fn at_rest(self) -> Self {
        Self {
            memory: 0,
            claimed: 0,
            ..self
        }
    }

    /// The bytes that are to be set aside for it.
    #[must_use]
    pub const fn reserved(self) -> u64 {
        self.memory + self.claimed
    }
}

/// One depth-first iteration of IDA*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The most moves that it looked for, in moves made plus lower bound.
    pub threshold: u32,
    /// The nodes that it generated; so far, if it is the present one.
    pub generated: u64,
}

/// The [name](Search::name) of a search that has none, or has not begun.
pub const UNNAMED: &str = "other";

/// A resumable search.
pub trait Search: Send {
    /// What it finds: a [`Solution`], a generated board, a run of moves.
    type Found;

    /// Spends about `budget.nodes` more node generations, less if it finds something.
    fn advance(&mut self, budget: Budget) -> Step<Self::Found>;

    /// What it has done so far.
    fn progress(&self) -> Progress;

    /// The iterations so far, the first first, if it works by iterations. Their nodes add up to
    /// those generated; only the first 256 are told apart.
    fn iterations(&self) -> Vec<Iteration> {
        Vec::new()
    }

    /// What to count its nodes under in metrics now: one of a few names, in lower case.
    fn name(&self) -> &'static str {
        UNNAMED
    }

    /// Whether help is worth it now, however little this search has done so far: it has a part to
    /// hand out that is not small. What says no may [`split`](Self::split) all the same.
    fn gains_by_help(&self) -> bool {
        false
    }

    /// The bytes that it can come to hold beyond those that it holds, with a part that it would hand out now: to be had before
    /// that.
    fn part_memory(&self) -> u64 {
        0
    }

    /// Hands out a part of its open work, to be done beside it: none if it cannot, has too little
    /// of it, or would hold more than `memory` bytes then, those of the part included.
    ///
    /// Until all parts are back, what they have done is not in [`Self::progress`], whatever is
    /// said to be proven is so without them, and the search does not end. While it
    /// [waits](Self::waits) one must be given back, done or not. What a part has found is found by
    /// the search.
    fn split(&mut self, _memory: u64) -> Option<Box<dyn Part>> {
        None
    }

    /// Whether it has nothing to do but to wait for parts: [`Self::advance`] spends nothing then,
    /// and says [`Step::Working`].
    fn waits(&self) -> bool {
        false
    }

    /// Takes a part back that it has handed out.
    fn join(&mut self, _part: Box<dyn Part>) {}

    /// Gives back memory of a search that is over and whose solution is not asked for any more, about as much as takes the time
    /// of so many nodes; true once what is left goes at once. To drop a gigabyte takes a fifth of a second.
    fn shed(&mut self, _nodes: u64) -> bool {
        true
    }
}

impl<S: Search + ?Sized> Search for Box<S> {
    type Found = S::Found;

    fn advance(&mut self, budget: Budget) -> Step<Self::Found> {
        (**self).advance(budget)
    }

    fn progress(&self) -> Progress {
        (**self).progress()
    }

    fn iterations(&self) -> Vec<Iteration> {
        (**self).iterations()
    }

    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn gains_by_help(&self) -> bool {
        (**self).gains_by_help()
    }

    fn part_memory(&self) -> u64 {
        (**self).part_memory()
    }

    fn split(&mut self, memory: u64) -> Option<Box<dyn Part>> {
        (**self).split(memory)
    }

    fn waits(&self) -> bool {
        (**self).waits()
    }

    fn join(&mut self, part: Box<dyn Part>) {
        (**self).join(part);
    }

    fn shed(&mut self, nodes: u64) -> bool {
        (**self).shed(nodes)
    }
}

/// A search for solutions.
pub type Solver = Box<dyn Search<Found = Solution>>;
