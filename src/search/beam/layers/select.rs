//! Which children are kept, and their boards.

use std::mem;

use super::candidate::{Candidate, Origin};
use super::{Estimate, Layers, Phase};
use crate::heuristic::prefetch;
use crate::heuristic::wide_vectors::Work;
use crate::search::beam::boards::Boards;
use crate::search::beam::cut::Verdict;
use crate::search::beam::nodes::Head;
use crate::search::beam::trace::{Compaction, Mark};
use crate::search::beam::{AHEAD, Lane};
use crate::search::blank_moves::{MOVES, SLIDES, back};

/// How many candidates are judged, or nodes ranked, in the time of a node.
const JUDGED_A_NODE: usize = 16;

/// How many boards are written in the time of a node.
const WRITTEN_A_NODE: usize = 4;

impl<E: Estimate> Layers<E> {
    /// Decides whether the candidates from `first` on are kept, moves those that are to the `kept` before
    /// them, and counts them by blank's cell.
    ///
    /// The processor cannot predict which are kept, so the code avoids branches.
    #[inline(always)]
    pub(super) fn judge(&mut self, first: usize, kept: usize, verdict: Verdict, left: &mut u64) {
        let (mut kept, mut verdict) = (kept, verdict);
        let end = self
            .candidates
            .len()
            .min(first + chunk(*left, JUDGED_A_NODE));
        *left = left.saturating_sub(((end - first) / JUDGED_A_NODE) as u64);
        for at in first..end {
            let candidate = self.candidates[at];
            let part = self.part(candidate.origin);
            let stays = verdict.keeps(self.estimate.rank(candidate.value), candidate.hash);
            self.places[part] += u32::from(stays);
            self.candidates[kept] = candidate;
            kept += usize::from(stays);
        }
        if end < self.candidates.len() {
            self.phase = Phase::Judge(end, kept, verdict);
            return;
        }
        if kept == 0 {
            // Lots were drawn for few places, and no candidate won one: the last is kept.
            kept = 1;
            let part = self.part(self.candidates[0].origin);
            self.places[part] += 1;
        }
        self.candidates.truncate(kept);
        let mut sum = 0;
        for place in &mut self.places {
            (*place, sum) = (sum, sum + *place);
        }
        self.phase = Phase::Room;
    }

    /// The part of the cell that a candidate's blank is on.
    #[inline(always)]
    fn part(&self, origin: Origin) -> usize {
        let blank = match origin.code() {
            Origin::IS_ROOT => usize::from(self.roots.head(origin.index()).blank),
            code => {
                let parent = usize::from(self.present.all()[origin.index()].blank);
                self.moves.target(parent, code as usize).unwrap_or(parent)
            }
        };
        usize::from(self.parts[blank])
    }

    /// Makes room for the nodes of the next layer.
    pub(super) fn make_room(&mut self, left: &mut u64) {
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
        self.next.grow(self.candidates.len(), filler);
        self.boards.grow(self.next.len());
        self.estimate.make_room(self.next.len());
        if self.next.len() == self.candidates.len() {
            self.phase = Phase::Write(0);
        }
        *left =
            left.saturating_sub((self.next.len().saturating_sub(before) / WRITTEN_A_NODE) as u64);
    }

