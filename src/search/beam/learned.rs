//! Whole boards ranked by the learned estimate.

use std::cell::{Cell, RefCell};
use std::mem;
use std::sync::Arc;

use super::boards::{Boards, Whole};
use super::{AHEAD, Child, Children, Estimate, Hashes, Lane};
use crate::heuristic::learned::{
    Along, ByTile, Changes, Network, Ranking, Rows, Sums, TOGETHER, UNITS, Weights, has_network,
};
use crate::heuristic::prefetch;
use crate::puzzle::{Board, Shape};
use crate::search::shed;

/// The learned estimate of whole boards, and the hash of the goal: the estimate of the goal need not be the
/// least.
///
/// Boards of a beam have much in common: what a slide of a tile has changed on others, it will change on the
/// next, give or take half a move.
pub struct Learned<R = Rows> {
    rows: Arc<R>,
    goal: u64,
    /// The blank's cell in the goal, which need not be its home: a beam from the goal looks for the start, and
    /// tiles may be named after another goal.
    home: usize,
    /// By row: the moving average of recent changes, in fine fractions of 1/[`Network::UNIT`].
    recent: Box<[Cell<i16>]>,
    by_tile: RefCell<Option<ByTile>>,
    /// Scratch space for the changes of some children.
    changes: RefCell<Vec<i32>>,
    /// With a network: the sums of its units for the nodes of the present layer, and of the next.
    sums: Vec<Sums>,
    next_sums: Vec<Sums>,
    /// The network's output for a node of the present layer.
    beyond: i32,
}

/// The fractions of 1/[`Network::UNIT`] in which recent changes are kept, and the fractions of a rank in
/// which the units count, as powers of two.
const FINE: i32 = 1;
const FINER_THAN_RANKS: i32 = (Network::UNIT / Weights::UNIT).ilog2() as i32;

/// The weight of the newest change in the moving average, as a negative power of two.
const MEMORY: i32 = 2;

/// Fewer slides along a lane are not worth grouping.
const FEW: usize = 24;

const _: () = assert!(<Learned as Estimate>::TOGETHER <= ByTile::MOST);

impl<R: Ranking> Learned<R> {
    /// The estimate for a search that ends at `goal`.
    pub(crate) fn new(rows: Arc<R>, hashes: &Hashes, goal: &Board) -> Self {
        Self {
            goal: hashes.of_board(goal),
            home: goal.blank(),
            recent: vec![Cell::new(0); rows.count()].into(),
            by_tile: RefCell::new(ByTile::available()),
            changes: RefCell::default(),
            sums: Vec::new(),
            next_sums: Vec::new(),
            beyond: 0,
            rows,
        }
    }

    /// The rows of a lane, and by tile their recent changes.
    #[inline(always)]
    fn between(&self, lane: Lane) -> (R::Between<'_>, &[Cell<i16>]) {
        let rows = self.rows.between(lane.to, lane.direction);
        (rows, &self.recent[rows.numbers()])
    }

    /// Computes the changes by the slides of children, one after the other, by the rows and the network of a lane.
    #[inline(always)]
    fn changes_one_by_one(
        &self,
        (rows, along): (R::Between<'_>, Option<Along<'_>>),
        boards: &Whole<u8>,
        children: Children<'_, i32>,
        changes: &mut [i32],
    ) {
        for (sum, &child) in changes.iter_mut().zip(children.all()) {
            let node = children.node(child);
            let beyond = along.map_or(0, |along| along.change(&self.sums[node], child.tile()));
            *sum = change(rows, rows.sum(child.tile(), boards.board(node))) + beyond;
        }
    }

    /// The same, but tile by tile: each row is looked up for the boards of all children by its tile's slides.
    #[inline(always)]
    fn changes_by_tile(
        &self,
        (rows, along): (R::Between<'_>, Option<Along<'_>>),
        boards: &Whole<u8>,
        children: Children<'_, i32>,
        by_tile: &mut ByTile,
        changes: &mut [i32],
    ) {
        if along.is_some() {
            for &child in children.all() {
                prefetch(&self.sums, children.node(child));
            }
        }
        by_tile.group(children.all().iter().map(|child| child.tile));
        let mut runs = by_tile.runs().peekable();
        while let Some((tile, places)) = runs.next() {
            let next = runs.peek().map_or(tile, |&(next, _)| next);
            for places in places.chunks(TOGETHER) {
                let (mut nodes, mut sums) = ([0; TOGETHER], [0; TOGETHER]);
                for (node, &place) in nodes.iter_mut().zip(places) {
                    let child = children.all()[usize::from(place)];
                    *node = children.node(child) as u32;
                }
                let sums = &mut sums[..places.len()];
                rows.sums(tile, boards.all(), &nodes, next, sums);
                for sum in &mut *sums {
                    *sum = change(rows, *sum);
                }
                if let Some(along) = along {
                    along.add_changes(tile, &self.sums, &nodes, sums);
                }
                for (&place, sum) in places.iter().zip(sums) {
                    changes[usize::from(place)] = *sum;
                }
            }
        }
    }
}

