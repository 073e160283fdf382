//! The end of a search whose last block is solved by a beam of its own.

use std::sync::Arc;

use super::estimate::Staged;
use super::number;
use super::peel::Ending;
use super::roots::Roots;
use super::stages::Completed;
use crate::heuristic::learned::{Ranking, names_by_last_corner, renamed};
use crate::puzzle::{Board, Shape, plain_goal};
use crate::search::beam::{Hashes, Layers, Learned, Mark, Ready, Settings, State, Tile, Trace};
use crate::search::block::Block;

/// A finale in which a search can end.
pub(super) struct Prospect {
    /// The longest side of the block that is left to it.
    pub(super) side: usize,
    /// The tables that rank boards of the block, held from the beginning so that they stay.
    pub(super) ranking: Ready,
}

impl Prospect {
    /// The ending for a finale, or by a table where there is none.
    pub(super) fn ending(finale: Option<&Self>) -> Ending {
        finale.map_or(Ending::Table, |finale| Ending::Learned(finale.side))
    }
}

/// A beam over the block that is left, by the learned estimate. Its roots are all boards that have completed
/// the stages, each in the layer of its depth.
pub(super) struct Finale<T> {
    block: Block,
    /// The names by which the estimate knows the tiles of the block.
    names: Vec<u16>,
    layers: Box<dyn BlockLayers>,
    roots: Roots<T>,
    /// The stages that the roots have completed.
    stages: Staged<T>,
    /// The number of boards reported as the goal. All but the last turned out not to be the goal in spite of
    /// their hashes.
    told: usize,
}

impl<T: Tile> Finale<T> {
    /// A beam that goes on from boards that have only the block left. `ranking` ranks boards of the block's
    /// shape.
    pub(super) fn new(
        block: Block,
        ranking: Ready,
        settings: Settings,
        completed: Completed<T>,
        seed: u64,
    ) -> Self {
        let trace = completed.trace;
        let plain = plain_goal(block.shape, block.home());
        let names = names_by_last_corner(&plain);
        let goal = renamed(&plain, &names);
        let layers = match ranking {
            Ready::Pairs(rows) => layers(&goal, rows, settings, trace, seed),
            Ready::Near(ranking) => layers(&goal, ranking, settings, trace, seed),
        };
        Self {
            block,
            names,
            layers,
            stages: completed.stages,
            roots: Roots::new(completed.nodes),
            told: 0,
        }
    }

    /// Spends about so many nodes.
    pub(super) fn advance(&mut self, nodes: u64) -> State {
        let mut left = nodes;
        let block = self.block;
        self.roots.enter(&mut left, |head, board| {
            let name = |cell| {
                let plain = block.name(number(board[block.on_board(cell)]));
                self.names[usize::from(plain)] as u8
            };
            let tiles: Vec<u8> = (0..block.shape.cells()).map(name).collect();
            self.layers.add_root(&tiles, head.depth, head.mark);
        });
        self.layers.advance(left)
    }

    /// Whether all boards that it begins with have been looked at.
    pub(super) fn has_all_roots(&self) -> bool {
        self.roots.have_entered()
    }

    /// The next board that seems to be the goal.
    pub(super) fn next_goal(&mut self) -> Option<Mark> {
        let mark = self.layers.goal(self.told)?;
        self.told += 1;
        Some(mark)
    }

    /// Frees the layers, as much as there are `left` bytes to be freed, but not what [`Self::give_up`] returns.
    pub(super) fn shed_layers(&mut self, left: &mut u64) {
        self.layers.shed_layers(left);
    }

    /// Frees all that is large.
    pub(super) fn shed(&mut self, left: &mut u64) {
        self.layers.shed(left);
        self.roots.shed(left);
    }

    /// Returns what it began with.
    pub(super) fn give_up(self) -> Completed<T> {
        let mut trace = self.layers.into_trace();
        trace.go_back();
        Completed {
            nodes: self.roots.all(),
            trace,
            stages: self.stages,
        }
    }

    pub(super) fn set_width(&mut self, width: usize) {
        self.layers.set_width(width);
    }

    pub(super) fn layers(&self) -> &dyn BlockLayers {
        &*self.layers
    }

    /// The bytes of the boards beside its layers.
    pub(super) fn bytes_beside(&self) -> u64 {
        self.layers.bytes_beside() + self.roots.bytes()
    }

    /// The bytes of its layers, not counting the paths to their nodes.
    pub(super) fn bytes(block: Shape, width: usize) -> u64 {
        // Whatever ranks the boards, a node carries the same.
        Layers::<Learned>::bytes(block, width)
    }
}

/// The layers over a block, whatever ranks its boards.
pub(super) trait BlockLayers: Send {
    fn add_root(&mut self, tiles: &[u8], depth: u32, mark: Mark);
    fn advance(&mut self, nodes: u64) -> State;
    fn set_width(&mut self, width: usize);
    /// The board of this number among those that seem to be the goal.
    fn goal(&self, number: usize) -> Option<Mark>;
    /// About how many layers are to come.
    fn rest(&self) -> u32;
    fn counts(&self) -> (u64, u64);
    fn trace(&self) -> &Trace;
    /// The bytes of its roots and of the boards that seem to be the goal.
    fn bytes_beside(&self) -> u64;
    fn shed_layers(&mut self, left: &mut u64);
    fn shed(&mut self, left: &mut u64);
    fn into_trace(self: Box<Self>) -> Trace;
}

fn layers<R: Ranking>(
    goal: &Board,
    ranking: Arc<R>,
    settings: Settings,
    trace: Trace,
    seed: u64,
) -> Box<dyn BlockLayers> {
    let hashes = Hashes::new(goal.shape(), seed);
    let estimate = Learned::new(ranking, &hashes, goal);
    Box::new(Layers::new(goal.shape(), estimate, hashes, settings, trace).giving_up())
}

impl<R: Ranking> BlockLayers for Layers<Learned<R>> {
    fn add_root(&mut self, tiles: &[u8], depth: u32, mark: Mark) {
        self.add_root(tiles, depth, mark);
    }

    fn advance(&mut self, nodes: u64) -> State {
        self.advance(nodes)
    }

    fn set_width(&mut self, width: usize) {
        self.set_width(width);
    }

    fn goal(&self, number: usize) -> Option<Mark> {
        let goals = self.completed();
        (number < goals.len()).then(|| goals.head(number).mark)
    }

    fn rest(&self) -> u32 {
        self.rest()
    }

    fn counts(&self) -> (u64, u64) {
        self.counts()
    }

    fn trace(&self) -> &Trace {
        self.trace()
    }

    fn bytes_beside(&self) -> u64 {
        self.bytes_beside()
    }

    fn shed_layers(&mut self, left: &mut u64) {
        self.shed_layers(left);
    }

    fn shed(&mut self, left: &mut u64) {
        self.shed(left);
    }

    fn into_trace(self: Box<Self>) -> Trace {
        self.finish().1
    }
}
