//! The rows of the process: made bit by bit by whoever needs them, and kept.

use std::sync::Arc;

use super::file::Reading;
use super::lift::{Lift, Line};
use super::rows::{self, Rows};
use super::shipped::{recipe, recipes};
use super::weights::Weights;
use crate::heuristic::shared_table::{Making, Slot, Slots};
use crate::puzzle::Shape;

static SLOTS: Slots<Work> = Slots::new();

/// Whether there are weights for boards of this shape, however it lies.
#[must_use]
pub fn supports(shape: Shape) -> bool {
    recipe(lying(shape)).is_some()
}

/// Works on the rows for a shape, about as long as so many nodes of a search take; true once
/// there is no more to do.
pub fn prepare(shape: Shape, nodes: u64) -> bool {
    slot(shape).is_none_or(|slot| slot.build(nodes).is_some())
}

/// The rows for a shape, if they are there; none for ever where the weights were found damaged.
#[must_use]
pub fn ready(shape: Shape) -> Option<Arc<Rows>> {
    slot(shape)?.build(0)?.as_ref().clone()
}

/// The bytes that all rows made so far hold. Those of all shapes together hold 160 MB.
#[must_use]
pub fn bytes() -> usize {
    SLOTS.bytes()
}

fn slot(shape: Shape) -> Option<&'static Slot<Work>> {
    let shape = lying(shape);
    supports(shape).then(|| SLOTS.of(&shape, recipes().map(|recipe| recipe.shape)))
}

/// The shape, turned so that it is at least as wide as it is high.
fn lying(shape: Shape) -> Shape {
    if shape.rows() > shape.columns() {
        shape.transposed()
    } else {
        shape
    }
}

/// Rows in the making.
struct Work {
    stage: Stage,
    /// What is still to be put in or taken out.
    lifts: &'static [Line],
}

enum Stage {
    Reading(Reading<'static>),
    Lifting(Lift),
    Rows(rows::Making),
    /// The weights are damaged.
    Failed,
}

/// Nodes of a search that take about as long as the weights of a pair of cells: reading them,
/// and lifting them.
const READING: u64 = 40;
const LIFTING: u64 = 400;

/// Nodes of a search that take about as long as a row.
const ROW: u64 = 40;

impl Making for Work {
    type Class = Shape;
    /// None where the weights are damaged.
    type Table = Option<Arc<Rows>>;

    fn begin(shape: &Shape) -> Self {
        let recipe = recipe(*shape);
        let reading = recipe.and_then(|recipe| Reading::begin(recipe.bytes).ok());
        Self {
            stage: reading.map_or(Stage::Failed, Stage::Reading),
            lifts: recipe.map_or(&[], |recipe| recipe.lifts),
        }
    }

    fn advance(&mut self, states: u64) -> bool {
        match &mut self.stage {
            Stage::Reading(reading) => {
                if reading.advance(states.div_ceil(READING)) {
                    let weights = reading.finish();
                    self.go_on(weights);
                }
                false
            }
            Stage::Lifting(lift) => {
                if lift.advance(states.div_ceil(LIFTING)) {
                    let weights = lift.finish();
                    self.go_on(weights);
                }
                false
            }
            Stage::Rows(rows) => rows.advance(states.div_ceil(ROW)),
            Stage::Failed => true,
        }
    }

    fn finish(self) -> Option<Arc<Rows>> {
        match self.stage {
            Stage::Rows(rows) => Some(Arc::new(rows.finish())),
            _ => None,
        }
    }

    fn bytes(table: &Self::Table) -> usize {
        table.as_ref().map_or(0, |rows| Rows::bytes(rows.shape()))
    }
}

impl Work {
    /// To the next stage, with the weights that the one before has made.
    fn go_on(&mut self, weights: Option<Weights>) {
        let next = weights.and_then(|weights| match self.lifts.split_first() {
            Some((&line, others)) => {
                self.lifts = others;
                Lift::begin(weights, line).map(Stage::Lifting)
            }
            None => Some(Stage::Rows(rows::Making::begin(weights))),
        });
        self.stage = next.unwrap_or(Stage::Failed);
    }
}
