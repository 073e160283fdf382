//! The constructive solver: any board at once, row by row and column by column.
//!
//! The rectangle of cells that are not done yet always contains the blank's home. Its outer rows and columns
//! are peeled off one at a time, and their tiles are brought home one by one. A distance table solves the
//! last few cells. The [`Variant`]s differ in how a tile is moved and how a line is ended: those of Parberry
//! (1995) and Hayes (2001), and the best.
//!
//! The best variant's solutions are short because every walk of the blank moves other tiles as well. Of the
//! walks that take about the same number of moves, it chooses the one that brings those tiles nearest to
//! where they belong. This saves a fifth of Hayes's moves on 10×10 and a third on 50×50.

mod cheapest;
mod field;
mod line;
mod line_end;
mod look_ahead;
mod push;
mod route;
mod slide_worth;
mod variant;
mod walk;

use std::sync::Arc;

use field::Field;
use line::Line;
use route::{bring, estimate};
use walk::Walks;

pub use variant::Variant;

use super::block::Block;
use super::distance_table::Class;
use super::distance_table::table_walk::TableWalk;
use super::rectangle::Rectangle;
use super::tables::Tables;
use super::{Budget, Progress, Search, Step, Stop};
use crate::puzzle::{Direction, Problem};

/// A run of moves ends with the tile that makes it at least this long.
const RUN_MOVES: usize = 1024;

/// Solves any board of any size, a run of moves at a time. The runs, one after the other, form a solution.
///
/// A run has at least one move and at most a few thousand. However the budget is sliced, the moves are the
/// same. A node is a cell that the blank is tried on. The search holds a few bytes per cell, whatever the
/// number of moves.
///
/// ```
/// use std::sync::Arc;
/// use loyd::puzzle::{Board, GoalLayout, Problem, Replay, Shape};
/// use loyd::search::constructive::{Constructive, Variant};
/// use loyd::search::tables::Tables;
/// use loyd::search::{Budget, Search, Step};
///
/// let shape = Shape::new(5, 4)?;
/// let start = GoalLayout::Snake.board(shape);
/// let problem = Problem::new(&start, &GoalLayout::RowsBlankFirst.board(shape))?;
/// let mut replay = Replay::new(&problem);
/// let mut search = Constructive::new(Arc::new(Tables::new()), &problem, Variant::Best);
/// while let Step::Found(run) = search.advance(Budget::UNLIMITED) {
///     replay.play(&run)?;
/// }
/// replay.finish()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Constructive {
    tables: Arc<Tables>,
    home: (usize, usize),
    field: Field,
    walks: Walks,
    rectangle: Rectangle,
    stage: Stage,
    peak_memory: u64,
}

/// What comes next.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// The cells `start..end` of the line are not done yet.
    Line {
        line: Line,
        start: usize,
        end: usize,
    },
    /// Only the last block is left.
    Block,
    /// The board is solved.
    Done,
}

impl Constructive {
    /// Prepares to solve a problem. The distance table for the last block is taken from `tables`; if it is
    /// not ready when it is needed, it is built within some milliseconds.
    #[must_use]
    pub fn new(tables: Arc<Tables>, problem: &Problem, variant: Variant) -> Self {
        let shape = problem.shape();
        let mut search = Self {
            tables,
            home: (shape.row(problem.home()), shape.column(problem.home())),
            field: Field::new(problem, variant),
            walks: Walks::default(),
            rectangle: Rectangle::whole(shape),
            stage: Stage::Block,
            peak_memory: 0,
        };
        search.stage = search.next_stage();
        search
    }

    /// Sets how many pushes of a tile it looks ahead from now on. One more than usual makes the solutions of
    /// [`Variant::Best`] 1 to 3 % shorter, and takes twice as long.
    pub const fn look_ahead(&mut self, pushes: usize) {
        self.field.set_look_ahead(pushes);
    }

