//! The solvers. Each is a machine that can be advanced.
//!
//! A search holds its whole state and takes no clock, channel or thread, and locks only to get at tables that
//! searches share. Whoever advances it decides how far. So cancellation, limits, progress and fairness are in
//! one place for all searches. (Only a distance table is built by as many threads as its builder allows.)

mod arena;
mod blank_moves;
mod block;
mod forecast;
mod part;
mod prepared;
mod rectangle;
mod shed;

pub mod a_star;
pub mod anytime;
pub mod beam;
pub mod chain;
pub mod constructive;
pub mod cycle_automaton;
pub mod distance_table;
pub mod generate;
pub mod ida_star;
pub mod joined;
pub mod plan;
pub mod staged_beam;
pub mod tables;

use std::time::Duration;

use crate::puzzle::Solution;

pub use forecast::Forecast;
pub use part::Part;

/// How far a search may go before it must return control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The node generations to spend, about: a search stops at the first convenient point after them.
    pub nodes: u64,
    /// The bytes that the search may hold in all. Only searches that remember boards observe it.
    pub memory: u64,
    /// How long findings remain useful, from now on; `None` means that there is no hurry. A search that can
    /// choose how thorough to be chooses by this, and by how fast it has shrunk so far, so it needs no clock.
    pub time: Option<Duration>,
    /// Whose time that is. As long as the number is the same, the time shrinks because it passes. Once it is
    /// another one, another asker's time counts, and that says nothing about how much has passed.
    pub asker: u32,
}

impl Budget {
    /// No limit at all: runs to the next finding.
    pub const UNLIMITED: Self = Self {
        nodes: u64::MAX,
        memory: u64::MAX,
        time: None,
        asker: 0,
    };

    /// About this many nodes, whatever memory they take.
    #[must_use]
    pub const fn nodes(nodes: u64) -> Self {
        Self {
            nodes,
            ..Self::UNLIMITED
        }
    }
}

/// The state of a search after it was advanced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<F> {
    /// The budget is spent; there is more to do.
    Working,
    /// Something was found; there may be more.
    Found(F),
    /// There is nothing more to do, now or on any later call, unless that is for [another
    /// asker](Budget::asker), for whom there may be time enough.
    Done(Stop),
}

/// Why a search ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// What was found last is proven to be the best there is.
    Proven,
    /// It has found what it was looking for; nothing is proven.
    FirstFound,
    /// It would need more memory than it was given.
    Memory,
    /// It would need more [time](Budget::time) than is left.
    Time,
    /// It has looked everywhere it was meant to.
    Exhausted,
}

/// What a search has done so far; by default nothing. All counts only grow, except `memory` and `claimed`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Nodes whose successors were generated (*dequeued*, in A*'s terms).
    pub expanded: u64,
    /// Successors generated, not counting roots.
    pub generated: u64,
    /// The greatest size of the open list.
    pub peak_open: u64,
    /// Bytes held now.
    pub memory: u64,
    /// Bytes to be granted beyond `memory`, because the search is about to hold them.
    pub claimed: u64,
    /// The most bytes held at any time.
    pub peak_memory: u64,
    /// Depth-first iterations begun.
    pub iterations: u32,
    /// No solution is shorter than this; proven.
    pub lower_bound: u32,
}

impl Progress {
    /// The progress of two searches, `now` after this one is over: counts are added, and the better bound is
    /// kept.
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

    /// The progress of two searches that run side by side. The most that they ever held together is not known
    /// from these alone: `peak_memory` is the greater of what they hold now together and the most that either
    /// held.
    #[must_use]
    pub fn alongside(self, other: Self) -> Self {
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

    /// The bytes to set aside for the search.
    #[must_use]
    pub const fn reserved(self) -> u64 {
        self.memory + self.claimed
    }
}

/// One depth-first iteration of IDA*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// The greatest f-value that it looked for: moves made plus lower bound.
    pub threshold: u32,
    /// The nodes that it generated; so far, if it is the present one.
    pub generated: u64,
}

/// The [name](Search::name) of a search that has none or has not begun.
pub const UNNAMED: &str = "other";

/// A resumable search.
pub trait Search: Send {
    /// What it finds: a [`Solution`], a generated board, a run of moves.
    type Found;

    /// Spends about `budget.nodes` more node generations, fewer if it finds something.
    fn advance(&mut self, budget: Budget) -> Step<Self::Found>;

    /// What it has done so far.
    fn progress(&self) -> Progress;

    /// The iterations so far, in order, if the search works by iterations. Their nodes add up to those
    /// generated; only the first 256 are kept apart.
    fn iterations(&self) -> Vec<Iteration> {
        Vec::new()
    }

    /// The name under which metrics count its nodes now: one of a few, in lower case.
    fn name(&self) -> &'static str {
        UNNAMED
    }

    /// Whether help is worthwhile now, however little this search has done so far: it has a large enough part
    /// to hand out. A search that returns false may still [`split`](Self::split).
    fn gains_by_help(&self) -> bool {
        false
    }

    /// The bytes that the search can come to hold beyond its present ones once it has handed out the part
    /// that it would hand out now. They must be available before the split.
    fn part_memory(&self) -> u64 {
        0
    }

    /// Hands out a part of its open work, to be done beside it. Returns `None` if it cannot, has too little
    /// open work, or would then hold more than `memory` bytes, those of the part included.
    ///
    /// Until all parts are back, [`Self::progress`] does not include what they have done, whatever is
    /// reported as proven holds without them, and the search does not end. While it [waits](Self::waits), a
    /// part must be given back, done or not. What a part has found is found by the search.
    fn split(&mut self, _memory: u64) -> Option<Box<dyn Part>> {
        None
    }

    /// Whether it can do nothing but wait for parts: [`Self::advance`] then spends nothing and returns
    /// [`Step::Working`].
    fn waits(&self) -> bool {
        false
    }

    /// Takes back a part that it has handed out.
    fn join(&mut self, _part: Box<dyn Part>) {}

    /// Frees memory of a search that is over and whose solution is no longer wanted: about as much as can be
    /// freed in the time of so many nodes. Returns true once the rest can be dropped at once. Dropping a
    /// gigabyte takes a fifth of a second. A search that is not over must not be advanced any more.
    fn shed(&mut self, _nodes: u64) -> bool {
        true
    }
}

/// A search for solutions.
pub type Solver = Box<dyn Search<Found = Solution>>;
