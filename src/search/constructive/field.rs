//! The current board: which tile is where, which cells are still free, and the moves made.
//!
//! Cells are numbered on a grid with a margin of one closed cell all round, so that the same look-up refuses
//! steps off the board and onto finished cells.

use super::Variant;
use super::slide_worth::Spot;
use crate::puzzle::{Direction, Problem, Shape, goal_cell, plain_tile};

/// A cell of the grid with the margin.
pub(super) type Cell = usize;

/// A row and a column of the grid with the margin, both at most 129.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) row: i16,
    pub(super) column: i16,
}

impl Point {
    /// The taxicab distance.
    pub(super) const fn distance(self, other: Self) -> usize {
        self.row.abs_diff(other.row) as usize + self.column.abs_diff(other.column) as usize
    }
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    variant: Variant,
    /// How many pushes of a tile are considered before one is made.
    look_ahead: usize,
    shape: Shape,
    home: usize,
    /// The offsets from a cell to its neighbours, by direction.
    offsets: [isize; 4],
    tiles: Vec<u16>,
    /// Where each tile is, the blank being tile 0.
    places: Vec<u16>,
    points: Vec<Point>,
    /// The tile on each cell; on the blank's cell, any tile.
    spots: Vec<Spot>,
    run: Vec<Direction>,
}

impl Field {
    pub(super) fn new(problem: &Problem, variant: Variant) -> Self {
        let shape = problem.shape();
        let (height, width) = (shape.rows() + 2, shape.columns() + 2);
        let points = (0..height * width)
            .map(|cell| Point {
                row: (cell / width) as i16,
                column: (cell % width) as i16,
            })
            .collect();
        let mut field = Self {
            variant,
            look_ahead: variant.look_ahead(shape),
            shape,
            home: problem.home(),
            offsets: [-(width as isize), width as isize, -1, 1],
            tiles: vec![0; height * width],
            places: vec![0; shape.cells()],
            points,
            spots: vec![Spot::MARGIN; height * width],
            run: Vec::new(),
        };
        for (cell, tile) in problem.start().tiles().enumerate() {
            let place = field.cell(shape.row(cell), shape.column(cell));
            field.tiles[place] = tile;
            field.places[usize::from(tile)] = place as u16;
        }
        for tile in 0..shape.cells() as u16 {
            let goal = goal_cell(problem.home(), tile);
            let goal = field.cell(shape.row(goal), shape.column(goal));
            let (goal, place) = (field.points[goal], field.place(tile));
            let at = field.points[place];
            let (rows, columns) = (goal.row - at.row, goal.column - at.column);
            field.spots[place] = Spot::new(rows, columns, variant.is_blind());
        }
        field
    }

    /// How tiles are moved.
    pub(super) const fn variant(&self) -> Variant {
        self.variant
    }

    pub(super) const fn look_ahead(&self) -> usize {
        self.look_ahead
    }

    pub(super) const fn set_look_ahead(&mut self, pushes: usize) {
        self.look_ahead = pushes;
    }

    /// The shape of the board.
    pub(super) const fn shape(&self) -> Shape {
        self.shape
    }

    /// The cell at a row and a column of the board, both from 0.
    pub(super) const fn cell(&self, row: usize, column: usize) -> Cell {
        (row + 1) * (self.shape.columns() + 2) + column + 1
    }

    /// The neighbour of a cell of the board, possibly in the margin.
    pub(super) const fn beside(&self, cell: Cell, side: Direction) -> Cell {
        cell.wrapping_add_signed(self.offsets[side as usize])
    }

    pub(super) fn point(&self, cell: Cell) -> Point {
        self.points[cell]
    }

    pub(super) fn is_free(&self, cell: Cell) -> bool {
        self.spots[cell].is_free()
    }

    pub(super) fn set_free(&mut self, cell: Cell, is_free: bool) {
        self.spots[cell].set_free(is_free, self.variant.is_blind());
    }

    pub(super) fn tile(&self, cell: Cell) -> u16 {
        self.tiles[cell]
    }

    pub(super) fn place(&self, tile: u16) -> Cell {
        usize::from(self.places[usize::from(tile)])
    }

    pub(super) fn blank(&self) -> Cell {
        self.place(0)
    }

    /// The tile that belongs on a cell.
    pub(super) fn belonging(&self, cell: Cell) -> u16 {
        let point = self.points[cell];
        let cell = self
            .shape
            .cell(point.row as usize - 1, point.column as usize - 1);
        plain_tile(self.home, cell)
    }

    /// By how much a slide of the tile on a cell reduces its toil; [`BARRED`](super::slide_worth::BARRED) where
    /// the cell is not free, and 0 for a variant that is blind to the tiles it passes.
    #[inline]
    pub(super) fn gain(&self, cell: Cell, direction: Direction) -> i32 {
        self.spots[cell].gain(direction)
    }

    /// The tile on a cell.
    #[inline]
    pub(super) fn spot(&self, cell: Cell) -> Spot {
        self.spots[cell]
    }

    /// Moves the blank to a side of its cell as far as [gains](Self::gain) are concerned, for a look-ahead.
    /// Returns its new cell.
    #[inline]
    pub(super) fn pretend(&mut self, blank: Cell, side: Direction) -> Cell {
        let next = self.beside(blank, side);
        self.spots[blank] = self.spots[next].after(side.opposite());
        next
    }

    /// Undoes what a look-ahead pretended for a cell.
    #[inline]
    pub(super) fn restore(&mut self, cell: Cell, spot: Spot) {
        self.spots[cell] = spot;
    }

    /// Moves the blank to the given side.
    pub(super) fn step(&mut self, side: Direction) {
        let blank = self.blank();
        let next = self.pretend(blank, side);
        let tile = self.tiles[next];
        self.tiles[blank] = tile;
        self.tiles[next] = 0;
        self.places[usize::from(tile)] = blank as u16;
        self.places[0] = next as u16;
        self.run.push(side.opposite());
    }

    /// The moves made since they were last taken.
    pub(super) fn run(&self) -> &[Direction] {
        &self.run
    }

    pub(super) fn take_run(&mut self) -> Vec<Direction> {
        std::mem::take(&mut self.run)
    }

    pub(super) fn bytes(&self) -> usize {
        (self.tiles.capacity() + self.places.capacity()) * size_of::<u16>()
            + self.points.capacity() * size_of::<Point>()
            + self.spots.capacity() * size_of::<Spot>()
            + self.run.capacity()
    }
}