    /// About the fraction of the work that is left, where an n×n board takes work in proportion to n³.
    #[must_use]
    pub fn left(&self) -> f64 {
        let cells = self.rectangle.cells();
        let open = match self.stage {
            Stage::Line { start, end, .. } => cells + end - start,
            Stage::Block => cells,
            Stage::Done => 0,
        };
        (open as f64 / self.field.shape().cells() as f64).powf(1.5)
    }

    fn next_stage(&mut self) -> Stage {
        if self.rectangle.cells() <= self.field.variant().block_cells() {
            return Stage::Block;
        }
        let line = Line::new(&self.field, self.rectangle.peel(self.home));
        Stage::Line {
            line,
            start: 0,
            end: line.length,
        }
    }

    /// Places the next tile, or the last two of a line, or all of the last block.
    fn place_next(&mut self) {
        match self.stage {
            Stage::Line { line, start, end } if end - start == 2 => {
                line_end::finish(&mut self.field, &mut self.walks, line, start);
                for i in start..end {
                    self.field.set_free(line.cell(i, 0), false);
                }
                self.stage = self.next_stage();
            }
            Stage::Line { line, start, end } => {
                let [first, last] = [start, end - 1].map(|i| {
                    let cell = line.cell(i, 0);
                    let tile = self.field.belonging(cell);
                    (estimate(&self.field, tile, cell), tile, cell)
                });
                let from_start = self.field.variant().is_blind() || first.0 <= last.0;
                let (_, tile, cell) = if from_start { first } else { last };
                bring(&mut self.field, &mut self.walks, tile, cell, |_| false);
                self.field.set_free(cell, false);
                self.stage = if from_start {
                    Stage::Line {
                        line,
                        start: start + 1,
                        end,
                    }
                } else {
                    Stage::Line {
                        line,
                        start,
                        end: end - 1,
                    }
                };
            }
            Stage::Block => {
                self.solve_block();
                self.stage = Stage::Done;
            }
            Stage::Done => {}
        }
    }

    fn bytes(&self) -> u64 {
        (self.field.bytes() + self.walks.bytes()) as u64
    }

    /// Solves what is left as a small problem of its own.
    fn solve_block(&mut self) {
        let shape = self.field.shape();
        let home = shape.cell(self.home.0, self.home.1);
        let tile = |cell| {
            let (row, column) = (shape.row(cell), shape.column(cell));
            self.field.tile(self.field.cell(row, column))
        };
        let problem = Block::new(shape, self.rectangle, home)
            .problem(tile)
            .expect("moves keep it solvable");
        let class = Class::of(&problem).expect("a block is small enough for a table");
        let mut walk =
            TableWalk::new(self.tables.build(class), &problem).expect("the table of its class");
        if let Step::Found(solution) = walk.advance(Budget::UNLIMITED) {
            for &direction in solution.moves() {
                self.field.step(direction.opposite());
            }
        }
        self.walks.nodes += walk.progress().generated;
    }
}

impl Search for Constructive {
    type Found = Vec<Direction>;

    fn advance(&mut self, budget: Budget) -> Step<Vec<Direction>> {
        let end = self.walks.nodes.saturating_add(budget.nodes);
        loop {
            self.place_next();
            if matches!(self.stage, Stage::Done)
                || self.walks.nodes >= end
                || self.field.run().len() >= RUN_MOVES
            {
                break;
            }
        }
        self.peak_memory = self.peak_memory.max(self.bytes());
        let run = self.field.take_run();
        if !run.is_empty() {
            Step::Found(run)
        } else if matches!(self.stage, Stage::Done) {
            Step::Done(Stop::FirstFound)
        } else {
            Step::Working
        }
    }

    fn progress(&self) -> Progress {
        Progress {
            generated: self.walks.nodes,
            memory: self.bytes(),
            peak_memory: self.peak_memory,
            ..Progress::default()
        }
    }

    fn name(&self) -> &'static str {
        "constructive"
    }
}
