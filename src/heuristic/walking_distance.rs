//! The walking distance (Ken'ichiro Takahashi, 2001): the moves along columns and those along
//! rows are counted apart. Of the former only those between rows matter, and tiles with the same
//! home row are alike: what is left is a puzzle so small that its exact distances are known. The
//! bound is the distance of the one and of the other added up, as each move is one of either.
//!
//! It knows of all conflicts within a line, also those that the blank brings about, and is
//! consistent. Tables are built when first asked for, and kept as long as there is room for them. On
//! 4×4 one table serves both axes; it has 24,964 states and takes 118 KB. All tables of all shapes
//! and homes would take 142 MB.

mod crowds;
mod table;

use std::sync::Arc;

use crate::puzzle::{Problem, Shape};

use super::shared_table::{Slot, Slots};
use super::{Heuristic, Slide, Tiles};

use crowds::{Crowds, MAX_LINES};
use table::{Building, Residue, Table};

/// The longest sides of boards with tables, by the shorter side. With the next ones a table would
/// have more states than that of 5×5, which are 65,650,495.
const LONGEST: [usize; 6] = [0, 0, 7, 6, 5, 5];

/// Whether boards of this shape have a walking distance: those up to 5×5, and 2×6, 2×7 and 3×6.
#[must_use]
pub fn supports(shape: Shape) -> bool {
    let (rows, columns) = (shape.rows(), shape.columns());
    let longest = LONGEST.get(rows.min(columns));
    longest.is_some_and(|&longest| rows.max(columns) <= longest)
}

/// One axis of a board: so many lines of so many cells, and the line where the blank belongs,
/// counted from the nearer edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    lines: usize,
    cells: usize,
    home: usize,
}

impl Class {
    /// Those of all boards with tables.
    fn all() -> impl Iterator<Item = Self> {
        (2..MAX_LINES).flat_map(|lines| {
            let supported = move |&cells: &usize| Shape::new(lines, cells).is_ok_and(supports);
            let homes = 0..lines.div_ceil(2);
            (2..MAX_LINES)
                .filter(supported)
                .flat_map(move |cells| homes.clone().map(move |home| Self { lines, cells, home }))
        })
    }
}

/// The tables of the process.
static SLOTS: Slots<Building> = Slots::new();

fn slot(class: Class) -> &'static Slot<Building> {
    SLOTS.of(&class, Class::all())
}

/// A state of a table in the making takes about as long as this many nodes of a search.
const NODES_PER_STATE: u64 = 12;

/// Works on a problem's tables, if they are not ready yet, about as long as so many nodes of a
/// search take. True once they are ready, and when the shape has none.
///
/// Tables are for all problems of the shape whose blank's home is in the same or the mirrored
/// line. Threads that work on the same table take turns.
pub fn prepare(problem: &Problem, nodes: u64) -> bool {
    let states = nodes.div_ceil(NODES_PER_STATE);
    !supports(problem.shape())
        || [true, false]
            .into_iter()
            .all(|vertical| Axis::class(problem, vertical).0.build(states))
}

/// Whether a problem's tables are there.
pub(super) fn is_ready(problem: &Problem) -> bool {
    let is_axis_ready = |vertical| Axis::class(problem, vertical).0.get().is_some();
    supports(problem.shape()) && [true, false].into_iter().all(is_axis_ready)
}

/// The moves along columns, from row to row, or those along rows.
#[derive(Clone, Debug)]
struct Axis {
    table: Arc<Table>,
    /// The line of each cell, and of each tile's home.
    lines: Box<[u8]>,
    homes: Box<[u8]>,
}

impl Axis {
    /// The slot of the axis's class, and whether lines count from the other edge.
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

    /// None when its table is not there.
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

/// The walking distance, for the shapes that [`supports`] names.
#[derive(Clone, Debug)]
pub struct WalkingDistance {
    /// Across, then up and down.
    axes: [Axis; 2],
}

/// The bound, and for both axes the crowds and their distance modulo 3.
#[derive(Clone, Copy, Debug)]
pub struct WalkState {
    value: u32,
    crowds: [Crowds; 2],
    residues: [Residue; 2],
}

impl WalkingDistance {
    /// The bound for the goal of a problem; none when its shape has no tables, and when they are not there:
    /// see [`prepare`].
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
