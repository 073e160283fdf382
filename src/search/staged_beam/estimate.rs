//! The estimate that ranks boards on their way through the stages.

use std::cell::OnceCell;
use std::marker::PhantomData;
use std::sync::Arc;

use super::near::Near;
use super::peel::{Ending, Group, peel};
use super::rest::{self, Rest};
use super::stage::Stage;
use super::stage_worth::{self, StageWorth};
use crate::heuristic::learned::near::NearRows;
use crate::heuristic::{Slide, Tiles};
use crate::puzzle::{Problem, Shape, goal_cell, plain_tile};
use crate::search::beam::{BoardOf, Estimate, Lane, Tile};
use crate::search::rectangle::Rectangle;

/// A beam counts as wide from one node for so many cells on, where a learned estimate relates tiles to each other
/// and where none does; on boards of more than 256 cells from a little more on.
const CELLS_A_NODE: f64 = 3.0;
const CELLS_A_NODE_UNLEARNED: f64 = 2.4;

/// Whether a beam counts as wide whose layers may have so many nodes.
///
/// The estimate for wide beams makes shorter solutions than the other one from 90 nodes on at 16×16, 135 at
/// 20×20, 250 at 24×24, 300 at 28×28 and 460 at 32×32. So they are wide from 107 on at 16×16, 177 at 20×20, 266 at
/// 24×24 and 508 at 32×32: with deadlines, beams are narrower than they may be.
fn is_wide(shape: Shape, width: usize, is_learned: bool) -> bool {
    let cells = shape.cells();
    let growth = (cells as f64 / 256.0).max(1.0).powf(0.125);
    let cells_a_node = if is_learned {
        CELLS_A_NODE
    } else {
        CELLS_A_NODE_UNLEARNED
    };
    cells <= Rest::MOST_WIDE && cells_a_node * width as f64 >= cells as f64 * growth
}

/// The number of nodes that a layer has for each cell of the board, at least 1; and 1 where no learned
/// estimate relates tiles to each other.
///
/// The more there are, the less has to be decided beforehand, as long as the learned estimate decides which
/// boards are kept: far tiles then count more, those that are placed first count less, and stages are waited
/// for longer. On 10×10 this makes solutions by 3000 nodes 3 % shorter; those of 16×16, for which nothing was
/// learned, would be 1 % longer.
pub(super) fn nodes_per_cell(shape: Shape, width: usize, is_learned: bool) -> f64 {
    if is_learned {
        (width as f64 / shape.cells() as f64).max(1.0)
    } else {
        1.0
    }
}

/// What a board carries along.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    /// The estimate of all tiles, in 1/[`rest::UNIT`]s of a move.
    rest: i32,
    /// The stage that it is in.
    stage: u16,
    /// About the number of moves to the end of that stage.
    distance: u16,
    /// The places of the stage's tiles.
    places: [u16; 2],
}

/// Brings one group of tiles after the other home; what is home stays. A board that has brought all groups
/// home completes the search: only the block is left.
#[derive(Debug)]
pub(super) struct Staged<T> {
    /// The cell where the blank belongs.
    home: usize,
    groups: Vec<Group>,
    block: Rectangle,
    /// The tables of each stage, once a board has reached it.
    stages: Vec<OnceCell<Stage>>,
    /// The tiles of each stage; a single tile is listed twice.
    tiles: Vec<[u16; 2]>,
    /// The stage that closes each cell; for cells of the block, the number of stages.
    closed_by: Box<[u16]>,
    rest: Rest,
    near: Option<Near>,
    stage_worth: StageWorth,
    tile: PhantomData<T>,
}

impl<T: Tile> Staged<T> {
    /// The estimate for a beam of this width whose boards begin in the given stage. `near` adds the estimate
    /// of tiles near each other, where there is one.
    pub(super) fn new(
        problem: &Problem,
        width: usize,
        near: Option<Arc<NearRows>>,
        ending: Ending,
        first: u16,
    ) -> Self {
        let shape = problem.shape();
        let (groups, block) = peel(shape, problem.home(), ending);
        let mut closed_by = vec![groups.len() as u16; shape.cells()];
        let mut tiles = Vec::with_capacity(groups.len());
        for (stage, group) in groups.iter().enumerate() {
            let cells = [0, usize::from(group.tiles) - 1].map(|i| {
                let (row, column) = group.cell(i);
                shape.cell(row, column)
            });
            for cell in cells {
                closed_by[cell] = stage as u16;
            }
            tiles.push(cells.map(|cell| plain_tile(problem.home(), cell)));
        }
        let is_wide = is_wide(shape, width, near.is_some());
        let nodes_per_cell = nodes_per_cell(shape, width, near.is_some());
        Self {
            home: problem.home(),
            stages: vec![OnceCell::new(); groups.len()],
            rest: Rest::new(problem, &groups, is_wide, nodes_per_cell),
            near: near.map(|rows| Near::new(rows, width)),
            stage_worth: StageWorth::new(first, nodes_per_cell),
            groups,
            block,
            tiles,
            closed_by: closed_by.into(),
            tile: PhantomData,
        }
    }

    /// The block that is left at the end.
    pub(super) const fn block(&self) -> Rectangle {
        self.block
    }

