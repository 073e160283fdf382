//! The children of a layer.

use std::mem;
use std::ops::Range;

use super::candidate::{Candidate, Origin};
use super::{Estimate, Layers, Phase};
use crate::heuristic::wide_vectors::Work;
use crate::search::beam::boards::Boards;
use crate::search::beam::nodes::Head;
use crate::search::beam::{Child, Children, Lane};
use crate::search::blank_moves::{SLIDES, back};

impl<E: Estimate> Layers<E> {
    /// Makes the children of the nodes from `first` on, those of the first nodes by the moves from
    /// `blank_move` on, until something is completed.
    ///
    /// Nodes whose blanks are on the same cell are expanded together, one move after the other. The method
    /// can stop between moves, so it overspends by at most the number of such nodes. Which nodes are expanded
    /// together does not depend on where it stops.
    #[inline(always)]
    pub(super) fn expand(&mut self, first: usize, blank_move: usize, left: &mut u64) {
        let completed = self.completed.len();
        let (mut first, mut blank_move) = (first, blank_move);
        while first < self.present.len() {
            let nodes = self.present.alike(first, E::TOGETHER);
            while blank_move < SLIDES.len() {
                if *left == 0 || self.completed.len() > completed {
                    self.phase = Phase::Expand(first, blank_move);
                    return;
                }
                let children = self.expand_along(nodes.clone(), blank_move);
                *left = left.saturating_sub(children.max(1));
                self.generated += children;
                blank_move += 1;
            }
            self.look_up();
            self.expanded += nodes.len() as u64;
            (first, blank_move) = (nodes.end, 0);
        }
        self.look_up();
        if self.cut.look_again() {
            self.phase = Phase::Expand(0, 0);
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
            Phase::Judge(0, 0, self.cut.verdict())
        };
    }

    /// Makes candidates of the children that were prefetched before the last ones, if they have not been
    /// seen.
    #[inline(always)]
    fn look_up(&mut self) {
        let mut children = mem::replace(&mut self.prefetched, mem::take(&mut self.prefetching));
        for child in children.drain(..) {
            let rank = self.estimate.rank(child.value);
            if rank <= self.cut.most() && self.seen.insert(child.hash) {
                self.cut.add(rank);
                self.candidates.push(child);
            }
        }
        self.prefetching = children;
    }

    /// Makes the children by one move of nodes whose blanks are on the same cell. Returns their number.
    ///
    /// The processor cannot predict which of them are worth a look, nor which of those may be kept, so the
    /// code avoids branches.
    #[inline(always)]
    fn expand_along(&mut self, nodes: Range<usize>, blank_move: usize) -> u64 {
        let Self {
            estimate,
            present,
            boards,
            proposals,
            cut,
            seen,
            prefetching,
            completed,
            trace,
            settings,
            ..
        } = self;
        let (boards, estimate) = (&*boards, &*estimate);
        let heads = &present.all()[nodes.clone()];
        let to = usize::from(heads[0].blank);
        let Some(from) = self.moves.target(to, blank_move) else {
            return 0;
        };
        let direction = SLIDES[blank_move];
        let lane = Lane {
            from,
            to,
            direction,
        };
        let worth = cut.worth_a_look(E::UNIT);
        let most = cut.most();
        let rank_after = estimate.foreseen(lane);
        let (mut moves, mut proposed) = (0, 0);
        let tiles = boards.tiles(nodes.clone(), from);
        for ((parent, head), tile) in (0..).zip(heads).zip(tiles) {
            let is_move = blank_move != usize::from(head.back);
            let is_worth = rank_after(head.value, tile) <= worth;
            proposals[proposed] = Child {
                tile: tile as u16,
                parent,
            };
            moves += usize::from(is_move);
            proposed += usize::from(is_move & is_worth);
        }
        cut.skip(proposed < moves);
        let mut count = moves as u64;
        let first_new = prefetching.len();
        let hash_after = self.hashes.after(from, to);
        let children = Children::new(&proposals[..proposed], nodes.start, heads);
        estimate.children(lane, boards, children, |child, value| {
            let Some(value) = value else {
                count -= 1;
                return;
            };
            let (node, head) = (children.node(child), children.parent(child));
            let hash = hash_after(head.hash, child.tile());
            if estimate.completes(value, hash) {
                let has_room = completed.len() < settings.width() && !trace.is_full(1);
                if seen.insert(hash) && has_room {
                    let child = Head {
                        value,
                        mark: trace.push(head.mark, blank_move),
                        depth: head.depth + 1,
                        hash,
                        blank: from as u16,
                        back: back(blank_move) as u8,
                    };
                    completed.push(child, boards.board(node), from, to);
                }
                return;
            }
            prefetching.push(Candidate {
                hash,
                value,
                origin: Origin::child(node, blank_move),
            });
            let is_beyond = estimate.rank(value) > most;
            prefetching.truncate(prefetching.len() - usize::from(is_beyond));
        });
        for child in &prefetching[first_new..] {
            seen.prefetch(child.hash);
        }
        count
    }

    /// Lets the roots of the next layer compete with the boards that were found. If none was found, the next
    /// layer is that of the next root that has not been seen.
    fn enter_roots(&mut self) {
        while self.entered < self.roots.len() {
            let head = *self.roots.head(self.entered);
            if self.candidates.is_empty() {
                self.depth = self.depth.max(head.depth);
            }
            if head.depth > self.depth {
                return;
            }
            let rank = self.estimate.rank(head.value);
            if rank <= self.cut.most() && self.seen.insert(head.hash) {
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

/// [`Layers::expand`].
pub(super) struct Expand<'a, E: Estimate> {
    pub(super) layers: &'a mut Layers<E>,
    pub(super) first: usize,
    pub(super) blank_move: usize,
    pub(super) left: &'a mut u64,
}

impl<E: Estimate> Work for Expand<'_, E> {
    #[inline(always)]
    fn run(self) {
        self.layers.expand(self.first, self.blank_move, self.left);
    }
}
