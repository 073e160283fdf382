//! What IDA* records about its iterations.

use crate::search::{Iteration, Progress};

/// The most iterations that are listed; further ones are counted with the last. Each takes several times as
/// long as the one before, so no search reaches that many on a board worth searching.
const LISTED: usize = 256;

/// The thresholds so far, each with the nodes generated before it.
#[derive(Debug)]
pub(super) struct Iterations {
    begun: Vec<(u32, u64)>,
}

impl Iterations {
    /// The bytes of the list, which never grows.
    pub(super) const BYTES: u64 = (LISTED * size_of::<(u32, u64)>()) as u64;

    /// A list that begins with an iteration of this threshold.
    pub(super) fn new(threshold: u32) -> Self {
        let mut begun = Vec::with_capacity(LISTED);
        begun.push((threshold, 0));
        Self { begun }
    }

    /// Records that another iteration begins.
    pub(super) fn begin(&mut self, threshold: u32, progress: &mut Progress) {
        progress.iterations += 1;
        progress.lower_bound = threshold;
        if self.begun.len() < LISTED {
            self.begun.push((threshold, progress.generated));
        }
    }

    /// The iterations up to now, with the nodes generated in each.
    pub(super) fn until(&self, generated: u64) -> Vec<Iteration> {
        let ends = self.begun[1..].iter().map(|&(_, before)| before);
        self.begun
            .iter()
            .zip(ends.chain([generated]))
            .map(|(&(threshold, before), end)| Iteration {
                threshold,
                generated: end - before,
            })
            .collect()
    }
}
