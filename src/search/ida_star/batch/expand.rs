//! The inner loop: the successors of a batch of nodes.
//!
//! It passes over them several times, doing a little work each time. So there is always other work to do
//! while memory responds, and few branches depend on what is read.

use super::change::Change;
use super::front::Front;
use super::grid::Grid;
use super::lookup::{Looked, Tables};
use super::node::{Node, Step};
use super::open::{Open, Waiting};
use super::scratch::{Candidate, Kept, Parent, SUCCESSORS, Scratch};
use super::seen::{Seen, Sums};
use super::{Outcome, Shared};

/// A row's entry is read after this many more have been prefetched. This way words are prefetched one by one;
/// if all were prefetched at once, the processor would run out of outstanding requests and stall.
const LAG: usize = 8;

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
        let kept = self.cut_off_by_first(successors, tables);
        let goal = if shared.lookup.is_double() {
            self.look_up_other(kept, tables);
            let made = self.cut_off_by_other(kept, tables);
            self.make(made, shared)
        } else {
            self.make_of_one(kept, shared)
        };
        goal.map_or(Outcome::Expanded, Outcome::Goal)
    }

    /// Lists the moves that are not pruned.
    fn list(&mut self, nodes: usize, shared: &Shared<G>) -> usize {
        const { assert!(Open::<G, P, W>::SLOTS <= Parent::SLOT as usize + 1) };
        let Scratch {
            batch, candidates, ..
        } = &mut self.scratch;
        let mut count = 0;
        for &slot in &batch[..nodes] {
            let moves_left = self.open.expand(slot);
            let node = self.open.node(slot);
            let parent = Parent::new(slot, Sums::new(node.sums, node.depth, self.threshold));
            let (slides, moves) = shared.lookup.slides(node.blank);
            let moves = moves & moves_left & shared.automaton.moves(node.cycle);
            for (blank_move, &towards) in slides.iter().enumerate() {
                candidates[count % SUCCESSORS] = Candidate { towards, parent };
                count += usize::from(moves >> blank_move & 1);
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
            let node = self.open.node(candidate.parent.slot());
            let tile = node.board.tile(usize::from(candidate.towards.from));
            let seen = Seen::by_first(candidate.parent.sums(), tile);
            first[number] = tables.look(node, seen, candidate.towards);
            if let Some(before) = number.checked_sub(LAG) {
                tables.find(&mut first[before]);
            }
        }
        for looked in &mut first[successors.saturating_sub(LAG)..successors] {
            tables.find(looked);
        }
    }

    /// Drops what the first sum cuts off, or leaves it to the next iteration.
    fn cut_off_by_first(&mut self, successors: usize, tables: &Tables<'_, G, P>) -> usize {
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
            let change = tables.change(looked);
            kept[count % SUCCESSORS] = Kept {
                number: number as u8,
                change,
            };
            count += usize::from(!change.is_cut_off());
            if keeps {
                let blank_move = candidate.towards.blank_move();
                let parent = candidate.parent.slot();
                self.open.defer(parent, blank_move, change.is_cut_off());
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
            let candidate = &candidates[usize::from(this.number) % SUCCESSORS];
            let seen = first[usize::from(this.number) % SUCCESSORS].seen.by_other();
            let node = self.open.node(candidate.parent.slot());
            other[number] = tables.look(node, seen, candidate.towards);
            if let Some(before) = number.checked_sub(LAG) {
                tables.find(&mut other[before]);
            }
        }
        for looked in &mut other[count.saturating_sub(LAG)..count] {
            tables.find(looked);
        }
    }

    /// Drops what the other sum cuts off, unless it is kept for the next iteration.
    fn cut_off_by_other(&mut self, count: usize, tables: &Tables<'_, G, P>) -> usize {
        let Scratch { other, made, .. } = &mut self.scratch;
        let keeps = self.open.keeps();
        let mut made_count = 0;
        for (number, looked) in other[..count].iter().enumerate() {
            let change = tables.change(looked);
            made[made_count % SUCCESSORS] = Kept {
                number: number as u8,
                change,
            };
            made_count += usize::from(keeps | !change.is_cut_off());
        }
        made_count
    }

    /// Makes the successors that remain. Returns the goal if it is among them.
    fn make(&mut self, count: usize, shared: &Shared<G>) -> Option<Node<G, P, W>> {
        let Scratch {
            candidates,
            first,
            kept,
            other,
            made,
            ..
        } = &self.scratch;
        let successors = made[..count].iter().map(|this| {
            let in_other = usize::from(this.number) % SUCCESSORS;
            let kept = &kept[in_other];
            let in_first = usize::from(kept.number) % SUCCESSORS;
            let changes = [
                (&first[in_first], kept.change),
                (&other[in_other], this.change),
            ];
            (candidates[in_first], changes)
        });
        push(&mut self.open, shared, successors)
    }

    /// Makes the successors that the only sum does not cut off. Returns the goal if it is among them.
    fn make_of_one(&mut self, count: usize, shared: &Shared<G>) -> Option<Node<G, P, W>> {
        let Scratch {
            candidates,
            first,
            kept,
            ..
        } = &self.scratch;
        let successors = kept[..count].iter().map(|this| {
            let number = usize::from(this.number) % SUCCESSORS;
            (candidates[number], [(&first[number], this.change)])
        });
        push(&mut self.open, shared, successors)
    }
}

/// Puts successors into the store, given the results of each sum's look-up, until one is the goal. What the
/// last sum cuts off waits for the next iteration.
#[inline(always)]
fn push<'a, G: Grid, const P: usize, const W: usize, const SUMS: usize>(
    open: &mut Open<G, P, W>,
    shared: &Shared<G>,
    successors: impl Iterator<Item = (Candidate, [(&'a Looked, Change); SUMS])>,
) -> Option<Node<G, P, W>> {
    for (candidate, changes) in successors {
        let waiting = if changes[SUMS - 1].1.is_cut_off() {
            Waiting::Later
        } else {
            Waiting::Now
        };
        let (slot, bound) = open.push(waiting, |nodes, slot| {
            let both = [usize::from(candidate.parent.slot()), slot];
            let [parent, node] = nodes
                .get_disjoint_mut(both)
                .expect("a parent stays until its successors are made");
            let blank_move = candidate.towards.blank_move();
            let step = Step {
                tile: changes[0].0.seen.tile(),
                from: candidate.towards.from,
                blank_move,
                cycle: shared.automaton.after(parent.cycle, blank_move),
            };
            parent.succeed(step, node);
            for (looked, change) in changes {
                node.place(looked, change);
            }
        });
        if bound == 0 {
            return Some(*open.node(slot));
        }
    }
    None
}
