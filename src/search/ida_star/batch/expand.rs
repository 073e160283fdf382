//! The inner loop: the successors of a batch of nodes.
//!
//! It goes over them several times, a little work each time, so that there is always other work
//! to do while memory answers, and so that few branches depend on what is read.

use crate::search::blank_moves::MOVES;
use crate::search::cycle_automaton::CycleAutomaton;

use super::front::Front;
use super::lookup::{Looked, Tables, Towards};
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
    towards: Towards,
    parent: u16,
    cycle: u16,
}

/// A successor that the first sum does not cut off.
#[derive(Clone, Copy, Default)]
struct Kept {
    candidate: u32,
    /// What the first sum comes to.
    sum: u32,
    /// The residues of all patterns after the move; of the first sum's, as yet.
    residues: u32,
}

/// Where the successors of a batch are worked out.
pub(super) struct Scratch {
    batch: [u16; WIDTH],
    candidates: [Candidate; SUCCESSORS],
    /// What the first sum's look-up tells of each candidate.
    first: [Looked; SUCCESSORS],
    kept: [Kept; SUCCESSORS],
    /// What the other sum's tells of each that is kept.
    other: [Looked; SUCCESSORS],
}

impl Scratch {
    pub(super) fn new() -> Self {
        Self {
            batch: [0; WIDTH],
            candidates: [Candidate::default(); SUCCESSORS],
            first: [Looked::default(); SUCCESSORS],
            kept: [Kept::default(); SUCCESSORS],
            other: [Looked::default(); SUCCESSORS],
        }
    }
}

/// The residues after a tile of one pattern has moved, and its sum then: the distance is one
/// more or one less, and the table's bit tells which.
#[inline(always)]
fn step(residues: u32, pattern: u32, bit: u32, sum: u32) -> (u32, u32) {
    let before = residues >> (2 * pattern);
    // The lower bit changes with every move. Whether the upper one does, and what the lower one
    // was, tells which way the distance went.
    let changes = (bit ^ before >> 1) & 1;
    let is_more = (changes ^ before ^ 1) & 1;
    (
        residues ^ (changes << 1 | 1) << (2 * pattern),
        (sum + 2 * is_more).wrapping_sub(1),
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
            let moves_left = self.open.expand(parent);
            let node = self.open.node(parent);
            let (slides, moves) = shared.lookup.slides(node.blank);
            let moves = moves & moves_left;
            let cycles = shared.automaton.after_each(node.cycle);
            for (blank_move, (&towards, cycle)) in slides.iter().zip(cycles).enumerate() {
                candidates[count] = Candidate {
                    towards,
                    parent,
                    cycle,
                };
                let leads_on = cycle != CycleAutomaton::PRUNED;
                count += usize::from(moves >> blank_move & u8::from(leads_on));
            }
        }
        count
    }

    /// Looks up the sum that is greater for the parent.
    fn look_up_first(&mut self, successors: usize, tables: &Tables<'_, G, P>) {
        let Scratch {
            candidates, first, ..
        } = &mut self.scratch;
        for (number, candidate) in candidates[..successors].iter().enumerate() {
            let node = self.open.node(candidate.parent);
            let sum = usize::from(node.sums[1] > node.sums[0]);
            let tile = node.board.tile(usize::from(candidate.towards.from));
            first[number] = tables.look(node, sum, tile, candidate.towards);
            if let Some(before) = number.checked_sub(LAG) {
                tables.find(&mut first[before]);
            }
        }
        for looked in &mut first[successors.saturating_sub(LAG)..successors] {
            tables.find(looked);
        }
    }

    /// Drops what the first sum cuts off, or leaves it to the next iteration.
    fn cut_off(&mut self, successors: usize, tables: &Tables<'_, G, P>) -> usize {
        let Scratch {
            candidates,
            first,
            kept,
            ..
        } = &mut self.scratch;
        let keeps = self.open.keeps();
        let mut count = 0;
        let successors = candidates[..successors].iter().zip(first);
        for (number, (candidate, looked)) in successors.enumerate() {
            let node = self.open.node(candidate.parent);
            let sum = u32::from(node.sums[usize::from(looked.sum) % 2]);
            let residues = u32::from(node.residues);
            let bit = tables.bit(looked);
            let (residues, sum) = step(residues, u32::from(looked.pattern), bit, sum);
            kept[count] = Kept {
                candidate: number as u32,
                sum,
                residues,
            };
            let is_cut_off = u32::from(node.depth) + 1 + sum > self.threshold;
            count += usize::from(!is_cut_off);
            if keeps {
                let blank_move = candidate.towards.blank_move();
                self.open.defer(candidate.parent, blank_move, is_cut_off);
            }
        }
        count
    }

    /// Looks up the other sum of what remains.
    fn look_up_other(&mut self, count: usize, tables: &Tables<'_, G, P>) {
        let Scratch {
            candidates,
            first,
            kept,
            other,
            ..
        } = &mut self.scratch;
        for (number, this) in kept[..count].iter().enumerate() {
            let candidate = &candidates[this.candidate as usize];
            let looked = &first[this.candidate as usize];
            let node = self.open.node(candidate.parent);
            let (sum, tile) = (1 - looked.sum % 2, usize::from(looked.tile));
            other[number] = tables.look(node, usize::from(sum), tile, candidate.towards);
            if let Some(before) = number.checked_sub(LAG) {
                tables.find(&mut other[before]);
            }
        }
        for looked in &mut other[count.saturating_sub(LAG)..count] {
            tables.find(looked);
        }
    }

    /// Makes the successors that remain; the goal, if it is among them.
    fn make(
        &mut self,
        count: usize,
        tables: &Tables<'_, G, P>,
        is_double: bool,
    ) -> Option<Node<G, P, W>> {
        let Scratch {
            candidates,
            first,
            kept,
            other,
            ..
        } = &self.scratch;
        let keeps = self.open.keeps();
        for (this, other) in kept[..count].iter().zip(other) {
            let candidate = &candidates[this.candidate as usize];
            let looked = &first[this.candidate as usize];
            let parent = self.open.node(candidate.parent);
            let depth = usize::from(parent.depth) + 1;
            let sum = usize::from(looked.sum) % 2;
            let mut residues = this.residues;
            let mut other_sum = 0;
            if is_double {
                let bit = tables.bit(other);
                let before = u32::from(parent.sums[1 - sum]);
                (residues, other_sum) = step(residues, u32::from(other.pattern), bit, before);
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
                tile: usize::from(looked.tile),
                from: candidate.towards.from,
                blank_move: candidate.towards.blank_move(),
                residues: residues as u16,
                cycle: candidate.cycle,
                sums: [sums[sum], sums[1 - sum]],
            };
            let slot = self
                .open
                .push(waiting, bound as usize, depth, |nodes, slot| {
                    let both = [usize::from(candidate.parent), slot];
                    let [parent, node] = nodes
                        .get_disjoint_mut(both)
                        .expect("a parent stays until its successors are made");
                    parent.succeed(step, node);
                    node.place(looked);
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
