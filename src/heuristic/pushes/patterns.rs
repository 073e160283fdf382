//! The bound for boards of at most 16 cells: pattern databases (Culberson & Schaeffer, 1996) in
//! which all that is known of a tile is the group of lines where it belongs.
//!
//! The rows of the goal form three groups, in two ways: on 4×4 the upper two, the third and the
//! fourth, or the first, the second and the lower two. If all tiles of a group are alike, few
//! enough boards remain to tabulate the least number of pushes from each. Columns are treated in
//! the same way. The bound is the greatest of the four numbers. The patterns are coarse, but they
//! cover all tiles at once and all pushes, including those along the lines.

use std::sync::Arc;

use crate::heuristic::shared_table::{Slot, Slots};
use crate::heuristic::{SMALL_CELLS, Slide, Tiles};
use crate::puzzle::{Problem, Shape, Symmetry};

use super::PushBound;
use super::ranks::{BLANK, Colours};
use super::table::{Building, Class, MAX_LINES, Table};

/// The most patterns of a board: two ways to group rows, and two to group columns.
const PATTERNS: usize = 4;

/// The most groups: two bits hold four colours, and the blank takes the fourth.
const GROUPS: usize = 3;

/// Returns whether there are tables for boards of this shape: those of at most 16 cells.
#[must_use]
pub fn supports(shape: Shape) -> bool {
    shape.cells() <= SMALL_CELLS
}

/// Returns the two ways to group lines. Where lines do not divide evenly into three groups, the
/// smaller groups come last in the first way, and first in the second.
fn groupings(lines: usize) -> [[u8; MAX_LINES]; 2] {
    let groups = lines.min(GROUPS);
    let group = |line: usize| (line * groups / lines) as u8;
    let mirrored = |line: usize| groups as u8 - 1 - group(lines - 1 - line);
    let of_lines = |group: &dyn Fn(usize) -> u8| {
        std::array::from_fn(|line| if line < lines { group(line) } else { 0 })
    };
    [of_lines(&group), of_lines(&mirrored)]
}

/// Returns the symmetry that brings the blank's home into the lower right quarter and, for the
/// groups of columns, turns columns into rows.
fn view(problem: &Problem, transpose: bool) -> Symmetry {
    let (shape, home) = (problem.shape(), problem.home());
    Symmetry {
        flip_rows: 2 * shape.row(home) + 1 < shape.rows(),
        flip_columns: 2 * shape.column(home) + 1 < shape.columns(),
        transpose,
    }
}

/// The tables of the process.
static SLOTS: Slots<Building> = Slots::new();

fn slot(class: Class) -> &'static Slot<Building> {
    SLOTS.of(class)
}

/// Returns the classes of a problem's patterns, each with the symmetry to view the problem through.
fn patterns(problem: &Problem) -> impl Iterator<Item = (Symmetry, Class)> {
    [false, true].into_iter().flat_map(|transpose| {
        let view = view(problem, transpose);
        let shape = view.shape(problem.shape());
        let home = view.cell(problem.shape(), problem.home()) as u8;
        groupings(shape.rows()).map(move |colours| {
            let class = Class {
                shape,
                home,
                colours,
            };
            (view, class)
        })
    })
}

/// The number of search nodes that take about as long as one state of a table under construction.
const NODES_PER_STATE: u64 = 2;

/// Works on a problem's tables, if they are not ready yet, for about as long as the given number of
/// search nodes takes. Returns true once nothing is left to do: the tables are ready or have no
/// room, or the shape has none. Returns false without work while another thread is at it.
///
/// Tables serve all problems of the shape whose blanks' homes are equal up to reflection. The tables
/// of 4×4 take 22 MB and less than a second, or twice as much where the blank's home is not on a
/// diagonal: then rows and columns have their own.
pub fn prepare(problem: &Problem, nodes: u64) -> bool {
    let states = nodes.div_ceil(NODES_PER_STATE);
    !supports(problem.shape()) || patterns(problem).all(|(_, class)| slot(class).build(states))
}

