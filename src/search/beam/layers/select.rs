//! Which children stay, and their boards.

use std::mem;

use super::candidate::{Candidate, Origin};
use super::{Estimate, Layers, Phase};
use crate::search::beam::boards::Boards;
use crate::search::beam::cut::Verdict;
use crate::search::beam::nodes::Head;
use crate::search::beam::trace::Mark;
use crate::search::blank_moves::{MOVES, back};

/// How many candidates are judged in the time of a node.
const JUDGED_A_NODE: usize = 16;

/// How many boards are written in the time of a node.
const WRITTEN_A_NODE: usize = 4;

impl<E: Estimate> Layers<E> {
    /// Tells the candidates from `first` on whether they stay, and counts those by blank's cell.
    pub(super) fn judge(&mut self, first: usize, verdict: Verdict, left: &mut u64) {
        let mut verdict = verdict;
        let end = self
            .candidates
            .len()
            .min(first + chunk(*left, JUDGED_A_NODE));
        *left = left.saturating_sub(((end - first) / JUDGED_A_NODE) as u64);
        for candidate in &mut self.candidates[first..end] {
            if verdict.keeps(self.estimate.rank(candidate.value), candidate.hash) {
                let origin = candidate.origin;
                let blank = match origin.code() {
                    Origin::IS_ROOT => usize::from(self.roots.head(origin.index()).blank),
                    code => {
                        let parent = usize::from(self.present.get(origin.index()).blank);
                        self.moves.target(parent, code as usize).unwrap_or(parent)
                    }
                };
                self.places[usize::from(self.parts[blank])] += 1;
            } else {
                candidate.origin = Origin::DROPPED;
            }
        }
        if end < self.candidates.len() {
            self.phase = Phase::Judge(end, verdict);
            return;
        }
        let mut sum = 0;
        for place in &mut self.places {
            (*place, sum) = (sum, sum + *place);
        }
        self.phase = Phase::Room(sum as usize);
    }

    /// Makes room for the nodes of the next layer.
    pub(super) fn make_room(&mut self, kept: usize, left: &mut u64) {
        let first = self.candidates[0];
        let filler = Head {
            value: first.value,
            mark: Mark::ROOT,
            depth: self.depth,
            hash: first.hash,
            blank: 0,
            back: MOVES as u8,
        };
        let before = self.next.len();
        self.next.grow(kept, filler);
        self.boards.grow(self.next.len());
        if self.next.len() == kept {
            self.phase = Phase::Write(0);
        }
        *left =
            left.saturating_sub((self.next.len().saturating_sub(before) / WRITTEN_A_NODE) as u64);
    }

    /// Writes the boards of the candidates that stay, from `first` on.
    pub(super) fn write(&mut self, first: usize, left: &mut u64) {
        let end = self
            .candidates
            .len()
            .min(first + chunk(*left, WRITTEN_A_NODE));
        *left = left.saturating_sub(((end - first) / WRITTEN_A_NODE) as u64);
        for candidate in &self.candidates[first..end] {
            let Candidate {
                hash,
                value,
                origin,
            } = *candidate;
            if origin == Origin::DROPPED {
                continue;
            }
            let index = origin.index();
            if origin.code() == Origin::IS_ROOT {
                let head = *self.roots.head(index);
                let place = &mut self.places[usize::from(self.parts[usize::from(head.blank)])];
                self.next.put(*place as usize, head);
                let tiles = self.roots.tiles(index);
                self.boards.put(*place as usize, tiles);
                *place += 1;
                continue;
            }
            let blank_move = origin.code() as usize;
            let parent = self.present.get(index);
            let to = usize::from(parent.blank);
            let from = self.moves.target(to, blank_move).unwrap_or(to);
            let head = Head {
                value,
                mark: self.trace.push(parent.mark, blank_move),
                depth: self.depth,
                hash,
                blank: from as u16,
                back: back(blank_move) as u8,
            };
            let place = &mut self.places[usize::from(self.parts[from])];
            self.next.put(*place as usize, head);
            self.boards.put_child(*place as usize, index, from, to);
            *place += 1;
        }
        if end < self.candidates.len() {
            self.phase = Phase::Write(end);
            return;
        }
        mem::swap(&mut self.present, &mut self.next);
        self.boards.turn();
        self.candidates.clear();
        let best = self.estimate.next_layer(self.present.values());
        self.least = best.unwrap_or(self.cut.least());
        self.cut.clear(self.least);
        self.depth += 1;
        if self.least < self.nearest.0 {
            self.nearest = (self.least, self.depth);
        }
        self.phase = Phase::Expand(0);
    }
}

/// As many items as the nodes that are left pay for.
fn chunk(left: u64, items_a_node: usize) -> usize {
    usize::try_from(left)
        .unwrap_or(usize::MAX)
        .saturating_mul(items_a_node)
        .min(1 << 20)
}
