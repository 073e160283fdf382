//! Which boards of a beam's layers led to the solution: the data from which its ranks can be learned.

use super::{Estimate, Layers, bytes_of};
use crate::heuristic::Tiles;
use crate::puzzle::{Board, Dice, Direction, Shape};

/// Layers of fewer boards are not sampled.
pub const LEAST_WIDTH: usize = 2 * GROUP;

/// How many boards of a layer are sampled: the leader and some of its competitors.
pub(crate) const GROUP: usize = 24;

/// One in so many layers is sampled; neighbouring layers have much in common with it.
const EVERY: u32 = 4;

/// Boards of one layer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Group {
    /// The boards' tiles row by row, one board after the other. The first board is the leader, which led to
    /// the first board that completed the search.
    pub(crate) tiles: Vec<u8>,
    /// Their ranks, in moves.
    pub(crate) ranks: [f32; GROUP],
}

impl Group {
    /// The boards' ranks, each plus the `worth` of its tiles.
    pub(crate) fn ranks_with(&self, mut worth: impl FnMut(&[u8]) -> f32) -> [f32; GROUP] {
        let mut boards = self.tiles.chunks_exact(self.tiles.len() / GROUP);
        self.ranks
            .map(|rank| rank + boards.next().map_or(0.0, &mut worth))
    }
}

/// Sampled layers of a running beam. Once it is over, it is known which of their boards led to the solution.
pub(crate) struct Watch {
    cells: usize,
    /// The depth of the last sampled layer.
    looked_at: u32,
    layers: Vec<Layer>,
}

impl Watch {
    pub(crate) const fn new(shape: Shape) -> Self {
        Self {
            cells: shape.cells(),
            looked_at: 0,
            layers: Vec::new(),
        }
    }

    /// Samples the last complete layer, if it is its turn. Must be called at least once for each.
    pub(crate) fn look<E: Estimate<Tile = u8>>(&mut self, layers: &Layers<E>) {
        let depth = layers.depth().saturating_sub(1);
        if depth > self.looked_at && depth.is_multiple_of(EVERY) {
            self.looked_at = depth;
            self.layers.push(Layer::of(layers, self.cells, depth));
        }
    }

    /// The groups of the layers through which these moves from the start pass. The seed selects the other
    /// boards of a group.
    pub(crate) fn groups(&self, start: &Board, moves: &[Direction], seed: u64) -> Vec<Group> {
        let mut dice = Dice::new(seed);
        let mut board = start.clone();
        let mut made = 0;
        let groups = self.layers.iter().filter_map(|layer| {
            for &slide in moves.get(made..layer.depth as usize)? {
                board.slide(slide);
            }
            made = layer.depth as usize;
            layer.group(&bytes_of(&board), &mut dice)
        });
        groups.collect()
    }
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

    /// A board of the layer, and some others of it chosen at random; `None` if the layer is too narrow for
    /// that.
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
            // Millions of groups are kept, so none has room to spare.
            tiles: chosen.iter().map(tiles).collect::<Vec<_>>().concat(),
            ranks: std::array::from_fn(|i| self.ranks[chosen[i]]),
        })
    }
}
