//! Large boards, which have most of their rows in common: what a slide does not change is not copied.

use std::mem;
use std::ops::Range;

use super::boards::{Boards, Lines};
use crate::heuristic::Tiles;
use crate::puzzle::Shape;
use crate::search::shed;

/// The most rows that are written for a node: two that its slide changes, and the one whose turn it is.
const ROWS_A_NODE: usize = 3;

/// Boards as lists of their rows. A board shares rows with its parent, and so with many other boards, except
/// those in which they differ: copy on write.
///
/// There are no reference counts. In each layer one row of all boards, a different one each time, is written
/// anew. So no board needs a row that is more layers old than the board has rows, and the oldest rows make
/// room for the newest.
#[derive(Debug)]
pub struct SharedRows {
    rows: usize,
    columns: usize,
    /// The row and the column of each cell.
    points: Box<[(u8, u8)]>,
    /// The rows of each node, top down, each by its number in `written`.
    present: Vec<u32>,
    next: Vec<u32>,
    /// A ring of shares, one for each of the last layers, followed by the rows of boards that were put there
    /// whole.
    written: Vec<u16>,
    /// The most rows that a layer writes.
    share: usize,
    /// The share of the next layer, and the row of it that is written next.
    latest: usize,
    free: usize,
    /// The row that is written anew for each board of the next layer.
    due: usize,
}

impl SharedRows {
    /// Makes a row of a board of the next layer its own.
    #[inline]
    fn own(&mut self, node: usize, row: usize) {
        let place = &mut self.next[node * self.rows + row];
        let old = *place as usize;
        let first = self.latest * self.share;
        if (first..self.free).contains(&old) {
            return;
        }
        let columns = self.columns;
        self.written
            .copy_within(old * columns..(old + 1) * columns, self.free * columns);
        *place = self.free as u32;
        self.free += 1;
    }

    /// Replaces a tile of a board of the next layer, in a row that is its own. Returns the previous tile.
    #[inline]
    fn replace(&mut self, node: usize, cell: (u8, u8), tile: u16) -> u16 {
        let (row, column) = (usize::from(cell.0), usize::from(cell.1));
        let place = self.next[node * self.rows + row] as usize;
        mem::replace(&mut self.written[place * self.columns + column], tile)
    }
}

/// A board, by its rows.
#[derive(Clone, Copy, Debug)]
pub struct ByRows<'a> {
    boards: &'a SharedRows,
    rows: &'a [u32],
}

impl Tiles for ByRows<'_> {
    #[inline]
    fn tile(&self, cell: usize) -> usize {
        let (row, column) = self.boards.points[cell];
        let place = self.rows[usize::from(row)] as usize;
        usize::from(self.boards.written[place * self.boards.columns + usize::from(column)])
    }
}

impl Lines for ByRows<'_> {
    #[inline]
    fn row(self, row: usize, _columns: usize) -> impl Iterator<Item = usize> {
        let columns = self.boards.columns;
        let first = self.rows[row] as usize * columns;
        self.boards.written[first..first + columns]
            .iter()
            .map(|&tile| tile.into())
    }

    #[inline]
    fn column(self, column: usize, _columns: usize) -> impl Iterator<Item = usize> {
        let columns = self.boards.columns;
        self.rows
            .iter()
            .map(move |&row| usize::from(self.boards.written[row as usize * columns + column]))
    }
}

impl Boards<u16> for SharedRows {
    type Board<'a> = ByRows<'a>;

    fn new(shape: Shape, width: usize) -> Self {
        let (rows, columns) = (shape.rows(), shape.columns());
        let share = ROWS_A_NODE * width;
        let ring = (rows + 1) * share * columns;
        // With room for one whole board, so that nothing is moved for it. Such memory mostly comes zeroed;
        // otherwise clearing up to 32 MB takes some milliseconds, once per beam.
        let mut written = vec![0; ring + shape.cells()];
        written.truncate(ring);
        Self {
            rows,
            columns,
            points: shape.points(),
            present: Vec::with_capacity(width * rows),
            next: Vec::with_capacity(width * rows),
            written,
            share,
            latest: 0,
            free: 0,
            due: 0,
        }
    }

    /// As many boards as half of all row numbers allow: the other half is for the rows of whole boards.
    fn most(shape: Shape) -> usize {
        (u32::MAX / 2) as usize / (ROWS_A_NODE * (shape.rows() + 1))
    }

    #[inline]
    fn board(&self, node: usize) -> ByRows<'_> {
        ByRows {
            boards: self,
            rows: &self.present[node * self.rows..][..self.rows],
        }
    }

    #[inline]
    fn tiles(&self, nodes: Range<usize>, cell: usize) -> impl Iterator<Item = usize> {
        nodes.map(move |node| self.board(node).tile(cell))
    }

    fn grow(&mut self, len: usize) {
        let places = self.next.len().max(len * self.rows);
        self.next.resize(places, 0);
    }

    fn put(&mut self, node: usize, tiles: &[u16]) {
        let first = self.written.len() / self.columns;
        self.written.extend_from_slice(tiles);
        for row in 0..self.rows {
            self.next[node * self.rows + row] = (first + row) as u32;
        }
    }

    #[inline]
    fn put_child(&mut self, node: usize, parent: usize, from: usize, to: usize) {
        let parent = &self.present[parent * self.rows..][..self.rows];
        self.next[node * self.rows..][..self.rows].copy_from_slice(parent);
        let (from, to) = (self.points[from], self.points[to]);
        for row in [usize::from(from.0), usize::from(to.0), self.due] {
            self.own(node, row);
        }
        let tile = self.replace(node, from, 0);
        self.replace(node, to, tile);
    }

    fn turn(&mut self) {
        mem::swap(&mut self.present, &mut self.next);
        self.latest = (self.latest + 1) % (self.rows + 1);
        self.due = (self.due + 1) % self.rows;
        // The oldest share: no board needs it any more.
        self.free = self.latest * self.share;
    }

    fn shed(&mut self, left: &mut u64) {
        shed::list(&mut self.written, left);
        shed::list(&mut self.present, left);
        shed::list(&mut self.next, left);
    }

    fn bytes(shape: Shape, width: usize) -> u64 {
        let places = 2 * shape.rows() * size_of::<u32>();
        let row = shape.columns() * size_of::<u16>();
        let written = ROWS_A_NODE * (shape.rows() + 1) * row;
        let a_cell = size_of::<(u8, u8)>() + size_of::<u16>();
        (width * (places + written) + shape.cells() * a_cell) as u64
    }
}
