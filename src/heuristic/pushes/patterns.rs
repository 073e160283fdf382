//! The bound for boards of at most 16 cells: pattern databases (Culberson & Schaeffer, 1996) of
//! boards on which a tile shows only the group of lines where it belongs.
//!
//! The rows of the goal make three groups, in two ways: of 4×4 the upper two, the third and the
//! fourth, or the first, the second and the lower two. If all tiles of a group are alike, few
//! enough boards are left to know the least number of pushes from each; so for the columns.
//! The bound is the greatest of the four numbers. Coarse as they are, the patterns see all tiles
//! at once and all pushes, those along the lines too.

use std::sync::Arc;

use crate::heuristic::shared_table::{Slot, Slots};
use crate::heuristic::{SMALL_CELLS, Slide, Tiles};
use crate::puzzle::{Problem, Shape, Symmetry};

use super::PushBound;
use super::ranks::{BLANK, Colours};
use super::table::{Building, Class, MAX_LINES, Table};

/// At most two ways to group rows, and two to group columns.
const PATTERNS: usize = 4;

/// At most so many groups: the blank takes the fourth of two bits' colours.
const GROUPS: usize = 3;

/// Whether there are tables for boards of this shape: those of at most 16 cells.
#[must_use]
pub fn supports(shape: Shape) -> bool {
    shape.cells() <= SMALL_CELLS
}

/// The two ways to group lines: where they do not go into three, the groups that come last, or
/// first, are the smaller ones.
fn groupings(lines: usize) -> [[u8; MAX_LINES]; 2] {
    let groups = lines.min(GROUPS);
    let group = |line: usize| (line * groups / lines) as u8;
    let mirrored = |line: usize| groups as u8 - 1 - group(lines - 1 - line);
    let of_lines = |group: &dyn Fn(usize) -> u8| {
        std::array::from_fn(|line| if line < lines { group(line) } else { 0 })
    };
    [of_lines(&group), of_lines(&mirrored)]
}

/// How a problem is to be looked at so that the blank's home is in the lower right quarter and,
/// for the groups of columns, columns are rows.
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
    SLOTS.of(&class, classes())
}

fn classes() -> impl Iterator<Item = Class> {
    let sides = Shape::MIN_SIDE..=MAX_LINES;
    let shapes = sides
        .clone()
        .flat_map(move |rows| {
            sides
                .clone()
                .filter_map(move |columns| Shape::new(rows, columns).ok())
        })
        .filter(|&shape| supports(shape));
    shapes.flat_map(|shape| {
        let homes = (0..shape.cells()).filter(move |&home| {
            2 * shape.row(home) + 1 >= shape.rows() && 2 * shape.column(home) + 1 >= shape.columns()
        });
        homes.flat_map(move |home| {
            groupings(shape.rows()).map(|colours| Class {
                shape,
                home: home as u8,
                colours,
            })
        })
    })
}

/// The classes of a problem's patterns, each with the way to look at the problem.
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

/// A state of a table in the making takes about as long as this many nodes of a search.
const NODES_PER_STATE: u64 = 2;

/// Works on a problem's tables, if they are not ready yet, about as long as so many nodes of a
/// search take. True once they are ready, and when the shape has none.
///
/// Tables are for all problems of the shape whose blank's home is the same but for mirrors.
/// Threads that work on the same table take turns. Those of 4×4 take 22 MB and less than a second.
pub fn prepare(problem: &Problem, nodes: u64) -> bool {
    let states = nodes.div_ceil(NODES_PER_STATE);
    !supports(problem.shape()) || patterns(problem).all(|(_, class)| slot(class).build(states))
}

/// Whether a problem's tables are there.
pub(super) fn is_ready(problem: &Problem) -> bool {
    supports(problem.shape()) && patterns(problem).all(|(_, class)| slot(class).get().is_some())
}

/// One pattern, as a problem's board is seen through it.
#[derive(Clone, Debug)]
struct Pattern {
    table: Arc<Table>,
    transposed: bool,
    /// Twice the cell that each cell is in the view.
    places: [u8; SMALL_CELLS],
    /// What changes where a tile and the blank change places.
    changes: [u8; SMALL_CELLS],
}

impl Pattern {
    /// None when its table is not there.
    fn new(problem: &Problem, view: Symmetry, class: Class) -> Option<Self> {
        let table = slot(class).get()?;
        let shape = problem.shape();
        let mut places = [0; SMALL_CELLS];
        let mut changes = [0; SMALL_CELLS];
        for cell in 0..shape.cells() {
            places[cell] = 2 * view.cell(shape, cell) as u8;
            let home = view.cell(shape, problem.goal_cell(cell as u16));
            changes[cell] = BLANK as u8 ^ class.colours[class.shape.row(home)];
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
    /// The bound for the goal of a problem; none when [`supports`] says so, and when the tables are not
    /// there: see [`prepare`].
    #[must_use]
    pub fn new(problem: &Problem) -> Option<Self> {
        if !supports(problem.shape()) {
            return None;
        }
        let mut seen: Vec<(Symmetry, Class)> = patterns(problem).collect();
        seen.dedup();
        // Where one number is great enough, the others are not looked up: those with the
        // smaller tables come first, of each axis one.
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
