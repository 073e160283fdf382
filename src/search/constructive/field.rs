//! The board at work: which tile is where, which cells are still free, the moves made.
//!
//! Cells are numbered on a grid with a margin of one closed cell all round, so that stepping
//! off the board and onto a finished cell are refused by the same look-up.

use super::Variant;
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
    /// So many pushes of a tile are thought of before one is made.
    look_ahead: usize,
    shape: Shape,
    home: usize,
    /// From a cell to its neighbours, by direction.
    offsets: [isize; 4],
    tiles: Vec<u16>,
    /// Where each tile is, the blank being tile 0.
    places: Vec<u16>,
    /// Where each tile belongs.
    goals: Vec<Point>,
    points: Vec<Point>,
    free: Vec<bool>,
    run: Vec<Direction>,
}

/// The moves that bring a tile so many rows and columns on, but for a few: five for each step
/// straight on, six for each pair of steps at right angles. So a step along the longer way is worth
/// five, one along the shorter way one.
const fn toil(rows: i16, columns: i16) -> i16 {
    let (rows, columns) = (rows.abs(), columns.abs());
    if rows > columns {
        5 * rows + columns
    } else {
        5 * columns + rows
    }
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
            goals: Vec::with_capacity(shape.cells()),
            points,
            free: vec![false; height * width],
            run: Vec::new(),
        };
        for (cell, tile) in problem.start().tiles().enumerate() {
            let place = field.cell(shape.row(cell), shape.column(cell));
            field.tiles[place] = tile;
            field.places[usize::from(tile)] = place as u16;
            field.free[place] = true;
        }
        for tile in 0..shape.cells() as u16 {
            let goal = goal_cell(problem.home(), tile);
            let goal = field.cell(shape.row(goal), shape.column(goal));
            field.goals.push(field.points[goal]);
        }
        field
    }

    /// How the tiles are to be moved about.
    pub(super) const fn variant(&self) -> Variant {
        self.variant
    }

    pub(super) const fn look_ahead(&self) -> usize {
        self.look_ahead
    }

    pub(super) const fn set_look_ahead(&mut self, pushes: usize) {
        self.look_ahead = pushes;
    }

    /// The cell at a row and a column of the board, both from 0.
    pub(super) const fn cell(&self, row: usize, column: usize) -> Cell {
        (row + 1) * (self.shape.columns() + 2) + column + 1
    }

    /// The neighbour of a cell of the board, perhaps in the margin.
    pub(super) const fn beside(&self, cell: Cell, side: Direction) -> Cell {
        cell.wrapping_add_signed(self.offsets[side as usize])
    }

    pub(super) fn point(&self, cell: Cell) -> Point {
        self.points[cell]
    }

    pub(super) fn is_free(&self, cell: Cell) -> bool {
        self.free[cell]
    }

    pub(super) fn set_free(&mut self, cell: Cell, free: bool) {
        self.free[cell] = free;
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

    /// Where a tile belongs, as a row and a column of the board.
    pub(super) fn goal_on_board(&self, tile: u16) -> (usize, usize) {
        let goal = self.goals[usize::from(tile)];
        (goal.row as usize - 1, goal.column as usize - 1)
    }

    /// The tile that belongs on a cell.
    pub(super) fn belonging(&self, cell: Cell) -> u16 {
        let point = self.points[cell];
        let cell = self
            .shape
            .cell(point.row as usize - 1, point.column as usize - 1);
        plain_tile(self.home, cell)
    }

    /// By how much a slide of the tile on a cell lessens its [`toil`]; nothing to a variant
    /// that is blind to the tiles it passes.
    pub(super) fn gain(&self, cell: Cell, direction: Direction) -> i32 {
        if self.variant.is_blind() {
            return 0;
        }
        let (goal, at) = (self.goals[usize::from(self.tiles[cell])], self.points[cell]);
        let (rows, columns) = (goal.row - at.row, goal.column - at.column);
        let (down, right) = match direction {
            Direction::Up => (-1, 0),
            Direction::Down => (1, 0),
            Direction::Left => (0, -1),
            Direction::Right => (0, 1),
        };
        i32::from(toil(rows, columns) - toil(rows - down, columns - right))
    }

    /// Moves the blank to the given side without recording it, for a look ahead.
    pub(super) fn try_step(&mut self, side: Direction) {
        let blank = self.blank();
        let next = self.beside(blank, side);
        let tile = self.tiles[next];
        self.tiles[blank] = tile;
        self.tiles[next] = 0;
        self.places[usize::from(tile)] = blank as u16;
        self.places[0] = next as u16;
    }

    /// Moves the blank to the given side.
    pub(super) fn step(&mut self, side: Direction) {
        self.try_step(side);
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
            + (self.goals.capacity() + self.points.capacity()) * size_of::<Point>()
            + self.free.capacity()
            + self.run.capacity()
    }
}
