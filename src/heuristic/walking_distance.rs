//! The walking distance (Ken'ichiro Takahashi, 2001) counts the moves along columns and the moves
//! along rows separately. For moves along columns, only the row of each tile matters, and tiles
//! with the same home row are alike. What remains is a puzzle so small that its exact distances can
//! be tabulated. Moves along rows are treated in the same way. The bound is the sum of the two
//! distances, because each move is of one kind or the other.
//!
//! It accounts for all conflicts within a line, including those caused by the blank, and is
//! consistent. Tables are built when first requested, and kept as long as there is room for them.
//! On 4×4 one table serves both axes; it has 24,964 states and takes 118 KB. All tables of all
//! shapes and homes would take 142 MB.

mod crowds;
mod table;

use std::sync::Arc;

use crate::puzzle::{Problem, Shape};

use super::shared_table::{Slot, Slots};
use super::{Heuristic, Slide, Tiles};

use crowds::{Crowds, MAX_LINES};
use table::{Building, Residue, Table};

/// The longest sides of boards with tables, by the shorter side. One step longer, a table would
/// have more states than that of 5×5, which has 65,650,495.
const LONGEST: [usize; 6] = [0, 0, 7, 6, 5, 5];

/// The boards that [have](supports) a walking distance, as a phrase.
pub(super) const SIZES: &str = "up to 5×5, 3×6 and 2×7";

/// Returns whether boards of this shape have a walking distance: those up to 5×5, and 2×6, 2×7 and
/// 3×6.
#[must_use]
pub fn supports(shape: Shape) -> bool {
    let (rows, columns) = (shape.rows(), shape.columns());
    let longest = LONGEST.get(rows.min(columns));
    longest.is_some_and(|&longest| rows.max(columns) <= longest)
}

/// One axis of a board: the number of lines, the cells of a line, and the line of the blank's home,
/// counted from the nearer edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    lines: usize,
    cells: usize,
    home: usize,
}

/// The tables of the process.
static SLOTS: Slots<Building> = Slots::new();

fn slot(class: Class) -> &'static Slot<Building> {
    SLOTS.of(class)
}

/// The number of search nodes that take about as long as one state of a table under construction.
const NODES_PER_STATE: u64 = 12;

/// Works on a problem's tables, if they are not ready yet, for about as long as the given number of
/// search nodes takes. Returns true once nothing is left to do: the tables are ready or have no
/// room, or the shape has none. Returns false without work while another thread is at it.
///
/// A table serves all problems of the shape whose blank's home is in the same line or the mirrored
/// one.
pub fn prepare(problem: &Problem, nodes: u64) -> bool {
    let states = nodes.div_ceil(NODES_PER_STATE);
    !supports(problem.shape())
        || [true, false]
            .into_iter()
            .all(|vertical| Axis::class(problem, vertical).0.build(states))
}

/// Returns whether a problem's tables are ready.
pub(super) fn is_ready(problem: &Problem) -> bool {
    let is_axis_ready = |vertical| Axis::class(problem, vertical).0.get().is_some();
    supports(problem.shape()) && [true, false].into_iter().all(is_axis_ready)
}

/// One axis: the moves along columns, from row to row, or those along rows.
#[derive(Clone, Debug)]
struct Axis {
    table: Arc<Table>,
    /// The line of each cell, and the line of each tile's home.
    lines: Box<[u8]>,
    homes: Box<[u8]>,
}

impl Axis {
    /// Returns the slot of the axis's class, and whether lines count from the other edge.
    fn class(problem: &Problem, vertical: bool) -> (&'static Slot<Building>, bool) {
        let shape = problem.shape();
        let (lines, cells, home) = if vertical {
            (shape.rows(), shape.columns(), shape.row(problem.home()))
        } else {
            (shape.columns(), shape.rows(), shape.column(problem.home()))
        };
        let mirrored = lines - 1 - home;
        let class = Class {
            lines,
            cells,
            home: home.min(mirrored),
        };
        (slot(class), mirrored < home)
    }

    /// Creates the axis, or returns `None` if its table is not ready.
    fn new(problem: &Problem, vertical: bool) -> Option<Self> {
        let (slot, is_mirrored) = Self::class(problem, vertical);
        let table = slot.get()?;
        let shape = problem.shape();
        let line = |cell| {
            let (line, last) = if vertical {
                (shape.row(cell), shape.rows() - 1)
            } else {
                (shape.column(cell), shape.columns() - 1)
            };
            (if is_mirrored { last - line } else { line }) as u8
        };
        let cells = 0..shape.cells();
        Some(Self {
            table,
            lines: cells.clone().map(line).collect(),
            homes: cells
                .map(|tile| line(problem.goal_cell(tile as u16)))
                .collect(),
        })
    }

    fn line(&self, cell: usize) -> usize {
        usize::from(self.lines[cell])
    }

    fn crowds<T: Tiles>(&self, board: &T) -> Crowds {
        let mut counts = [[0; MAX_LINES]; MAX_LINES];
        for cell in 0..self.lines.len() {
            match board.tile(cell) {
                0 => {}
                tile => counts[self.line(cell)][usize::from(self.homes[tile])] += 1,
            }
        }
        self.table.numbering.crowds(counts)
    }
}

/// The walking distance, for the shapes that [`supports`] accepts.
#[derive(Clone, Debug)]
pub struct WalkingDistance {
    /// The horizontal axis, then the vertical one.
    axes: [Axis; 2],
}

/// The bound, and the crowds of both axes with their distances modulo 3.
#[derive(Clone, Copy, Debug)]
pub struct WalkState {
    value: u32,
    crowds: [Crowds; 2],
    residues: [Residue; 2],
}

impl WalkingDistance {
    /// Creates the bound for the goal of a problem. Returns `None` if its shape has no tables or
    /// they are not ready: see [`prepare`].
    #[must_use]
    pub fn new(problem: &Problem) -> Option<Self> {
        if !supports(problem.shape()) {
            return None;
        }
        let across = Axis::new(problem, false)?;
        let upright = Axis::new(problem, true)?;
        Some(Self {
            axes: [across, upright],
        })
    }
}

impl Heuristic for WalkingDistance {
    type State = WalkState;

    fn root<T: Tiles>(&self, board: &T) -> WalkState {
        let distance = |axis: &Axis| axis.table.distance(axis.crowds(board));
        self.restore(board, self.axes.iter().map(distance).sum())
    }

    #[inline]
    fn after_slide<T: Tiles>(&self, state: WalkState, slide: Slide, _: &T) -> WalkState {
        let axis_number = usize::from(slide.direction.is_vertical());
        let axis = &self.axes[axis_number];
        let home = usize::from(axis.homes[slide.tile]);
        let (from, to) = (axis.line(slide.from), axis.line(slide.to));
        let crowds = state.crowds[axis_number];
        let crowds = axis.table.numbering.after(crowds, home, from, to);
        let residue = axis.table.residue(crowds);
        let is_further = state.residues[axis_number].further() == residue;

        let mut after = state;
        after.value = (state.value + 2 * u32::from(is_further)).wrapping_sub(1);
        after.crowds[axis_number] = crowds;
        after.residues[axis_number] = residue;
        after
    }

    #[inline]
    fn value(state: WalkState) -> u32 {
        state.value
    }

    fn restore<T: Tiles>(&self, board: &T, value: u32) -> WalkState {
        let crowds = self.axes.each_ref().map(|axis| axis.crowds(board));
        WalkState {
            value,
            crowds,
            residues: [0, 1].map(|axis| self.axes[axis].table.residue(crowds[axis])),
        }
    }
}
