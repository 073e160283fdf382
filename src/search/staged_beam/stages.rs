//! The stages at work.

use std::sync::Arc;

use super::estimate::{Staged, Value};
use super::peel::Ending;
use super::roots::Roots;
use crate::heuristic::learned::near::NearRows;
use crate::puzzle::Problem;
use crate::search::beam::{Hashes, Layers, Mark, Nodes, Settings, State, Tile, Trace};
use crate::search::rectangle::Rectangle;
use crate::search::shed;

/// What stays the same in all phases of a staged beam.
#[derive(Clone)]
pub(super) struct Setup {
    /// How wide layers may become, which decides what boards are ranked by, and how deep they go.
    pub(super) settings: Settings,
    pub(super) seed: u64,
    /// The most machines whose paths are held at once: the stages, those that go on after each finale that has
    /// failed, and the last finale.
    pub(super) machines: u64,
    /// The estimate that ranks boards in addition to the stages.
    pub(super) near: Option<Arc<NearRows>>,
}

/// A beam that brings one group of tiles after the other home, until a block is left.
pub(super) struct Stages<T: Tile> {
    layers: Layers<Staged<T>>,
    /// The boards that it goes on from, if not from the start, and the estimate that their values come from.
    before: Option<(Roots<T>, Staged<T>)>,
}

/// Boards that have completed all stages of an estimate, and the paths to them.
pub(super) struct Completed<T> {
    pub(super) nodes: Nodes<T, Value>,
    pub(super) trace: Trace,
    pub(super) stages: Staged<T>,
}

impl Setup {
    /// The estimate for boards that begin in the given stage.
    fn estimate<T: Tile>(&self, problem: &Problem, ending: Ending, first: u16) -> Staged<T> {
        Staged::new(
            problem,
            self.settings.width(),
            self.near.clone(),
            ending,
            first,
        )
    }

    /// The machine for a problem, without roots.
    fn layers<T: Tile>(
        &self,
        problem: &Problem,
        estimate: Staged<T>,
        trace: Trace,
    ) -> Layers<Staged<T>> {
        let hashes = Hashes::new(problem.shape(), self.seed);
        Layers::new(problem.shape(), estimate, hashes, self.settings, trace)
    }
}

impl<T: Tile> Stages<T> {
    /// A beam from the start of a problem.
    pub(super) fn from_start(problem: &Problem, setup: &Setup, ending: Ending) -> Self {
        let estimate = setup.estimate(problem, ending, 0);
        let trace = Trace::for_machines(setup.machines, setup.settings);
        let mut layers = setup.layers(problem, estimate, trace);
        let tiles = problem.start().tiles();
        let tiles: Vec<T> = tiles
            .map(|tile| T::try_from(tile).unwrap_or_default())
            .collect();
        layers.add_root(&tiles, 0, Mark::ROOT);
        Self {
            layers,
            before: None,
        }
    }

    /// A beam that goes on to a smaller block.
    pub(super) fn go_on(
        problem: &Problem,
        setup: &Setup,
        ending: Ending,
        completed: Completed<T>,
    ) -> Self {
        let estimate = setup.estimate(problem, ending, completed.stages.count());
        Self {
            layers: setup.layers(problem, estimate, completed.trace),
            before: Some((Roots::new(completed.nodes), completed.stages)),
        }
    }

    /// Spends about so many nodes.
    pub(super) fn advance(&mut self, nodes: u64) -> State {
        let mut left = nodes;
        if let Some((roots, before)) = &mut self.before {
            roots.enter(&mut left, |head, tiles| {
                let value = self.layers.estimate().resume(before, head.value, tiles);
                self.layers.add_root_of(value, tiles, head.depth, head.mark);
            });
            let mut to_free = shed::bytes(left);
            // The layers have them now.
            if roots.have_entered() {
                roots.shed(&mut to_free);
            }
        }
        self.layers.advance(left)
    }

    /// Whether all boards that it begins with have been looked at.
    pub(super) fn have_all_roots(&self) -> bool {
        let before = self.before.as_ref();
        before.is_none_or(|(roots, _)| roots.have_entered())
    }

    /// The block that is left.
    pub(super) const fn block(&self) -> Rectangle {
        self.layers.estimate().block()
    }

    /// The bytes of the boards beside its layers.
    pub(super) fn bytes_beside(&self) -> u64 {
        let before = self.before.as_ref();
        self.layers.bytes_beside() + before.map_or(0, |(roots, _)| roots.bytes())
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

    /// Frees the layers, as much as there are `left` bytes to be freed, but not what [`Self::finish`] returns.
    pub(super) fn shed_layers(&mut self, left: &mut u64) {
        self.layers.shed_layers(left);
        if let Some((roots, _)) = &mut self.before {
            roots.shed(left);
        }
    }

    /// Frees all that is large.
    pub(super) fn shed(&mut self, left: &mut u64) {
        self.shed_layers(left);
        self.layers.shed(left);
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
