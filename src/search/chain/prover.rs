//! The search that proves a lower bound, beside the one that makes beams.

use std::sync::Arc;

use super::{Answer, Chain};
use crate::puzzle::Shape;
use crate::search::plan::{Objective, Stage};
use crate::search::{Budget, Search, Step};

/// The nodes that beams get for each node of the proof that runs beside them. A little less width costs next
/// to nothing, while the bound grows with the logarithm of the proof's nodes. On larger boards it grows less,
/// and a node of the proof takes up to five times as long as one of a beam.
const fn nodes_per_prover_node(shape: Shape) -> u64 {
    match shape.cells() {
        ..=25 => 31,
        26..=36 => 63,
        _ => 255,
    }
}

/// The least number of bytes reserved for the search that proves. Without tables of its own it takes less
/// than this on boards of up to 10×10: for its path, as long as the bound, and a list of its iterations.
const LEAST_RESERVE: u64 = 64 << 10;

impl Chain {
    /// Lets the last stage of the plan run beside the others, if it is one that proves.
    ///
    /// If that would take more than `most` bytes, it waits until the others are over.
    pub(super) fn begin_prover(&mut self, most: u64) {
        if let Some(&proof @ (Stage::IdaStar(_) | Stage::PushIdaStar(_))) = self.waiting.back() {
            let reserve = proof.fixed_bytes(self.problem.shape());
            let reserve = reserve.max(LEAST_RESERVE);
            if reserve > most {
                return;
            }
            self.waiting.pop_back();
            self.reserve = reserve;
            self.prover = Some(Box::new(Self::new(
                self.problem.clone(),
                self.metric,
                Objective::Optimal,
                vec![proof],
                Arc::clone(&self.tables),
            )));
        }
    }

    /// Whether it is the turn of the search that proves. Without nodes it is, as that is a last look.
    pub(super) fn is_provers_turn(&mut self, nodes: u64) -> bool {
        if self.prover.is_none() {
            return false;
        }
        let is_alone = match &self.current {
            Some((_, solver)) => solver.waits(),
            None => self.waiting.is_empty(),
        };
        let earned = self.turns[0] / nodes_per_prover_node(self.problem.shape());
        if !is_alone && nodes > 0 && self.turns[1] > earned {
            self.turns[0] = self.turns[0].saturating_add(nodes);
            return false;
        }
        self.turns[1] = self.turns[1].saturating_add(nodes);
        true
    }

    /// Advances the search that proves.
    pub(super) fn advance_prover(&mut self, budget: Budget) -> Step<Answer> {
        let Some(mut prover) = self.prover.take() else {
            return Step::Working;
        };
        let step = prover.advance(budget);
        if let Step::Done(stop) = step {
            // What it has proven remains valid.
            self.past = self.past.then(prover.progress()).at_rest();
            self.past_iterations = prover.iterations();
            self.last_stop = stop;
            return Step::Working;
        }
        self.prover = Some(prover);
        match step {
            Step::Found(answer) => self.improved(answer),
            _ => Step::Working,
        }
    }

    /// The bytes that belong to the proof while it runs beside beams.
    pub(super) fn prover_memory(&self) -> u64 {
        let prover = self.prover.as_ref();
        prover.map_or(0, |it| it.progress().reserved().max(self.reserve))
    }
}
