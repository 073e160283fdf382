//! The children of a layer.

use std::mem;

use super::candidate::{Candidate, Origin};
use super::{Estimate, Layers, Phase};
use crate::heuristic::{Slide, Tiles};
use crate::search::beam::boards::Boards;
use crate::search::beam::nodes::Head;
use crate::search::blank_moves::{SLIDES, back};

/// The children of so many nodes are called for, then those of as many nodes before are looked up:
/// memory takes about as long to come.
const AHEAD: usize = 4;

impl<E: Estimate> Layers<E> {
    /// Makes the children of the nodes from `first` on, until something is completed.
    pub(super) fn expand(&mut self, first: usize, left: &mut u64) {
        let completed = self.completed.len();
        for node in first..self.present.len() {
            if *left == 0 || self.completed.len() > completed {
                self.phase = Phase::Expand(node);
                return;
            }
            if node % AHEAD == 0 {
                self.look_up();
            }
            let children = self.expand_node(node);
            *left = left.saturating_sub(children.max(1));
            self.generated += children;
            self.expanded += 1;
        }
        self.look_up();
        self.look_up();
        if self.candidates.is_empty() && self.cut.look_again() {
            self.phase = Phase::Expand(0);
            return;
        }
        self.enter_roots();
        let is_over = self.candidates.is_empty()
            || self.depth > self.settings.deepest
            || self.trace.is_full(self.cut.kept());
        self.phase = if is_over {
            Phase::Over
        } else {
            self.places.fill(0);
            Phase::Judge(0, self.cut.verdict())
        };
    }

    /// Makes candidates of the children that were called for first, if they are not known.
    fn look_up(&mut self) {
        let mut children = mem::replace(&mut self.called, mem::take(&mut self.calling));
        for (rank, child) in children.drain(..) {
            if self.cut.admits(rank) && self.seen.insert(child.hash) {
                self.cut.add(rank);
                self.candidates.push(child);
            }
        }
        self.calling = children;
    }

    /// Makes the children of a node; the number of them.
    #[inline]
    fn expand_node(&mut self, node: usize) -> u64 {
        let head = *self.present.get(node);
        let board = self.boards.board(node);
        let to = usize::from(head.blank);
        let mut children = 0;
        for (blank_move, &direction) in SLIDES.iter().enumerate() {
            if blank_move == usize::from(head.back) {
                continue;
            }
            let Some(from) = self.moves.target(to, blank_move) else {
                continue;
            };
            let tile = board.tile(from);
            let slide = Slide {
                tile,
                from,
                to,
                direction,
            };
            let hash = self.hashes.after(head.hash, tile, from, to);
            if self
                .cut
                .is_hopeless(self.estimate.foreseen(head.value, slide), E::UNIT)
                && !self.estimate.completes(head.value, hash)
            {
                children += 1;
                continue;
            }
            let Some(value) = self.estimate.child(board, head.value, slide) else {
                continue;
            };
            children += 1;
            if self.estimate.completes(value, hash) {
                if self.seen.insert(hash)
                    && self.completed.len() < self.settings.width()
                    && !self.trace.is_full(1)
                {
                    let child = Head {
                        value,
                        mark: self.trace.push(head.mark, blank_move),
                        depth: head.depth + 1,
                        hash,
                        blank: from as u16,
                        back: back(blank_move) as u8,
                    };
                    self.completed.push(child, board, from, to);
                }
                continue;
            }
            let rank = self.estimate.rank(value);
            if self.cut.admits(rank) {
                self.seen.prefetch(hash);
                let origin = Origin::child(node, blank_move);
                let child = Candidate {
                    hash,
                    value,
                    origin,
                };
                self.calling.push((rank, child));
            }
        }
        children
    }

    /// Lets the roots of the next layer compete with the boards that were found; where none was,
    /// the next layer is that of the next root.
    fn enter_roots(&mut self) {
        if self.candidates.is_empty() && self.entered < self.roots.len() {
            self.depth = self.depth.max(self.roots.head(self.entered).depth);
        }
        while self.entered < self.roots.len() {
            let head = *self.roots.head(self.entered);
            if head.depth > self.depth {
                return;
            }
            let rank = self.estimate.rank(head.value);
            if self.cut.admits(rank) && self.seen.insert(head.hash) {
                self.cut.add(rank);
                self.candidates.push(Candidate {
                    hash: head.hash,
                    value: head.value,
                    origin: Origin::root(self.entered),
                });
            }
            self.entered += 1;
        }
    }
}
