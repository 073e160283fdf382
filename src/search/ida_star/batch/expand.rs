//! The inner loop: the successors of a batch of nodes.
//!
//! It goes over them several times, a little work each time, so that there is always other work
//! to do while memory answers, and so that few branches depend on what is read.

use crate::search::blank_moves::MOVES;
use crate::search::cycle_automaton::CycleAutomaton;

use super::front::Front;
use super::lookup::{Looked, NO_CELL, Tables};
use super::node::{Grid, Node, Step};
use super::open::Waiting;
use super::{Outcome, Shared, WIDTH};

/// The most successors of a batch.
const SUCCESSORS: usize = WIDTH * MOVES;

/// A row's entry is read when so many more have been called for. Words are called for one by one
/// so: when all of them are at once, the processor has to wait until it can remember more of them.
const LAG: usize = 8;

/// A successor that is not made yet.
#[derive(Clone, Copy, Default)]
struct Candidate {
    parent: u16,
    blank_move: u8,
    from: u8,
    cycle: u16,
}

/// A successor as the first sum knows it.
#[derive(Clone, Copy, Default)]
struct Known {
    candidate: u32,
    tile: u32,
    /// The sum that was looked up first, then what it comes to.
    first: u32,
    sum: u32,
    looked: Looked,
    /// The residues of all patterns after the move; of the first sum's, as yet.
    residues: u32,
}

/// Where the successors of a batch are worked out.
pub(super) struct Scratch {
    batch: [u16; WIDTH],
    candidates: [Candidate; SUCCESSORS],
    known: [Known; SUCCESSORS],
    others: [Looked; SUCCESSORS],
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            batch: [0; WIDTH],
            candidates: [Candidate::default(); SUCCESSORS],
            known: [Known::default(); SUCCESSORS],
            others: [Looked::default(); SUCCESSORS],
        }
    }
}

/// The residues after a tile of one pattern has moved, and its sum then: the distance is one
/// more or one less, and the table's bit tells which.
#[inline(always)]
fn step(residues: u32, pattern: u32, bit: u32, sum: u32) -> (u32, u32) {
    let before = residues >> (2 * pattern) & 3;
    let after = bit << 1 | (before & 1 ^ 1);
    let is_more = (after.wrapping_sub(before) & 3) == 1;
    (
        residues ^ (before ^ after) << (2 * pattern),
        (sum + 2 * u32::from(is_more)).wrapping_sub(1),
    )
}

impl<G: Grid, const P: usize, const W: usize> Front<G, P, W> {
    /// Expands the next nodes.
    pub(super) fn expand(
        &mut self,
        tables: &Tables<'_, G, P>,
        shared: &Shared<G>,
    ) -> Outcome<G, P, W> {
        let count = self.open.take(self.threshold, &mut self.scratch.batch);
        if count == 0 {
            return Outcome::Empty;
        }
        self.progress.expanded += count as u64;
        let successors = self.list(count, shared);
        self.progress.generated += successors as u64;
        self.look_up_first(successors, tables);
        let kept = self.cut_off(successors, tables);
        if shared.lookup.is_double() {
            self.look_up_other(kept, tables);
        }
        match self.make(kept, tables, shared.lookup.is_double()) {
            Some(goal) => Outcome::Goal(goal),
            None => Outcome::Expanded,
        }
    }

    /// Lists the moves that lead on.
    fn list(&mut self, nodes: usize, shared: &Shared<G>) -> usize {
        let Scratch {
            batch, candidates, ..
        } = &mut self.scratch;
        let mut count = 0;
        for &parent in &batch[..nodes] {
            let moves = self.open.expand(parent);
            let node = self.open.node(parent);
            let targets = shared.lookup.targets(node.blank);
            let cycles = shared.automaton.after_each(node.cycle);
            for (blank_move, (from, cycle)) in targets.into_iter().zip(cycles).enumerate() {
                candidates[count] = Candidate {
                    parent,
                    blank_move: blank_move as u8,
                    from,
                    cycle,
                };
                let is_left = moves >> blank_move & 1 != 0;
                let leads_on = from != NO_CELL && cycle != CycleAutomaton::PRUNED;
                count += usize::from(is_left & leads_on);
            }
        }
        count
    }

