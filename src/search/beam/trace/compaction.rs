//! Removes the nodes of a trace that no path to a present board passes (mark and compact, in slices).

use super::{Mark, ROOT, Trace};

/// How many marks, words of 64 nodes or live nodes are dealt with in the time of a node of the beam.
const A_NODE: usize = 8;

/// A compaction in progress. Until it is over, no path may be read and no node added.
#[derive(Debug)]
pub(in crate::search::beam) struct Compaction {
    /// By node: whether a path to a present board passes it. A word is for 64 nodes.
    live: Vec<u64>,
    /// By word: how many live nodes come before it.
    before: Vec<u32>,
    step: Step,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// The nodes of the marks from this one on are live.
    Mark(usize),
    /// The parents of live nodes in the words before this one are live.
    Follow(usize),
    /// The live nodes of the words from this one on are to be moved; so many have been.
    Move(usize, usize),
    /// The marks from this one on are to be told where their nodes are now.
    Tell(usize),
}

impl Compaction {
    /// Begins to compact a trace.
    pub(in crate::search::beam) fn begin(trace: &Trace) -> Self {
        let words = (trace.links.len() - trace.fixed).div_ceil(64);
        Self {
            live: vec![0; words],
            before: vec![0; words],
            step: Step::Mark(0),
        }
    }

    /// The number of marks that need no longer be passed to the present step.
    pub(in crate::search::beam) const fn marks_done(&self) -> usize {
        match self.step {
            Step::Mark(done) | Step::Tell(done) => done,
            Step::Follow(_) | Step::Move(..) => 0,
        }
    }

    /// Spends about so many nodes. Returns whether it is over. `marks` are those of all present boards, always
    /// in the same order, without [those that are done](Self::marks_done).
    pub(in crate::search::beam) fn advance<'a>(
        &mut self,
        trace: &mut Trace,
        marks: impl Iterator<Item = &'a mut Mark>,
        left: &mut u64,
    ) -> bool {
        let most = usize::try_from(*left).unwrap_or(usize::MAX);
        let mut work = most.saturating_mul(A_NODE);
        let mut is_over = false;
        match self.step {
            Step::Mark(done) => {
                let mut now = 0;
                for mark in marks.take(work) {
                    self.enliven(trace.fixed, mark.0);
                    now += 1;
                }
                self.step = if now < work {
                    Step::Follow(self.live.len())
                } else {
                    Step::Mark(done + now)
                };
                work -= now;
            }
            Step::Follow(mut word) => {
                while word > 0 && work > 0 {
                    word -= 1;
                    self.follow(word, trace);
                    work = work.saturating_sub(self.cost(word));
                }
                self.step = if word == 0 {
                    Step::Move(0, 0)
                } else {
                    Step::Follow(word)
                };
            }
            Step::Move(mut word, mut moved) => {
                while word < self.live.len() && work > 0 {
                    moved = self.move_nodes(word, moved, trace);
                    work = work.saturating_sub(self.cost(word));
                    word += 1;
                }
                if word == self.live.len() {
                    trace.links.truncate(trace.fixed + moved);
                    self.step = Step::Tell(0);
                } else {
                    self.step = Step::Move(word, moved);
                }
            }
            Step::Tell(done) => {
                let mut now = 0;
                for mark in marks.take(work) {
                    mark.0 = self.place(trace.fixed, mark.0);
                    now += 1;
                }
                is_over = now < work;
                self.step = Step::Tell(done + now);
                work -= now;
            }
        }
        *left = (work / A_NODE) as u64;
        is_over
    }

    /// What it costs to deal with a word.
    fn cost(&self, word: usize) -> usize {
        1 + self.live[word].count_ones() as usize
    }

    /// Notes that a node is live, unless it stays in any case.
    #[inline]
    fn enliven(&mut self, fixed: usize, node: u32) {
        if node != ROOT && node as usize >= fixed {
            let node = node as usize - fixed;
            self.live[node / 64] |= 1 << (node % 64);
        }
    }

    /// Follows the links of the live nodes of a word, the last one first, as a parent may be in the same word.
    fn follow(&mut self, word: usize, trace: &Trace) {
        let mut ahead = self.live[word];
        while ahead != 0 {
            let bit = ahead.ilog2();
            let link = trace.links[trace.fixed + 64 * word + bit as usize];
            self.enliven(trace.fixed, link >> 2);
            ahead = self.live[word] & ((1 << bit) - 1);
        }
    }

    /// Moves the live nodes of a word behind the `moved` ones before them. Returns how many have been moved then.
    fn move_nodes(&mut self, word: usize, mut moved: usize, trace: &mut Trace) -> usize {
        self.before[word] = moved as u32;
        let mut to_move = self.live[word];
        while to_move != 0 {
            let node = 64 * word + to_move.trailing_zeros() as usize;
            to_move &= to_move - 1;
            let link = trace.links[trace.fixed + node];
            let parent = self.place(trace.fixed, link >> 2);
            trace.links[trace.fixed + moved] = parent << 2 | link & 3;
            moved += 1;
        }
        moved
    }

    /// Where a node is after the compaction, which is live or stays in any case.
    #[inline]
    fn place(&self, fixed: usize, node: u32) -> u32 {
        if node == ROOT || (node as usize) < fixed {
            return node;
        }
        let at = node as usize - fixed;
        let earlier = self.live[at / 64] & ((1 << (at % 64)) - 1);
        fixed as u32 + self.before[at / 64] + earlier.count_ones()
    }

    /// The bytes that it takes for so many nodes.
    pub(super) const fn bytes(nodes: u64) -> u64 {
        nodes.div_ceil(64) * (size_of::<u64>() + size_of::<u32>()) as u64
    }
}
