//! Open nodes of an iteration, and all that it takes to expand them.

use std::sync::Arc;

use crate::search::{Budget, Part, Progress};

use super::grid::Grid;
use super::node::Node;
use super::open::Open;
use super::scratch::Scratch;
use super::{Outcome, Shared};

/// Some of the open nodes of one iteration: all of a search's, or those that it has handed out.
pub(super) struct Front<G: Grid, const P: usize, const W: usize> {
    pub(super) shared: Arc<Shared<G>>,
    pub(super) open: Open<G, P, W>,
    pub(super) scratch: Scratch,
    pub(super) threshold: u32,
    /// The nodes expanded and generated since they were last collected.
    pub(super) progress: Progress,
    /// The goal, if it is the root or was found by a part that was handed out.
    pub(super) goal: Option<Node<G, P, W>>,
}

impl<G: Grid, const P: usize, const W: usize> Front<G, P, W> {
    pub(super) fn new(shared: &Arc<Shared<G>>, open: Open<G, P, W>, threshold: u32) -> Self {
        Self {
            shared: Arc::clone(shared),
            open,
            scratch: Scratch::new(),
            threshold,
            progress: Progress::default(),
            goal: None,
        }
    }

    /// The bytes held.
    pub(super) fn bytes(&self) -> u64 {
        (size_of::<Self>() + self.open.bytes()) as u64
    }

    /// Generates about so many nodes, fewer if there are no more or one of them is the goal.
    pub(super) fn run(&mut self, nodes: u64) -> Outcome<G, P, W> {
        let until = self.progress.generated.saturating_add(nodes);
        let shared = Arc::clone(&self.shared);
        let tables = shared.lookup.tables();
        while self.progress.generated < until {
            match self.expand(&tables, &shared) {
                Outcome::Expanded => {}
                over => return over,
            }
        }
        Outcome::Expanded
    }

    /// Begins an iteration.
    pub(super) fn begin(&mut self, threshold: u32) {
        self.threshold = threshold;
        self.open.begin(threshold);
    }

    /// Half of the nodes, if there are enough.
    pub(super) fn split(&mut self) -> Option<Self> {
        let open = self.open.split()?;
        Some(Self::new(&self.shared, open, self.threshold))
    }
}

impl<G: Grid, const P: usize, const W: usize> Part for Front<G, P, W> {
    fn advance(&mut self, budget: Budget) -> bool {
        if self.goal.is_some() {
            return false;
        }
        match self.run(budget.nodes) {
            Outcome::Expanded => true,
            Outcome::Empty => false,
            Outcome::Goal(goal) => {
                self.goal = Some(goal);
                false
            }
        }
    }

    fn progress(&self) -> Progress {
        self.progress
    }

    fn is_of_an_iteration(&self) -> bool {
        true
    }
}