/// Returns whether a problem's tables are ready.
pub(super) fn is_ready(problem: &Problem) -> bool {
    supports(problem.shape()) && patterns(problem).all(|(_, class)| slot(class).get().is_some())
}

/// One pattern, and how it views a problem's board.
#[derive(Clone, Debug)]
struct Pattern {
    table: Arc<Table>,
    transposed: bool,
    /// Twice the cell of the view that each cell becomes.
    places: [u8; SMALL_CELLS],
    /// By tile: the colour bits that flip on both cells when the tile and the blank trade places.
    changes: [u8; SMALL_CELLS],
}

impl Pattern {
    /// Creates the pattern, or returns `None` if its table is not ready.
    fn new(problem: &Problem, view: Symmetry, class: Class) -> Option<Self> {
        let table = slot(class).get()?;
        let shape = problem.shape();
        let mut places = [0; SMALL_CELLS];
        let mut changes = [0; SMALL_CELLS];
        for (cell, place) in places.iter_mut().enumerate().take(shape.cells()) {
            *place = 2 * view.cell(shape, cell) as u8;
        }
        for (tile, change) in changes.iter_mut().enumerate().take(shape.cells()) {
            let home = view.cell(shape, problem.goal_cell(tile as u16));
            *change = BLANK as u8 ^ class.colours[class.shape.row(home)];
        }
        Some(Self {
            table,
            transposed: view.transpose,
            places,
            changes,
        })
    }

    fn colours<T: Tiles>(&self, board: &T, cells: usize) -> Colours {
        (0..cells).fold(0, |colours, cell| {
            let colour = match board.tile(cell) {
                0 => BLANK,
                tile => BLANK ^ u32::from(self.changes[tile]),
            };
            colours | colour << self.places[cell]
        })
    }
}

/// The patterns of a problem.
#[derive(Clone, Debug)]
pub struct Patterns {
    cells: usize,
    patterns: Vec<Pattern>,
}

impl Patterns {
    /// Creates the bound for the goal of a problem. Returns `None` if there are no tables for its
    /// shape (see [`supports`]) or they are not ready (see [`prepare`]).
    #[must_use]
    pub fn new(problem: &Problem) -> Option<Self> {
        if !supports(problem.shape()) {
            return None;
        }
        let mut seen: Vec<(Symmetry, Class)> = patterns(problem).collect();
        seen.dedup();
        // Where one number is large enough, the others are not looked up. The smaller tables come
        // first, one for each axis.
        seen.sort_by_key(|(_, class)| class.colours);
        let patterns = seen
            .into_iter()
            .map(|(view, class)| Pattern::new(problem, view, class));
        Some(Self {
            cells: problem.shape().cells(),
            patterns: patterns.collect::<Option<_>>()?,
        })
    }
}

impl PushBound for Patterns {
    type State = [Colours; PATTERNS];

    fn root<T: Tiles>(&self, board: &T) -> [Colours; PATTERNS] {
        let mut state = [0; PATTERNS];
        for (colours, pattern) in state.iter_mut().zip(&self.patterns) {
            *colours = pattern.colours(board, self.cells);
        }
        state
    }

    #[inline]
    fn after_slide(&self, mut state: [Colours; PATTERNS], slide: Slide) -> [Colours; PATTERNS] {
        for (colours, pattern) in state.iter_mut().zip(&self.patterns) {
            let change = Colours::from(pattern.changes[slide.tile % SMALL_CELLS]);
            let from = pattern.places[slide.from % SMALL_CELLS];
            let to = pattern.places[slide.to % SMALL_CELLS];
            *colours ^= change << (from % 32) | change << (to % 32);
        }
        state
    }

    #[inline]
    fn least(&self, state: [Colours; PATTERNS], vertical: bool, enough: u32) -> u32 {
        let mut least = 0;
        for (&colours, pattern) in state.iter().zip(&self.patterns) {
            let distance = pattern
                .table
                .distance(colours, vertical != pattern.transposed);
            least = least.max(distance);
            if least > enough {
                break;
            }
        }
        least
    }
}
