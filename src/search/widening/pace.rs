//! How fast beams are, by the time that melts away.

use std::time::Duration;

/// How many times as long as [expected](super::Beams::cost) nodes take, told by the time that goes by: what one kind of beams tells is
/// known of the others then.
#[derive(Debug)]
pub(super) struct Pace {
    /// At the last look: the time that was left, and the nodes until then.
    last: Option<(Duration, u64)>,
    /// Of the recent past: the time, as many times what was expected for a node, and the nodes.
    time: f64,
    nodes: f64,
    /// The same of the beam at work.
    beam: (f64, f64),
}

impl Pace {
    /// How many nodes the recent past goes back at least, about.
    const MEMORY: f64 = 20_000.0;

    /// How many layers it goes back at least: within a layer, children are made first and boards written
    /// then, and only the first are counted.
    const LAYERS: f64 = 8.0;

    /// As many nodes as a guess is worth.
    const GUESS: f64 = 500.0;

    /// No processor is faster than that.
    const LEAST: f64 = 0.01;

    pub(super) fn new(slowness: f64) -> Self {
        Self {
            last: None,
            time: slowness * Self::GUESS,
            nodes: Self::GUESS,
            beam: (0.0, 0.0),
        }
    }

    /// Takes a look at a beam of this width, whose nodes were expected to take so many nanoseconds: the time that is left, and the
    /// nodes of all beams until now.
    pub(super) fn note(&mut self, left: Duration, nodes: u64, width: usize, expected: f64) {
        if let Some((before, nodes_before)) = self.last {
            // The time may have become longer: somebody else waits now.
            if let Some(took) = before.checked_sub(left) {
                let time = took.as_nanos() as f64 / expected;
                let nodes = nodes.saturating_sub(nodes_before) as f64;
                self.time += time;
                self.nodes += nodes;
                self.beam = (self.beam.0 + time, self.beam.1 + nodes);
                if self.nodes > Self::MEMORY.max(Self::LAYERS * width as f64) {
                    self.time /= 2.0;
                    self.nodes /= 2.0;
                }
            }
        }
        self.last = Some((left, nodes));
    }

    /// What goes by until the next look is not spent on beams.
    pub(super) const fn pause(&mut self) {
        self.last = None;
    }

    /// The beam at work is over: the next one will cost what this one did in all. The last part of
    /// a beam costs more than the others.
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
