//! Linear conflict (Hansson, Mayer & Yung, 1992): tiles that are in their own line, but in the
//! wrong order, cannot pass each other. All except a longest increasing subsequence of them have to
//! step out and back, which costs each two moves beyond its Manhattan distance.
//!
//! A slide changes the conflicts of at most one line: the line along which the tile slides keeps
//! its order, and of the two lines between which the tile crosses, only its own counts it.

mod short_lines;

use crate::puzzle::{Problem, Shape};

use super::{
    Heuristic, Slide, TileCost, Tiles,
    corrected::Conflicts,
    manhattan::Distance,
    place::{Place, Places},
};

pub use short_lines::{LineState, ShortLines};

/// A row or a column of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    is_column: bool,
    index: u8,
}

impl Line {
    /// Returns the row or the column of a place.
    const fn through(place: Place, is_column: bool) -> Self {
        Self {
            is_column,
            index: if is_column { place.column } else { place.row },
        }
    }

    /// Returns the position along the line of a place that the line goes through.
    const fn position(self, place: Place) -> u8 {
        if self.is_column {
            place.row
        } else {
            place.column
        }
    }

    /// All rows and columns.
    fn all(shape: Shape) -> impl Iterator<Item = Self> {
        let lines = |is_column, count| (0..count as u8).map(move |index| Self { is_column, index });
        lines(false, shape.rows()).chain(lines(true, shape.columns()))
    }

    /// The cells of the line, in order.
    fn cells(self, shape: Shape) -> impl Iterator<Item = usize> {
        let index = usize::from(self.index);
        let (first, step, count) = if self.is_column {
            (index, shape.columns(), shape.rows())
        } else {
            (index * shape.columns(), 1, shape.columns())
        };
        (0..count).map(move |i| first + i * step)
    }
}

/// Returns the fewest numbers that have to be removed for the others to be increasing: all but a
/// longest increasing subsequence, found by patience sorting (Schensted, 1961).
fn out_of_order(positions: impl Iterator<Item = u8>) -> u32 {
    // The least last number of an increasing subsequence of each length.
    let mut least = [0; Shape::MAX_SIDE];
    let mut longest = 0;
    let mut count = 0;
    for position in positions {
        count += 1;
        // Most lines near the goal are in order and need no binary search.
        let length = match least[..longest].last() {
            Some(&last) if last > position => {
                least[..longest].partition_point(|&last| last < position)
            }
            _ => longest,
        };
        least[length] = position;
        longest = longest.max(length + 1);
    }
    count - longest as u32
}

/// Returns twice the number of tiles that have to step out of a line.
fn conflicts<T: Tiles>(places: &Places, line: Line, board: &T) -> u32 {
    let own = line
        .cells(places.shape)
        .map(|cell| board.tile(cell))
        .filter(|&tile| tile != 0)
        .map(|tile| places.home(tile))
        .filter(|&home| Line::through(home, line.is_column) == line)
        .map(|home| line.position(home));
    2 * out_of_order(own)
}

/// Returns whether a tile stands in its own line, in the wrong order with another tile of that
/// line.
fn clashes<T: Tiles>(places: &Places, line: Line, board: &T, tile: usize) -> bool {
    let own = line.position(places.home(tile));
    let mut met = false;
    let mut one_beyond_before = false;
    for other in line.cells(places.shape).map(|cell| board.tile(cell)) {
        if other == tile {
            if one_beyond_before {
                return true;
            }
            met = true;
        } else if other != 0 && Line::through(places.home(other), line.is_column) == line {
            let before_it = line.position(places.home(other)) < own;
            if met && before_it {
                return true;
            }
            one_beyond_before |= !met && !before_it;
        }
    }
    false
}

/// A board as it was before a slide.
struct Before<'a, T> {
    board: &'a T,
    slide: Slide,
}

impl<T: Tiles> Tiles for Before<'_, T> {
    fn tile(&self, cell: usize) -> usize {
        if cell == self.slide.from {
            self.slide.tile
        } else if cell == self.slide.to {
            0
        } else {
            self.board.tile(cell)
        }
    }
}

/// The bound for boards of any size: only the line that changes is re-evaluated.
#[derive(Clone, Debug)]
pub struct LinearConflict {
    distance: Distance,
}

impl LinearConflict {
    /// Creates the bound for the goal of a problem.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        Self {
            distance: Distance::new(problem),
        }
    }

    const fn places(&self) -> &Places {
        &self.distance.places
    }
}

impl Heuristic for LinearConflict {
    type State = u32;

    fn root<T: Tiles>(&self, board: &T) -> u32 {
        let conflicts: u32 = Line::all(self.places().shape)
            .map(|line| conflicts(self.places(), line, board))
            .sum();
        self.distance.sum(board) + conflicts
    }

    fn after_slide<T: Tiles>(&self, state: u32, slide: Slide, board: &T) -> u32 {
        let places = self.places();
        let state = state + self.distance.cost(slide.tile, slide.to)
            - self.distance.cost(slide.tile, slide.from);
        let across = |place| Line::through(place, !slide.direction.is_vertical());
        let own = across(places.home(slide.tile));
        if own != across(places.of_cell(slide.from)) && own != across(places.of_cell(slide.to)) {
            return state;
        }
        let before = Before { board, slide };
        state + conflicts(places, own, board) - conflicts(places, own, &before)
    }

    fn value(state: u32) -> u32 {
        state
    }

    fn restore<T: Tiles>(&self, _: &T, value: u32) -> u32 {
        value
    }
}

impl Conflicts for LinearConflict {
    fn clashes<T: Tiles>(&self, _: u32, board: &T, tile: usize, is_column: bool) -> bool {
        let line = Line::through(self.places().home(tile), is_column);
        clashes(self.places(), line, board, tile)
    }
}
