//! Tables of the process that are made of shipped weights, built in slices by the searches that need
//! them, and kept. The weights are read, fitted to the shape line by line and then to the blank's
//! home, and turned into rows.

use super::derived::Derived;
use super::file::Reading;
use super::home::Homing;
use super::lift::Lift;
use super::shipped::Square;
use super::to_make::{RowsToMake, ToMake};
use super::weights::{PairWeights, Pairs};
use crate::heuristic::shared_table::{Slot, Slots, TableBuilder};
use crate::puzzle::{Home, Shape};

/// Rows under construction, one slide of one tile after the other.
pub(super) trait RowBuilder: Send + Sized {
    /// The pairs whose weights the rows are made of.
    type Pairs: Pairs;

    /// Returns the bytes held for a shape while rows are made.
    fn bytes(shape: Shape) -> usize;

    /// Starts the construction of the rows of weights for a home of the blank.
    fn begin(weights: PairWeights<Self::Pairs>, home: usize) -> Self;

    /// Returns the rows that are still to be made.
    fn left(&mut self) -> &mut RowsToMake;

    /// Makes a row.
    fn make(&mut self, row: ToMake);

    /// Makes the given number of rows. Returns true when none are left.
    fn advance(&mut self, rows: u64) -> bool {
        for _ in 0..rows {
            let Some(row) = self.left().next() else {
                return true;
            };
            self.make(row);
        }
        false
    }

    /// Makes all rows.
    fn all(weights: PairWeights<Self::Pairs>, home: usize) -> Self {
        let mut making = Self::begin(weights, home);
        while !making.advance(u64::MAX) {}
        making
    }
}

/// What weights are used for.
pub(super) trait Purpose: Sized + 'static {
    /// The rows that the weights become.
    type Rows: RowBuilder;

    /// The table that beams look up.
    type Table: Send + Sync;

    /// Returns whether there are weights for a shape.
    fn supports(shape: Shape) -> bool;

    /// Returns the shipped weights from which those of a shape are derived.
    fn shipped(shape: Shape) -> Square;

    /// Returns the shape of the table's boards.
    fn shape(table: &Self::Table) -> Shape;

    /// Returns the bytes that the table takes for a shape.
    fn bytes(shape: Shape) -> usize;

    /// Creates the table from rows that are made, or returns `None` if the network beside them is
    /// damaged.
    fn table(rows: Self::Rows) -> Option<Self::Table>;
}

type WeightsOf<P> = PairWeights<<<P as Purpose>::Rows as RowBuilder>::Pairs>;

/// Returns the shipped weights, fitted to a shape, or `None` if they are damaged.
pub(super) fn weights<P: Purpose>(shape: Shape) -> Option<WeightsOf<P>> {
    let weights = WeightsOf::<P>::from_bytes(P::shipped(shape).bytes).ok()?;
    Some(weights.fit(shape))
}

/// Whether there are weights for a home of the blank. For other homes than a corner there are none where lines
/// were inserted: there the mean over the corners is no better than the weights for the last one.
fn has_weights<P: Purpose>(home: Home) -> bool {
    let shape = home.shape();
    let has_lines = || shape.columns() <= P::shipped(shape).shape().columns();
    P::supports(shape) && (home.is_corner() || has_lines())
}

/// Returns the slot of the table for a home of the blank, if there are weights for it.
pub(super) fn slot<P: Purpose>(
    slots: &'static Slots<Work<P>>,
    home: Home,
) -> Option<&'static Slot<Work<P>>> {
    has_weights::<P>(home).then(|| slots.of(home))
}

/// A table under construction.
pub(super) struct Work<P: Purpose> {
    home: Home,
    stage: Stage<P::Rows>,
}

enum Stage<R: RowBuilder> {
    Reading(Reading<'static, R::Pairs>),
    Lifting(Derived<R::Pairs, Lift>),
    Homing(Derived<R::Pairs, Homing>),
    Rows(R),
    /// The weights are damaged.
    Failed,
}

/// Returns the largest shape on the way from that of the shipped weights to this one. Lines are
/// removed before any are inserted.
fn largest_for<P: Purpose>(shape: Shape) -> Shape {
    let shipped = P::shipped(shape).shape();
    if shipped.cells() > shape.cells() {
        shipped
    } else {
        shape
    }
}

/// The number of weights that are read, lifted or turned into rows in the time of one search node.
const A_NODE: u64 = 16;

/// The number of weights that are fitted to the blank's home in that time.
const A_NODE_OF_HOMING: u64 = 2;

impl<P: Purpose> TableBuilder for Work<P> {
    type Class = Home;
    type Plan = Shape;
    type Table = P::Table;

    /// For other homes, beams do nearly as well by the table for the last corner.
    fn is_extra(home: &Home) -> bool {
        !home.is_corner()
    }

    fn plan(home: &Home) -> Shape {
        home.shape()
    }

    fn need(shape: &Shape) -> usize {
        // Two sets of weights are held while they are fitted.
        let fitting = 2 * WeightsOf::<P>::bytes(largest_for::<P>(*shape));
        fitting.max(P::Rows::bytes(*shape)).max(P::bytes(*shape))
    }

    fn begin(&home: &Home, shape: Shape) -> Self {
        Self {
            home,
            stage: Reading::begin(P::shipped(shape).bytes).map_or(Stage::Failed, Stage::Reading),
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        // Each piece of work covers as many weights as the square of the number of cells: of the
        // cells of the largest shape until the wanted shape is reached.
        let pieces_of = |shape: Shape, a_node| {
            let squared = shape.cells().pow(2) as u64;
            states.saturating_mul(a_node).div_ceil(squared)
        };
        let pieces = |shape| pieces_of(shape, A_NODE);
        let shape = self.home.shape();
        let largest = largest_for::<P>(shape);
        match &mut self.stage {
            Stage::Reading(reading) => {
                if reading.advance(pieces(largest)) {
                    let weights = reading.finish();
                    self.go_on(weights);
                }
                false
            }
            Stage::Lifting(lift) => {
                if lift.advance(pieces(largest)) {
                    let weights = lift.finish();
                    self.go_on(weights);
                }
                false
            }
            Stage::Homing(homing) => {
                if homing.advance(pieces_of(shape, A_NODE_OF_HOMING)) {
                    let weights = homing.finish();
                    self.make_rows(weights);
                }
                false
            }
            Stage::Rows(rows) => rows.advance(pieces(shape)),
            Stage::Failed => true,
        }
    }

    fn finish(self) -> Option<P::Table> {
        match self.stage {
            Stage::Rows(rows) => P::table(rows),
            _ => None,
        }
    }

    fn bytes(table: &P::Table) -> usize {
        P::bytes(P::shape(table))
    }
}

impl<P: Purpose> Work<P> {
    /// Moves on to the next stage, with the weights that the previous one has made.
    fn go_on(&mut self, weights: Option<WeightsOf<P>>) {
        let home = self.home;
        match weights.map(|weights| Lift::towards(home.shape(), weights)) {
            Some(Ok(lift)) => self.stage = Stage::Lifting(lift),
            Some(Err(weights)) if !home.is_corner() => {
                self.stage = Stage::Homing(Homing::begin(weights, home.cell()));
            }
            Some(Err(weights)) => self.make_rows(Some(weights)),
            None => self.stage = Stage::Failed,
        }
    }

    /// Moves on to the last stage, with weights for the home of the blank.
    fn make_rows(&mut self, weights: Option<WeightsOf<P>>) {
        let rows = |weights| Stage::Rows(RowBuilder::begin(weights, self.home.cell()));
        self.stage = weights.map_or(Stage::Failed, rows);
    }
}
