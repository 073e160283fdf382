//! Tables of the process that are made of shipped weights, built in slices by the searches that need
//! them, and kept. The weights are read, fitted to the shape line by line, and turned into rows.

use super::file::{self, Reading, Stored};
use super::lift::{self, Lift};
use super::near::LONG_SIDE;
use super::shipped::Square;
use crate::heuristic::shared_table::{Slot, Slots, TableBuilder};
use crate::puzzle::Shape;

/// Rows under construction, one slide of one tile after the other.
pub(super) trait RowBuilder: Send + Sized {
    /// What the rows are made of.
    type Weights: Stored + Send;

    /// Returns the bytes held for a shape while rows are made.
    fn bytes(shape: Shape) -> usize;

    fn begin(weights: Self::Weights) -> Self;

    /// Makes the given number of rows. Returns true when none are left.
    fn advance(&mut self, rows: u64) -> bool;

    /// Makes all rows.
    fn all(weights: Self::Weights) -> Self {
        let mut making = Self::begin(weights);
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

type WeightsOf<P> = <<P as Purpose>::Rows as RowBuilder>::Weights;

/// Returns the shipped weights, fitted to a shape, or `None` if they are damaged.
pub(super) fn weights<P: Purpose>(shape: Shape) -> Option<WeightsOf<P>> {
    let weights = file::from_bytes(P::shipped(shape).bytes).ok()?;
    Some(lift::fit(weights, shape))
}

/// Returns the slot of the table of a shape, if there are weights for it.
pub(super) fn slot<P: Purpose>(
    slots: &'static Slots<Work<P>>,
    shape: Shape,
) -> Option<&'static Slot<Work<P>>> {
    let sides = || Shape::MIN_SIDE..=LONG_SIDE;
    let all = sides().flat_map(|rows| sides().map(move |columns| Shape::new(rows, columns)));
    let all = all.flatten().filter(|&shape| P::supports(shape));
    P::supports(shape).then(|| slots.of(&shape, all))
}

/// A table under construction.
pub(super) struct Work<P: Purpose> {
    shape: Shape,
    stage: Stage<P::Rows>,
}

enum Stage<R: RowBuilder> {
    Reading(Reading<'static, R::Weights>),
    Lifting(Lift<R::Weights>),
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

impl<P: Purpose> TableBuilder for Work<P> {
    type Class = Shape;
    type Plan = Shape;
    type Table = P::Table;

    fn plan(shape: &Shape) -> Shape {
        *shape
    }

    fn need(shape: &Shape) -> usize {
        // Two sets of weights are held while a line is inserted or removed.
        let lifting = 2 * WeightsOf::<P>::bytes(largest_for::<P>(*shape));
        lifting.max(P::Rows::bytes(*shape)).max(P::bytes(*shape))
    }

    fn begin(_: &Shape, shape: Shape) -> Self {
        Self {
            shape,
            stage: Reading::begin(P::shipped(shape).bytes).map_or(Stage::Failed, Stage::Reading),
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        // Each piece of work covers as many weights as the square of the number of cells: of the
        // cells of the largest shape until the wanted shape is reached.
        let pieces = |shape: Shape| {
            let squared = shape.cells().pow(2) as u64;
            states.saturating_mul(A_NODE).div_ceil(squared)
        };
        let largest = largest_for::<P>(self.shape);
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
            Stage::Rows(rows) => rows.advance(pieces(self.shape)),
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
        self.stage = match weights.map(|weights| Lift::towards(self.shape, weights)) {
            Some(Ok(lift)) => Stage::Lifting(lift),
            Some(Err(weights)) => Stage::Rows(RowBuilder::begin(weights)),
            None => Stage::Failed,
        };
    }
}
