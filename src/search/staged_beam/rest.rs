//! How much work the tiles that are not yet placed will be.

use crate::heuristic::Slide;
use crate::puzzle::Problem;

use super::peel::Group;
use crate::search::beam::{Lines, Tile};

/// The fractions of a move in which it is counted.
pub(super) const UNIT: i32 = 64;

/// The weight of the tile that is placed first, where that of the last is 1, is the number of cells to the
/// power of the first constant. That power falls as [`nodes_per_cell`](super::estimate::nodes_per_cell) to the
/// power of the second constant.
const FIRST_MORE: f64 = 0.4;
const FIRST_LESS: f64 = -0.1;

/// The fractions of a weight of 1 in which a tile's weight is counted, the fractions of a move in which a
/// distance is counted, and how many of their products make one of [`UNIT`].
const WEIGHT_UNIT: f64 = 32.0;
const COST_UNIT: f64 = 32.0;
const PRODUCT: i32 = WEIGHT_UNIT as i32 * COST_UNIT as i32 / UNIT;

/// How fast the estimate grows with distances, in narrow beams and in wide ones. For wide beams it rises as
/// [`nodes_per_cell`](super::estimate::nodes_per_cell) to the power of the last constant.
const STEEPNESS: f64 = 5.5;
const WIDE_STEEPNESS: f64 = 3.9;
const STEEPER: f64 = 0.18;

/// For two tiles that stand in their own line in the wrong order.
const CONFLICT: i32 = UNIT * 2;

/// An estimate of the moves that all tiles take together. It is not a bound.
///
/// A tile that is `k` rows from home, or `k` columns, counts more for every cell the farther it is from home:
/// a far tile has to be carried in the end, at five moves a cell, while a near one comes home on the way of
/// others. With n the longer and m the shorter side of the board and r = k ÷ n, it counts 5.5 r √r moves
/// times the fourth root of n m. In wide beams, which find the moves that bring the farthest tiles nearer
/// first, it counts 3.9 r² times the square root, or more.
///
/// The sooner a tile is placed, the more it counts: by the same factor for each tenth of the board sooner. A
/// tile that is soon to be placed has little time left to come nearer on the way of others. So the first tile
/// counts 6.3 times as much as the last one on 10×10, 16 times on 32×32, or less.
///
/// Two tiles in conflict in their line (Hansson, Mayer & Yung, 1992) count two moves more.
#[derive(Debug)]
pub(super) struct Rest {
    columns: usize,
    points: Box<[(u8, u8)]>,
    homes: Box<[(u8, u8)]>,
    weights: Box<[u16]>,
    costs: Box<[i32]>,
}

impl Rest {
    /// The bytes for each cell.
    pub(super) const BYTES_A_CELL: usize = 6;

    /// The most cells of boards for wide beams: the most that all tiles can count together fits an `i32`.
    pub(super) const MOST_WIDE: usize = 1 << 12;

    /// The estimate for a problem whose tiles are placed in the order of `groups`, by a beam that is wide or
    /// not and has this [`nodes_per_cell`](super::estimate::nodes_per_cell).
    pub(super) fn new(
        problem: &Problem,
        groups: &[Group],
        wide: bool,
        nodes_per_cell: f64,
    ) -> Self {
        let shape = problem.shape();
        let cells = shape.cells();
        let points = shape.points();
        let mut weights = vec![WEIGHT_UNIT as u16; cells];
        let first_more = FIRST_MORE * nodes_per_cell.powf(FIRST_LESS);
        let mut placed = 0;
        for group in groups {
            let open = (cells - placed) as f64 / cells as f64;
            let weight = WEIGHT_UNIT * (cells as f64).powf(first_more * open);
            for i in 0..usize::from(group.tiles) {
                let (row, column) = group.cell(i);
                weights[shape.cell(row, column)] = weight as u16;
                placed += 1;
            }
        }
        let home_cells = || (0..cells).map(|tile| problem.goal_cell(tile as u16));
        let long = shape.rows().max(shape.columns());
        let side = (cells as f64).sqrt();
        let wide_steepness = WIDE_STEEPNESS * nodes_per_cell.powf(STEEPER);
        let cost = |k: usize| {
            let part = k as f64 / long as f64;
            let moves = if wide {
                wide_steepness * part.powi(2) * side
            } else {
                STEEPNESS * part.powf(1.5) * side.sqrt()
            };
            (COST_UNIT * moves) as i32
        };
        Self {
            columns: shape.columns(),
            homes: home_cells().map(|cell| points[cell]).collect(),
            weights: home_cells().map(|cell| weights[cell]).collect(),
            costs: (0..long).map(cost).collect(),
            points,
        }
    }

