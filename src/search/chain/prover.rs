//! The search that proves a lower bound, beside the one that makes beams.

use std::sync::Arc;

use super::{Answer, Chain};
use crate::puzzle::Shape;
use crate::search::plan::{Objective, Stage};
use crate::search::{Search, Step};

/// The search that proves, while another one makes beams.
pub(super) struct Prover {
    pub(super) chain: Chain,
    /// The bytes reserved for it.
    reserve: u64,
    /// The nodes given to the stages and to this search since it began, or since beams were resumed beside it.
    turns: [u64; 2],
}

impl Prover {
    /// Forgets who had how many nodes: neither side owes the other any.
    pub(super) const fn settle(&mut self) {
        self.turns = [0; 2];
    }
}

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
            self.prover = Some(Box::new(Prover {
                chain: Self::new(
                    self.problem.clone(),
                    self.metric,
                    Objective::Optimal,
                    vec![proof],
                    Arc::clone(&self.tables),
                ),
                reserve,
                turns: [0; 2],
            }));
        }
    }

    /// Whether it is the turn of the search that proves. Without nodes it is, as that is a last look.
    pub(super) fn is_provers_turn(&mut self, nodes: u64) -> bool {
        let Some(prover) = &mut self.prover else {
            return false;
        };
        let is_alone = match &self.current {
            Some(current) => current.solver.waits(),
            None => self.waiting.is_empty(),
        };
        let [stages, proof] = &mut prover.turns;
        let earned = *stages / nodes_per_prover_node(self.problem.shape());
        let is_its_turn = is_alone || nodes == 0 || *proof <= earned;
        let given = if is_its_turn { proof } else { stages };
        *given = given.saturating_add(nodes);
        is_its_turn
    }

    /// Advances the search that proves.
    pub(super) fn advance_prover(&mut self) -> Step<Answer> {
        let Some(mut prover) = self.prover.take() else {
            return Step::Working;
        };
        let step = prover.chain.advance(self.budget);
        if let Step::Done(stop) = step {
            // What it has proven remains valid.
            self.past = self.past.then(prover.chain.progress()).at_rest();
            self.past_iterations = prover.chain.iterations();
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
        self.prover.as_ref().map_or(0, |prover| {
            prover.chain.progress().reserved().max(prover.reserve)
        })
    }
}
