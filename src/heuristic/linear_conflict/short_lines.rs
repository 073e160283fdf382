//! Linear conflict on boards of at most 4×4, by updating line patterns and looking up their
//! conflicts.

use crate::heuristic::{
    Heuristic, Slide, TileCost, Tiles,
    corrected::Conflicts,
    per_tile::{slide_index, slides},
    place::Places,
};
use crate::puzzle::Problem;

use super::{Line, LinearConflict, out_of_order};

/// The bits of a pattern for each cell of a line.
const SLOT: usize = 3;
/// The longest line that has a pattern.
const SHORT: usize = 4;
/// The bits of the pattern of a line.
const PATTERN: usize = SLOT * SHORT;

/// The bound for boards of at most 4×4.
///
/// Each line has a pattern of three bits per cell: the position, counted from 1, where the tile on
/// the cell belongs if it belongs in this line, otherwise 0. A slide flips some of these bits, and
/// the conflicts of the changed line are looked up. Nothing branches: in a depth-first search,
/// branches cost more than all of the arithmetic.
#[derive(Clone, Debug)]
pub struct ShortLines {
    full: LinearConflict,
    changes: Box<[Change; 1024]>,
    conflicts: Box<[u8; 1 << PATTERN]>,
    /// For each pattern, a bit for each position whose tile clashes with another.
    clashing: Box<[u8; 1 << PATTERN]>,
}

/// The effect of a slide on the Manhattan distance and on the patterns of the lines.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    /// The bits to flip in the pattern of the line that the tile leaves or enters.
    across: u16,
    /// The bits to flip in the pattern of the line along which the tile slides.
    along: u16,
    /// The bit offsets of these patterns.
    across_shift: u8,
    along_shift: u8,
    distance: i8,
}

/// The bound, and the patterns of the rows and of the columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineState {
    value: u32,
    patterns: [u64; 2],
}

impl ShortLines {
    /// Creates the bound for the goal of a problem, or returns `None` if a side is longer than 4.
    #[must_use]
    pub fn new(problem: &Problem) -> Option<Self> {
        let shape = problem.shape();
        if shape.rows() > SHORT || shape.columns() > SHORT {
            return None;
        }
        let full = LinearConflict::new(problem);
        let mut changes = Box::new([Change::default(); 1024]);
        for slide in slides(problem) {
            changes[slide_index(slide)] = Change::new(&full, slide);
        }
        let tabulate = |of_line: fn([u8; SHORT]) -> u8| -> Option<Box<[u8; 1 << PATTERN]>> {
            let table = (0..1 << PATTERN).map(|pattern: usize| {
                of_line(std::array::from_fn(|cell| {
                    (pattern >> (SLOT * cell) & 7) as u8
                }))
            });
            table.collect::<Box<[u8]>>().try_into().ok()
        };
        Some(Self {
            full,
            changes,
            conflicts: tabulate(|line| {
                2 * out_of_order(line.into_iter().filter(|&position| position != 0)) as u8
            })?,
            clashing: tabulate(clashing)?,
        })
    }

    fn patterns<T: Tiles>(&self, board: &T) -> [u64; 2] {
        let places = self.full.places();
        [false, true].map(|is_column| {
            Line::all(places.shape)
                .filter(|line| line.is_column == is_column)
                .flat_map(|line| line.cells(places.shape).map(move |cell| (line, cell)))
                .filter(|&(_, cell)| board.tile(cell) != 0)
                .map(|(line, cell)| {
                    let slot = slot(places, line, board.tile(cell), cell);
                    u64::from(slot) << (PATTERN * usize::from(line.index))
                })
                .sum()
        })
    }
}

/// Returns a bit for each position, counted from 1, whose tile clashes with another.
fn clashing(line: [u8; SHORT]) -> u8 {
    let mut bits = 0;
    for (cell, &position) in line.iter().enumerate() {
        for &later in &line[cell + 1..] {
            if later != 0 && later < position {
                bits |= 1 << position | 1 << later;
            }
        }
    }
    bits
}

/// Returns what a tile on a cell of a line contributes to the line's pattern.
fn slot(places: &Places, line: Line, tile: usize, cell: usize) -> u16 {
    let home = places.home(tile);
    if Line::through(home, line.is_column) == line {
        let shift = SLOT * usize::from(line.position(places.of_cell(cell)));
        u16::from(line.position(home) + 1) << shift
    } else {
        0
    }
}

impl Change {
    fn new(full: &LinearConflict, slide: Slide) -> Self {
        let Slide { tile, from, to, .. } = slide;
        let places = full.places();
        let vertical = slide.direction.is_vertical();
        let line = |cell, is_column| Line::through(places.of_cell(cell), is_column);
        let along = line(from, vertical);
        let entered = line(to, !vertical);
        let entering = slot(places, entered, tile, to);
        let left = line(from, !vertical);
        let leaving = slot(places, left, tile, from);
        let (across, flips) = if entering == 0 {
            (left, leaving)
        } else {
            (entered, entering)
        };
        let distance = |cell| full.distance.cost(tile, cell) as i8;
        Self {
            across: flips,
            along: slot(places, along, tile, from) ^ slot(places, along, tile, to),
            across_shift: across.index * PATTERN as u8,
            along_shift: along.index * PATTERN as u8,
            distance: distance(to) - distance(from),
        }
    }
}

impl Heuristic for ShortLines {
    type State = LineState;

    fn root<T: Tiles>(&self, board: &T) -> LineState {
        LineState {
            value: self.full.root(board),
            patterns: self.patterns(board),
        }
    }

    #[inline]
    fn after_slide<T: Tiles>(&self, state: LineState, slide: Slide, _: &T) -> LineState {
        let change = self.changes[slide_index(slide)];
        let columns_across = usize::from(!slide.direction.is_vertical());
        let across = state.patterns[columns_across];
        let along = state.patterns[1 - columns_across];

        let before = across >> change.across_shift;
        let after = before ^ u64::from(change.across);
        let conflicts =
            |pattern: u64| i32::from(self.conflicts[pattern as usize & ((1 << PATTERN) - 1)]);
        let change_of_value = i32::from(change.distance) + conflicts(after) - conflicts(before);

        let mut patterns = [0; 2];
        patterns[columns_across] = across ^ u64::from(change.across) << change.across_shift;
        patterns[1 - columns_across] = along ^ u64::from(change.along) << change.along_shift;
        LineState {
            value: state.value.wrapping_add_signed(change_of_value),
            patterns,
        }
    }

    #[inline]
    fn value(state: LineState) -> u32 {
        state.value
    }

    fn restore<T: Tiles>(&self, board: &T, value: u32) -> LineState {
        LineState {
            value,
            patterns: self.patterns(board),
        }
    }
}

impl Conflicts for ShortLines {
    #[inline]
    fn clashes<T: Tiles>(&self, state: LineState, _: &T, tile: usize, is_column: bool) -> bool {
        let home = self.full.places().home(tile);
        let line = Line::through(home, is_column);
        let pattern = state.patterns[usize::from(is_column)] >> (PATTERN * usize::from(line.index));
        let clashing = self.clashing[pattern as usize & ((1 << PATTERN) - 1)];
        clashing >> (line.position(home) + 1) & 1 != 0
    }
}
