//! How fast beams are, measured by how the time that is left shrinks.

use std::time::Duration;

/// How many times as long as [expected](super::Beams::cost) nodes take, measured by the time that passes.
/// What is measured for one kind of beam applies to the others.
#[derive(Debug)]
pub(super) struct Pace {
    /// At the last look: the time that was left, and the nodes up to then.
    last: Option<(Duration, u64)>,
    /// In the recent past: the time, in multiples of a node's expected time, and the nodes.
    time: f64,
    nodes: f64,
    /// The same for the beam at work.
    beam: (f64, f64),
}

impl Pace {
    /// About how many nodes the recent past covers at least.
    const MEMORY: f64 = 20_000.0;

    /// How many layers it covers at least: within a layer, children are made first and boards are written
    /// afterwards, and only the former are counted.
    const LAYERS: f64 = 8.0;

    /// The number of nodes that a guess is worth.
    const GUESS: f64 = 500.0;

    /// No processor is faster than this.
    const LEAST: f64 = 0.01;

    pub(super) fn new(slowness: f64) -> Self {
        Self {
            last: None,
            time: slowness * Self::GUESS,
            nodes: Self::GUESS,
            beam: (0.0, 0.0),
        }
    }

    /// Records a look at a beam of this width whose nodes were expected to take `expected` nanoseconds: the
    /// time that is left, and the nodes of all beams up to now.
    pub(super) fn note(&mut self, left: Duration, nodes: u64, width: usize, expected: f64) {
        if let Some((before, nodes_before)) = self.last {
            let time = before.saturating_sub(left).as_nanos() as f64 / expected;
            let nodes = nodes.saturating_sub(nodes_before) as f64;
            self.time += time;
            self.nodes += nodes;
            self.beam = (self.beam.0 + time, self.beam.1 + nodes);
            if self.nodes > Self::MEMORY.max(Self::LAYERS * width as f64) {
                self.time /= 2.0;
                self.nodes /= 2.0;
            }
        }
        self.last = Some((left, nodes));
    }

    /// The time until the next look says nothing about nodes.
    pub(super) const fn pause(&mut self) {
        self.last = None;
    }

    /// Ends the measurement of the beam at work: the next one is expected to cost what this one did overall.
    /// The last part of a beam costs more than the others.
    pub(super) fn settle(&mut self) {
        let (time, nodes) = std::mem::take(&mut self.beam);
        if nodes >= Self::GUESS {
            (self.time, self.nodes) = (Self::GUESS * time / nodes, Self::GUESS);
        }
    }

    pub(super) const fn slowness(&self) -> f64 {
        (self.time / self.nodes).max(Self::LEAST)
    }
}