    /// Writes the boards of the candidates from `first` on.
    #[inline(always)]
    pub(super) fn write(&mut self, first: usize, left: &mut u64) {
        let end = self
            .candidates
            .len()
            .min(first + chunk(*left, WRITTEN_A_NODE));
        *left = left.saturating_sub(((end - first) / WRITTEN_A_NODE) as u64);
        let present = self.present.all();
        let next = self.next.all_mut();
        let (places, parts) = (&mut *self.places, &*self.parts);
        for candidate in &self.candidates[first..end] {
            let Candidate {
                hash,
                value,
                origin,
            } = *candidate;
            let index = origin.index();
            if origin.code() == Origin::IS_ROOT {
                let head = *self.roots.head(index);
                let place = &mut places[usize::from(parts[usize::from(head.blank)])];
                next[*place as usize] = head;
                let tiles = self.roots.tiles(index);
                self.boards.put(*place as usize, tiles);
                self.estimate.enter(*place as usize, tiles);
                *place += 1;
                continue;
            }
            let blank_move = origin.code() as usize;
            let parent = &present[index];
            let to = usize::from(parent.blank);
            let from = self.moves.target(to, blank_move).unwrap_or(to);
            let place = &mut places[usize::from(parts[from])];
            let node = *place as usize;
            *place += 1;
            prefetch(next, node + AHEAD);
            next[node] = Head {
                value,
                mark: self.trace.push(parent.mark, blank_move),
                depth: self.depth,
                hash,
                blank: from as u16,
                back: back(blank_move) as u8,
            };
            let lane = Lane {
                from,
                to,
                direction: SLIDES[blank_move],
            };
            self.estimate.follow(node, index, lane, &self.boards);
            self.boards.put_child(node, index, from, to);
        }
        let written = self.candidates[first..end].iter();
        self.estimate.note(written.map(|candidate| candidate.value));
        if end < self.candidates.len() {
            self.phase = Phase::Write(end);
            return;
        }
        mem::swap(&mut self.present, &mut self.next);
        self.boards.turn();
        self.candidates.clear();
        self.depth += 1;
        if self.estimate.next_layer() {
            self.least = i32::MAX;
            self.phase = Phase::Rank(0);
        } else {
            self.least = self.cut.least();
            self.begin_layer(true);
        }
    }

    /// Finds the least rank of the present layer, from the node `first` on.
    pub(super) fn find_least(&mut self, first: usize, left: &mut u64) {
        let end = self.present.len().min(first + chunk(*left, JUDGED_A_NODE));
        *left = left.saturating_sub(((end - first) / JUDGED_A_NODE) as u64);
        let heads = self.present.all()[first..end].iter();
        let ranks = heads.map(|head| self.estimate.rank(head.value));
        self.least = ranks.fold(self.least, i32::min);
        if end < self.present.len() {
            self.phase = Phase::Rank(end);
        } else {
            self.begin_layer(false);
        }
    }

    /// Begins to expand the present layer, whose least rank is known. `is_same_sense` says whether ranks mean
    /// the same as in the layer before.
    fn begin_layer(&mut self, is_same_sense: bool) {
        let has_roots = self.entered < self.roots.len();
        self.cut.clear(self.least, is_same_sense && !has_roots);
        if self.least < self.nearest.0 {
            self.nearest = (self.least, self.depth);
        }
        self.phase = if self.gives_up && self.is_stuck() {
            Phase::Over
        } else if self.trace.is_full(2 * self.settings.width()) {
            // There is no room for another layer and as many completed boards.
            Phase::Compact
        } else {
            Phase::Expand(0, 0)
        };
    }

    /// Removes the paths to boards that are not there any more.
    pub(super) fn compact(&mut self, left: &mut u64) {
        let trace = &mut self.trace;
        let compaction = self
            .compaction
            .get_or_insert_with(|| Compaction::begin(trace));
        let first = compaction.marks_done();
        let of_completed = first.saturating_sub(self.present.len());
        let marks = self.present.marks(first);
        let marks = marks.chain(self.completed.marks(of_completed));
        if compaction.advance(trace, marks, left) {
            self.compaction = None;
            self.phase = Phase::Expand(0, 0);
        }
    }
}

/// The number of items that the remaining nodes pay for.
fn chunk(left: u64, items_a_node: usize) -> usize {
    usize::try_from(left)
        .unwrap_or(usize::MAX)
        .saturating_mul(items_a_node)
        .min(1 << 20)
}

/// [`Layers::judge`].
pub(super) struct Judge<'a, E: Estimate> {
    pub(super) layers: &'a mut Layers<E>,
    pub(super) first: usize,
    pub(super) kept: usize,
    pub(super) verdict: Verdict,
    pub(super) left: &'a mut u64,
}

impl<E: Estimate> Work for Judge<'_, E> {
    #[inline(always)]
    fn run(self) {
        self.layers
            .judge(self.first, self.kept, self.verdict, self.left);
    }
}

/// [`Layers::write`].
pub(super) struct Write<'a, E: Estimate> {
    pub(super) layers: &'a mut Layers<E>,
    pub(super) first: usize,
    pub(super) left: &'a mut u64,
}

impl<E: Estimate> Work for Write<'_, E> {
    #[inline(always)]
    fn run(self) {
        self.layers.write(self.first, self.left);
    }
}
