//! The stages at work.

use std::sync::Arc;

use super::estimate::{Staged, Value};
use super::peel::{Block, Ending};
use super::roots::Roots;
use crate::heuristic::learned::near::NearRows;
use crate::puzzle::Problem;
use crate::search::beam::{Hashes, Layers, Mark, Nodes, Settings, State, Tile, Trace};

/// A beam that brings one group of tiles after the other home, until a block is left.
pub(super) struct Stages<T: Tile> {
    layers: Layers<Staged<T>>,
    roots: Roots<T>,
    /// The estimate that the values of the roots come from.
    before: Option<Staged<T>>,
}

/// Boards that have completed all stages of an estimate, and the paths to them.
pub(super) struct Completed<T> {
    pub(super) nodes: Nodes<T, Value>,
    pub(super) trace: Trace,
    pub(super) stages: Staged<T>,
}

impl<T: Tile> Stages<T> {
    /// A beam from the start of a problem.
    pub(super) fn from_start(
        problem: &Problem,
        settings: Settings,
        seed: u64,
        near: Option<Arc<NearRows>>,
        ending: Ending,
    ) -> Self {
        let estimate = Staged::new(problem, settings.width(), near, ending, 0);
        let mut layers = layers(problem, settings, seed, estimate, Trace::new());
        let tiles = problem.start().tiles();
        let tiles: Vec<T> = tiles
            .map(|tile| T::try_from(tile).unwrap_or_default())
            .collect();
        layers.add_root(&tiles, 0, Mark::ROOT);
        Self {
            layers,
            roots: Roots::none(problem.shape().cells()),
            before: None,
        }
    }

    /// A beam that goes on to a smaller block.
    pub(super) fn go_on(
        problem: &Problem,
        settings: Settings,
        seed: u64,
        near: Option<Arc<NearRows>>,
        ending: Ending,
        completed: Completed<T>,
    ) -> Self {
        let first = completed.stages.count();
        let estimate = Staged::new(problem, settings.width(), near, ending, first);
        Self {
            layers: layers(problem, settings, seed, estimate, completed.trace),
            roots: Roots::new(completed.nodes),
            before: Some(completed.stages),
        }
    }

    /// Spends about so many nodes.
    pub(super) fn advance(&mut self, nodes: u64) -> State {
        let mut left = nodes;
        if let Some(before) = &self.before {
            self.roots.enter(&mut left, |head, tiles| {
                let value = self.layers.estimate().resume(before, head.value, tiles);
                self.layers.add_root_of(value, tiles, head.depth, head.mark);
            });
        }
        self.layers.advance(left)
    }

    /// The block that is left.
    pub(super) const fn block(&self) -> Block {
        self.layers.estimate().block()
    }

    /// Makes no layer beyond this depth.
    pub(super) const fn end_by(&mut self, depth: u32) {
        self.layers.end_by(depth);
    }

    pub(super) fn set_width(&mut self, width: usize) {
        self.layers.set_width(width);
    }

    pub(super) const fn layers(&self) -> &Layers<Staged<T>> {
        &self.layers
    }

    /// The boards that have only the block left.
    pub(super) fn finish(self) -> Completed<T> {
        let (nodes, trace, stages) = self.layers.finish();
        Completed {
            nodes,
            trace,
            stages,
        }
    }
}

/// The machine for a problem, without roots.
fn layers<T: Tile>(
    problem: &Problem,
    settings: Settings,
    seed: u64,
    estimate: Staged<T>,
    trace: Trace,
) -> Layers<Staged<T>> {
    let hashes = Hashes::new(problem.shape(), seed);
    Layers::new(problem.shape(), estimate, hashes, settings, trace)
}
