//! Which boards of a beam's layers led to one that completed the stages: what its ranks can be learned from.

use std::sync::Arc;

use super::near;
use super::peel::Ending;
use super::run::deepest;
use super::stages::Stages;
use crate::heuristic::Tiles;
use crate::heuristic::learned::near::NearRows;
use crate::puzzle::{Dice, Problem};
use crate::search::beam::{Estimate, Layers, Settings, State, bytes_of};

/// Layers of fewer boards are not looked at.
pub const LEAST_WIDTH: usize = 2 * GROUP;

/// How many boards of a layer are looked at: the leader and some of those that it had to stand up to.
pub(crate) const GROUP: usize = 24;

/// One in so many layers is looked at; those beside it have much in common with it.
const EVERY: u32 = 8;

/// Boards of one layer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// Their tiles row by row, one board after the other; the first is the leader, of which the first board that
    /// completed the stages came.
    pub(crate) tiles: Vec<u8>,
    /// Their ranks, in moves.
    pub(crate) ranks: [f32; GROUP],
}

/// How often the estimate of tiles near each other counts in the ranks of a beam of a width.
pub(crate) fn times(width: usize) -> f32 {
    near::times(width)
}

/// Groups of boards of a beam's layers, from the start of a problem until the first board completes the stages; none
/// where no board does. Of boards of at most 256 cells, the blank's home in the corner.
pub(crate) fn leaders(
    near: Arc<NearRows>,
    problem: &Problem,
    width: usize,
    seed: u64,
) -> Option<Vec<Group>> {
    let ending = super::endings(problem, width).pop();
    let ending = ending.unwrap_or(Ending::Table);
    let settings = Settings::new(width, deepest(problem.shape()));
    let mut stages = Stages::<u8>::from_start(problem, settings, seed, Some(near), ending);
    let mut layers: Vec<Layer> = Vec::new();
    let mut looked_at = 0;
    while stages.layers().completed().is_empty() {
        if stages.advance(width as u64 / 8 + 1) == State::Over {
            return None;
        }
        let depth = stages.layers().depth() - 1;
        if depth > looked_at && depth.is_multiple_of(EVERY) {
            looked_at = depth;
            layers.push(Layer::of(stages.layers(), problem.shape().cells(), depth));
        }
    }
    let completed = stages.layers().completed().head(0);
    let moves = stages.layers().trace().moves(completed.mark);
    let mut dice = Dice::new(seed);
    let mut board = problem.start().clone();
    let mut made = 0;
    let groups = layers.iter().filter_map(|layer| {
        for &slide in moves.get(made..layer.depth as usize)? {
            board.slide(slide);
        }
        made = layer.depth as usize;
        layer.group(&bytes_of(&board), &mut dice)
    });
    Some(groups.collect())
}

/// The boards of a layer, and their ranks.
struct Layer {
    depth: u32,
    tiles: Vec<u8>,
    ranks: Vec<f32>,
}

impl Layer {
    fn of<E: Estimate<Tile = u8>>(layers: &Layers<E>, cells: usize, depth: u32) -> Self {
        let nodes = 0..layers.nodes();
        let board = |node| {
            let board = layers.board(node);
            (0..cells).map(move |cell| board.tile(cell) as u8)
        };
        Self {
            depth,
            tiles: nodes.clone().flat_map(board).collect(),
            ranks: nodes.map(|node| layers.rank(node)).collect(),
        }
    }

    /// A board of the layer, and some others of it by chance; none where the layer is too narrow for that.
    fn group(&self, leader: &[u8], dice: &mut Dice) -> Option<Group> {
        let mut boards = self.tiles.chunks_exact(leader.len());
        let leader_at = boards.position(|board| board == leader)?;
        if self.ranks.len() < LEAST_WIDTH {
            return None;
        }
        let mut chosen = vec![leader_at];
        while chosen.len() < GROUP {
            let node = dice.below(self.ranks.len() as u32) as usize;
            if !chosen.contains(&node) {
                chosen.push(node);
            }
        }
        let tiles = |&node: &usize| &self.tiles[node * leader.len()..][..leader.len()];
        Some(Group {
            tiles: chosen.iter().flat_map(tiles).copied().collect(),
            ranks: std::array::from_fn(|i| self.ranks[chosen[i]]),
        })
    }
}