/// The change that a row states for a slide along its lane, in the unit of values.
#[inline]
fn change(rows: impl Changes, said: i32) -> i32 {
    (rows.sign() * said) << FINER_THAN_RANKS
}

/// Adds a new change to the recent ones.
#[inline]
fn note(recent: &Cell<i16>, change: i32) {
    let before = i32::from(recent.get());
    recent.set((before + (((change << FINE) - before) >> MEMORY)) as i16);
}

impl<R: Ranking> Estimate for Learned<R> {
    type Tile = u8;
    type Value = i32;
    const UNIT: i32 = Weights::UNIT;
    const TOGETHER: usize = 192;

    fn root(&self, tiles: &[u8]) -> i32 {
        let network = self.rows.network();
        let beyond = network.map_or(0, |network| network.of(&network.sums(tiles)));
        (self.rows.of(tiles) << FINER_THAN_RANKS) + beyond
    }

    #[inline(always)]
    fn child(&self, lane: Lane) -> impl Fn(&[u8], i32, usize) -> Option<i32> {
        let (rows, recent) = self.between(lane);
        let network = self.rows.network();
        move |tiles, value, tile| {
            let beyond = network.map_or(0, |network| {
                let along = network.along(lane.to, lane.direction);
                along.change(&network.sums(tiles), tile)
            });
            let change = change(rows, rows.sum(tile, tiles)) + beyond;
            note(&recent[tile - 1], rows.sign() * change);
            Some(value + change)
        }
    }

    #[inline(always)]
    fn children(
        &self,
        lane: Lane,
        boards: &Whole<u8>,
        children: Children<'_, i32>,
        mut each: impl FnMut(Child, Option<i32>),
    ) {
        let (rows, recent) = self.between(lane);
        let network = self.rows.network();
        let along = network.map(|network| network.along(lane.to, lane.direction));
        let changes = &mut *self.changes.borrow_mut();
        changes.resize(changes.len().max(children.all().len()), 0);
        let mut by_tile = self.by_tile.borrow_mut();
        let grouping = by_tile
            .as_mut()
            .filter(|_| rows.are_looked_up_together() && children.all().len() >= FEW);
        match grouping {
            Some(by_tile) => {
                self.changes_by_tile((rows, along), boards, children, by_tile, changes)
            }
            None => self.changes_one_by_one((rows, along), boards, children, changes),
        }
        // In the same order either way, so that all processors find the same solutions.
        for (&child, &change) in children.all().iter().zip(&*changes) {
            note(&recent[child.tile() - 1], rows.sign() * change);
            let before = children.parent(child).value;
            each(child, Some(before + change));
        }
    }

    #[inline(always)]
    fn foreseen(&self, lane: Lane) -> impl Fn(i32, usize) -> i32 {
        let (rows, recent) = self.between(lane);
        let sign = rows.sign();
        let may_complete = lane.from == self.home;
        move |value, tile| {
            let after = value + ((sign * i32::from(recent[tile - 1].get())) >> FINE);
            if may_complete {
                i32::MIN
            } else {
                after >> FINER_THAN_RANKS
            }
        }
    }

    #[inline(always)]
    fn rank(&self, value: i32) -> i32 {
        value >> FINER_THAN_RANKS
    }

    /// The network ranks boards but does not tell how far home is: it was trained to compare boards of one
    /// layer, not of different layers.
    fn moves(&self, rank: i32) -> i32 {
        self.rows.moves(rank - (self.beyond >> FINER_THAN_RANKS))
    }

    #[inline(always)]
    fn completes(&self, _value: i32, hash: u64) -> bool {
        hash == self.goal
    }

    fn reserve(&mut self, width: usize) {
        if self.rows.network().is_some() {
            self.sums.reserve_exact(width);
            self.next_sums.reserve_exact(width);
        }
    }

    fn make_room(&mut self, nodes: usize) {
        if self.rows.network().is_some() {
            let nodes = nodes.max(self.next_sums.len());
            self.next_sums.resize(nodes, Sums([0; UNITS]));
        }
    }

    fn enter(&mut self, node: usize, tiles: &[u8]) {
        if let Some(network) = self.rows.network() {
            self.next_sums[node] = network.sums(tiles);
        }
    }

    #[inline(always)]
    fn follow(&mut self, node: usize, parent: usize, lane: Lane, boards: &Whole<u8>) {
        if let Some(network) = self.rows.network() {
            let tile = usize::from(boards.board(parent)[lane.from]);
            let along = network.along(lane.to, lane.direction);
            prefetch(&self.next_sums, node + AHEAD);
            self.next_sums[node] = along.after(&self.sums[parent], tile);
        }
    }

    fn shed(&mut self, left: &mut u64) {
        shed::list(&mut self.sums, left);
        shed::list(&mut self.next_sums, left);
    }

    fn bytes(shape: Shape, width: usize) -> u64 {
        if has_network(shape) {
            (2 * width * size_of::<Sums>()) as u64
        } else {
            0
        }
    }

    fn next_layer(&mut self) -> bool {
        mem::swap(&mut self.sums, &mut self.next_sums);
        if let (Some(network), Some(sums)) = (self.rows.network(), self.sums.first()) {
            self.beyond = network.of(sums);
        }
        false
    }
}
