//! The process's rows, for the weights for stages and for the weights for whole boards. They are
//! built in slices by the searches that need them, and kept.

use std::marker::PhantomData;
use std::sync::Arc;

use super::lift::NearLift;
use super::ranking::NearRanking;
use super::rows::{self, NearRows};
use super::shapes::{LEAST_SIDE, LONG_SIDE, MOST_SIDE, supports, supports_whole};
use super::weights::NearWeights;
use crate::heuristic::learned::Ranking;
use crate::heuristic::learned::file::Reading;
use crate::heuristic::learned::shipped::{self, Square, landscape, shapes_within};
use crate::heuristic::shared_table::{Slot, Slots, TableBuilder};
use crate::puzzle::Shape;

static STAGED: Slots<Work<InStages>> = Slots::new();
static WHOLE: Slots<Work<Whole>> = Slots::new();

/// Works on the rows for stages, for about as long as the given number of search nodes takes.
/// Returns true once nothing is left to do.
pub fn prepare(shape: Shape, nodes: u64) -> bool {
    !supports(shape) || slot(&STAGED, shape).build(nodes)
}

/// Works on the tables that rank whole boards, as [`prepare`] does on the rows for stages.
pub fn prepare_whole(shape: Shape, nodes: u64) -> bool {
    !supports_whole(shape) || slot(&WHOLE, landscape(shape)).build(nodes)
}

/// Returns the rows for stages if they are ready.
#[must_use]
pub fn ready(shape: Shape) -> Option<Arc<NearRows>> {
    supports(shape).then(|| slot(&STAGED, shape).get())?
}

/// Returns the tables that rank whole boards if they are ready.
#[must_use]
pub fn ready_whole(shape: Shape) -> Option<Arc<NearRanking>> {
    supports_whole(shape).then(|| slot(&WHOLE, landscape(shape)).get())?
}

/// Returns the shipped weights for stages, fitted to a shape, or `None` if they are damaged.
#[must_use]
pub fn shipped(shape: Shape) -> Option<NearWeights> {
    let weights = NearWeights::from_bytes(InStages::shipped(shape).bytes).ok()?;
    Some(weights.fit(shape))
}

/// Returns the shipped weights for whole boards, fitted to a shape, or `None` if they are damaged.
#[must_use]
pub fn shipped_whole(shape: Shape) -> Option<NearWeights> {
    let weights = NearWeights::from_bytes(Whole::shipped(shape).bytes).ok()?;
    Some(weights.fit(shape))
}

/// Returns the slot of the rows of a shape for which there are weights.
fn slot<P: Purpose>(slots: &'static Slots<Work<P>>, shape: Shape) -> &'static Slot<Work<P>> {
    slots.of(&shape, P::shapes())
}

/// What weights are used for.
trait Purpose: Send + 'static {
    /// The table that beams look up.
    type Table: Send + Sync;

    /// Returns all shapes for which there are weights.
    fn shapes() -> impl Iterator<Item = Shape>;

    /// Returns the shipped weights from which those of a shape are derived.
    fn shipped(shape: Shape) -> Square;

    /// Returns the shape of the table's boards.
    fn shape(table: &Self::Table) -> Shape;

    /// Returns the bytes that the table takes for a shape.
    fn bytes(shape: Shape) -> usize;

    /// Creates the table from rows that are made, or returns `None` if the network beside them is
    /// damaged.
    fn table(rows: rows::TableBuilder) -> Option<Self::Table>;
}

/// For staged beams.
struct InStages;

impl Purpose for InStages {
    type Table = NearRows;

    fn shapes() -> impl Iterator<Item = Shape> {
        shapes_within(LEAST_SIDE..=MOST_SIDE).filter(|&shape| supports(shape))
    }

    fn shipped(_shape: Shape) -> Square {
        shipped::NEAR_STAGED
    }

    fn shape(table: &NearRows) -> Shape {
        table.shape()
    }

    fn bytes(shape: Shape) -> usize {
        NearRows::bytes(shape)
    }

    fn table(rows: rows::TableBuilder) -> Option<NearRows> {
        let (rows, _) = rows.finish();
        Some(rows)
    }
}

/// For beams over whole boards.
struct Whole;

impl Purpose for Whole {
    type Table = NearRanking;

    fn shapes() -> impl Iterator<Item = Shape> {
        let shapes = shapes_within(Shape::MIN_SIDE..=LONG_SIDE);
        shapes.filter(|&shape| landscape(shape) == shape && supports_whole(shape))
    }

    fn shipped(shape: Shape) -> Square {
        shipped::near_whole(shape)
    }

    fn shape(table: &NearRanking) -> Shape {
        table.shape()
    }

    fn bytes(shape: Shape) -> usize {
        NearRanking::bytes(shape)
    }

    fn table(rows: rows::TableBuilder) -> Option<NearRanking> {
        shipped::with_network(NearRanking::of_rows(rows))
    }
}

/// Rows under construction.
struct Work<P> {
    shape: Shape,
    stage: Stage,
    purpose: PhantomData<P>,
}

enum Stage {
    Reading(Reading<'static, NearWeights>),
    Lifting(NearLift),
    Rows(rows::TableBuilder),
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

/// The numbers of weights that are read, lifted or turned into rows in the time of one search node.
const READ_A_NODE: u64 = 16;
const LIFTED_A_NODE: u64 = 16;
const SPREAD_A_NODE: u64 = 16;

impl<P: Purpose> TableBuilder for Work<P> {
    type Class = Shape;
    type Plan = Shape;
    type Table = P::Table;

    fn plan(shape: &Shape) -> Shape {
        *shape
    }

    fn need(shape: &Shape) -> usize {
        // The weights are held while the rows are made, and two sets of them while a line is
        // inserted or removed.
        let making = NearRows::bytes(*shape) + NearWeights::bytes(*shape);
        let lifting = 2 * NearWeights::bytes(largest_for::<P>(*shape));
        making.max(lifting).max(P::bytes(*shape))
    }

    fn begin(_: &Shape, shape: Shape) -> Self {
        Self {
            shape,
            stage: Reading::begin(P::shipped(shape).bytes).map_or(Stage::Failed, Stage::Reading),
            purpose: PhantomData,
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        // Each piece of work covers as many weights as the square of the number of cells: of the
        // cells of the largest shape until the wanted shape is reached.
        let pieces = |a_node: u64, shape: Shape| {
            let squared = shape.cells().pow(2) as u64;
            states.saturating_mul(a_node).div_ceil(squared)
        };
        let largest = largest_for::<P>(self.shape);
        match &mut self.stage {
            Stage::Reading(reading) => {
                if reading.advance(pieces(READ_A_NODE, largest)) {
                    let weights = reading.finish();
                    self.go_on(weights);
                }
                false
            }
            Stage::Lifting(lift) => {
                if lift.advance(pieces(LIFTED_A_NODE, largest)) {
                    let weights = lift.finish();
                    self.go_on(Some(weights));
                }
                false
            }
            Stage::Rows(rows) => rows.advance(pieces(SPREAD_A_NODE, self.shape)),
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

impl<P> Work<P> {
    /// Moves on to the next stage, with the weights that the previous one has made.
    fn go_on(&mut self, weights: Option<NearWeights>) {
        let next = weights.and_then(|weights| match weights.next_line(self.shape) {
            Some(line) => NearLift::begin(weights, line).map(Stage::Lifting),
            None => Some(Stage::Rows(rows::TableBuilder::begin(weights))),
        });
        self.stage = next.unwrap_or(Stage::Failed);
    }
}