    /// Looks up the sum that is greater for the parent.
    fn look_up_first(&mut self, successors: usize, tables: &Tables<'_, G, P>) {
        let Scratch {
            candidates, known, ..
        } = &mut self.scratch;
        for (number, candidate) in candidates[..successors].iter().enumerate() {
            let node = self.open.node(candidate.parent);
            let first = usize::from(node.sums[1] > node.sums[0]);
            let tile = node.board.tile(usize::from(candidate.from));
            let blank_move = usize::from(candidate.blank_move);
            known[number] = Known {
                candidate: number as u32,
                tile: tile as u32,
                first: first as u32,
                sum: u32::from(node.sums[first]),
                looked: tables.look(node, first, tile, blank_move),
                residues: u32::from(node.residues),
            };
            if let Some(before) = number.checked_sub(LAG) {
                tables.find(&mut known[before].looked);
            }
        }
        for known in &mut known[successors.saturating_sub(LAG)..successors] {
            tables.find(&mut known.looked);
        }
    }

    /// Drops what the first sum cuts off, or leaves it to the next iteration.
    fn cut_off(&mut self, successors: usize, tables: &Tables<'_, G, P>) -> usize {
        let Scratch {
            candidates, known, ..
        } = &mut self.scratch;
        let keeps = self.open.keeps();
        let mut kept = 0;
        for index in 0..successors {
            let mut this = known[index];
            let candidate = &candidates[this.candidate as usize];
            let node = self.open.node(candidate.parent);
            let bit = tables.bit(&this.looked);
            (this.residues, this.sum) = step(this.residues, this.looked.pattern, bit, this.sum);
            known[kept] = this;
            let is_cut_off = u32::from(node.depth) + 1 + this.sum > self.threshold;
            kept += usize::from(!is_cut_off);
            if keeps {
                let (parent, blank_move) = (candidate.parent, candidate.blank_move);
                self.open.defer(parent, blank_move, is_cut_off);
            }
        }
        kept
    }

    /// Looks up the other sum of what remains.
    fn look_up_other(&mut self, kept: usize, tables: &Tables<'_, G, P>) {
        let Scratch {
            candidates,
            known,
            others,
            ..
        } = &mut self.scratch;
        for (number, this) in known[..kept].iter().enumerate() {
            let candidate = &candidates[this.candidate as usize];
            let node = self.open.node(candidate.parent);
            let sum = 1 - this.first as usize;
            let blank_move = usize::from(candidate.blank_move);
            others[number] = tables.look(node, sum, this.tile as usize, blank_move);
            if let Some(before) = number.checked_sub(LAG) {
                tables.find(&mut others[before]);
            }
        }
        for other in &mut others[kept.saturating_sub(LAG)..kept] {
            tables.find(other);
        }
    }

    /// Makes the successors that remain; the goal, if it is among them.
    fn make(
        &mut self,
        kept: usize,
        tables: &Tables<'_, G, P>,
        is_double: bool,
    ) -> Option<Node<G, P, W>> {
        let Scratch {
            candidates,
            known,
            others,
            ..
        } = &self.scratch;
        let keeps = self.open.keeps();
        for (this, other) in known[..kept].iter().zip(others) {
            let candidate = &candidates[this.candidate as usize];
            let parent = self.open.node(candidate.parent);
            let depth = usize::from(parent.depth) + 1;
            let first = this.first as usize;
            let mut residues = this.residues;
            let mut other_sum = 0;
            if is_double {
                let bit = tables.bit(other);
                let sum = u32::from(parent.sums[1 - first]);
                (residues, other_sum) = step(residues, other.pattern, bit, sum);
            }
            let bound = this.sum.max(other_sum);
            let is_within = depth as u32 + bound <= self.threshold;
            if !is_within && !keeps {
                continue;
            }
            let waiting = if is_within {
                Waiting::Now
            } else {
                Waiting::Later
            };
            let sums = [this.sum as u8, other_sum as u8];
            let step = Step {
                tile: this.tile as usize,
                from: candidate.from,
                blank_move: usize::from(candidate.blank_move),
                residues: residues as u16,
                cycle: candidate.cycle,
                sums: [sums[first], sums[1 - first]],
            };
            let slot = self
                .open
                .push(waiting, bound as usize, depth, |nodes, slot| {
                    let both = [usize::from(candidate.parent), slot];
                    let [parent, node] = nodes
                        .get_disjoint_mut(both)
                        .expect("a parent stays until its successors are made");
                    parent.succeed(step, node);
                    node.place(&this.looked);
                    if is_double {
                        node.place(other);
                    }
                });
            if bound == 0 {
                return Some(*self.open.node(slot));
            }
        }
        None
    }
}
