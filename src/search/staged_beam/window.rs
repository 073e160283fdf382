//! Exact distances where a group of tiles is near its cells.

use std::sync::OnceLock;

/// How far a window reaches along the line to either side.
const ALONG: i16 = 4;

/// The most cells of a window. It reaches as far into the rectangle as they allow: where the line is short,
/// tiles hinder each other over a long way.
const CELLS: i16 = 5 * (2 * ALONG + 1);

/// The most lines of a window, where a line has two cells.
const LINES: i16 = CELLS / 2;

/// Stands for a state that is impossible or was not reached.
const NONE: u8 = u8::MAX;

/// The fewest moves that bring one or two tiles home, for every cell of a window that they and the blank may
/// be on, when nothing leaves the window. Found by breadth-first search from the end.
#[derive(Debug)]
pub(super) struct Window {
    first: i16,
    columns: i16,
    lines: i16,
    cells: usize,
    pair: bool,
    distances: Box<[u8]>,
}

const KINDS: usize = 2 * (ALONG as usize + 1) * (ALONG as usize + 1) * LINES as usize;

/// One place for each size.
static TABLES: [OnceLock<Window>; KINDS] = [const { OnceLock::new() }; KINDS];

impl Window {
    /// The window for a group that is so many cells from the ends of its line and from the other side of its
    /// rectangle. It is made when it is first requested, in about a millisecond, and then belongs to the
    /// process: all windows together take less than 20 MB.
    pub(super) fn of(before: u8, after: u8, depth: u8, pair: bool) -> &'static Self {
        let before = i16::from(before).min(ALONG);
        let after = i16::from(after).min(ALONG);
        let lines = i16::from(depth)
            .min(CELLS / (before + after + 1))
            .min(LINES);
        let index = usize::from(pair)
            + 2 * (before + (ALONG + 1) * (after + (ALONG + 1) * (lines - 1))) as usize;
        TABLES[index].get_or_init(|| Self::new(before, after, lines, pair))
    }

    fn new(before: i16, after: i16, lines: i16, pair: bool) -> Self {
        let columns = before + after + 1;
        let cells = (columns * lines) as usize;
        let states = if pair { cells.pow(3) } else { cells.pow(2) };
        let mut window = Self {
            first: -before,
            columns,
            lines,
            cells,
            pair,
            distances: vec![NONE; states].into(),
        };
        let neighbours = window.neighbours();
        window.search(&neighbours);
        window.blank_on_tile(&neighbours);
        window
    }

    /// The number of a cell, if it is in the window.
    #[inline]
    fn cell(&self, (u, v): (i16, i16)) -> Option<usize> {
        let column = u - self.first;
        ((0..self.columns).contains(&column) && (0..self.lines).contains(&v))
            .then_some((v * self.columns + column) as usize)
    }

    /// The open cells beside each open cell.
    fn neighbours(&self) -> Vec<Vec<usize>> {
        let open = |&(u, v): &(i16, i16)| v > 0 || u >= 0;
        let points = (0..self.lines)
            .flat_map(|v| (0..self.columns).map(move |column| (column + self.first, v)));
        points
            .map(|(u, v)| {
                let beside = [(u, v - 1), (u, v + 1), (u - 1, v), (u + 1, v)];
                let cells = beside.into_iter().filter(open);
                let cells = cells.filter_map(|point| self.cell(point));
                cells.filter(|_| open(&(u, v))).collect()
            })
            .collect()
    }

    /// The index of the tiles' cells, without the blank.
    #[inline]
    const fn tiles(&self, first: usize, second: usize) -> usize {
        if self.pair {
            first * self.cells + second
        } else {
            first
        }
    }

    fn search(&mut self, neighbours: &[Vec<usize>]) {
        let home = -self.first as usize;
        let goal = (home, home + 1);
        let mut layer = Vec::new();
        for (blank, beside) in neighbours.iter().enumerate() {
            if blank != goal.0 && !(self.pair && blank == goal.1) && !beside.is_empty() {
                let state = self.tiles(goal.0, goal.1) * self.cells + blank;
                self.distances[state] = 0;
                layer.push(state as u32);
            }
        }
        let mut distance = 0;
        while !layer.is_empty() && distance < NONE - 1 {
            distance += 1;
            let mut next = Vec::with_capacity(2 * layer.len());
            for state in layer {
                let (tiles, blank) = (state as usize / self.cells, state as usize % self.cells);
                let (first, second) = if self.pair {
                    (tiles / self.cells, tiles % self.cells)
                } else {
                    (tiles, self.cells)
                };
                for &to in &neighbours[blank] {
                    let moved = |tile| if tile == to { blank } else { tile };
                    let state = self.tiles(moved(first), moved(second)) * self.cells + to;
                    if self.distances[state] == NONE {
                        self.distances[state] = distance;
                        next.push(state as u32);
                    }
                }
            }
            layer = next;
        }
    }

    /// A blank outside the window may be nearest to a cell that a tile is on: it then has to pass one of the
    /// cells beside it.
    fn blank_on_tile(&mut self, neighbours: &[Vec<usize>]) {
        for (tiles, row) in self.distances.chunks_exact_mut(self.cells).enumerate() {
            let ends = if self.pair {
                [tiles / self.cells, tiles % self.cells]
            } else {
                [tiles, tiles]
            };
            for tile in ends {
                let beside = neighbours[tile].iter().map(|&cell| row[cell]);
                row[tile] = beside.min().map_or(NONE, |least| least.saturating_add(1));
            }
        }
    }

    /// The moves from a blank anywhere and tiles in the window; `None` with a tile outside. For a single tile
    /// `second` is the same as `first`.
    #[inline]
    pub(super) fn distance(
        &self,
        blank: (i16, i16),
        first: (i16, i16),
        second: (i16, i16),
    ) -> Option<i16> {
        let tiles = self.tiles(self.cell(first)?, self.cell(second)?);
        let nearest = (
            blank.0.clamp(self.first, self.first + self.columns - 1),
            blank.1.clamp(0, self.lines - 1),
        );
        let away = (blank.0 - nearest.0).abs() + (blank.1 - nearest.1).abs();
        match self.distances[tiles * self.cells + self.cell(nearest)?] {
            NONE => None,
            distance => Some(i16::from(distance) + away),
        }
    }
}