    /// The number of stages.
    pub(super) const fn count(&self) -> u16 {
        self.groups.len() as u16
    }

    /// The value of a board that has completed all stages of `before`, with which this estimate begins. The
    /// other one ends with a larger block, whose tiles it gives less weight.
    pub(super) fn resume(&self, before: &Self, value: Value, tiles: &[T]) -> Value {
        let rest = value.rest - before.rest.root(tiles) + self.rest.root(tiles);
        self.enter(rest, before.count(), |cell| tiles[cell].into())
    }

    /// The fraction of the cells that the farthest boards have yet to fill.
    pub(super) fn open(&self) -> f32 {
        let stages = &self.groups[usize::from(self.stage_worth.top()).min(self.groups.len())..];
        let tiles: usize = stages.iter().map(|group| usize::from(group.tiles)).sum();
        (tiles + self.block.cells()) as f32 / self.closed_by.len() as f32
    }

    /// The value of a board that is at least in the given stage.
    fn enter(&self, rest: i32, stage: u16, tile_at: impl Fn(usize) -> usize) -> Value {
        let is_home = |tile: u16| tile_at(goal_cell(self.home, tile)) == usize::from(tile);
        let home = |stage: usize| self.tiles[stage].into_iter().all(is_home);
        let mut stage = usize::from(stage);
        while stage < self.groups.len() && home(stage) {
            stage += 1;
        }
        let mut value = Value {
            rest,
            stage: stage as u16,
            distance: 0,
            places: [0; 2],
        };
        let Some(group) = self.tiles.get(stage) else {
            return value;
        };
        let cells = 0..self.closed_by.len();
        let place = |tile: usize| {
            let mut cells = cells.clone();
            cells.find(|&cell| tile_at(cell) == tile).unwrap_or(0)
        };
        value.places = group.map(|tile| place(usize::from(tile)) as u16);
        value.distance = self.distance(stage, place(0), value.places);
        value
    }

    #[inline]
    fn distance(&self, stage: usize, blank: usize, places: [u16; 2]) -> u16 {
        let point = |cell| self.rest.point(cell);
        let [first, second] = places.map(|place| point(usize::from(place)));
        self.stages[stage]
            .get_or_init(|| Stage::new(self.groups[stage]))
            .distance(point(blank), first, second)
    }

    /// The value after a slide; `None` if it moves a tile that is home. `near` returns the change of the
    /// learned estimate of tiles near each other.
    #[inline]
    fn after(
        &self,
        board: BoardOf<'_, T>,
        value: Value,
        slide: Slide,
        near: impl Fn(BoardOf<'_, T>, usize) -> i32,
    ) -> Option<Value> {
        let stage = usize::from(value.stage);
        if usize::from(self.closed_by[slide.from]) < stage {
            return None;
        }
        let rest = value.rest + self.rest.change(board, slide) + near(board, slide.tile);
        let slid = |place| {
            if usize::from(place) == slide.from {
                slide.to as u16
            } else {
                place
            }
        };
        let places = [slid(value.places[0]), slid(value.places[1])];
        let distance = self.distance(stage, slide.from, places);
        if distance > 0 {
            return Some(Value {
                rest,
                distance,
                places,
                ..value
            });
        }
        let after = |cell: usize| {
            if cell == slide.to {
                slide.tile
            } else if cell == slide.from {
                0
            } else {
                board.tile(cell)
            }
        };
        Some(self.enter(rest, value.stage + 1, after))
    }
}

impl<T: Tile> Estimate for Staged<T> {
    type Tile = T;
    type Value = Value;
    const UNIT: i32 = stage_worth::UNIT;

    fn root(&self, tiles: &[T]) -> Value {
        self.enter(self.rest.root(tiles), 0, |cell| tiles[cell].into())
    }

    #[inline]
    fn child(&self, lane: Lane) -> impl Fn(BoardOf<'_, T>, Value, usize) -> Option<Value> {
        let near = self.near.as_ref().map(|near| near.change(lane));
        let change = move |board: BoardOf<'_, T>, tile| near.map_or(0, |near| near.of(board, tile));
        move |board, value, tile| self.after(board, value, lane.slide(tile), change)
    }

    #[inline]
    fn rank(&self, value: Value) -> i32 {
        let rest = value.rest / (rest::UNIT / stage_worth::UNIT);
        rest.saturating_add(self.stage_worth.rank(value.stage, value.distance))
    }

    #[inline]
    fn completes(&self, value: Value, _hash: u64) -> bool {
        usize::from(value.stage) == self.groups.len()
    }

    fn bytes(shape: Shape, _width: usize) -> u64 {
        let stages = shape.cells() / 2 + shape.rows() + shape.columns();
        let stage = size_of::<Group>() + size_of::<OnceCell<Stage>>() + 2 * size_of::<u64>();
        let cell = size_of::<u16>() + Rest::BYTES_A_CELL;
        (stages * stage + shape.cells() * cell) as u64
    }

    fn note(&mut self, values: impl Iterator<Item = Value>) {
        for value in values {
            self.stage_worth.note(value.stage, value.distance);
        }
    }

    fn next_layer(&mut self) -> bool {
        self.stage_worth.next_layer();
        true
    }
}