    /// The row and the column of a cell.
    #[inline]
    pub(super) fn point(&self, cell: usize) -> (i16, i16) {
        let (row, column) = self.points[cell];
        (i16::from(row), i16::from(column))
    }

    /// The estimate of a board without the conflicts in it: only those that come and go from here on are
    /// counted.
    pub(super) fn root<T: Tile>(&self, tiles: &[T]) -> i32 {
        let cost = |(cell, &tile): (usize, &T)| {
            let tile: usize = tile.into();
            let (at, home) = (self.points[cell], self.homes[tile]);
            self.cost(tile, at.0, home.0) + self.cost(tile, at.1, home.1)
        };
        let tiles = tiles.iter().enumerate();
        tiles.filter(|&(_, &tile)| tile.into() != 0).map(cost).sum()
    }

    /// What a tile counts for its distance from home in one direction.
    #[inline]
    fn cost(&self, tile: usize, at: u8, home: u8) -> i32 {
        i32::from(self.weights[tile]) * self.costs[usize::from(at.abs_diff(home))] / PRODUCT
    }

    /// By how much a slide changes it; `board` is the one before the slide.
    #[inline]
    pub(super) fn change(&self, board: impl Lines, slide: Slide) -> i32 {
        let (from, to) = (self.points[slide.from], self.points[slide.to]);
        let home = self.homes[slide.tile];
        let (from, to, home) = if slide.direction.is_vertical() {
            (from.0, to.0, home.0)
        } else {
            (from.1, to.1, home.1)
        };
        let change = self.cost(slide.tile, to, home) - self.cost(slide.tile, from, home);
        if to == home {
            change + CONFLICT * self.conflicts(board, slide, slide.to)
        } else if from == home {
            change - CONFLICT * self.conflicts(board, slide, slide.from)
        } else {
            change
        }
    }

    /// The number of conflicts of the sliding tile, on the cell `at`, in the line across the slide: the tiles
    /// that belong in that line but on the other side of it.
    fn conflicts(&self, board: impl Lines, slide: Slide, at: usize) -> i32 {
        let (row, column) = self.points[at];
        if slide.direction.is_vertical() {
            let tiles = board.row(usize::from(row), self.columns);
            self.in_line(tiles, slide.tile, (row, column), |point| point)
        } else {
            let tiles = board.column(usize::from(column), self.columns);
            let turned = |(row, column)| (column, row);
            self.in_line(tiles, slide.tile, (column, row), turned)
        }
    }

    /// The conflicts of a tile with the tiles of a line. `point` turns (row, column) into (line, place in
    /// it).
    #[inline]
    fn in_line(
        &self,
        tiles: impl Iterator<Item = usize>,
        tile: usize,
        (line, place): (u8, u8),
        point: impl Fn((u8, u8)) -> (u8, u8),
    ) -> i32 {
        let (_, home) = point(self.homes[tile]);
        let is_in_conflict = |(other, here): (usize, u8)| {
            let (its_line, its_home) = point(self.homes[other]);
            let is_other = other != 0 && other != tile;
            let is_wrong = (its_home > home) != (here > place);
            i32::from(is_other & (its_line == line) & is_wrong)
        };
        tiles.zip(0..).map(is_in_conflict).sum()
    }
}
